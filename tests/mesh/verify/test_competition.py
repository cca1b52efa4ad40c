"""Links and subscribers that share a queue: a guarantee holds if it holds whoever takes a message."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.app.report.mesh_trace import render_trace
from angarium.core.errors import MeshError
from angarium.core.result import Verdict
from angarium.mesh.as_model.source import model_source
from angarium.mesh.mesh import Broker, Failures, Link, Mesh, Pattern, Publisher, Subscriber
from angarium.mesh.probability.paths import paths_of
from angarium.mesh.verify.tracing import trace
from angarium.mesh.verify.verify import verify
from angarium.mesh.verify.violations import Verification

T = (Pattern("t"),)


def shovel(name: str, target: str, **more: object) -> Link:
    return Link(name, "a", target, shares="work", **more)  # type: ignore[arg-type]


def mesh(*links: Link, wanted: str = "", own: Subscriber | None = None) -> Mesh:
    subscribers = tuple(Subscriber(f"s{name}", name, T) for name in wanted)
    return Mesh(
        "m",
        tuple(Broker(name) for name in "abcd"),
        links,
        (Publisher("p", "a", T),),
        (*subscribers, *([own] if own else [])),
    )


def verdicts(mesh: Mesh) -> dict[str, tuple[Verdict, Verdict]]:
    """Of each guarantee, the verdict when nothing is dead, and the worst of all."""
    return {
        each.guarantee: (healthy, Verdict.VIOLATED if Verdict.VIOLATED in rest else healthy)
        for each in verify(mesh).guarantees
        for healthy, *rest in [list(each.verdicts.values())]
    }


def found(verification: Verification, guarantee: str) -> list[str]:
    return [each.what for each in verification.violations if each.guarantee == guarantee]


BOTH_WAYS = mesh(shovel("s1", "b"), shovel("s2", "c"), Link("bd", "b", "d"), Link("cd", "c", "d"), wanted="d")


def test_what_arrives_over_either_way_arrives_once() -> None:
    answer = verdicts(BOTH_WAYS)

    assert answer["reachability"][0] is Verdict.HOLDS
    assert answer["no-duplicates"] == (Verdict.HOLDS, Verdict.HOLDS)


def test_a_failure_behind_one_of_them_loses_what_it_takes() -> None:
    lost = [each for each in verify(BOTH_WAYS).violations if each.guarantee == "reachability"]

    assert {str(each.failures): each.what for each in lost} == {
        "link bd": "a to d need not arrive: s1 may take it at a, sharing work with s2",
        "link cd": "a to d need not arrive: s2 may take it at a, sharing work with s1",
    }


def test_what_only_one_of_them_brings_need_not_arrive() -> None:
    split = mesh(shovel("s1", "b"), shovel("s2", "c"), wanted="bc")

    assert found(verify(split), "reachability") == [
        "a to b need not arrive: s2 may take it at a, sharing work with s1",
        "a to c need not arrive: s1 may take it at a, sharing work with s2",
    ]


def test_a_shovel_takes_what_an_application_waits_for() -> None:
    shared = mesh(shovel("s1", "b"), wanted="b", own=Subscriber("app", "a", T, shares="work"))

    assert found(verify(shared), "reachability") == [
        "a to b need not arrive: app may take it at a, sharing work with s1",
        "a to a need not arrive: s1 may take it at a, sharing work with app",
    ]


def test_two_copies_that_can_arrive_are_two_copies() -> None:
    twice = mesh(shovel("s1", "b"), shovel("s2", "c"), Link("bc", "b", "c"), Link("2", "b", "c"), wanted="c")

    assert found(verify(twice), "no-duplicates") == ["a to c may arrive in 2 copies"]


def test_a_bound_is_kept_only_if_the_slowest_choice_keeps_it() -> None:
    late = mesh(shovel("s1", "d", latency=1.0), shovel("s2", "d", latency=9.0))
    late = replace(late, subscribers=(Subscriber("s", "d", T, latency_bound=5.0),))

    assert found(verify(late), "latency") == ["a to d takes 9 ms, the bound is 5 ms"]


def test_a_trace_says_who_may_take_it() -> None:
    split = mesh(shovel("s1", "b"), shovel("s2", "c"), wanted="bc")

    text = render_trace(split, trace(split, "a", "t"), Failures())

    assert "Copies to 2 subscribers (at most 2 in all): sb 0 or 1, sc 0 or 1." in text
    assert "shared: s2 may take it at a, sharing work with s1" in text


def test_who_follows_one_message_refuses_what_is_shared_out() -> None:
    for follow in (model_source, paths_of):
        with pytest.raises(MeshError, match="links share work out of a") as refused:
            follow(BOTH_WAYS)
        assert refused.value.code == "ANG121"
