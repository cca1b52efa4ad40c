"""Random meshes that say everything a mesh can say."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from angarium.core.errors import Place
from angarium.mesh.mesh import (
    DIALECTS,
    Broker,
    Link,
    Mesh,
    Pattern,
    Publisher,
    Remark,
    Rename,
    Routing,
    SharedRisk,
    Subscriber,
)

TEXTS = st.text("ab1 -/.#*>:,'\"{}[]&!|%@`\\?~\té\u2028\x85\x07😀", max_size=6)
NAMES = st.text("ab1 -/.#*>:,'\"{}[]&!|%@`\\?~é😀", min_size=1, max_size=6).filter(str.strip)
TIMES = st.floats(1e-6, 1e9) | st.integers(0, 100).map(float)
LEGAL = {"mqtt": "a/+/#", "amqp": "a.#.b", "nats": "a.>", "plain": "a: b", "mirrormaker": "a.*b"}


def names(most: int, least: int = 0) -> st.SearchStrategy[list[str]]:
    return st.lists(NAMES, min_size=least, max_size=most, unique=True)


def patterns() -> st.SearchStrategy[tuple[Pattern, ...]]:
    one = st.builds(
        lambda dialect, scope: Pattern(LEGAL[dialect], dialect, scope), st.sampled_from(DIALECTS), TEXTS
    )
    return st.lists(one, max_size=2).map(tuple)


@st.composite
def renames(draw: st.DrawFn) -> Rename:
    return Rename(draw(TEXTS), draw(TEXTS), draw(st.none() | TEXTS), draw(st.none() | TEXTS))


@st.composite
def rules(draw: st.DrawFn) -> Link:
    """A link with its rules, and without ends."""
    return Link(
        "",
        "",
        "",
        cost=draw(st.integers(1, 1_000_000_000)),
        latency=draw(TIMES),
        rate=draw(st.none() | st.floats(0.001, 1e9)),
        capacity=draw(st.none() | st.integers(0, 1_000_000_000)),
        accepts=draw(patterns()),
        refuses=draw(patterns()),
        hop_limit=draw(st.none() | st.integers(0, 9)),
        counts=draw(st.booleans()),
        avoids_visited=draw(st.booleans()),
        kind=draw(st.just("link") | NAMES),
        not_after=frozenset(draw(names(2))),
        shares=draw(st.just("") | NAMES),
        buffering=draw(st.sampled_from(["kept", "lost", "30 s"])),
        failover=draw(st.sampled_from(["", "", "hub"])),
        rank=draw(st.integers(0, 2)),
        takes_over=draw(st.sampled_from([0.0, 1000.0, 30_000.0])),
    )


def routings(brokers: list[str]) -> st.SearchStrategy[Routing]:
    some = st.sampled_from(brokers)
    tables = st.dictionaries(some, st.dictionaries(some, some, max_size=3), max_size=3)
    limit = st.none() | st.integers(0, 20)
    kinds = st.builds(
        lambda *said: Routing(said[0], {}, *said[1:]),
        st.sampled_from(["forward", "shortest"]),
        st.booleans(),
        limit,
    )
    given = st.builds(lambda table, *said: Routing("tables", table, *said), tables, st.booleans(), limit)
    return kinds | given


REMARKS = st.builds(
    Remark,
    st.sampled_from(["note", "dangling"]),
    TEXTS,
    TEXTS,
    st.none() | st.builds(Place, NAMES, st.integers(1, 99), st.integers(1, 99)),
)


@st.composite
def brokers(draw: st.DrawFn) -> tuple[Broker, ...]:
    those = draw(names(4, least=1))
    return tuple(
        Broker(
            name,
            draw(st.sampled_from(DIALECTS)),
            draw(TIMES),
            draw(st.just("") | NAMES),
            draw(st.none() | st.sampled_from([other for other in those if other != name] or [None])),
        )
        for name in those
    )


@st.composite
def links(draw: st.DrawFn, ends: list[str]) -> tuple[Link, ...]:
    """Single links under any name, and pairs as one entry for both ways makes them."""
    found: list[Link] = []
    for name in draw(names(4)):
        ruled, source, target = draw(rules()), *draw(st.tuples(*[st.sampled_from(ends)] * 2))
        if source != target and draw(st.booleans()):
            cable, before = draw(st.sampled_from([(name, f"{name}:"), (f"{source}-{target}", "")]))
            pair = replace(ruled, cable=cable, connection=draw(st.sampled_from(["", cable])))
            found += (
                replace(pair, name=f"{before}{one}->{other}", source=one, target=other)
                for one, other in ((source, target), (target, source))
            )
        else:
            more = {"cable": draw(st.just("") | NAMES), "connection": draw(st.just("") | NAMES)}
            rename = draw(st.none() | renames())
            usual = draw(st.sampled_from([name, f"{source}->{target}"]))
            found.append(replace(ruled, name=usual, source=source, target=target, rename=rename, **more))
    return tuple({link.name: link for link in found}.values())


@st.composite
def shared_risks(draw: st.DrawFn, ends: list[str], joined: tuple[Link, ...]) -> tuple[SharedRisk, ...]:
    cables = list(dict.fromkeys(link.fails_as for link in joined if link.source != link.target))
    some_brokers = st.lists(st.sampled_from(ends), min_size=1, max_size=2, unique=True)
    some_cables = st.lists(st.sampled_from(cables), max_size=2, unique=True) if cables else st.just([])
    return tuple(
        SharedRisk(name, tuple(draw(some_brokers)), tuple(draw(some_cables))) for name in draw(names(2))
    )


@st.composite
def any_mesh(draw: st.DrawFn) -> Mesh:
    those = draw(brokers())
    ends = [broker.name for broker in those]
    joined = draw(links(ends))
    some = st.sampled_from(ends)
    return Mesh(
        draw(NAMES),
        those,
        joined,
        tuple(Publisher(name, draw(some), draw(patterns())) for name in draw(names(3))),
        tuple(
            Subscriber(
                name, draw(some), draw(patterns()), draw(st.none() | TIMES), shares=draw(st.just("") | NAMES)
            )
            for name in draw(names(3))
        ),
        draw(routings(ends)),
        tuple(draw(st.lists(REMARKS, max_size=2))),
        draw(shared_risks(ends, joined)),
    )
