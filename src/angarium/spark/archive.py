"""An archive of the classes that Spark loads, kept between runs: a session starts in half the processor time.

To start, Spark's Java reads, checks and links fifteen thousand classes out of 280 jars; Java can map them
from a file instead (class-data sharing). The first session that has run a Python worker leaves the list of its
classes, and from it a second Java makes the archive, once, in the background and at the lowest priority: half
a minute of one core, and 170 MB in the user's cache directory. Java checks the archive against its own build
and against every jar, and goes on without where they differ; it is written beside its place and renamed.
Nothing depends on it.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from pathlib import Path

from angarium.compile.backend.cache import directory, key
from angarium.spark.java import Java

_ENOUGH = b"org/apache/spark/sql/execution/python/ArrowPythonRunner"
"""A session that has loaded this class has done what a search does."""
_STALE = 24 * 3600.0
"""Seconds after which a list that still lies there is taken to have failed, and may be tried again."""

_MAKE = """(
nice -n 19 "$1" -Xshare:dump -XX:SharedClassListFile="$2" -XX:SharedArchiveFile="$2.new" -cp "$3" &&
mv -f "$2.new" "$4" && rm -f "$2"
) >/dev/null 2>&1 &"""


def flags(java: Java, home: Path, folder: Path) -> list[str]:
    """What a Java is started with: the archive, or else the order to list its classes in the folder."""
    made = _archive(java, home)
    if made.exists():
        return [f"-XX:SharedArchiveFile={made}", "-Xlog:disable"]  # a mismatch is no news
    return [f"-XX:DumpLoadedClassList={folder / 'classes'}"]


def learn(java: Java, home: Path, folder: Path) -> None:
    """Make the archive from what a session has listed, if it is enough and nobody is making it already."""
    with suppress(OSError, RuntimeError):
        names = (folder / "classes").read_bytes()
        made = _archive(java, home)
        if _ENOUGH in names and not made.exists():
            wanted = made.with_suffix(".classes")
            _claim(wanted, names)
            _make(java, home, wanted, made)


def _archive(java: Java, home: Path) -> Path:
    """Where the archive lies, by what Java checks it against."""
    release = ""
    with suppress(OSError):
        release = (java.home / "release").read_text(encoding="utf-8", errors="replace")
    installed = (home / "jars").stat().st_mtime_ns
    name = key(str(java.home), release, str(home), str(installed))[:16]
    return directory().parent / "java" / f"{name}.jsa"


def _claim(path: Path, names: bytes) -> None:
    """Write the list; FileExistsError if somebody else is at work with one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if time.time() - path.stat().st_mtime > _STALE:
            path.unlink()
    with path.open("xb") as file:
        file.write(names)


def _make(java: Java, home: Path, names: Path, made: Path) -> None:
    """Start what makes the archive, and leave it to itself."""
    subprocess.run(
        ["/bin/sh", "-c", _MAKE, "archive", str(java.executable), str(names), f"{home}/jars/*", str(made)],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        check=False,
    )
