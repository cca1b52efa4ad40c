"""Who has a partition, where assignments say their generation and where they do not; mutants of the rules.

A mutant is the source of `kernel.groups` with one thing changed: it must find or judge something else than
the oracle does.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from functools import cache
from types import ModuleType

import pytest

from angarium.core.result import Verdict
from angarium.history.intake.batch import batch_of
from angarium.history.intake.source import Kept
from angarium.history.kernel import groups, placed
from angarium.history.kernel.process import audit
from angarium.history.parameters import Parameters
from angarium.history.results import Judgement
from tests.history.every import Row, by_guarantee, rows
from tests.history.histories import row
from tests.oracles.history.audit import RULES, lives

NAME = "ownership"


def given(at: float, who: str, *partitions: str, **fields: object) -> Row:
    told: Row = {"op_name": "assign", "partitions": list(partitions), "consumer_group": "g", "client_id": who}
    return row("r", at, "group", **told | fields)


def taken(at: float, who: str) -> Row:
    return row("r", at, "group", op_name="revoke", consumer_group="g", client_id=who)


def got(at: float, who: str, **fields: object) -> Row:
    place: Row = {"destination": "t", "partition_id": "0", "consumer_group": "g", "message_id": f"m{at}"}
    return row("r", at, "receive", **place | {"client_id": who} | fields)


def judged(*events: Row) -> Judgement:
    found = audit(Kept([batch_of(list(events))]), Parameters(), mend=False)
    return next(each for each in found.judgements if each.guarantee == NAME)


def test_what_was_not_assigned_is_found_without_generations_too() -> None:
    found = judged(given(0, "a", "0"), given(0, "b", "1"), got(1, "a"), got(2, "b"))
    assert (found.verdict, found.violations, found.judged) == (Verdict.VIOLATED, 1, 2)


def test_where_nobody_else_had_the_partition_no_generation_is_needed() -> None:
    assert judged(given(0, "a", "0"), given(0, "b", "1"), got(1, "a")).verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    "between",
    [
        pytest.param([taken(2, "b")], id="gave it back"),
        pytest.param([given(2, "b", "1")], id="has others"),
        pytest.param([row("r", 2, "control", op_name="close", client_id="b")], id="has ended"),
    ],
)
def test_who_had_the_partition_before_and_has_it_no_more_does_not_matter(between: list[Row]) -> None:
    found = judged(given(0, "b", "0"), got(1, "b"), *between, given(3, "a", "0"), got(4, "a"))
    assert (found.verdict, found.judged, found.unjudged) == (Verdict.HOLDS, 2, 0)


def test_whether_another_has_the_partition_by_then_is_not_known() -> None:
    """Which of two assignments is the newer one, their times do not say: a member may hear of it late."""
    found = judged(given(0, "a", "0"), got(1, "a"), given(2, "b", "0"), got(3, "a"), got(4, "b"))
    assert (found.judged, found.unjudged) == (1, 2)
    assert found.reason is not None and "have no generation" in found.reason


def test_of_what_nothing_else_is_known_there_is_no_verdict() -> None:
    found = judged(given(0, "a", "0"), given(1, "b", "0"), got(3, "a"))
    assert (found.verdict, found.judged, found.unjudged) == (Verdict.UNKNOWN, 0, 1)


# --- mutants --------------------------------------------------------------------------------------------


def histories() -> list[Row]:
    """Random ones, and what chance does not bring about."""
    by_hand = {
        "over": [given(0, "b", "0"), taken(2, "b"), given(3, "a", "0"), got(4, "a")],
        "ended": [
            given(0, "b", "0"), row("", 2, "control", op_name="close", client_id="b"), given(3, "a", "0"),
            got(4, "a"),
        ],
        "not known": [given(0, "a", "0"), got(1, "a"), given(2, "b", "0"), got(3, "a"), got(4, "b")],
        "another clock": [
            given(0, "a", "0", clock_domain="x"), given(1, "b", "0", clock_domain="y"),
            got(50, "a", clock_domain="x"), got(150, "a", clock_domain="x"),
        ],
        "stale, and not known": [
            given(0, "a", "0", generation=1), given(1, "b", "0", generation=2), given(1, "c", "0"),
            got(3, "a"),
        ],
    }  # fmt: skip
    return [*rows(2, 150), *({**each, "run_id": name} for name, run in by_hand.items() for each in run)]


MUTANTS = {
    "runs without generations are not looked at": ("if profile.shares}", "if profile.assignments}"),
    "what others have does not matter": ("if doubted is not None:", "if 0:"),
    "what is over still counts": ("place = bisect_left(overs, self.facts.order(given)[:3])", "place = 0"),
    "nobody ends": ("*(end for end in ends if this < end), ", ""),
    "what was given back stays": ('return event["op_name"] in schema.REVOKES and', "return False and"),
    "a generation says nothing": (
        "self._spells if generation is None else self._undated_spells",
        "self._spells",
    ),
    "clocks do not deceive": ("(self.facts.parameters.clock_skew if other else 0)", "0"),
    "its own assignments are another's": ("if self._whose(told[1]) != mine", "if 1"),
    "older generations take over": ("generation) > generation", "generation) != generation"),
    "what is stale is doubtful, too": ("sum(place not in stale for place", "sum(True for place"),
    "any assignment is enough": ("if not self._has(own[place][1]):", "if 0:"),
}


@cache
def expected() -> tuple[Counter[object], Counter[object]]:
    """What the oracle finds, and how much it judges."""
    outcomes = {run: RULES[NAME](life) for run, life in lives(histories()).items()}
    found = by_guarantee([each for outcome in outcomes.values() for each in outcome.violations])
    return Counter(found[NAME]), +Counter({run: each.judged for run, each in outcomes.items()})


def agrees(source: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether these rules find and judge what the oracle does."""
    module = ModuleType(groups.__name__)
    monkeypatch.setitem(sys.modules, groups.__name__, module)
    exec(compile(source, groups.__name__, "exec"), vars(module))
    monkeypatch.setattr(placed, "ownership", module.ownership)
    found = audit(Kept([batch_of(histories())]), Parameters(), only=[NAME], mend=False)
    judged = Counter({each.run_id: each.judged for each in found.judgements if each.guarantee == NAME})
    return (Counter(by_guarantee(list(found.violations))[NAME]), +judged) == expected()


def test_the_rules_as_they_are_say_what_the_oracle_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert agrees(inspect.getsource(groups), monkeypatch)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_rule_that_is_left_out_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = MUTANTS[name]
    source = inspect.getsource(groups)
    assert source.count(old) == 1, f"{source.count(old)} places"
    assert not agrees(source.replace(old, new), monkeypatch)
