"""What each switch of the system `nsq` does to each guarantee: a table and a story for each violated cell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from angarium.app.report import story_text
from angarium.checker.explore.native import NativeEngine
from angarium.checker.logic.check import check
from angarium.core.result import GuaranteeVerdict, Report, Verdict
from angarium.systems.registry import load

SHARED = {"messages": "2", "channels": "1", "outtime": "false"}
"""Two nsqds have a message each; two consumers share the only channel."""
TWO_CHANNELS = {"messages": "2", "outtime": "false"}
"""The paper's deployment with two messages: each channel has one consumer."""
RESTART = {"nsqd_crash": "1", "nsqd_restarts": "1"}

ROWS: tuple[dict[str, str], ...] = (
    SHARED,
    SHARED | {"max_in_flight": "1"},
    SHARED | {"backoff": "true"},
    SHARED | {"timeouts": "1"},
    SHARED | {"timeouts": "1", "touch": "true"},
    SHARED | {"timeouts": "1", "touch": "true", "max_in_flight": "1"},
    SHARED | {"consumer_crash": "1"},
    SHARED | {"lookupd_crash": "1"},
    SHARED | {"lookupd_crash": "2"},
    SHARED | {"nsqd_crash": "1"},
    SHARED | {"nsqd_crash": "1", "queue": "disk"},
    SHARED | RESTART,
    SHARED | RESTART | {"queue": "disk"},
    TWO_CHANNELS,
    {"messages": "2", "outtime": "true"},
    TWO_CHANNELS | {"consumer_crash": "1"},
    TWO_CHANNELS | {"channels_first": "false"},
)

GUARANTEES = tuple(
    """divergence-free reachability scalability availability flow-control rdy-respected no-loss delivery
    no-duplicates""".split()
)

_CELLS = {Verdict.HOLDS: "holds", Verdict.VIOLATED: "**violated**", Verdict.UNKNOWN: "unknown"}


def nsq_switches() -> str:
    """One row a scenario, run; a guarantee that is not claimed for it has an empty cell."""
    return "\n".join(_lines())


def nsq_stories() -> str:
    """The story of every violated cell, told as the command line tells it."""
    return "\n\n".join(part for row in range(len(ROWS)) for part in _stories(row))


def _lines() -> Iterator[str]:
    yield f"| channels | switched on | states | {' | '.join(GUARANTEES)} |"
    yield f"|{'---|' * (3 + len(GUARANTEES))}"
    for number, settings in enumerate(ROWS):
        report = _report(number)
        found = {each.guarantee: _CELLS[each.verdict] for each in report.verdicts}
        cells = [found.get(name, "") for name in GUARANTEES]
        row = [settings.get("channels", "2"), _switches(number), f"{report.coverage.states:,}", *cells]
        yield f"| {' | '.join(row)} |"


def _switches(row: int) -> str:
    on = ROWS[row].items() - SHARED.items() - TWO_CHANNELS.items()
    return ", ".join(f"`{name}={value}`" for name, value in ROWS[row].items() if (name, value) in on)


def _stories(row: int) -> Iterator[str]:
    broken = [each for each in _report(row).verdicts if each.verdict is Verdict.VIOLATED]
    if broken:
        channels = ROWS[row].get("channels", "2")
        yield f"## {_switches(row)}, {channels} channel{'s' if channels > '1' else ''}"
    yield from map(_story, broken)


def _story(broken: GuaranteeVerdict) -> str:
    assert broken.story is not None
    return f"### {broken.guarantee}\n\n```text\n{story_text.render(broken.story, 100)}\n```"


@cache
def _report(row: int) -> Report:
    return check(load("nsq", ROWS[row]), engine=NativeEngine(), subject="nsq")
