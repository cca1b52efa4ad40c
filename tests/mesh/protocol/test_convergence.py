"""After any failures, recoveries, restarts and losses that stop, everybody has the right colour."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.protocol import interface, link_state, node
from angarium.mesh.protocol.interface import Interface, State, Timing
from angarium.mesh.protocol.link_state import NUMBERS, Database, Stamp, Statement
from angarium.mesh.protocol.messages import Acknowledgement, Letter, Notification
from angarium.mesh.protocol.network import MakeNode, Network, Weather
from angarium.mesh.protocol.node import Node
from tests.effort import examples
from tests.mesh.protocol.meshes import (
    LONG,
    SHAPES,
    SQUARE,
    TAILED,
    TIMING,
    colouring,
    wrongs,
)

BAD = Weather(loss=0.3, delay=(0.001, 0.04))
GOOD = Weather()


def network(shape: str, *, seed: int = 0, make: MakeNode = Node) -> Network:
    found = Network(colouring(shape), TIMING, seed=seed, make=make)
    found.run(5 * TIMING.heartbeat)
    return found


Trouble = tuple[str, int, int]
"""What is done, to which pair or broker, and how many heartbeats pass then."""
KINDS = ("sever", "heal", "stop", "start", "rain", "shine")
TROUBLES = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.integers(0, 12)), max_size=8)


def trouble(found: Network, kind: str, number: int) -> None:
    pairs, brokers = list(found.chart.cables), found.chart.brokers
    pair, broker = pairs[number % len(pairs)], brokers[number % len(brokers)]
    match kind:
        case "sever":
            found.sever(*pair)
        case "heal":
            found.heal(*pair)
        case "stop":
            found.stop(broker)
        case "start":
            if broker not in found.nodes:
                found.start(broker)
        case "rain":
            found.weather = BAD
        case "shine":
            found.weather = GOOD


@settings(max_examples=examples(40))
@given(st.sampled_from(SHAPES), TROUBLES, st.integers(0, 2**32))
def test_whatever_happens_everybody_ends_with_the_right_colour(
    shape: str, troubles: list[Trouble], seed: int
) -> None:
    found = network(shape, seed=seed)

    for kind, number, heartbeats in troubles:
        trouble(found, kind, number)
        found.run(heartbeats * TIMING.heartbeat)
    found.weather = GOOD
    found.run(LONG)

    assert wrongs(found) == []


# --- stories: each is right as the protocol is, and wrong if a part of it is missing -----------------------


def cut(make: MakeNode = Node) -> Network:
    found = network(SQUARE, make=make)
    found.sever("1", "2")
    found.run(LONG)
    return found


def cut_and_healed(make: MakeNode = Node) -> Network:
    found = cut(make)
    found.heal("1", "2")
    found.run(LONG)
    return found


def cut_in_the_rain(seed: int) -> Network:
    """Half of what is told of the cut gets lost."""
    found = network(SQUARE, seed=seed)
    found.sever("1", "2")
    found.run(2.5 * TIMING.heartbeat)
    found.weather = Weather(loss=0.5)
    found.run(TIMING.heartbeat)
    found.weather = GOOD
    found.run(LONG)
    return found


def cut_behind_a_partition(make: MakeNode = Node) -> Network:
    found = network(TAILED, make=make)
    found.sever("2", "3")
    found.run(LONG)
    found.sever("4", "5")
    found.run(LONG)
    found.heal("2", "3")
    found.run(LONG)
    return found


def restarted_after_a_cut(make: MakeNode = Node, *, backwards: bool = False) -> Network:
    """A broker dies while it calls a link dead; the link is healed before it starts again."""
    found = cut(make)
    found.stop("2")
    found.heal("1", "2")
    found.run(LONG)
    found.start("2")
    if backwards:
        found.nodes["2"] = make("2", found.nodes["1"].colouring, TIMING, life=0, now=found.now)
    found.run(LONG)
    return found


class AboutToWrap(Node):
    """Has made almost as many statements as there are numbers."""

    def __init__(self, *words: object, **more: object) -> None:
        super().__init__(*words, **more)  # type: ignore[arg-type]
        self.database.keep(Statement(Stamp(self.name, self.life, NUMBERS - 1)))


def test_a_cut_and_a_recovery_are_learnt() -> None:
    assert wrongs(cut_and_healed()) == []


def test_what_is_lost_is_told_again() -> None:
    assert [wrongs(cut_in_the_rain(seed)) for seed in range(6)] == [[]] * 6


def test_numbers_may_run_out() -> None:
    assert wrongs(cut(AboutToWrap)) == []
    assert wrongs(cut_and_healed(AboutToWrap)) == []


def test_a_healed_partition_learns_what_happened_on_its_other_side() -> None:
    assert wrongs(cut_behind_a_partition()) == []


def test_a_restarted_broker_is_not_taken_for_old() -> None:
    assert wrongs(restarted_after_a_cut()) == []


def test_not_even_if_its_clock_was_set_back() -> None:
    assert wrongs(restarted_after_a_cut(backwards=True)) == []


def test_a_neighbour_that_hears_but_is_not_heard_is_taken_for_dead() -> None:
    class Mute(Network):
        """Notifications and their acknowledgements get lost between 1 and 2, heartbeats do not."""

        def _transmit(self, send: node.Send) -> None:
            is_mute = isinstance(send.letter.message, Notification | Acknowledgement)
            if not (is_mute and {send.to, send.letter.sender} == {"1", "2"} and self.now > 0.5):
                super()._transmit(send)

    found = Mute(colouring(SQUARE), TIMING)
    found.run(1.0)
    found.sever("3", "4")
    found.run(LONG)

    assert any(
        isinstance(action, node.Changed) and action.why is interface.Event.UNANSWERED
        for step in found.steps
        for action in step.actions
    )


class OneWay(Network):
    """Everything that 2 sends to 3 gets lost, as long as it is `deaf`; what 3 sends to 2 does not."""

    deaf = False

    def _transmit(self, send: node.Send) -> None:
        if not (self.deaf and (send.letter.sender, send.to) == ("2", "3")):
            super()._transmit(send)


def cut_one_way(make: MakeNode = Node) -> OneWay:
    """1 and 2 have only the link from 2 to 3 to the others, and it carries nothing there."""
    found = OneWay(colouring(TAILED), TIMING, make=make)
    found.run(5 * TIMING.heartbeat)
    found.deaf = True
    found.run(LONG)
    return found


def believed(found: Network) -> list[set[str]]:
    """The brokers that each takes for reachable."""
    return [set(each.view.component) for each in found.nodes.values()]


def test_both_ends_of_a_link_that_carries_letters_only_one_way_know_that_it_is_dead() -> None:
    found = cut_one_way()

    assert believed(found) == [{"1", "2"}, {"1", "2"}, *[{"3", "4", "5"}] * 3]


def test_and_when_it_carries_them_both_ways_again_it_is_used() -> None:
    found = cut_one_way()

    found.deaf = False
    found.run(LONG)

    assert wrongs(found) == []


def flapping(timing: Timing) -> list[node.Changed]:
    """What 1 makes of a link to 2 that is dead for five heartbeats and lives for two, again and again."""
    found = Network(colouring(SQUARE), timing)
    found.run(0.3)
    for _ in range(10):
        found.sever("1", "2")
        found.run(5 * timing.heartbeat)
        found.heal("1", "2")
        found.run(2 * timing.heartbeat)
    actions = [action for step in found.steps if step.broker == "1" for action in step.actions]
    return [
        each
        for each in actions
        if isinstance(each, node.Changed) and State.FAILURE in (each.before, each.after)
    ]


def test_a_flapping_link_stays_out_of_use() -> None:
    assert [(each.neighbour, each.after) for each in flapping(TIMING)] == [("2", State.FAILURE)]


def test_with_one_answer_enough_it_would_come_and_go() -> None:
    assert len(flapping(replace(TIMING, tests=1))) > 10


def test_a_run_is_a_function_of_its_seed() -> None:
    assert cut_in_the_rain(1).steps == cut_in_the_rain(1).steps != cut_in_the_rain(2).steps


# --- mutants ------------------------------------------------------------------------------------------------


class Union(Database):
    """What was ever said to be dead stays dead."""

    def take(self, statement: Statement) -> bool:
        known = self.statements.get(statement.origin)
        dead = statement.dead | (known.dead if known else frozenset())
        return super().take(Statement(statement.stamp, dead))


class NeverUnlearns(Node):
    """Unites what it hears with what it knows, as in the thesis."""

    def __init__(self, *words: object, **more: object) -> None:
        super().__init__(*words, **more)  # type: ignore[arg-type]
        self.database = Union(self.database.chart, self.database.statements)


class KeepsToItself(Node):
    """Exchanges nothing with a neighbour that is back."""

    def _everything(self, interface: Interface) -> list[Statement]:
        return []


class Resigned(Node):
    """Lets others believe of it what they like."""

    def _is_out_of_date(self, statement: Statement) -> bool:
        return False


class TakesTestsForLife(Node):
    """Is content with a neighbour that takes it for dead, as long as it is heard."""

    def heard(self, now: float, letter: Letter) -> list[node.Action]:
        self.interfaces[letter.sender].heard_at = now
        return super().heard(now, letter)


def test_who_takes_tests_for_signs_of_life_is_never_told_that_nobody_hears_it() -> None:
    assert believed(cut_one_way(TakesTestsForLife))[:2] == [{"1", "2", "3", "4", "5"}] * 2


def test_a_union_of_failures_can_never_unlearn() -> None:
    assert wrongs(cut_and_healed(NeverUnlearns)) != []


def test_without_an_exchange_a_healed_partition_never_learns() -> None:
    assert wrongs(cut_behind_a_partition(KeepsToItself)) != []


def test_without_retransmission_some_never_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Timing, "wait", lambda self, tries: 1e9)

    assert any(wrongs(cut_in_the_rain(seed)) for seed in range(6))


def test_numbers_that_begin_again_in_the_same_life_are_taken_for_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "following", lambda stamp: replace(stamp, number=(stamp.number + 1) % NUMBERS))

    assert wrongs(cut(AboutToWrap)) != []


def test_without_lives_a_restarted_broker_is_taken_for_old(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (link_state, interface, node):
        monkeypatch.setattr(module, "later", lambda one, other: one.number > other.number)
    monkeypatch.setattr(Statement, "rank", property(lambda self: (self.stamp.number, sorted(self.dead))))

    assert wrongs(restarted_after_a_cut(Resigned)) != []


def test_a_broker_whose_clock_was_set_back_must_object() -> None:
    assert wrongs(restarted_after_a_cut(Resigned, backwards=True)) != []
