"""What becomes of messages under failures is what verification says, and what their paths are made of."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError, UsageError
from angarium.mesh.distributions import Part
from angarium.mesh.mesh import NOTHING, Failures
from angarium.mesh.probability.paths import ARRIVES, AWAY, LOST, Outcome, paths_of
from tests.effort import examples
from tests.mesh.probability.meshes import every_set, read, ring

FORWARDED = """
brokers: [a, b, c]
links:
  - {from: a, to: b, latency: {exponential: 1 ms}}
  - {from: b, to: c, latency: {exponential: 1 ms}, mtbf: 1 h, mttr: 1 h}
  - {from: a, to: c, latency: 9 ms, mtbf: 1 h, mttr: 1 h}
topics: {T: {from: a, to: c, within: 5 ms}}
"""


def cut(*cables: str) -> Failures:
    return Failures(cables=frozenset(cables))


def test_a_way_has_the_times_of_its_links_and_of_all_brokers_on_it() -> None:
    first, second = paths_of(ring()).outcomes()

    assert first == Outcome(ARRIVES, 0, (Part("exponential", 4), Part("normal", 6, 2), Part("uniform", 1, 3)))
    assert second == Outcome(ARRIVES, 0, (Part("exponential", 4),))


def test_routers_go_round_what_is_dead() -> None:
    first, second = paths_of(ring()).outcomes(cut("a-b"))

    assert first == Outcome(ARRIVES, 9, (Part("exponential", 3), Part("uniform", 1, 3)))
    assert second.constant == 9


def test_routers_that_keep_their_tables_lose_messages() -> None:
    mesh = ring(("routing: shortest", "routing: {kind: shortest, rerouted: false}"))

    outcomes = paths_of(mesh).outcomes(cut("a-b"))

    assert [each.kind for each in outcomes] == [LOST, LOST]


def test_without_any_way_a_message_is_lost_and_without_an_end_it_is_away() -> None:
    paths = paths_of(ring())

    assert [each.kind for each in paths.outcomes(cut("a-b", "a-c"))] == [LOST, LOST]
    assert [each.kind for each in paths.outcomes(Failures(frozenset("a")))] == [AWAY, AWAY]
    assert [each.kind for each in paths.outcomes(Failures(frozenset("b")))] == [ARRIVES, AWAY]


def test_the_clients_of_a_dead_broker_move_to_its_substitute() -> None:
    mesh = ring(("{a: {mtbf", "{a: {substitute: b, mtbf"))

    first, second = paths_of(mesh).outcomes(Failures(frozenset("a")))

    assert first.parts == (Part("normal", 6, 2), Part("uniform", 1, 3))
    assert second == Outcome(ARRIVES)


def test_what_a_failure_does_not_touch_is_as_if_it_were_asked_again() -> None:
    mesh = ring()
    paths = paths_of(mesh)

    for failures, _ in every_set(mesh):
        asked = [paths.known(question.need, failures)[0] for question in paths.questions]
        assert paths.outcomes(failures) == asked


def test_the_first_of_several_copies_may_be_earlier() -> None:
    paths = paths_of(read(FORWARDED))

    healthy, alone = paths.outcomes(NOTHING)[0], paths.outcomes(cut("a->c"))[0]

    assert healthy == Outcome(ARRIVES, 0, (Part("exponential", 1),) * 2, is_limit=True)
    assert not alone.is_limit


def test_some_topics_can_be_asked_for() -> None:
    assert [each.ends[0].topic for each in paths_of(ring(), ["U"]).questions] == ["U"]


def test_a_topic_that_nobody_wants_is_named() -> None:
    with pytest.raises(UsageError, match="nobody who publishes 'V'") as raised:
        paths_of(ring(), ["V"])

    assert raised.value.possible == "possible: T, U"


def test_without_clients_there_is_nothing_to_ask() -> None:
    with pytest.raises(MeshError, match="does not say who publishes"):
        paths_of(read("brokers: [a, b]\nlinks: [a - b]\nrouting: shortest\n"))


def test_demands_of_one_way_with_different_bounds_are_different_questions() -> None:
    mesh = ring(("topics:", "subscribers: {s: {at: c, topics: T, within: 99 ms}}\ntopics:"))

    assert [each.bound for each in paths_of(mesh, ["T"]).questions] == [99, 15]


def test_a_message_that_a_filter_stops_may_arrive_when_more_is_dead() -> None:
    mesh = read(
        "routing: shortest\nbrokers: [a, b, c]\nlinks:\n"
        "  - a - b\n  - {between: [b, c], refuses: T}\n  - {between: [a, c], cost: 5}\n"
        "topics: {T: {from: a, to: c, within: 9 ms}}\n"
    )
    paths = paths_of(mesh)

    kinds = [paths.outcomes(failures)[0].kind for failures in (NOTHING, cut("a-b"), cut("b-c"), cut("a-c"))]

    assert kinds == [LOST, ARRIVES, ARRIVES, LOST]


@settings(max_examples=examples(60))
@given(st.data())
def test_few_failures_answer_for_many(data: st.DataObject) -> None:
    """In random meshes of every kind, with filters and substitutes, against asking for each set."""
    mesh = read(_random_text(data))
    names = [broker.name for broker in mesh.brokers]
    dead = Failures(
        frozenset(data.draw(st.sets(st.sampled_from(names), max_size=2))),
        frozenset(data.draw(st.sets(st.sampled_from(mesh.cables), max_size=4))),
    )
    paths = paths_of(mesh)

    found = paths.outcomes(dead)

    assert found == [paths.known(question.need, dead)[0] for question in paths.questions]


def _random_text(data: st.DataObject) -> str:
    pairs = list(combinations("abcde", 2))
    joined = data.draw(st.lists(st.sampled_from(pairs), min_size=5, max_size=9, unique=True))
    rules = st.sampled_from(["", ", refuses: T", ", hop-limit: 1", ", cost: 2", ", cost: 3"])
    links = [
        f"  - {{between: [{one}, {other}], latency: {{exponential: {number + 1} ms}}{data.draw(rules)}}}"
        for number, (one, other) in enumerate(joined)
    ]
    kind = data.draw(st.sampled_from(["shortest", "{kind: shortest, rerouted: false}", "forward"]))
    substitute = data.draw(st.sampled_from(["", "substitute: b"]))
    return "\n".join(
        [
            f"routing: {kind}",
            f"brokers: {{a: {{{substitute}}}, b: , c: , d: , e: }}",
            "links:",
            *links,
            "topics: {T: {from: a, to: [c, e], within: 9 ms}, U: {from: d, to: a, within: 9 ms}}",
        ]
    )
