"""What brokers do: who notices, who learns, who switches, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest

from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.packets import routers
from angarium.mesh.packets.links import MILLISECOND, SECOND, Happening, in_order, network_of
from angarium.mesh.packets.running import timeline
from angarium.mesh.packets.timeline import (
    EXCHANGES,
    LEARNS,
    LFA,
    NOTICES,
    OSPF,
    OSPF_FAST,
    PCRT,
    RRL,
    SCHEMES,
    Scheme,
    Timeline,
    calculation,
)
from angarium.mesh.recovery.tables import coloured
from angarium.mesh.verify.budget import ONE
from tests.mesh.packets.nets import cable, comes_back, cut, dies, heals, net, random_happenings

LINE = net(cable("a", "b", latency=10), cable("b", "c", latency=10), cable("c", "d", latency=10))
RING = net(*(cable(one, other, latency=5) for one, other in ("ab", "bc", "cd", "da")))
DELAY = 10 * MILLISECOND
LATE = 1000 * SECOND


def run(mesh: Mesh, happenings: Iterable[Happening], scheme: Scheme, seed: int = 1) -> Timeline:
    network = network_of(mesh)
    prepared = coloured(mesh, (failures for _, failures in ONE.failures(mesh)))
    return timeline(network, in_order(happenings), scheme, prepared, seed=seed, end=LATE)


def when(found: Timeline, broker: str, how: str, *, dead: bool = True) -> int:
    """When a broker first got to know."""
    return min(e.time for e in found.news if (e.broker, e.how, e.dead) == (broker, how, dead))


def switched(found: Timeline, broker: str) -> list[int]:
    return [each.time for each in found.switches if each.broker == broker]


def last(found: Timeline, broker: str) -> Failures:
    """The failures that a broker ends with."""
    return next((each.known for each in reversed(found.switches) if each.broker == broker), NOTHING)


def links(name: str) -> Failures:
    return Failures(cables=frozenset({name}))


@pytest.mark.parametrize("seed", range(20))
def test_a_cut_is_noticed_within_one_heartbeat_of_the_dead_interval(seed: int) -> None:
    found = run(LINE, [cut("c-d", 100)], PCRT, seed)

    for broker in "cd":
        assert 3 * SECOND < when(found, broker, NOTICES) - 100 * SECOND <= 4 * SECOND + DELAY


def test_a_flood_takes_the_delay_of_each_link_and_the_time_to_look_at_it() -> None:
    found = run(LINE, [cut("c-d", 100)], PCRT)

    noticed = when(found, "c", NOTICES)
    step = DELAY + PCRT.timers.processing
    assert when(found, "b", LEARNS) == noticed + step
    assert when(found, "a", LEARNS) == noticed + 2 * step


def test_tables_that_are_there_are_used_when_the_failure_is_known() -> None:
    found = run(LINE, [cut("c-d", 100)], PCRT)

    assert switched(found, "c") == [when(found, "c", NOTICES)]
    assert switched(found, "a") == [when(found, "a", LEARNS)]
    assert last(found, "a") == links("c-d")


def test_ospf_waits_for_the_delay_the_calculation_and_the_update() -> None:
    found = run(LINE, [cut("c-d", 100)], OSPF)

    timers = OSPF.timers
    wait = timers.delay + calculation(4) + timers.update
    assert switched(found, "c") == [when(found, "c", NOTICES) + wait]
    assert switched(found, "a") == [when(found, "a", LEARNS) + wait]


def test_a_calculation_takes_what_the_thesis_says() -> None:
    assert calculation(24) == round((2.47e-6 * 24**2 + 9.78e-4) * SECOND)


def test_ospf_holds_back_the_next_calculation() -> None:
    found = run(RING, [cut("a-b", 100), cut("c-d", 109)], replace(OSPF, timers=OSPF.timers.beating(SECOND)))

    first, second = switched(found, "a")
    assert second - first >= OSPF.timers.hold
    assert last(found, "a") == Failures(cables=frozenset({"a-b", "c-d"}))


def test_updates_over_the_same_link_keep_their_distance() -> None:
    """Both ends of b tell a of their cables at the same time; the second update waits."""
    paced = replace(OSPF_FAST, timers=replace(OSPF_FAST.timers, pacing=SECOND, advertising=0))
    mesh = net(cable("a", "b", latency=10), cable("b", "c", latency=10), cable("b", "d", latency=10))

    found = run(mesh, [cut("b-c", 100), cut("b-d", 100)], paced)

    learnt = sorted(each.time for each in found.news if (each.broker, each.how) == ("a", LEARNS))
    noticed = sorted(each.time for each in found.news if (each.broker, each.how) == ("b", NOTICES))
    assert learnt[0] == noticed[0] + DELAY + paced.timers.processing
    assert learnt[1] - learnt[0] == SECOND


def test_a_router_waits_before_it_speaks_again() -> None:
    mesh = net(cable("a", "b", latency=10), cable("b", "c", latency=10), cable("b", "d", latency=10))

    found = run(mesh, [cut("b-c", 100), cut("b-d", 101)], replace(OSPF, timers=OSPF.timers.beating(SECOND)))

    learnt = sorted(each.time for each in found.news if (each.broker, each.how) == ("a", LEARNS))
    assert learnt[1] - learnt[0] == OSPF.timers.advertising


def test_a_short_cut_is_not_noticed() -> None:
    found = run(LINE, [cut("c-d", 100), heals("c-d", 102)], PCRT)

    assert not found.news
    assert not found.switches


@pytest.mark.parametrize("seed", range(10))
def test_a_healed_link_is_believed_in_after_three_tests_in_a_row(seed: int) -> None:
    found = run(LINE, [cut("c-d", 100), heals("c-d", 200)], PCRT, seed)

    for broker in "cd":
        answered = when(found, broker, NOTICES, dead=False) - 200 * SECOND - 2 * DELAY
        assert 2 * SECOND <= answered <= 3 * SECOND
    assert last(found, "a") == NOTHING


@pytest.mark.parametrize("seed", range(10))
def test_an_adjacency_needs_hellos_both_ways_and_an_exchange(seed: int) -> None:
    found = run(LINE, [cut("c-d", 100), heals("c-d", 200)], OSPF_FAST, seed)

    times = {when(found, broker, NOTICES, dead=False) - 200 * SECOND for broker in "cd"}
    assert len(times) == 1
    exchange = EXCHANGES * 2 * DELAY
    assert exchange + DELAY < times.pop() <= 2 * SECOND + 2 * DELAY + exchange


def test_whoever_leads_around_a_dead_link_does_so_when_it_is_noticed_and_alone() -> None:
    found = run(RING, [cut("a-b", 100)], RRL)

    assert {each.broker for each in found.switches} == {"a", "b"}
    assert switched(found, "a") == [when(found, "a", NOTICES)]
    assert found.switches[0].around == frozenset({"a-b"})
    assert all(each.how == NOTICES for each in found.news)


def test_alternates_are_used_until_ospf_has_calculated() -> None:
    found = run(RING, [cut("a-b", 100)], LFA, seed=2)

    around, calculated = (each for each in found.switches if each.broker == "a")
    assert around.time == when(found, "a", NOTICES) and around.around == frozenset({"a-b"})
    assert calculated.known == links("a-b") and not calculated.around
    assert calculated.time > around.time


def test_all_links_of_a_broker_dead_is_the_brokers_colour() -> None:
    """Two cuts that have no colour together are calculated; a dead broker's links have one."""
    dead = run(RING, [dies("a", 100)], PCRT)
    two = run(
        net(*(cable(x, y, latency=5) for x, y in ("ab", "bc", "cd", "da", "ac"))),
        [cut("a-b", 100), cut("c-d", 100)],
        PCRT,
    )

    assert switched(dead, "c")[-1] == max(each.time for each in dead.news if each.broker == "c")
    told = {"a-b": LATE, "c-d": LATE}
    for each in two.news:
        if each.broker == "a":
            cable_name = each.link.partition(":")[0]
            told[cable_name] = min(told[cable_name], each.time)
    known = max(told.values())
    assert switched(two, "a")[-1] == known + calculation(4) + PCRT.timers.update


