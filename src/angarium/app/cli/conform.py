"""`angarium conform`: drive a real queue, and watch whether it keeps a contract."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from angarium.app.cli.options import MOST, json_option, quiet_option, subject_argument, timeout_option
from angarium.contracts.monitor.sequences import Plan
from angarium.core.result import Verdict

if TYPE_CHECKING:
    from angarium.contracts.monitor.drive import Observer
    from angarium.contracts.monitor.results import ConformResult

_USUAL = Plan()


@click.command()
@subject_argument
@click.option(
    "--spec",
    metavar="CONTRACT",
    default="queue",
    show_default=True,
    help="A bundled system with a contract, or a Python file with a specification, or FILE:CLASS.",
)
@click.option(
    "--examples",
    type=click.IntRange(1, MOST),
    default=_USUAL.examples,
    show_default=True,
    help="How many sequences of calls.",
)
@click.option(
    "--steps",
    type=click.IntRange(1, MOST),
    default=_USUAL.steps,
    show_default=True,
    help="How many calls a sequence has at most; a bug that needs a full queue needs long ones.",
)
@click.option("--seed", type=click.IntRange(0), default=_USUAL.seed, show_default=True, help="Which calls.")
@timeout_option
@json_option
@quiet_option
def command(
    subject: str,
    spec: str,
    examples: int,
    steps: int,
    seed: int,
    timeout: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Drive a real queue, and watch whether it keeps a contract.

    SUBJECT is a queue that comes with Angarium (memory, sqlite, redis-stream, redis-list), or a class of
    yours, as FILE.py:CLASS or MODULE:CLASS, which can be made without arguments. Your file IS RUN, and
    the operations of your class are called, unlike models and proofs, which are only read.

    The class needs the operations of the contract; for the queue's these are enqueue, empty, pick_one and
    delete_all. Around something that has others, write a class that has them: an adapter. For every
    sequence a new object is made, and closed behind it if it has close().

    Whatever breaks the contract is told by the shortest sequence of calls that was found. Calls prove
    nothing: what none of them breaks is only that, not broken. What your class prints goes to standard
    error.

    \b
    Examples:
      angarium conform memory
      angarium conform my_queue.py:MyQueue
      angarium conform my_package.queues:MyQueue --examples 1000 --steps 100
      angarium conform my_stack.py --spec my_stack_contract.py

    Exit codes: 0 all calls were made and none broke the contract, 1 one broke it, 2 wrong usage or input,
    3 cut before all calls were made, or hardly anything was put to the test.
    """
    from angarium.api import conform
    from angarium.app.cli.output import is_colourful, output_aside, say, say_record, width
    from angarium.app.report.record import result_record

    with output_aside(), _watching(quiet, examples) as observe:
        result = conform(
            subject, spec, examples=examples, steps=steps, seed=seed, timeout=timeout, observe=observe
        )
    if as_json:
        say_record(result_record(result))
    else:
        # Only now: it needs the extra, without which `conform` has said how to install it.
        from angarium.app.report.conform_text import render

        say(render(result, width=width(), colourful=is_colourful()))
    return _exit_code(result)


def _exit_code(result: ConformResult) -> int:
    """Calls prove nothing, so that all stays unknown is no failure; that they were not made is one."""
    from angarium.app.cli.failures import ExitCode

    if result.worst is Verdict.VIOLATED:
        return ExitCode.VIOLATED
    return ExitCode.HOLDS if result.extent.complete and not result.weak else ExitCode.UNKNOWN


@contextmanager
def _watching(quiet: bool, examples: int) -> Iterator[Observer | None]:
    """A line of progress where it takes long."""
    from angarium.app.cli.watching import telling

    def line(sequences: int, calls: int) -> str:
        return f"{min(sequences, examples):,} of {examples:,} sequences, {calls:,} calls"

    with telling(quiet) as tell:
        yield tell and (lambda sequences, calls: tell(line(sequences, calls)))
