"""What files leave open makes unknown what it could change, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, assume, event, given, settings
from hypothesis import strategies as st

from angarium.core.result import Verdict
from angarium.mesh.mesh import (
    CARRIES,
    COPIES,
    DECLARES,
    DROPS,
    EFFECTS,
    EVERYTHING,
    RENAMES,
    REROUTES,
    SHORTEST,
    Broker,
    Link,
    Mesh,
    Pattern,
    Publisher,
    Remark,
    Rename,
    Subscriber,
)
from angarium.mesh.remarks import assuming
from angarium.mesh.verify.budget import HEALTHY, ONE, Size
from angarium.mesh.verify.verify import verify
from angarium.mesh.verify.violations import GUARANTEES, Verification
from tests.effort import examples
from tests.mesh.verify.building import cable, mesh, topic

HOLDS, VIOLATED, UNKNOWN = Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNKNOWN
Verdicts = Mapping[tuple[str, Size], Verdict]


def left_out(*effects: str, at: tuple[str, ...] = (), kind: str = "not understood") -> Remark:
    return Remark(kind, "something", effects=frozenset(effects), brokers=at)


def verdicts(found: Verification) -> Verdicts:
    return {
        (each.guarantee, size): verdict
        for each in found.guarantees
        for size, verdict in each.verdicts.items()
    }


def healthy(asked: Mesh, *remarks: Remark) -> dict[str, Verdict]:
    found = verdicts(verify(replace(asked, remarks=remarks)))
    return {guarantee: verdict for (guarantee, size), verdict in found.items() if size == HEALTHY}


def unknown(asked: Mesh, *remarks: Remark) -> set[str]:
    return {guarantee for guarantee, verdict in healthy(asked, *remarks).items() if verdict is UNKNOWN}


def one_way(names: str) -> tuple[Link, ...]:
    return tuple(Link(f"{a}>{b}", a, b) for a, b in pairwise(names))


CLIENTS = topic("T", "a", "c")
CHAIN = mesh("a b c", one_way("abc"), **CLIENTS)
LOST = {"reachability", "no-black-hole", "publishers-have-subscribers", "subscribers-have-publishers"}


@pytest.mark.parametrize(
    ("effects", "changed"),
    [
        ((), set()),
        ((DROPS,), LOST),
        ((COPIES,), {"no-duplicates"}),
        ((CARRIES,), {"loop-free", "no-duplicates", "no-black-hole"}),
        ((RENAMES,), LOST | {"loop-free", "no-duplicates"}),
        ((REROUTES,), LOST | {"loop-free", "no-duplicates"}),
        ((DECLARES,), {"no-dangling-references"}),
        (tuple(EVERYTHING), LOST | {"loop-free", "no-duplicates", "no-dangling-references"}),
    ],
)
def test_what_holds_is_unknown_if_something_left_out_could_break_it(
    effects: tuple[str, ...], changed: set[str]
) -> None:
    assert set(healthy(CHAIN).values()) == {HOLDS}
    assert unknown(CHAIN, left_out(*effects)) == changed


def test_where_routers_choose_the_way_another_link_could_change_anything() -> None:
    routed = mesh("a b c", cable("a", "b"), cable("b", "c"), kind=SHORTEST, **CLIENTS)

    assert unknown(routed, left_out(CARRIES)) == LOST | {"loop-free", "no-duplicates"}


def test_a_message_that_is_lost_may_be_carried_by_what_is_left_out_but_not_copied_there() -> None:
    cut = mesh("a b c", one_way("ab"), **CLIENTS)

    assert healthy(cut)["reachability"] is VIOLATED
    assert healthy(cut, left_out(CARRIES))["reachability"] is UNKNOWN
    assert healthy(cut, left_out(COPIES, DROPS))["reachability"] is VIOLATED


TWICE = mesh("a b c d", one_way("abc"), one_way("adc"), **CLIENTS)


def test_a_second_copy_stays_whatever_is_carried_besides() -> None:
    assert healthy(TWICE)["no-duplicates"] is VIOLATED
    assert healthy(TWICE, left_out(CARRIES, COPIES))["no-duplicates"] is VIOLATED


def test_a_second_copy_may_be_dropped_only_where_it_passes() -> None:
    aside = replace(TWICE, brokers=(*TWICE.brokers, Broker("e")), links=(*TWICE.links, Link("e>c", "e", "c")))

    assert healthy(aside, left_out(DROPS, at=("d",)))["no-duplicates"] is UNKNOWN
    assert healthy(aside, left_out(DROPS))["no-duplicates"] is UNKNOWN
    assert healthy(aside, left_out(DROPS, at=("e",)))["no-duplicates"] is VIOLATED


def test_a_round_may_be_broken_only_at_a_broker_of_it() -> None:
    ring = mesh("a b d", one_way("aba"), one_way("ad"), **topic("T", "a", "d"))

    assert healthy(ring)["loop-free"] is VIOLATED
    assert healthy(ring, left_out(DROPS, at=("d",)))["loop-free"] is VIOLATED
    assert healthy(ring, left_out(DROPS, at=("b",)))["loop-free"] is UNKNOWN


def test_a_failure_that_loses_something_for_sure_is_told_beside_what_is_unknown() -> None:
    found = verdicts(verify(replace(CHAIN, remarks=(left_out(DROPS),))))

    assert found["reachability", HEALTHY] is UNKNOWN
    assert found["reachability", Size(links=1)] is VIOLATED


def test_it_is_said_because_of_which_entries_a_verdict_is_unknown() -> None:
    harmless = Remark("note", "nothing")
    found = verify(replace(CHAIN, remarks=(harmless, left_out(COPIES), left_out(DROPS))))

    because = {each.guarantee: each.because_of for each in found.guarantees}
    assert (because["reachability"], because["no-duplicates"], because["no-dangling-references"]) == (
        (3,),
        (2,),
        (),
    )


def test_whoever_takes_responsibility_gets_the_verdict_of_the_files() -> None:
    open_ = replace(CHAIN, remarks=(left_out(*EFFECTS),))
    (taken,) = assuming([open_], ["some*"])

    assert set(healthy(CHAIN).values()) == {HOLDS}
    assert unknown(taken, *taken.remarks) == set()


def test_a_reference_to_nothing_stays_one_unless_what_was_not_read_may_declare_it() -> None:
    dangling = Remark("dangling", "x leads nowhere")

    assert healthy(CHAIN, dangling, left_out(*EFFECTS))["no-dangling-references"] is VIOLATED
    assert healthy(CHAIN, dangling, left_out(DECLARES))["no-dangling-references"] is UNKNOWN


# --- the truth about meshes of which something is left out ----------------------------------------------

NAMES = ("a", "b", "c", "d")
TOPICS = st.sampled_from(["x", "y", "x/y"])
FILTERS = st.sampled_from(["#", "x", "y", "x/#"])


def patterns(*texts: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(text, "mqtt") for text in texts)


@st.composite
def links(draw: st.DrawFn, number: int) -> Link:
    source, target = draw(st.permutations(NAMES))[:2]
    rename = draw(st.sampled_from([None, None, Rename(whole="x"), Rename(strip="x/")]))
    return Link(
        f"l{number}",
        source,
        target,
        accepts=patterns(draw(FILTERS)),
        refuses=patterns(*draw(st.lists(FILTERS, max_size=1).filter(lambda each: each != ["#"]))),
        rename=rename,
        hop_limit=draw(st.sampled_from([None, None, 1, 2])),
        avoids_visited=draw(st.booleans()),
    )


@st.composite
def meshes(draw: st.DrawFn) -> Mesh:
    some = tuple(draw(links(number)) for number in range(draw(st.integers(2, 5))))
    publishers = tuple(
        Publisher(f"p{n}", draw(st.sampled_from(NAMES)), patterns(draw(TOPICS)))
        for n in range(draw(st.integers(0, 2)))
    )
    subscribers = tuple(
        Subscriber(f"s{n}", draw(st.sampled_from(NAMES)), patterns(draw(FILTERS)))
        for n in range(draw(st.integers(0, 2)))
    )
    return Mesh("m", tuple(Broker(name, "mqtt") for name in NAMES), some, publishers, subscribers)


@st.composite
def told_and_true(draw: st.DrawFn) -> tuple[Mesh, Mesh]:
    """A mesh, and the same as files tell it that leave out something of a link."""
    true = draw(meshes())
    place = draw(st.integers(0, len(true.links) - 1))
    link = true.links[place]
    what = draw(st.sampled_from([CARRIES, DROPS, RENAMES, COPIES, REROUTES]))
    before, after = true.links[:place], true.links[place + 1 :]
    at = draw(st.sampled_from([(), (link.source,)]))
    match what:
        case "carries":
            told = (*before, *after)
        case "drops":
            assume(link.refuses)
            told = (*before, replace(link, refuses=()), *after)
        case "renames":
            assume(link.rename)
            told = (*before, replace(link, rename=None), *after)
        case "reroutes":
            target = draw(st.sampled_from([name for name in NAMES if name not in (link.source, link.target)]))
            told = (*before, replace(link, target=target), *after)
        case _:
            told = true.links
            true = replace(true, links=(*before, link, replace(link, name="again", cable=link.name), *after))
    event(what)
    return replace(true, links=told, remarks=(left_out(what, at=at),)), true


UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
"""Meshes are small as they are, and to look for smaller ones takes minutes."""


@settings(max_examples=examples(400), deadline=None, suppress_health_check=list(HealthCheck), phases=UNSHRUNK)
@given(told_and_true())
def test_a_verdict_that_is_not_unknown_is_that_of_the_whole_truth(both: tuple[Mesh, Mesh]) -> None:
    told, true = (verdicts(verify(each, ONE)) for each in both)

    sure = {key: verdict for key, verdict in told.items() if verdict is not UNKNOWN and key in true}
    assert sure == {key: true[key] for key in sure}


def test_every_guarantee_can_be_changed_by_something() -> None:
    from angarium.mesh.verify.doubts import Doubts

    doubts = Doubts(replace(CHAIN, remarks=(left_out(*EVERYTHING),)))

    assert all(doubts.breaking(name) and doubts.undoing(name) for name in GUARANTEES)