def test_a_broker_that_comes_back_begins_with_the_healthy_tables() -> None:
    found = run(RING, [cut("b-c", 50), dies("a", 100), comes_back("a", 200)], PCRT)

    back = next(each for each in found.switches if each.broker == "a" and each.time >= 200 * SECOND)
    assert (back.time, back.known) == (200 * SECOND, NOTHING)
    assert last(found, "a") == links("b-c")


def test_what_was_missed_behind_a_cut_is_learnt_when_it_heals() -> None:
    """While c and d are cut off, a-b fails and they are not told; and the other way round."""
    mesh = net(*(cable(x, y, latency=5) for x, y in ("ab", "bc", "cd", "ax", "xb", "dy", "yc")))

    found = run(mesh, [cut("b-c", 100), cut("a-b", 150), cut("c-d", 160), heals("b-c", 300)], PCRT)

    assert last(found, "d") == last(found, "a") == Failures(cables=frozenset({"a-b", "c-d"}))


# --- whatever happens, in the end all know the truth ----------------------------------------------------


def random_two_way(choice: Random) -> Mesh:
    names = [f"b{number}" for number in range(choice.randint(3, 7))]
    pairs = {(names[choice.randrange(number)], names[number]) for number in range(1, len(names))}
    pairs |= {tuple(sorted(choice.sample(names, 2))) for _ in range(choice.randint(0, 5))}  # type: ignore[misc]
    return net(*(cable(one, other, latency=choice.choice((1.0, 20.0))) for one, other in sorted(pairs)))


