"""`angarium prove`: is an implementation right, however much it holds?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from angarium.app.cli.options import json_option, options_of, quiet_option, subject_argument, timeout_option
from angarium.core.options import PROVE

if TYPE_CHECKING:
    from angarium.contracts.prove import Observer


@click.command()
@subject_argument
@options_of(PROVE)
@timeout_option
@json_option
@quiet_option
def command(subject: str, only: tuple[str, ...], timeout: float | None, as_json: bool, quiet: bool) -> int:
    """Prove what SUBJECT claims, for sorts of any size.

    SUBJECT is a bundled system with proofs (queue), or a Python file with specifications and
    implementations, or FILE:CLASS for one of them.

    Every conjecture must hold at the start and be kept by every operation, and whatever is ensured or
    required must be true. Each of these obligations is proved for any number of elements, or refuted by
    the smallest counterexample: a state, a call, and what it leads to.

    \b
    Examples:
      angarium prove queue
      angarium prove my_queue.py
      angarium prove my_queue.py:RingBuffer
      angarium prove queue:RingBufferQueue --only represents
      angarium prove my_queue.py --only 'delete_all keeps represents'
      angarium prove my_queue.py --json > verdicts.json

    Exit codes: 0 all hold, 1 something is violated, 2 wrong usage or input, 3 unknown.
    """
    from angarium.api import prove
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.output import is_colourful, say, say_record, width
    from angarium.app.report.record import result_record

    with _watching(quiet) as observe:
        result = prove(subject, only=only, timeout=timeout, observe=observe)
    if as_json:
        say_record(result_record(result))
    else:
        from angarium.app.report.proof_text import render

        say(render(result, width=width(), colourful=is_colourful()))
    return EXIT_CODE_OF[result.worst]


@contextmanager
def _watching(quiet: bool) -> Iterator[Observer | None]:
    """A line of progress where it takes long."""
    from angarium.app.cli.watching import telling

    with telling(quiet) as tell:
        yield tell and (lambda number, total, name: tell(f"proving {number} of {total}: {name}"))
