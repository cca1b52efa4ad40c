"""Tables of guarantees: each search once, what was not searched is unknown, what would help is checked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from angarium.checker.explore.engine import Outcome
from angarium.checker.explore.native import NativeEngine
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.control import INTERRUPTED, Limits
from angarium.core.result import Coverage, Verdict
from angarium.settings.kafka.configuration import configuration
from angarium.settings.kafka.guarantees import FAULTS, GUARANTEES, NOT_REACHED, Fault, Inspector, Table
from angarium.settings.kafka.remedies import Remedies, remedies

pytestmark = pytest.mark.slow

UNSAFE = {"replication.factor": "3", "acks": "1"}


class Counting(NativeEngine):
    """An engine that remembers what it was asked, and may be interrupted in one search."""

    def __init__(self, interrupted_in: int | None = None) -> None:
        super().__init__()
        self.asked: list[tuple[tuple[str, str], ...]] = []
        self.interrupted_in = interrupted_in

    def search(self, system: TransitionSystem, **options: object) -> Outcome:
        self.asked.append(system.parameters)
        if len(self.asked) - 1 == self.interrupted_in:
            return Outcome(
                Coverage(
                    complete=False, states=7, transitions=9, depth=2, bytes=64, cut=INTERRUPTED, frontier=3
                ),
                {},
            )
        return super().search(system, **options)  # type: ignore[arg-type]


def rows(*names: str) -> Sequence[Fault]:
    return [each for each in FAULTS if each.name in names]


@cache
def unsafe() -> tuple[Table, Remedies]:
    inspector = Inspector(NativeEngine())
    table = inspector.table(configuration([], UNSAFE))
    return table, remedies(inspector, table)


def test_no_search_is_done_twice() -> None:
    engine = Counting()
    inspector = Inspector(engine)
    for _ in range(2):
        inspector.table(configuration([], UNSAFE), rows("one-crash", "consumer-crash"))
    # One crash, a consumer's crash, and nothing at all, which decides availability there.
    assert len(engine.asked) == len(set(engine.asked)) == 3


def test_an_interrupt_leaves_the_rest_unknown() -> None:
    inspector = Inspector(Counting(interrupted_in=1))
    table = inspector.table(configuration([], UNSAFE), rows("nothing", "one-crash", "two-crashes"))
    assert [table.cell("no-loss", each.name).verdict.value for each in table.faults] == [
        "holds",
        "unknown",
        "unknown",
    ]
    assert table.cell("no-loss", "two-crashes").found.description == NOT_REACHED
    assert inspector.stopped
    assert not remedies(inspector, table).complete


def test_when_the_time_is_up_nothing_more_is_looked_at() -> None:
    inspector = Inspector(NativeEngine(), limits=Limits(timeout=1e-9))
    table = inspector.table(configuration([], UNSAFE), rows("one-crash"))
    assert {cell.verdict for cell in table.cells} == {Verdict.UNKNOWN}


def test_a_cut_search_decides_only_what_it_saw() -> None:
    inspector = Inspector(NativeEngine(), limits=Limits(max_states=200))
    table = inspector.table(configuration([], UNSAFE), rows("one-crash"))
    assert table.cell("no-loss", "one-crash").verdict is Verdict.VIOLATED
    assert table.cell("order", "one-crash").verdict is Verdict.UNKNOWN


def test_only_what_is_asked_for_is_in_the_table() -> None:
    table = Inspector(NativeEngine()).table(configuration([], UNSAFE), rows("one-crash"), ["order"])
    assert [cell.key for cell in table.cells] == [("order", "one-crash")]


def test_every_cell_that_is_violated_has_a_story() -> None:
    table, _ = unsafe()
    assert len(table.cells) == len(FAULTS) * len(GUARANTEES)
    violated = table.that_are(Verdict.VIOLATED)
    assert len(violated) > 10
    assert all(cell.found.story and cell.found.story.steps for cell in violated)


def test_one_setting_mends_what_it_is_known_to_mend() -> None:
    _, found = unsafe()
    assert "acks=all" in [str(each) for each in found.of(("no-loss", "one-crash"))]
    assert [str(each) for each in found.of(("order", "lost-request"))] == [
        "acks=all",
        "max.in.flight.requests.per.connection=1",
        "retries=0",
    ]


def test_a_remedy_says_what_it_breaks() -> None:
    _, found = unsafe()
    (before,) = (each for each in found.found if str(each) == "commit=before")
    assert ("no-duplicates", "consumer-crash") in before.mends
    assert before.breaks == (("no-loss", "consumer-crash"), ("order", "slow-consumer"))


@pytest.mark.parametrize("number", range(3))
def test_a_remedy_is_what_checking_it_shows(number: int) -> None:
    table, found = unsafe()
    remedy = found.found[number]
    again = Inspector(NativeEngine()).table(table.configuration.with_changes(remedy.settings))
    assert all(again.cell(*key).verdict is Verdict.HOLDS for key in remedy.mends)
    assert all(again.cell(*key).verdict is Verdict.VIOLATED for key in remedy.breaks)


def test_two_changes_are_tried_where_one_is_not_enough() -> None:
    settings = {**UNSAFE, "unclean.leader.election.enable": "true"}
    inspector = Inspector(NativeEngine())
    table = inspector.table(configuration([], settings), rows("lag-then-crash"), ["no-loss"])
    found = remedies(inspector, table)
    pairs = ["acks=all and unclean.leader.election.enable=false", "acks=all and min.insync.replicas=2"]
    assert sorted(str(each) for each in found.found) == sorted(pairs)
    assert found.complete


def test_where_nothing_is_violated_nothing_is_tried() -> None:
    engine = Counting()
    inspector = Inspector(engine)
    table = inspector.table(configuration([], {"replication.factor": "3"}), rows("nothing"))
    assert remedies(inspector, table).found == ()
    assert len(engine.asked) == 1
