"""One trial of the fuzzer: a command in a process of its own, and what must be so whatever it was given.

The process is forked, for Python takes longer to begin than most commands need: so the verbs are loaded once.
It has a session and a folder of its own, and another for temporary files. When it has ended, or its time was
over, nothing may be left: no process of its session, no temporary file, nothing that is half written.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import NoReturn

import angarium
from angarium.core.errors import SparkError
from angarium.core.files import is_strange
from tests.fuzz.inputs import Trial, argument
from tests.processes import members

PATIENCE = 120.0
"""Seconds, on a machine however busy, of commands that have two seconds."""
LASTING, ENOUGH = {"serve"}, 2.0
"""Verbs that end when somebody asks them to, and the seconds after which they are asked."""
SECRET = "s3cr3t"
_UNLOADED = {"__main__", "web", "spark", "on_spark", "wrappers"}
"""What no command needs that is tried, or what runs when it is loaded."""


def warm() -> None:
    """Load what commands load, so that each forked process has it already."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("ANGARIUM_GPU", "emulated")
    for each in walk_packages(angarium.__path__, "angarium."):
        if not set(each.name.split(".")) & _UNLOADED:
            import_module(each.name)


def _no_spark(*_: object, **__: object) -> NoReturn:
    """In the place of starting Spark's Java, which takes seconds: words and files are looked at before it."""
    raise SparkError("ANG076", "Spark is not started here")


def judged(trial: Trial) -> list[str]:
    """What is wrong with what a command did; nothing, if all is well."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))  # not one that a forked process would remove, too
    try:
        place, temporary = folder / "here", folder / "tmp"
        place.mkdir()
        temporary.mkdir()
        _furnish(place, trial)
        before = set(os.listdir(place))
        code, out, err, left = _run(trial, place, temporary, folder)
        return [*_of_ending(code, out, err, trial), *left, *_left_over(place, temporary, before)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _furnish(place: Path, trial: Trial) -> None:
    for name, content in trial.files.items():
        (place / name).write_bytes(content)
    os.mkfifo(place / "PIPE")
    (place / "DEVICE").symlink_to("/dev/zero")
    (place / "FULL").symlink_to("/dev/full")
    (place / "LINK").symlink_to("LINK")
    (place / "FOLDER").mkdir()


def _run(trial: Trial, place: Path, temporary: Path, folder: Path) -> tuple[int, str, str, list[str]]:
    """The exit code, or minus the signal; what it wrote; and the processes that it left."""
    out, err = folder / "out", folder / "err"
    process = os.fork()
    if not process:
        _child(trial, place, temporary, out, err)
    status = _ended(process, ENOUGH if trial.verb in LASTING else PATIENCE)
    if status is None and trial.verb in LASTING:
        os.kill(process, signal.SIGTERM)
        status = _ended(process, PATIENCE)
    left = [f"it left the process {each}" for each in members(process) if status is not None]
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    if status is None:
        os.waitpid(process, 0)
        return -signal.SIGALRM, _text(out), _text(err), ["it had not ended in time"]
    return os.waitstatus_to_exitcode(status), _text(out), _text(err), left


def _ended(process: int, seconds: float) -> int | None:
    """How a process has ended; None if it has not in that time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return status
        time.sleep(0.005)
    return None


def _child(trial: Trial, place: Path, temporary: Path, out: Path, err: Path) -> NoReturn:
    """In the forked process: run the command, and end as a program of its own would."""
    code = 99
    try:
        os.setsid()
        os.chdir(place)
        os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
        for number, path in ((0, os.devnull), (1, str(out)), (2, str(err))):
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            os.dup2(handle, number)
            os.close(handle)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, "rw"[number > 0]) for number in range(3))
        sys.argv = ["angarium", *(os.fsdecode(argument(word)) for word in trial.words)]
        from angarium.app.cli import main
        from angarium.spark import session

        session.start = _no_spark  # type: ignore[assignment]
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""


def _of_ending(code: int, out: str, err: str, trial: Trial) -> Iterator[str]:
    """What is wrong with the exit code and with what was said."""
    said = out + err
    if code not in range(4) and not (code == 143 and trial.verb in LASTING):
        lines = [line for line in err.splitlines() if line.strip()]
        yield f"exit code {code}: {(lines or ['nothing was said'])[0 if code == 70 else -1][:300]}"
    if "Traceback (most recent call last)" in said and code != 99:
        yield "a stack trace"
    if code == 2 and not err.strip():
        yield "exit code 2, and nothing is said"
    if {"\x1b", "\x07", "\u202e", "\x9b"} & set(err):
        yield "standard error has what a terminal obeys"
    if SECRET in err:
        yield f"a password is in: {next(line for line in err.splitlines() if SECRET in line)[:200]}"
    if "--json" in trial.words and code in (0, 1, 3):
        yield from _no_json(out)


def _no_json(out: str) -> Iterator[str]:
    try:
        json.loads(out or "{}")
    except ValueError as problem:
        yield f"--json is no JSON: {problem}"


def _left_over(place: Path, temporary: Path, before: set[str]) -> Iterator[str]:
    for each in sorted(temporary.iterdir()):
        yield f"it left the temporary file {each.name}"
    for name in sorted(set(os.listdir(place)) - before):
        if name.startswith("."):
            yield f"it left {name}"
    for name in ("PIPE", "DEVICE", "FULL"):
        if not is_strange(place / name):
            yield f"{name} is one no longer"
