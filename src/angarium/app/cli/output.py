"""Where the command line writes: answers to standard output, everything else to standard error.

Words of others are shown and not obeyed, and have no passwords (`angarium.core.escaping`); of our own
escapes, the colours of a report and the erasing of a line of progress reach a terminal.

Exit codes do not depend on who listens. A reader that goes away (`angarium systems | head`) or never was
there (`2>&-`) is no failure: what is left is written to nowhere, and the exit code still tells the verdict.
But where the answer was to be kept and cannot be, as on a full disk, nobody may take an exit code of 0 for an
answer: a line says what is wrong, and `answer_is_lost`.

Standard output is ours: what somebody else's code writes there goes to standard error instead.

A record in JSON must not have a queue's own lines in between. Python's own `print` is sent aside, and so is
what other programs write that the code starts, by the number of the file.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, TextIO

import click

from angarium.core.escaping import json_text, plain, shown

WIDEST = 100
"""Lines longer than this are hard to read, however wide the terminal."""
NARROWEST = 60
USUAL = 80
ERASE = "\r\x1b[K"
"""Takes a line of progress back."""
_lost: set[str] = set()
"""Streams that have failed, but not because nobody listens."""


def say(text: str) -> None:
    """Write an answer."""
    _write(_coloured(text) if is_colourful() else plain(text), sys.stdout)


def say_record(record: Mapping[str, Any]) -> None:
    """Write an answer as JSON; in ASCII, if standard output has other letters than it."""
    text = json_text(record, indent=2)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json_text(record, indent=2, ascii_only=True)
    _write(text, sys.stdout)


def say_document(text: str) -> None:
    """Write what somebody else will read, as it is; a terminal obeys nothing of it."""
    _write(shown(text) if sys.stdout.isatty() else text, sys.stdout)


def note(text: str, *, newline: bool = True, over: bool = False) -> None:
    """Write something that is not the answer: an error, a remark, progress; `over` the line before."""
    _write(ERASE * over + plain(text), sys.stderr, newline=newline)


def width() -> int:
    """How wide a line may be."""
    columns = shutil.get_terminal_size((USUAL, 24)).columns if sys.stdout.isatty() else USUAL
    return max(NARROWEST, min(columns, WIDEST))


def is_colourful() -> bool:
    """Whether answers go to a terminal whose user has not asked for plain text (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def answer_is_lost() -> bool:
    """Whether somebody was to get the answer who has not got it."""
    return "stdout" in _lost


def open_streams() -> None:
    """Have three streams, whatever the shell has closed, that write every letter in some way.

    Else the next file that is opened would be what somebody writes errors to.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
    with suppress(AttributeError):
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def flush() -> None:
    """Write out what is still held back, before the interpreter does so with a complaint."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as problem:
            _give_up(stream, problem)


def _coloured(text: str) -> str:
    """The text with the colours that are ours, and nothing else that a terminal obeys."""
    from angarium.app.report.layout import COLOURS

    ours = re.compile(rf"(\x1b\[(?:0|{'|'.join(sorted(set(COLOURS.values())))})m)")
    return "".join(part if ours.fullmatch(part) else plain(part) for part in ours.split(text))


def _write(text: str, stream: TextIO, *, newline: bool = True) -> None:
    try:
        click.echo(text, file=stream, nl=newline)
    except OSError as problem:
        _give_up(stream, problem)


def _give_up(stream: TextIO, problem: OSError) -> None:
    """Write all that follows to nowhere; and say so, if it was to be kept."""
    kept = problem.errno not in (errno.EPIPE, errno.EBADF)
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    if kept and stream is sys.stdout and "stdout" not in _lost:
        _lost.add("stdout")
        note(f"error[ANG014]: the answer cannot be written: {problem.strerror or problem}")


# --- aside ----------------------------------------------------------------------------------------


_OUTPUT, _ERRORS = 1, 2


@contextmanager
def output_aside() -> Iterator[None]:
    """Send whatever the block writes on standard output to standard error."""
    sys.stdout.flush()
    kept = os.dup(_OUTPUT)
    os.dup2(_ERRORS, _OUTPUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, _OUTPUT)
        os.close(kept)
