"""`angarium audit --follow`: its options, and what it says while it follows and when it stops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from angarium.core.errors import UsageError
from angarium.core.result import Extent, Verdict
from angarium.history.said import nanoseconds

if TYPE_CHECKING:
    from angarium.history.live.progress import Progress
    from angarium.history.live.settings import Live
    from angarium.history.parameters import Parameters
    from angarium.history.result import FollowResult, FollowVerdict
    from angarium.spark.place import Place

F = TypeVar("F", bound=Callable[..., Any])

_ALONE = ("only", "format", "mapping", "run", "model", "out", "table")
"""Options of an audit that has an end."""


def follow_options(function: F) -> F:
    """How a folder is followed while histories are written into it."""
    options = (
        click.option(
            "--follow", metavar="SOURCE", help="Judge what comes into this folder, or kafka://…/TOPIC."
        ),
        click.option("--checkpoint", type=click.Path(path_type=Path), help="Where --follow keeps its state."),
        click.option("--lateness", metavar="TIME", help="How late events may come. [default: 60 s]"),
        click.option("--remember", metavar="TIME", help="How long settled messages count. [default: 5 min]"),
        click.option("--until-idle", metavar="TIME", help="End when nothing new came for this time."),
        click.option("--metrics-port", type=click.IntRange(0, 65535), help="Serve /metrics on loopback."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def check(paths: tuple[str, ...], given: dict[str, Any]) -> None:
    """Whether the words of the command fit together."""
    alone = [name for name in _ALONE if given[name]]
    if given["follow"] is None and given["checkpoint"] is None:
        return
    if given["follow"] is None or given["checkpoint"] is None or paths or alone:
        with_what = f" with --{alone[0]}" if alone else " with a PATH" if paths else ""
        raise UsageError(
            "ANG013",
            f"--follow and --checkpoint go together{', and not' + with_what if with_what else ''}",
            possible="--follow SOURCE --checkpoint FOLDER, and the parameters of the audit",
            remedy="for example angarium audit --follow recordings --checkpoint audit-state",
        )


def live_of(given: dict[str, Any]) -> Live:
    """How to follow, from the words of the command."""
    from angarium.history.live.settings import Live

    said = [name for name in ("lateness", "remember") if given[name]]
    times: dict[str, Any] = {name: nanoseconds(f"--{name}", given[name]) for name in said}
    idle = nanoseconds("--until-idle", given["until_idle"]) / 1e9 if given["until_idle"] else None
    return Live(**times, until_idle=idle, port=given["metrics_port"])


def follow(given: dict[str, Any], parameters: Parameters, place: Place, *, quiet: bool) -> Progress:
    """Follow a folder or a topic until its stream ends, or Ctrl-C."""
    from angarium.app.cli.watching import asked_to_stop, telling
    from angarium.history.live.follow import follow as follow_folder

    live = live_of(given)
    with telling(quiet) as tell, asked_to_stop() as stop:
        say = tell or (lambda text: None)
        return follow_folder(
            given["follow"],
            given["checkpoint"],
            parameters,
            live,
            observer=lambda progress: say(line(progress)),
            stop=stop,
            place=place,
        )


def line(progress: Progress) -> str:
    """How far it has come, in one line."""
    found = sum(progress.findings.values())
    late = f", {progress.late:,} late" if progress.late else ""
    return (
        f"batch {progress.batch}: {progress.accepted:,} events{late}, {found:,} findings, "
        f"{progress.open_messages:,} messages open, {progress.overdue:,} overdue, {progress.seconds:.1f} s"
    )


def told(progress: Progress, checkpoint: Path) -> str:
    """What was found until now, and what comes next."""
    from angarium.history.live.verdicts import GOES_ON, judgements, reasons

    end = "The stream has ended." if progress.ended else "Stopped; the same command goes on from here."
    counts = f"{progress.accepted:,} events accepted, {progress.read - progress.accepted:,} in quarantine."
    found = [_finding(progress, name, count) for name, count in progress.findings.items()]
    runs = sorted({guarantee for _, guarantee in progress.judged})
    judged = f"Judged: {', '.join(runs)}." if runs else "Nothing could be judged yet."
    unknown = [f"  unknown: {reason}" for reason in reasons(judgements(progress)) if reason != GOES_ON]
    alerts = f"Alerts: {checkpoint}/alerts.jsonl"
    return "\n".join([end, counts, *(found or ["  no violation was found"]), *unknown, judged, alerts])


def _finding(progress: Progress, name: str, count: int) -> str:
    from angarium.history.live.verdicts import verdict

    certain = verdict(progress, name) is Verdict.VIOLATED
    return f"  {name} {'violated' if certain else 'seems to be violated'} {count:,} times"


def followed_result(progress: Progress, followed: str) -> FollowResult:
    """What was found until now, as data."""
    from angarium.history.result import FollowResult

    return FollowResult(
        subject=followed,
        extent=Extent(complete=progress.ended),
        ended=progress.ended,
        read=progress.read,
        accepted=progress.accepted,
        quarantined=progress.read - progress.accepted,
        quarantine=dict(progress.quarantined),
        open_messages=progress.open_messages,
        overdue=progress.overdue,
        verdicts=[_verdict(progress, name) for name in sorted({name for _, name in progress.judged})],
    )


def _verdict(progress: Progress, name: str) -> FollowVerdict:
    from angarium.history.live.verdicts import judgements, reasons, verdict
    from angarium.history.result import FollowVerdict

    note = "; ".join(reasons([each for each in judgements(progress) if each.guarantee == name]))
    return FollowVerdict(
        guarantee=name,
        verdict=verdict(progress, name),
        reason=note or None,
        violations=progress.findings.get(name, 0),
    )
