"""Copies that one of several takes: what is sure, and the most, as when every choice is tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.delivery.outcome import Spread
from angarium.mesh.mesh import Broker, Failures, Link, Mesh, Pattern, Rename, Subscriber
from angarium.mesh.topics.topic import Transform
from tests.effort import examples
from tests.mesh.delivery import peer
from tests.mesh.delivery.peer import Copy, TooManyError
from tests.mesh.delivery.test_forward_against_peer import RULES, meshes

ANYTHING, T = Pattern("#", "mqtt"), Pattern("t", "mqtt")
ALIVE = Failures()


# --- by trying everything -------------------------------------------------------------------------------


class Tried:
    """Every number of copies that a subscriber may get, choosing for each copy anew."""

    def __init__(self, mesh: Mesh, wants: Subscriber, dead: Failures, rounds: int) -> None:
        self.mesh, self.wants, self.dead, self.rounds = mesh, wants, dead, rounds
        self.steps = 0

    def numbers(self, copy: Copy) -> set[int]:
        """What can come of a copy; one that has gone round so many times goes no farther."""
        here = peer.situation(self.mesh, copy)
        if sum(here == peer.situation(self.mesh, earlier) for earlier in copy.trail) >= self.rounds:
            return {0}
        self.steps += 1
        if self.steps > 3000:
            raise TooManyError
        parts = peer.handed_round(self.mesh, copy, self.dead)
        alone = not self.competes and any(self.wanted(part) for part in parts)
        return sums([{int(alone)}, *(each for part in parts for each in self.handed_on(part))])

    @property
    def competes(self) -> bool:
        return bool(self.wants.shares) and any(
            (link.source, link.shares) == (self.wants.broker, self.wants.shares) for link in self.mesh.links
        )

    def wanted(self, copy: Copy) -> bool:
        return copy.broker == self.wants.broker and self.takes(self.wants, copy)

    @staticmethod
    def takes(subscriber: Subscriber, copy: Copy) -> bool:
        return copy.broker == subscriber.broker and any(
            peer.matches(each, copy.text) for each in subscriber.topics
        )

    def handed_on(self, copy: Copy) -> Iterable[set[int]]:
        """For each link that takes a copy whatever happens, and for each group, what can come of it."""
        shares = {link.name: link.shares for link in self.mesh.links}
        options: dict[str, list[set[int]]] = {}
        for behind in peer.handed_on(self.mesh, copy, self.dead):
            group = shares[behind.came[0].name]
            options.setdefault(group or f"\0{len(options)}", []).append(self.numbers(behind))
        for each in self.mesh.subscribers:
            linked = (each.broker, each.shares) in {(link.source, link.shares) for link in self.mesh.links}
            if each.shares and linked and self.takes(each, copy):
                mine = each.broker == self.wants.broker and each.shares == self.wants.shares
                options.setdefault(each.shares, []).append({int(mine and self.wanted(copy))})
        return [set().union(*each) for each in options.values()]


def latest(mesh: Mesh, wants: Subscriber, dead: Failures) -> float:
    """When something arrives, choosing for the worst; without end if it need not arrive."""
    return _latest(Tried(mesh, wants, dead, 1), Copy("A", "t", (), (), (), peer.latency_of(mesh, "A")))


def _latest(tried: Tried, copy: Copy) -> float:
    mesh = tried.mesh
    if any(peer.situation(mesh, copy) == peer.situation(mesh, earlier) for earlier in copy.trail):
        return inf
    shares = {link.name: link.shares for link in mesh.links}
    found = [inf]
    for part in peer.handed_round(mesh, copy, tried.dead):
        found += [copy.took] if tried.wanted(part) and not tried.competes else []
        groups: dict[str, list[float]] = {}
        for behind in peer.handed_on(mesh, part, tried.dead):
            group = shares[behind.came[0].name]
            groups.setdefault(group or behind.came[0].name, []).append(_latest(tried, behind))
        for each in mesh.subscribers:
            if each.shares and tried.takes(each, part):
                mine = (each.broker, each.shares) == (tried.wants.broker, tried.wants.shares)
                taken = part.took if mine and tried.wanted(part) and tried.competes else inf
                groups.setdefault(each.shares, []).append(taken)
        found += [max(each) for each in groups.values()]
    return min(found)


def sums(parts: list[set[int]]) -> set[int]:
    found = {0}
    for part in parts:
        found = {one + other for one in found for other in part}
    return found


def tried(mesh: Mesh, wants: Subscriber, dead: Failures) -> tuple[bool, int | None]:
    """Whether something is sure to arrive, and the most."""
    if "A" in dead.brokers:
        return False, 0
    most = []
    for rounds in (1, 3, 5):
        found = Tried(mesh, wants, dead, rounds).numbers(Copy("A", "t", (), (), (), 0.0))
        most.append(max(found))
        sure = min(found) > 0
    return sure, None if most[2] > most[1] else most[1]


# --- by counting backwards ------------------------------------------------------------------------------


def counted(mesh: Mesh, wants: Subscriber, dead: Failures) -> tuple[bool, int | None]:
    spread = Forwarding(mesh).spread("A", ("", "t"), dead)
    asked = wish(spread, wants)
    return spread.is_sure(*asked), spread.copies_at(*asked)


def wish(spread: Spread, wants: Subscriber) -> tuple[str, set[Transform], tuple[str, str]]:
    names = {
        each.renamed
        for each in spread.arrivals
        if each.broker == wants.broker and any(peer.matches(pattern, each.topic) for pattern in wants.topics)
    }
    return wants.broker, names, (wants.broker, wants.shares)


@st.composite
def sharing(draw: st.DrawFn, inner: bool = False) -> Mesh:
    """Meshes in which links share what comes to a broker, also with subscribers."""
    mesh = draw(meshes(inner=inner, rules=RULES | {"rename": (None, Rename(whole="u"))}))
    groups = st.sampled_from(("", "g", "g", "h"))
    links = tuple(replace(link, shares=draw(groups)) for link in mesh.links)
    places = st.sampled_from([broker.name for broker in mesh.brokers])
    wishes = st.sampled_from(((ANYTHING,), (T,), (Pattern("u", "mqtt"),)))
    count = draw(st.integers(1, 3))
    subscribers = tuple(
        Subscriber(f"s{number}", draw(places), draw(wishes), shares=draw(groups)) for number in range(count)
    )
    return replace(mesh, links=links, subscribers=subscribers)


@settings(max_examples=examples(300))
@given(sharing(), st.sets(st.sampled_from("BC"), max_size=1), st.sets(st.sampled_from("0123"), max_size=2))
def test_what_is_sure_and_the_most_are_as_when_everything_is_tried(
    mesh: Mesh, brokers: set[str], cables: set[str]
) -> None:
    dead = Failures(frozenset(brokers), frozenset(f"l{number}" for number in cables))
    try:
        expected = [tried(mesh, each, dead) for each in mesh.subscribers]
    except TooManyError:
        assume(False)

    assert [counted(mesh, each, dead) for each in mesh.subscribers] == expected


@settings(max_examples=examples(150))
@given(sharing(inner=True))
def test_so_they_are_where_brokers_hand_round_within_themselves(mesh: Mesh) -> None:
    try:
        expected = [tried(mesh, each, ALIVE) for each in mesh.subscribers]
    except TooManyError:
        assume(False)

    assert [counted(mesh, each, ALIVE) for each in mesh.subscribers] == expected


@settings(max_examples=examples(200))
@given(sharing())
def test_so_is_the_time_until_something_arrives(mesh: Mesh) -> None:
    try:
        expected = [latest(mesh, each, ALIVE) for each in mesh.subscribers if tried(mesh, each, ALIVE)[0]]
    except TooManyError:
        assume(False)

    spread = Forwarding(mesh).spread("A", ("", "t"))
    assume(spread.choices is not None)
    surely = [each for each in mesh.subscribers if counted(mesh, each, ALIVE)[0]]
    assert [spread.latest(*wish(spread, each)) for each in surely] == expected


# --- known cases ----------------------------------------------------------------------------------------


def work(*links: Link, subscribers: tuple[Subscriber, ...] = ()) -> Mesh:
    names = dict.fromkeys(end for link in links for end in (link.source, link.target))
    return Mesh("m", tuple(Broker(name, "mqtt") for name in names), links, subscribers=subscribers)


def spread(mesh: Mesh, dead: Failures = ALIVE) -> Spread:
    return Forwarding(mesh).spread("A", ("", "t"), dead)


def taker(name: str, target: str, **more: object) -> Link:
    return Link(name, "A", target, shares="queue", **more)  # type: ignore[arg-type]


IDENTITY = {Transform()}


def test_two_that_share_a_queue_get_each_message_once_together() -> None:
    both = spread(work(taker("s1", "B"), taker("s2", "C"), Link("B>D", "B", "D"), Link("C>D", "C", "D")))

    assert {each.broker: each.copies for each in both.arrivals} == {"A": 1, "B": 1, "C": 1, "D": 1}
    assert [both.is_sure(each, IDENTITY) for each in "ABCD"] == [True, False, False, True]


def test_when_one_of_them_is_dead_the_other_takes_all() -> None:
    alone = spread(work(taker("s1", "B"), taker("s2", "C")), Failures(cables=frozenset({"s2"})))

    assert alone.is_sure("B", IDENTITY)
    assert alone.choices is None


def test_a_round_that_may_be_left_is_a_round() -> None:
    turning = spread(work(taker("back", "B"), taker("out", "C"), Link("B>A", "B", "A")))

    assert [loop.round for loop in turning.loops] == [("back", "B>A")]
    assert turning.copies_at("A", IDENTITY) is None
    assert turning.copies_at("C", IDENTITY) == 1
    assert not turning.is_sure("C", IDENTITY)


def test_subscribers_that_share_do_one_work() -> None:
    one, two = (Subscriber(name, "A", (ANYTHING,), shares="queue") for name in ("one", "two"))
    alone = spread(work(Link("A>B", "A", "B"), subscribers=(one, two)))
    pulled = spread(work(taker("s1", "B"), subscribers=(one, two)))

    assert alone.is_sure("A", IDENTITY, ("A", "queue"))
    assert not pulled.is_sure("A", IDENTITY, ("A", "queue"))
    assert pulled.copies_at("A", IDENTITY, ("A", "queue")) == 1
    assert not pulled.is_sure("B", IDENTITY)
