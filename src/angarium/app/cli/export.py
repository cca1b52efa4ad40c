"""`angarium export`: a system in the language of another checker, so that others can check us."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from angarium.app.cli.options import json_option, set_option, subject_argument

if TYPE_CHECKING:
    from angarium.checker.ir.transition import TransitionSystem

TARGETS = ("promela", "tla", "tlc", "smv")


class Exporter(Protocol):
    """Writes a system from its initial states, with all its guarantees or only some."""

    def __call__(
        self,
        system: TransitionSystem,
        initial: Sequence[tuple[int, ...]],
        *,
        only: Collection[str] | None = None,
    ) -> str: ...


@click.command()
@subject_argument
@click.option("--to", type=click.Choice(TARGETS), required=True, help="The language to write.")
@set_option
@click.option(
    "--only",
    multiple=True,
    metavar="GUARANTEE",
    help="Write only this guarantee, and refuse if the language cannot express it; may be repeated.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; standard output by default.")
@json_option
def command(
    subject: str, to: str, parameters: dict[str, str], only: tuple[str, ...], out: Path | None, as_json: bool
) -> None:
    """Write SUBJECT in the language of another checker.

    Promela is for SPIN, tla for TLC and Apalache, smv for NuSMV and nuXmv; tlc is the configuration with
    which TLC checks the module: of what is claimed of states, or of the one guarantee over time that --only
    names. A system that the language cannot express is refused, never simplified; a guarantee over time that
    it cannot express is left out with a comment that says why.

    \b
    Examples:
      angarium export rabbitmq-sac --to promela --out sac.pml
      angarium export my_queue.py --to tla --set messages=3
      angarium export rabbitmq-sac --to tlc --only eventually-balanced
      angarium export nsq --to smv --only reachability --out nsq.smv

    Exit codes: 0 it was written, 2 wrong usage or input.
    """
    from angarium.app.cli.files import write
    from angarium.app.cli.output import say, say_record
    from angarium.app.report.record import result_record
    from angarium.core.result import ExportResult
    from angarium.mesh.as_model.subject import load

    system = load(subject, parameters)
    text = _written(system, to, only)
    if out is not None:
        write(out, text)
    if as_json:
        found = ExportResult(
            subject=subject,
            parameters=dict(system.parameters),
            model_hash=system.hash,
            to=to,
            file=str(out) if out else None,
            text=None if out else text,
        )
        say_record(result_record(found))
    elif out is None:
        say(text.rstrip("\n"))


def _written(system: TransitionSystem, to: str, only: tuple[str, ...]) -> str:
    from angarium.checker.explore.interpret import initial_states
    from angarium.checker.export.unroll import refusal

    try:
        return _exporter(to)(system, initial_states(system), only=only or None)
    except RecursionError:
        remedy = "give the model smaller parameters"
        raise refusal(system, to, "expressions so deep as those", remedy=remedy) from None


def _exporter(target: str) -> Exporter:
    from angarium.checker.export.promela import promela
    from angarium.checker.export.smv import smv
    from angarium.checker.export.tla import tla, tlc

    exporters: dict[str, Exporter] = {"promela": promela, "tla": tla, "tlc": tlc, "smv": smv}
    return exporters[target]
