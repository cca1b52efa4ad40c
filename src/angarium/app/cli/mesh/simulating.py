"""What `angarium mesh simulate` reads from its words, and the files that it writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from angarium.app.cli import files
from angarium.app.cli.output import note
from angarium.app.cli.watching import telling
from angarium.core import units
from angarium.core.control import Control, in_lines
from angarium.core.errors import UsageError
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.packets.experiment import Experiment, Flow, Run
from angarium.mesh.packets.links import LONGEST, MILLISECOND, Happening, from_milliseconds
from angarium.mesh.packets.running import simulate
from angarium.mesh.packets.timeline import SCHEMES
from angarium.mesh.verify.budget import failed

_SHORTEST, _LONGEST = 0.001, LONGEST / MILLISECOND
"""Milliseconds that can be simulated."""


def flows(
    origins: Sequence[str], destinations: Sequence[str], rate: float, size: int, arrivals: str
) -> tuple[Flow, ...]:
    """Who sends where."""
    if len(origins) != len(destinations):
        raise UsageError(
            "ANG013",
            f"--from is given {len(origins)} times and --to {len(destinations)} times",
            possible="as many of one as of the other: the first --from sends to the first --to, and so on",
            remedy="for example --from a --to b --from a --to c",
        )
    pairs = zip(origins, destinations, strict=True)
    return tuple(Flow(origin, to, rate, size, arrivals) for origin, to in pairs)


def read_time(option: str, text: str, *, before: str = "") -> int:
    """Nanoseconds, from a time with its unit."""
    return from_milliseconds(units.read_time(option, text, _SHORTEST, _LONGEST, before=before))


def happenings(mesh: Mesh, words: Sequence[str], *, heals: bool) -> tuple[Happening, ...]:
    """From words such as b1-b2@50s."""
    option = "--heal" if heals else "--cut"
    found = []
    for word in words:
        name, at, when = word.rpartition("@")
        if not at or not name:
            raise UsageError(
                "ANG013",
                f"{option} {word!r} does not say what and when",
                possible="NAME@TIME, with the name of a link, a broker or a shared risk",
                remedy=f"for example {option} {next(iter(mesh.cables), 'b1-b2')}@50s",
            )
        found.append(Happening(read_time(option, when, before=f"{name}@"), _named(mesh, name), heals))
    return tuple(found)


def _named(mesh: Mesh, name: str) -> Failures:
    """What a name stands for: a shared risk, or else a link or a broker."""
    risks = {risk.name: risk.failures for risk in mesh.shared_risks}
    return risks.get(name) or failed(mesh, [name])


def simulated(
    experiment: Experiment,
    names: Sequence[str],
    heartbeat: int | None,
    timeout: float | None,
    quiet: bool,
) -> list[Run]:
    """One scheme after the other; what comes after one that was cut is not begun."""
    runs: list[Run] = []
    with telling(quiet) as tell:
        control = Control(timeout, in_lines(tell))
        for name in dict.fromkeys(names):
            scheme = SCHEMES[name].beating(heartbeat)
            runs.append(simulate(experiment, scheme, control))
            if runs[-1].cut:
                break
    return runs


def write_files(runs: Sequence[Run], plot: Path | None, raw: Path | None) -> None:
    """The picture, and what became of every packet."""
    if plot:
        from angarium.app.report.mesh_simulation import drawn

        files.write(plot, drawn(runs))
        note(f"wrote {plot}")
    if raw:
        from angarium.mesh.packets.experiment import write_packets

        write_packets(raw, runs)
        note(f"wrote {raw}")
