"""Whatever is forged, some time after the forger is silent everybody is right again."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.protocol import link_state, node
from angarium.mesh.protocol.interface import Interface
from angarium.mesh.protocol.link_state import FAR, LAST_LIFE, NUMBERS, Stamp, Statement
from angarium.mesh.protocol.messages import (
    Acknowledgement,
    Answer,
    Heartbeat,
    Letter,
    LinkTest,
    Message,
    Notification,
)
from angarium.mesh.protocol.network import MakeNode, Network
from angarium.mesh.protocol.node import Node
from tests.effort import examples
from tests.mesh.protocol.meshes import LINE, LONG, SHAPES, SQUARE, TIMING, colouring, wrongs

HALF = NUMBERS // 2


def settled(shape: str, *, seed: int = 0, make: MakeNode = Node) -> Network:
    found = Network(colouring(shape), TIMING, seed=seed, make=make)
    found.run(10 * TIMING.heartbeat)
    assert wrongs(found) == []
    return found


def said(found: Network, origin: str, *, ahead: int = 1, life: int | None = None) -> Notification:
    """In the name of a broker, that all its neighbours are dead to it."""
    own, dead = found.nodes[origin].own.stamp, frozenset(found.chart.neighbours[origin])
    number = (own.number + ahead) % NUMBERS
    return Notification((Statement(Stamp(origin, own.life if life is None else life, number), dead),))


# --- stories --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [1, HALF - 1, HALF, HALF + 1, NUMBERS - 1])
@pytest.mark.parametrize("life", [None, FAR - 10**6, FAR + 10**9, LAST_LIFE])
def test_a_datagram_in_the_name_of_a_neighbour_makes_no_black_hole_of_it(
    ahead: int, life: int | None
) -> None:
    """As if 2 itself had said it: it is not handed back to 2, so 2 hears of it only by comparing."""
    found = settled(LINE)

    found.forge(Letter("2", found.nodes["2"].life, said(found, "2", ahead=ahead, life=life)), to="1")
    found.run(LONG)

    assert wrongs(found) == []


def test_while_it_is_believed_it_is_a_black_hole() -> None:
    """So the tests above would see one."""
    found = settled(LINE)

    found.forge(Letter("2", found.nodes["2"].life, said(found, "2")), to="1")

    assert wrongs(found) == ["1 has colour 2 instead of 1"]


def test_forged_numbers_of_which_each_is_later_than_another_on_a_circle_are_answered() -> None:
    found = settled(SQUARE)

    for to, ahead in (("1", 1), ("2", NUMBERS // 3), ("4", 2 * NUMBERS // 3)):
        found.forge(Letter("3", found.nodes["3"].life, said(found, "3", ahead=ahead)), to=to)
    found.run(LONG)

    assert wrongs(found) == []


def test_a_forged_statement_with_the_stamp_of_a_true_one_is_answered() -> None:
    found = settled(LINE)
    found.sever("3", "4")
    found.run(LONG)
    true = found.nodes["3"].own

    for dead in (frozenset("2"), frozenset("24"), frozenset()):
        forged = Notification((Statement(true.stamp, dead),))
        found.forge(Letter("2", found.nodes["2"].life, forged), to="1")
        found.run(LONG)
        assert wrongs(found) == []


class Swallowing(Network):
    """What 2 tells 1 is swallowed, as long as it is `hungry`, and acknowledged in the name of 1."""

    hungry = False

    def _transmit(self, send: node.Send) -> None:
        letter = send.letter
        if (
            self.hungry
            and (letter.sender, send.to) == ("2", "1")
            and isinstance(letter.message, Notification)
        ):
            known = Acknowledgement(tuple(each.stamp for each in letter.message.statements))
            self.forge(Letter("1", self.nodes["1"].life, known), to="2")
        else:
            super()._transmit(send)


def test_who_is_told_by_a_forged_acknowledgement_that_all_is_known_finds_out_that_it_is_not() -> None:
    found = Swallowing(colouring(LINE), TIMING)
    found.run(10 * TIMING.heartbeat)
    found.hungry = True
    found.sever("3", "4")
    found.run(6 * TIMING.heartbeat)
    assert [each[0] for each in wrongs(found)] == ["1"]

    found.hungry = False
    found.run(LONG)

    assert wrongs(found) == []


# --- by chance --------------------------------------------------------------------------------------------

NUMBER = st.one_of(
    st.integers(0, 3), st.sampled_from([HALF - 1, HALF, NUMBERS - 1]), st.integers(0, NUMBERS - 1)
)
LIFE = st.one_of(st.integers(0, 9), st.sampled_from([FAR, FAR + 10, LAST_LIFE]), st.integers(0, LAST_LIFE))
PLACE = st.integers(0, 9)
STAMP = st.tuples(PLACE, LIFE, NUMBER)
MESSAGE = st.one_of(
    st.tuples(st.just("notify"), st.lists(st.tuples(STAMP, st.sets(PLACE)), max_size=3)),
    st.tuples(st.just("acknowledge"), st.lists(STAMP, max_size=3)),
    st.tuples(st.sampled_from(["beat", "test", "answer"]), LIFE),
)
FORGERY = st.tuples(PLACE, PLACE, LIFE, MESSAGE, st.integers(0, 5))
"""To whom, in whose name, in which life, what, and how many heartbeats pass then."""


def message(found: Network, kind: str, what: object) -> Message:
    def stamp(words: tuple[int, int, int]) -> Stamp:
        brokers = found.chart.brokers
        return Stamp(brokers[words[0] % len(brokers)], *words[1:])

    def statement(words: tuple[tuple[int, int, int], set[int]]) -> Statement:
        neighbours = found.chart.neighbours[stamp(words[0]).origin]
        return Statement(stamp(words[0]), frozenset(neighbours[each % len(neighbours)] for each in words[1]))

    match kind:
        case "notify":
            return Notification(tuple(map(statement, what)))  # type: ignore[arg-type]
        case "acknowledge":
            return Acknowledgement(tuple(map(stamp, what)))  # type: ignore[arg-type]
        case "beat":
            return Heartbeat(what)  # type: ignore[arg-type]
        case _:
            return {"test": LinkTest, "answer": Answer}[kind](what % 1000)  # type: ignore[operator]


@settings(max_examples=examples(400))
@given(st.sampled_from(SHAPES), st.lists(FORGERY, min_size=1, max_size=12), st.integers(0, 2**32))
def test_whatever_is_forged_everybody_ends_with_the_right_colour(
    shape: str, forgeries: list[tuple[int, int, int, tuple[str, object], int]], seed: int
) -> None:
    found = settled(shape, seed=seed)
    brokers = found.chart.brokers

    for to, sender, life, (kind, what), beats in forgeries:
        name = brokers[to % len(brokers)]
        near = found.chart.neighbours[name]
        whose = near[sender % len(near)]
        believed = found.nodes[whose].life if life % 2 else life
        found.forge(Letter(whose, believed, message(found, kind, what)), to=name)
        found.run(beats * TIMING.heartbeat)
    found.run(2 * LONG)

    assert wrongs(found) == []


# --- mutants ------------------------------------------------------------------------------------------------


def forged(make: MakeNode = Node) -> Network:
    found = settled(LINE, make=make)
    found.forge(Letter("2", found.nodes["2"].life, said(found, "2", ahead=HALF - 1)), to="1")
    found.run(LONG)
    return found


class ComparesNothing(Node):
    def _read(self, now: float, interface: Interface, message: Message) -> None:
        if not isinstance(message, Heartbeat):
            super()._read(now, interface, message)


class AnswersNothing(Node):
    def _is_out_of_date(self, statement: Statement) -> bool:
        return False


@pytest.mark.parametrize("mistake", [ComparesNothing, AnswersNothing])
def test_who_compares_or_answers_nothing_leaves_a_black_hole(mistake: MakeNode) -> None:
    assert wrongs(forged(mistake)) == ["1 has colour 2 instead of 1"]


def test_on_a_circle_of_numbers_brokers_never_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a circle ahead of what 2 holds: neither can convince the other, and 3 never hears of it."""

    def is_later(one: Stamp, other: Stamp) -> bool:
        ahead = (one.number - other.number) % NUMBERS
        return one.life > other.life or (one.life == other.life and 0 < ahead < HALF)

    def take(self: link_state.Database, statement: Statement) -> bool:
        known = self.statements.get(statement.origin)
        if known is not None and not is_later(statement.stamp, known.stamp):
            return False
        self.keep(statement)
        return True

    monkeypatch.setattr(link_state.Database, "take", take)
    monkeypatch.setattr(node, "later", is_later)
    found = settled(LINE)
    for ahead in (1, HALF):
        found.forge(Letter("2", found.nodes["2"].life, said(found, "3", ahead=ahead)), to="1")
    found.run(2 * LONG)

    assert any("1 has colour" in each for each in wrongs(found))


def test_who_believes_in_any_life_cannot_be_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "FAR", LAST_LIFE * 2)
    found = settled(LINE)
    last = Stamp("2", LAST_LIFE, NUMBERS - 1)
    found.forge(Letter("2", 2, Notification((Statement(last, frozenset("13")),))), to="1")

    with pytest.raises(struct.error):
        found.run(LONG)
