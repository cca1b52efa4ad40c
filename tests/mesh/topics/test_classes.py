"""The classes of topics, compared with trying every topic of a tiny alphabet."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.errors import MeshError
from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Publisher, Rename
from angarium.mesh.topics.classes import Universe, universe
from angarium.mesh.topics.dialects import written
from angarium.mesh.topics.topic import IDENTITY, Transform
from tests.mesh.topics import naive
from tests.mesh.topics.made import ROUND, meshes, patterns
from tests.mesh.topics.naive import Named, topics

DIALECTS = ("mqtt", "amqp", "nats", "plain", "mirrormaker")
SCOPES = ("", "s")
LONGEST = {"mqtt": 3, "amqp": 4, "nats": 4, "plain": 1, "mirrormaker": 4}
each_dialect = pytest.mark.parametrize("dialect", DIALECTS)
some = settings(max_examples=60, deadline=None)


def class_of(found: Universe, topic: Named, dialect: str) -> int | None:
    """The class of one topic: what a subscriber of just this topic wants."""
    text = (
        "".join("\\." if char == "." else char for char in topic.text)
        if dialect == "mirrormaker"
        else topic.text
    )
    numbers = list(found.overlapped((Pattern(text, dialect, topic.scope),)))
    assert len(numbers) <= 1
    return numbers[0] if numbers else None


def named(found: Universe, number: int, dialect: str) -> Named:
    topic = found.topic(number)
    return Named(topic[0], written(("", *topic[1:]), dialect))


def by_class(found: Universe, mesh: Mesh, dialect: str) -> dict[int, list[Named]]:
    """All topics that are published, by their class; the shortest of each class is among them."""
    members = {each.number: [named(found, each.number, dialect)] for each in found.classes}
    for topic in topics(dialect, LONGEST[dialect], SCOPES):
        number = class_of(found, topic, dialect)
        assert (number is not None) == bool(naive.publishers(mesh, topic)), topic
        if number is not None:
            members[number].append(topic)
    return members


@each_dialect
@some
@given(data=st.data())
def test_all_topics_of_a_class_cross_the_same_ways_and_have_the_same_publishers(
    dialect: str, data: st.DataObject
) -> None:
    mesh = data.draw(meshes(dialect))
    every_way = list(naive.ways(mesh, 3))

    found = universe(mesh)

    for members in by_class(found, mesh, dialect).values():
        fates = {
            (naive.publishers(mesh, topic), tuple(naive.crosses(way, topic) for way in every_way))
            for topic in members
        }
        assert len(fates) == 1


@each_dialect
@some
@given(data=st.data())
def test_classes_stay_uniform_where_names_go_round(dialect: str, data: st.DataObject) -> None:
    mesh = data.draw(meshes(dialect, ROUND))
    every_way = list(naive.ways(mesh, 7))

    found = universe(mesh)

    for members in by_class(found, mesh, dialect).values():
        assert len({tuple(naive.crosses(way, topic) for way in every_way) for topic in members}) == 1


@each_dialect
@some
@given(data=st.data())
def test_two_classes_are_told_apart_by_a_publisher_or_by_a_filter_at_the_end_of_a_way(
    dialect: str, data: st.DataObject
) -> None:
    mesh = data.draw(meshes(dialect))
    every_way = list(naive.ways(mesh, 3))

    found = universe(mesh)

    shortest = [named(found, each.number, dialect) for each in found.classes]
    fates = {
        (naive.publishers(mesh, topic), tuple(naive.ends_well(way, topic) for way in every_way))
        for topic in shortest
    }
    assert len(fates) == len(shortest)


@each_dialect
@some
@given(data=st.data())
def test_a_publisher_publishes_the_classes_of_its_topics(dialect: str, data: st.DataObject) -> None:
    mesh = data.draw(meshes(dialect))

    found = universe(mesh)

    for publisher in mesh.publishers:
        its = {
            each.number
            for each in found.classes
            if publisher.name in naive.publishers(mesh, named(found, each.number, dialect))
        }
        assert set(found.published(publisher.name)) == its


TRANSFORMS = {
    "words": (
        IDENTITY,
        Transform(("",), ("", "a")),
        Transform(("", "a"), ("",)),
        Transform(("",), ("", "a"), whole=True),
    ),
    "plain": (IDENTITY, Transform(("",), ("s",))),
    "mirrormaker": (IDENTITY, Transform(("",), ("", "a", ".")), Transform(("", "b"), ("",))),
}


@each_dialect
@some
@given(data=st.data())
def test_a_pattern_meets_just_the_classes_that_have_a_topic_for_it_and_the_shortest(
    dialect: str, data: st.DataObject
) -> None:
    mesh = data.draw(meshes(dialect))
    wanted = tuple(data.draw(st.lists(patterns(dialect, SCOPES), min_size=1, max_size=2)))
    renamed = data.draw(st.sampled_from(TRANSFORMS.get(dialect, TRANSFORMS["words"])))
    found = universe(mesh)
    subscriber = Mesh("", (), (), (Publisher("wants", "", wanted),))

    met = found.overlapped(wanted, renamed)

    def wants(topic: tuple[str, ...]) -> bool:
        new = renamed(topic)
        return new is not None and bool(
            naive.publishers(subscriber, Named(new[0], written(("", *new[1:]), dialect)))
        )

    for number, topic in met.items():
        assert class_of(found, Named(topic[0], written(("", *topic[1:]), dialect)), dialect) == number
        assert wants(topic)
    for number, members in by_class(found, mesh, dialect).items():
        symbols = [(each.scope, *naive.symbols(each.text, dialect)) for each in members]
        fitting = [each for each in symbols if wants(each)]
        assert number in met or not fitting
        lengths = [len(each) for each in fitting if len(each) > 1]
        assert not lengths or len(met[number]) <= min(lengths)
