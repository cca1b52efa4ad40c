"""Kafka's consumer groups: assignors against their definitions, known answers, and mutants that are noticed.

The assignors are written down here once more, step by step as Kafka's documents describe them, where the
model says in one expression who is next. A mutant is the model's own text with one thing changed; the change
must fit, or the test fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.checker.explore.interpret import expand, initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.explore.states import decode, encode
from angarium.checker.frontend.parameters import vary
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic.check import check
from angarium.core.result import Report, State
from tests.effort import examples
from tests.systems.changed import Change, actions, built, story, violated

pytestmark = pytest.mark.slow

Place = tuple[int, int]
"""A topic and a partition of it."""

SIZES = ("topics", "partitions", "consumers", "records")
EAGER = ("range", "round-robin", "sticky")
ASSIGNORS = (*EAGER, "cooperative-sticky")


def group(*changes: Change, **given: object) -> TransitionSystem:
    texts = {name: str(value).lower() for name, value in given.items()}
    sizes = {name: text for name, text in texts.items() if name in SIZES}
    return vary(
        built("kafka-group", changes, tuple(sizes.items())),
        {n: t for n, t in texts.items() if n not in sizes},
    )


def checked(*changes: Change, **given: object) -> Report:
    return check(group(*changes, **given), engine=NativeEngine(), subject="kafka-group")


# --- the assignors, from their definitions ----------------------------------------------------------


def by_range(topics: int, partitions: int, members: Sequence[int]) -> dict[Place, int]:
    """Topic by topic: members in order take what comes next, the first ones one more each."""
    found = {}
    for topic in range(topics):
        left = iter(range(partitions))
        for number, member in enumerate(members):
            extra = number < partitions % len(members)
            for _ in range(partitions // len(members) + extra):
                found[topic, next(left)] = member
    return found


def by_turns(topics: int, partitions: int, members: Sequence[int]) -> dict[Place, int]:
    """Round robin: all partitions of all topics are dealt like cards."""
    places = product(range(topics), range(partitions))
    return {place: members[number % len(members)] for number, place in enumerate(places)}


def stickily(
    topics: int, partitions: int, members: Sequence[int], claims: Mapping[Place, int]
) -> dict[Place, int]:
    """Every member keeps what it claims up to its quota; the rest is dealt to those who are short of it, in
    rounds, and then one each to those who have just the quota, in the order in which they came to it."""
    quota, extras = divmod(topics * partitions, len(members))
    kept: dict[int, list[Place]] = {}
    for member in members:
        own = sorted((place for place, owner in claims.items() if owner == member), key=lambda x: x[::-1])
        above = sum(len(places) > quota for places in kept.values())
        kept[member] = own[: quota + (len(own) > quota and above < extras)]
    taken = {place for places in kept.values() for place in places}
    free = [place for place in product(range(topics), range(partitions)) if place not in taken]
    short = [member for member in members if len(kept[member]) < quota]
    full = [member for member in members if len(kept[member]) == quota]
    while short and free:
        for member in short[: len(free)]:
            kept[member].append(free.pop(0))
        full += [member for member in short if len(kept[member]) == quota]
        short = [member for member in short if len(kept[member]) < quota]
    for place in free:
        kept[full.pop(0)].append(place)
    return {place: member for member, places in kept.items() for place in places}


def cooperatively(
    topics: int, partitions: int, members: Sequence[int], owned: Mapping[Place, int]
) -> dict[Place, int]:
    """The same, but what another member still has is kept back."""
    wanted = stickily(topics, partitions, members, owned)
    return {place: who for place, who in wanted.items() if owned.get(place, who) in (who, *_gone(members))}


def _gone(members: Sequence[int]) -> set[int]:
    return set(range(3)) - set(members)


def assigned(system: TransitionSystem, before: State | None = None) -> dict[Place, int]:
    """What the model assigns in its first step, or in a state in which the leader is asked."""
    (first,) = initial_states(system)
    state = decode(system, first) if before is None else before
    (after,) = (
        decode(system, move.target)
        for move in expand(system, encode(system, state)).moves
        if move.action.name == "assign"
    )
    return _places(after["assigned"])


def _places(of: Mapping[str, Mapping[str, str | None]]) -> dict[Place, int]:
    return {
        (topic, partition): int(who.removeprefix("c")) - 1
        for topic, row in enumerate(of.values())
        for partition, who in enumerate(row.values())
        if who is not None
    }


def rebalancing(
    system: TransitionSystem, members: Sequence[int], had: Mapping[Place, int], *, kept: bool
) -> State:
    """A state in which some members ask the leader, and know what they had; eager ones have it no more."""
    (first,) = initial_states(system)
    state = dict(decode(system, first))
    names = [f"c{member + 1}" for member in members]
    state["members"] = tuple(names)
    state["stage"] = {c: "JOINING" if c in names else "DEAD" for c in state["stage"]}
    state["assigned"] = {
        t: {p: f"c{had[i, j] + 1}" if (i, j) in had else None for j, p in enumerate(row)}
        for i, (t, row) in enumerate(state["assigned"].items())
    }
    state["holds"] = {
        c: {
            t: tuple(p for p, owner in row.items() if kept and c in names and owner == c)
            for t, row in state["assigned"].items()
        }
        for c in state["holds"]
    }
    return state


@pytest.mark.parametrize("topics", [1, 2])
@pytest.mark.parametrize("partitions", [1, 2, 3])
@pytest.mark.parametrize("members", [1, 2, 3])
def test_a_new_group_is_assigned_as_kafka_s_assignors_do(topics: int, partitions: int, members: int) -> None:
    everybody = range(members)
    expected = {
        "range": by_range(topics, partitions, everybody),
        "round-robin": by_turns(topics, partitions, everybody),
        "sticky": stickily(topics, partitions, everybody, {}),
        "cooperative-sticky": cooperatively(topics, partitions, everybody, {}),
    }

    for assignor, assignment in expected.items():
        model = group(topics=topics, partitions=partitions, consumers=members, assignment=assignor)
        assert assigned(model) == assignment, assignor


@st.composite
def rounds(draw: st.DrawFn) -> tuple[int, int, list[int], dict[Place, int]]:
    """Topics, partitions, who is left of three members, and who had what in the generation before."""
    topics, partitions = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    members = sorted(draw(st.sets(st.integers(0, 2), min_size=1)))
    owners = draw(st.lists(st.integers(0, 3), min_size=topics * partitions, max_size=topics * partitions))
    places = product(range(topics), range(partitions))
    had = {place: owner for place, owner in zip(places, owners, strict=True) if owner < 3}
    return topics, partitions, members, had


@settings(max_examples=examples(150))
@given(rounds())
def test_the_next_generation_is_assigned_as_kafka_s_assignors_do(
    case: tuple[int, int, list[int], dict[Place, int]],
) -> None:
    topics, partitions, members, had = case
    claims = {place: owner for place, owner in had.items() if owner in members}
    expected = {
        "range": by_range(topics, partitions, members),
        "round-robin": by_turns(topics, partitions, members),
        "sticky": stickily(topics, partitions, members, claims),
        "cooperative-sticky": cooperatively(topics, partitions, members, claims),
    }

    for assignor, assignment in expected.items():
        model = group(topics=topics, partitions=partitions, consumers=3, assignment=assignor)
        state = rebalancing(model, members, had, kept=assignor not in EAGER)
        assert assigned(model, state) == assignment, assignor


def test_the_example_of_the_sticky_assignor_s_documentation() -> None:
    """Four topics of two partitions; of three consumers the second goes, and only its partitions move."""
    model = group(topics=4, partitions=2, consumers=3, assignment="sticky")
    first = assigned(model)

    second = assigned(model, rebalancing(model, [0, 2], first, kept=False))

    def shares(of: Mapping[Place, int]) -> dict[int, set[Place]]:
        return {who: {place for place, owner in of.items() if owner == who} for who in set(of.values())}

    assert shares(first) == {
        0: {(0, 0), (1, 1), (3, 0)},
        1: {(0, 1), (2, 0), (3, 1)},
        2: {(1, 0), (2, 1)},
    }
    assert {place for place in first if first[place] != second[place]} == shares(first)[1]
    assert {who: len(places) for who, places in shares(second).items()} == {0: 4, 2: 4}


# --- known answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("assignment", ASSIGNORS)
@pytest.mark.parametrize("commit", ["before", "after"])
@pytest.mark.parametrize("batch", [1, 2])
def test_without_faults_every_record_is_processed_once(assignment: str, commit: str, batch: int) -> None:
    report = checked(assignment=assignment, commit=commit, max_poll_records=batch, commit_on_revoke=False)

    assert violated(report) == set()


ONCE_AT_MOST = {"no-loss", "delivery"}
"""What breaks if a consumer crashes that has committed what it has not processed."""


@pytest.mark.parametrize("assignment", ASSIGNORS)
@pytest.mark.parametrize(
    ("given", "broken"),
    [
        ({"commit": "before", "consumer_crash": 1}, ONCE_AT_MOST),
        ({"commit": "before", "consumer_crash": 1, "max_poll_records": 2}, ONCE_AT_MOST),
        ({"commit": "after", "consumer_crash": 1}, {"no-duplicates"}),
        ({"commit": "after", "consumer_crash": 1, "max_poll_records": 2}, {"no-duplicates"}),
        ({"commit": "before", "consumer_joins": 1, "commit_on_revoke": False}, set()),
        ({"commit": "after", "consumer_joins": 1, "commit_on_revoke": False}, {"no-duplicates"}),
        ({"commit": "after", "consumer_joins": 1, "commit_on_revoke": True}, set()),
        ({"commit": "before", "consumer_pause": 1}, {"order"}),
        ({"commit": "after", "consumer_pause": 1}, {"no-duplicates"}),
        ({"commit": "after", "consumer_pause": 1, "commit_on_revoke": False}, {"no-duplicates"}),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
def test_what_each_fault_breaks(assignment: str, given: dict[str, object], broken: set[str]) -> None:
    assert violated(checked(assignment=assignment, **given)) == broken


def test_a_record_is_skipped_by_a_crash_between_its_commit_and_its_processing() -> None:
    report = checked(commit="before", consumer_crash=1)

    assert actions(report, "no-loss") == ["assign", "sync", "poll", "commit_offsets", "crash"]
    assert "process" not in actions(report, "no-loss")


def test_a_record_is_processed_twice_by_a_crash_between_its_processing_and_its_commit() -> None:
    ends = actions(checked(commit="after", consumer_crash=1), "no-duplicates")

    assert [each for each in ends if each in ("process", "crash", "commit_offsets")] == [
        "process",
        "crash",
        "process",
    ]
    assert "expire" in ends


def test_a_slow_member_goes_on_with_what_the_group_has_passed_on() -> None:
    """With commit=before nobody else gets its record, and it comes after the later ones."""
    after, before = (checked(commit=commit, consumer_pause=1) for commit in ("after", "before"))

    assert actions(after, "no-duplicates").count("process") == 2
    assert "pause" in actions(after, "no-duplicates")
    late = story(before, "order").steps[-1]
    assert late.action == "process"
    assert late.arguments["c"] not in late.state["members"]


@pytest.mark.parametrize("assignment", ASSIGNORS)
def test_auto_commit_misses_what_is_processed_while_a_member_joins_and_keeps_its_partitions(
    assignment: str,
) -> None:
    report = checked(assignment=assignment, auto_commit=True, consumer_joins=1)

    assert violated(report) == (set() if assignment in EAGER else {"no-duplicates"})


@pytest.mark.parametrize(("topics", "partitions"), [(1, 3), (2, 2), (2, 3)])
@pytest.mark.parametrize("assignment", ASSIGNORS)
def test_only_range_is_uneven_and_only_over_several_topics(
    assignment: str, topics: int, partitions: int
) -> None:
    report = checked(assignment=assignment, topics=topics, partitions=partitions, records=1)

    uneven = assignment == "range" and (topics, partitions) == (2, 3)
    assert violated(report) == ({"balanced"} if uneven else set())


# --- what is revoked --------------------------------------------------------------------------------


def given_up(**given: object) -> set[tuple[str, str]]:
    """Which consumers, alive, give up which partitions in some run."""
    return {
        (consumer, partition)
        for action, before, after in steps(group(records=1, **given))
        if action != "crash"
        for consumer, topics in before["holds"].items()
        for partition in set(topics["t1"]) - set(after["holds"][consumer]["t1"])
    }


def steps(system: TransitionSystem) -> Iterator[tuple[str, State, State]]:
    """Every step that can happen, found without an engine."""
    seen = set(initial_states(system))
    waiting = list(seen)
    while waiting:
        cells = waiting.pop()
        for move in expand(system, cells).moves:
            yield move.action.name, decode(system, cells), decode(system, move.target)
            if move.target not in seen:
                seen.add(move.target)
                waiting.append(move.target)


def test_a_cooperative_group_gives_up_only_what_moves() -> None:
    eager, cooperative = (given_up(assignment=a, consumer_joins=1) for a in ("sticky", "cooperative-sticky"))

    assert eager == {("c1", "p1"), ("c1", "p2")}
    assert cooperative == {("c1", "p2")}


def test_a_cooperative_group_gives_up_nothing_when_a_member_dies() -> None:
    eager, cooperative = (given_up(assignment=a, consumer_crash=1) for a in ("sticky", "cooperative-sticky"))

    assert eager == {("c1", "p1"), ("c2", "p2")}
    assert cooperative == set()


# --- engines ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("assignment", ["range", "cooperative-sticky"])
@pytest.mark.parametrize("fault", ["consumer_crash", "consumer_joins", "consumer_pause"])
def test_the_reference_engine_finds_the_same(assignment: str, fault: str) -> None:
    system = group(assignment=assignment, records=1, **{fault: 1})

    native, reference = (
        check(system, engine=engine, subject="kafka-group") for engine in (NativeEngine(), ReferenceEngine())
    )

    assert (native.coverage.states, native.coverage.transitions, native.coverage.depth) == (
        reference.coverage.states,
        reference.coverage.transitions,
        reference.coverage.depth,
    )
    assert violated(native) == violated(reference)


# --- ways to break it -------------------------------------------------------------------------------

TAKES_EVERY_COMMIT = ("        if c in self.members:\n", "        if True:\n")
HANDS_OVER_AT_ONCE = ("                self.keep_back_what_moves()\n", "                pass\n")
KEEPS_WHAT_IT_HAS = (
    "        if c not in self.members or not self.cooperative():\n            self.forget(c)\n",
    "        if c not in self.members:\n            self.forget(c)\n",
)
NEVER_EXPIRES = ("require(self.stage[c] == Stage.DEAD and c in self.members)", "require(False)")
STARTS_OVER = ("self.position[c][t][p] = self.beginning(t, p)", "self.position[c][t][p] = 0")
COMMITS_WHAT_IS_IN_HAND = ("        require(self.commit != Commit.AFTER or self.is_free(c))\n", "")
DEALS_TO_THE_FIRST = ("return Consumer(turn % self.consumers)", "return Consumer(turn % 1)")


@pytest.mark.parametrize(("reset", "broken"), [("latest", {"delivery"}), ("earliest", {"no-duplicates"})])
def test_a_new_group_that_starts_at_the_latest_skips_records(reset: str, broken: set[str]) -> None:
    """A consumer dies before it has committed anything, and the next one finds no offset."""
    given = {"consumer_crash": 1, "new_group": True, "offset_reset": reset}
    assert violated(checked(**given)) >= broken


def test_a_commit_of_a_member_that_was_left_behind_must_be_refused() -> None:
    """Two members commit the same record before they process it, and both do."""
    given = {"commit": "before", "consumer_pause": 1}

    assert violated(checked(TAKES_EVERY_COMMIT, **given)) == {"order", "no-duplicates"}


@pytest.mark.parametrize(
    ("change", "given", "broken"),
    [
        (
            HANDS_OVER_AT_ONCE,
            {"assignment": "cooperative-sticky", "consumer_joins": 1},
            {"exclusive", "no-duplicates"},
        ),
        (KEEPS_WHAT_IT_HAS, {"consumer_joins": 1}, {"exclusive"}),
        (NEVER_EXPIRES, {"consumer_crash": 1}, {"delivery"}),
        (STARTS_OVER, {"consumer_joins": 1}, {"no-duplicates"}),
        (COMMITS_WHAT_IS_IN_HAND, {"consumer_crash": 1}, {"no-loss", "no-duplicates", "delivery"}),
        (DEALS_TO_THE_FIRST, {"assignment": "round-robin"}, {"balanced"}),
    ],
    ids=["hands over at once", "keeps", "never expires", "starts over", "commits in hand", "deals to one"],
)
def test_what_notices_a_mutant(change: Change, given: dict[str, object], broken: set[str]) -> None:
    assert violated(checked(change, **given)) == broken
