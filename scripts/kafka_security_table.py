"""What each protection of the system `kafka-security` keeps: a table, and a story for each violated cell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from angarium.app.report import story_text
from angarium.checker.explore.native import NativeEngine
from angarium.checker.logic.check import check
from angarium.core.result import GuaranteeVerdict, Report, Verdict
from angarium.systems.registry import load

PLAIN, ENCRYPTED, SIGNED = "kerberos", "kerberos-encrypted", "kerberos-signed"
OLD_KEY = {"lifetime": "0", "leaks": "1", "leak_when": "expired"}
INSIDER = {"insider": "true"}

PROTECTIONS: tuple[tuple[str, dict[str, str]], ...] = tuple(
    (protection, {}) for protection in ("none", PLAIN, ENCRYPTED, SIGNED, "tls", "mutual-tls")
)
SWITCHES: tuple[tuple[str, dict[str, str]], ...] = (
    (PLAIN, {"replay_cache": "false"}),
    (ENCRYPTED, {"replay_cache": "false"}),
    (PLAIN, {"check_lifetimes": "false"}),
    (ENCRYPTED, {"leaks": "1"}),
    (SIGNED, {"leaks": "1"}),
    (ENCRYPTED, OLD_KEY),
    (SIGNED, OLD_KEY),
    (ENCRYPTED, OLD_KEY | {"check_lifetimes": "false"}),
    (ENCRYPTED, INSIDER),
    (ENCRYPTED, INSIDER | {"acl": "false"}),
    (ENCRYPTED, INSIDER | {"check_names": "false"}),
    (ENCRYPTED, {"start_over": "false"}),
)
ROWS = PROTECTIONS + SWITCHES

GUARANTEES = tuple(
    """deadlock-free no-producer-faking no-producer-data-leak no-consumer-faking no-consumer-data-leak
    no-producer-tampering no-consumer-tampering no-false-ack""".split()
)

_CELLS = {Verdict.HOLDS: "holds", Verdict.VIOLATED: "**violated**", Verdict.UNKNOWN: "unknown"}


def kafka_protections() -> str:
    """One row a protection, run."""
    return "\n".join(_lines(range(len(PROTECTIONS)), ""))


def kafka_security_switches() -> str:
    """One row a scenario in which something is not as it should be, run."""
    return "\n".join(_lines(range(len(PROTECTIONS), len(ROWS)), " switched on |"))


def kafka_attacks() -> str:
    """The story of every violated cell, told as the command line tells it."""
    return "\n\n".join(filter(None, map(stories_of, range(len(ROWS)))))


def stories_of(row: int) -> str:
    """The stories of one row's violated cells; nothing if all of them hold."""
    return "\n\n".join(_stories(row))


def _lines(rows: range, second: str) -> Iterator[str]:
    yield f"| protection |{second} states | {' | '.join(GUARANTEES)} |"
    yield f"|{'---|' * (2 + bool(second) + len(GUARANTEES))}"
    for row in rows:
        report = _report(row)
        found = {each.guarantee: _CELLS[each.verdict] for each in report.verdicts}
        cells = [f"`{ROWS[row][0]}`", *([_switches(row)] if second else []), f"{report.coverage.states:,}"]
        yield f"| {' | '.join([*cells, *(found[name] for name in GUARANTEES)])} |"


def _switches(row: int) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in ROWS[row][1].items())


def _stories(row: int) -> Iterator[str]:
    broken = [each for each in _report(row).verdicts if each.verdict is Verdict.VIOLATED]
    if broken:
        yield f"## {', '.join(filter(None, [f'`protection={ROWS[row][0]}`', _switches(row)]))}"
    yield from map(_story, broken)


def _story(broken: GuaranteeVerdict) -> str:
    assert broken.story is not None
    return f"### {broken.guarantee}\n\n```text\n{story_text.render(broken.story, 100)}\n```"


@cache
def _report(row: int) -> Report:
    protection, switches = ROWS[row]
    system = load("kafka-security", {"protection": protection, **switches})
    return check(system, engine=NativeEngine(), subject="kafka-security")
