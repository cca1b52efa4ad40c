"""Where the command line writes: answers to standard output, everything else to standard error.

A reader that goes away (`angarium systems | head`) is no failure: what is left is written to nowhere,
and the exit code still tells the verdict.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any, TextIO

import click

WIDEST = 100
"""Lines longer than this are hard to read, however wide the terminal."""
NARROWEST = 60
USUAL = 80


def say(text: str) -> None:
    """Write an answer."""
    _write(text, sys.stdout)


def say_record(record: Mapping[str, Any]) -> None:
    """Write an answer as JSON."""
    say(json.dumps(record, indent=2, ensure_ascii=False))


def note(text: str, *, newline: bool = True) -> None:
    """Write something that is not the answer: an error, a remark, progress."""
    _write(text, sys.stderr, newline=newline)


def width() -> int:
    """How wide a line may be."""
    columns = shutil.get_terminal_size((USUAL, 24)).columns if sys.stdout.isatty() else USUAL
    return max(NARROWEST, min(columns, WIDEST))


def is_colourful() -> bool:
    """Whether answers go to a terminal whose user has not asked for plain text (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def flush() -> None:
    """Write out what is still held back, before the interpreter does so with a complaint."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            _redirect_to_nowhere(stream)


def _write(text: str, stream: TextIO, *, newline: bool = True) -> None:
    try:
        click.echo(text, file=stream, nl=newline)
    except BrokenPipeError:
        _redirect_to_nowhere(stream)


def _redirect_to_nowhere(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
