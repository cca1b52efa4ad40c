"""Explanations: every kind has a sentence."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TypeVar

import pytest

from angarium.history.explanations import TEMPLATES, explanation
from angarium.history.guarantees import GUARANTEES
from angarium.history.results import Violation

Value = TypeVar("Value")
KINDS = {kind: guarantee.name for guarantee in GUARANTEES for kind in guarantee.kinds}
NAMES = """destination subscriber message_id first_recorder first_seq first_time last_recorder last_seq
    last_time""".split()
AT = 1_794_719_060_466_105_911

LOST = Violation(
    "r", "no-loss", "lost", "orders", None, "billing", "p0-7", None, None, "p0", 3, AT, "p0", 4, AT + 999_999,
    AT,
)  # fmt: skip


def test_every_kind_has_a_sentence_and_no_other() -> None:
    assert set(TEMPLATES) == set(KINDS)


def test_names_and_times_are_told() -> None:
    assert explanation(LOST) == "message p0-7 was confirmed at 05:04:20.467 and never delivered to billing"


def test_time_between_events_has_no_sign_when_clocks_differ() -> None:
    early = replace(LOST, kind="after-ack", consumer_id="c1", last_time=AT - 1_234_567_890)
    assert ", 1.234 s after it was acknowledged" in explanation(early)


def test_a_partition_belongs_to_its_place() -> None:
    placed = replace(LOST, kind="two-offsets", partition_id="3", measure=9, bound=7)
    assert explanation(placed) == "message p0-7 of orders/3 is at offset 9, and was at offset 7 before"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_known_is_said_to_be_so(kind: str) -> None:
    nothing = replace(LOST, guarantee=KINDS[kind], kind=kind, **dict.fromkeys(NAMES))  # type: ignore[arg-type]
    assert "None" not in explanation(nothing)
    assert "?" in explanation(nothing)


def test_every_violation_can_be_told() -> None:
    chance = random.Random(7)
    for kind in KINDS:
        for _ in range(40):
            assert "None" not in explanation(_violation(chance, kind))


def _violation(chance: random.Random, kind: str) -> Violation:
    """Whatever a row may hold: names with signs, nothing at all, times before 1970 and far away."""

    def one(*values: Value) -> Value | None:
        return chance.choice((*values, None))

    def time() -> int | None:
        return one(AT + chance.randrange(10**12), -chance.randrange(10**12), 10**9 - 1, 0)

    return Violation(
        "r", KINDS[kind], kind, one("orders", "o{x}%s", ""), one("0", "12"), one("billing", "'"),
        one("p0-7", "\\", "ü"), one("b1"), one("c1", ""), one("p0"), one(3), time(), one("p1"), one(4),
        time(), AT, one(chance.randrange(10**11), 0, 1), one(5),
    )  # fmt: skip
