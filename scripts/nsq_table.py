"""What each switch of the system `nsq` does to each guarantee: the table in docs/explanation/nsq.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from angarium.explore.native import NativeEngine
from angarium.logic.check import check
from angarium.systems.registry import load
from angarium.verdict import Verdict

SHARED = {"messages": "2", "channels": "1"}
"""Two nsqds have a message each; two consumers share the only channel."""
TWO_CHANNELS = {"messages": "2"}
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
    TWO_CHANNELS | {"outtime": "true"},
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


def _lines() -> Iterator[str]:
    yield f"| channels | switched on | states | {' | '.join(GUARANTEES)} |"
    yield f"|{'---|' * (3 + len(GUARANTEES))}"
    for settings in ROWS:
        states, cells = _run(settings)
        switches = ", ".join(f"`{k}={v}`" for k, v in settings.items() if k not in SHARED)
        row = [settings.get("channels", "2"), switches, f"{states:,}", *cells]
        yield f"| {' | '.join(row)} |"


def _run(settings: Mapping[str, str]) -> tuple[int, list[str]]:
    report = check(load("nsq", settings), engine=NativeEngine(), subject="nsq")
    found = {each.guarantee: _CELLS[each.verdict] for each in report.verdicts}
    return report.coverage.states, [found.get(name, "") for name in GUARANTEES]