def truth(mesh: Mesh, happenings: Iterable[Happening]) -> tuple[set[str], set[str]]:
    """The cables and the brokers that are dead in the end."""
    cables: set[str] = set()
    brokers: set[str] = set()
    for each in in_order(happenings):
        for dead, names in ((cables, each.what.cables), (brokers, each.what.brokers)):
            dead.difference_update(names) if each.heals else dead.update(names)
    gone = {link.fails_as for link in mesh.links if {link.source, link.target} & brokers}
    return cables | gone, brokers


def wrong_in_the_end(scheme: Scheme, seed: int) -> list[str]:
    """Brokers whose tables are not those of what is dead, as far as their part of the mesh can tell."""
    choice = Random(seed)
    mesh = random_two_way(choice)
    happenings = random_happenings(choice, mesh, 60 * SECOND)
    found = run(mesh, happenings, scheme, seed)
    cables, brokers = truth(mesh, happenings)
    wrong = []
    for name in {broker.name for broker in mesh.brokers} - brokers:
        part = {name}
        for _ in mesh.brokers:
            part |= {
                link.target for link in mesh.links if link.source in part and link.fails_as not in cables
            }
        told = {link.fails_as for link in mesh.links if link.source in part}
        known = last(found, name).cables
        wrong += [name] if known & told != cables & told else []
    return wrong


SEEDS = range(40)


@pytest.mark.parametrize("name", ["pcrt", "ospf", "ospf-fast"])
def test_in_the_end_all_brokers_of_a_part_know_what_is_dead(name: str) -> None:
    wrong = {seed: each for seed in SEEDS if (each := wrong_in_the_end(SCHEMES[name], seed))}

    assert not wrong


def _union(statement: routers.Statement, other: routers.Statement | None) -> bool:
    """A thesis's fault: what is dead is learnt, that it has healed is not."""
    return other is None or (statement.dead and not other.dead)


def _plain_numbers(statement: routers.Statement, other: routers.Statement | None) -> bool:
    """Whoever has come back and counts anew is not believed."""
    return other is None or (statement.life == other.life and statement.number > other.number)


@pytest.mark.parametrize("mutant", [_union, _plain_numbers])
def test_a_wrong_idea_of_what_is_newer_is_seen(monkeypatch: pytest.MonkeyPatch, mutant: object) -> None:
    monkeypatch.setattr(routers.Statement, "is_newer", mutant)

    assert any(wrong_in_the_end(OSPF_FAST, seed) for seed in SEEDS)


def test_a_message_that_is_not_sent_again_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next link fails for so short a time that nobody notices, but just when it should carry the news."""
    happenings = [cut("c-d", 100), cut("a-b", 102), heals("a-b", 105)]

    whole = run(LINE, happenings, OSPF_FAST)
    monkeypatch.setattr(routers.Flooding, "_again", lambda *_: None)
    broken = run(LINE, happenings, OSPF_FAST)

    assert last(whole, "a") == links("c-d")
    assert last(broken, "a") == NOTHING


def test_an_exchange_that_is_not_repeated_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The link fails again while two routers exchange what they know: the next hello must begin anew."""
    happenings = [cut("c-d", 100), heals("c-d", 200)]
    heard = when(run(LINE, happenings, OSPF_FAST), "c", NOTICES, dead=False) / SECOND
    again = [*happenings, cut("c-d", heard - 0.005), heals("c-d", heard + 0.5)]

    whole = run(LINE, again, OSPF_FAST)
    monkeypatch.setattr(routers.Adjacency, "repeat", lambda *_: None)
    broken = run(LINE, again, OSPF_FAST)

    assert last(whole, "a") == NOTHING
    assert last(broken, "a") == links("c-d")


@pytest.mark.parametrize("name", ["pcrt", "ospf", "ospf-fast", "lfa"])
def test_a_broker_that_comes_back_before_anybody_missed_it_is_told_what_is_dead(name: str) -> None:
    found = run(LINE, [cut("c-d", 100), dies("a", 400), comes_back("a", 401)], SCHEMES[name])

    assert last(found, "a") == links("c-d")


def test_who_does_not_see_that_a_neighbour_begins_anew_leaves_it_in_the_dark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(routers, "_begins_anew", lambda *_: False)

    found = run(LINE, [cut("c-d", 100), dies("a", 400), comes_back("a", 401)], OSPF)

    assert last(found, "a") == NOTHING


def hurried(seed: int) -> bool:
    """Whether c hears of a cut beyond the link b-c before anybody believes in that link again."""
    found = run(LINE, [cut("b-c", 100), cut("a-b", 165), heals("b-c", 200)], OSPF, seed)
    heard = [e.time for e in found.news if (e.broker, e.how, e.link) == ("c", LEARNS, "a-b:a->b")]
    return heard[0] < min(when(found, "b", NOTICES, dead=False), when(found, "c", NOTICES, dead=False))


def test_nothing_is_said_over_a_link_that_nobody_believes_in_yet() -> None:
    assert not any(map(hurried, range(30)))


def test_if_it_were_some_would_know_too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routers.Flooding, "_believes_in", lambda *_: True)

    assert any(map(hurried, range(30)))
