"""From what went wrong to a message and an exit code.

The user's mistakes give exit code 2 and a message with a code, what was possible and what to do; with
`--json` standard output has the record of the verb, with `error` and without verdicts:

    {"angarium": "VERSION", "kind": "check", "error": {"code": "ANG011", "message": ..., "possible": ...,
     "remedy": ..., "place": {"file": ..., "line": ..., "column": ...} or null}, "verdicts": []}

Errors that click finds in the command's words have no code of ours: `code` is null. Anything else is a bug
in Angarium and says so in one line; with ANGARIUM_DEBUG set, Python's traceback follows.
"""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Sequence
from enum import IntEnum
from io import StringIO
from signal import SIGTERM
from typing import Any

import click

from angarium import __version__
from angarium.app.cli.output import note, say_record
from angarium.core.addresses import addresses_left
from angarium.core.control import INTERRUPTED, Stopped, Terminated
from angarium.core.errors import InputError, ModelError, UsageError
from angarium.core.result import Verdict

DEBUG = "ANGARIUM_DEBUG"
_LIBRARY = 256 * 2**20
"""Bytes of addresses with which the largest library, which is LLVM, is surely loaded."""
NESTED = "something in what is to be looked at is nested too deeply"


class UnansweredError(Exception):
    """A verb was stopped before it had any answer."""

    def __init__(self, stopped: Stopped) -> None:
        super().__init__(stopped.cut)
        self.why = stopped.cut
        self.code = ExitCode.TERMINATED if isinstance(stopped, Terminated) else ExitCode.UNKNOWN


class ExitCode(IntEnum):
    """What the shell is told."""

    HOLDS = 0
    VIOLATED = 1
    WRONG_INPUT = 2
    UNKNOWN = 3
    BUG = 70
    TERMINATED = 128 + SIGTERM
    """Without an answer; with one it is that of the answer."""


EXIT_CODE_OF = {
    Verdict.HOLDS: ExitCode.HOLDS,
    Verdict.VIOLATED: ExitCode.VIOLATED,
    Verdict.UNKNOWN: ExitCode.UNKNOWN,
}


def explain(problem: Exception, words: Sequence[str]) -> ExitCode:
    """Say what went wrong, and as which exit code."""
    match problem:
        case InputError():
            note(f"error[{problem.code}]: {problem}")
            _record(words, _input_error(problem))
            return ExitCode.WRONG_INPUT
        case click.ClickException():
            note(_shown(problem))
            _record(words, _error(problem.format_message()))
            return ExitCode.WRONG_INPUT
        case UnansweredError():
            return _unanswered(problem.why, words, problem.code)
        case click.Abort():
            return _unanswered(INTERRUPTED, words)
        case RecursionError():
            return explain(ModelError("ANG111", NESTED, remedy="give parts of it names"), words)
        case MemoryError() | OSError(errno=errno.ENOMEM):
            return _starved(words)
        case OSError(errno=int()):
            return explain(_refused(problem), words)
        case _ if _is_starved():
            return _starved(words)
        case RuntimeError(args=("can't start new thread" as why,)):
            return explain(_refused(OSError(why)), words)
        case _:
            return _bug(problem, words)


def _shown(problem: click.ClickException) -> str:
    """What click says: the usage, and what is wrong with the words."""
    told = StringIO()
    problem.show(told)
    return told.getvalue().rstrip("\n")


def _refused(problem: OSError) -> InputError:
    """What the system does not let us do, wherever that was: its disk is full, or too many files are open."""
    where = f" ({problem.filename})" if problem.filename else ""
    return UsageError(
        "ANG017",
        f"the system refuses to go on: {problem.strerror or problem}{where}",
        remedy="give it what it lacks, and try again",
    )


def _starved(words: Sequence[str]) -> ExitCode:
    note("there is not enough memory for this: give smaller parameters, or more memory (ulimit -v)")
    _record(words, _error("the machine's memory is full"))
    return ExitCode.UNKNOWN


def _is_starved() -> bool:
    """Whether there are so few addresses that libraries are not loaded, which each says in its own words."""
    left = addresses_left()
    return left is not None and left < _LIBRARY


def _unanswered(why: str, words: Sequence[str], code: ExitCode = ExitCode.UNKNOWN) -> ExitCode:
    note(f"{why} before there was anything to report")
    _record(words, _error(why))
    return code


def _bug(problem: Exception, words: Sequence[str]) -> ExitCode:
    what = f"{type(problem).__name__}: {problem}".splitlines()[0]
    note(f"this is a bug in Angarium, please report it: {what} (set {DEBUG}=1 to see where)")
    if os.environ.get(DEBUG):
        note("".join(traceback.format_exception(problem)))
    _record(words, _error(f"bug in Angarium: {what}"))
    return ExitCode.BUG


def _record(words: Sequence[str], error: dict[str, Any]) -> None:
    if "--json" not in words:
        return
    verb = next((word for word in words if not word.startswith("-")), None)
    say_record({"angarium": __version__, "kind": verb, "error": error, "verdicts": []})


def _input_error(problem: InputError) -> dict[str, Any]:
    place = problem.place
    at = {"file": place.file, "line": place.line, "column": place.column} if place else None
    return _error(problem.what, problem.code, problem.possible, problem.remedy, at)


def _error(
    message: str,
    code: str | None = None,
    possible: str = "",
    remedy: str = "",
    place: dict[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "code": code,
        "message": message,
        "possible": possible,
        "remedy": remedy,
        "place": place,
    }
