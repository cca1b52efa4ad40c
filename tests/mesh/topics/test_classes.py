"""The classes of topics, compared with trying every topic of a tiny alphabet."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.mesh import Broker, Link, Mesh, Pattern, Publisher, Rename
from angarium.mesh.topics.classes import Universe, universe
from angarium.mesh.topics.dialects import passing, written
from angarium.mesh.topics.labels import ByScope
from angarium.mesh.topics.topic import IDENTITY, Transform
from tests.effort import examples
from tests.mesh.topics import naive
from tests.mesh.topics.made import ROUND, meshes, patterns
from tests.mesh.topics.naive import Named, topics

DIALECTS = ("mqtt", "amqp", "nats", "plain", "mirrormaker")
SCOPES = ("", "s")
LONGEST = {"mqtt": 3, "amqp": 4, "nats": 4, "plain": 1, "mirrormaker": 4}
each_dialect = pytest.mark.parametrize("dialect", DIALECTS)
some = settings(max_examples=examples(20))


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
    every_path = list(naive.paths(mesh, 3))

    found = universe(mesh)

    for members in by_class(found, mesh, dialect).values():
        fates = {
            (naive.publishers(mesh, topic), tuple(naive.crosses(path, topic) for path in every_path))
            for topic in members
        }
        assert len(fates) == 1


@each_dialect
@some
@given(data=st.data())
def test_classes_stay_uniform_where_names_go_round(dialect: str, data: st.DataObject) -> None:
    mesh = data.draw(meshes(dialect, ROUND))
    every_path = list(naive.paths(mesh, 7))

    found = universe(mesh)

    for members in by_class(found, mesh, dialect).values():
        assert len({tuple(naive.crosses(path, topic) for path in every_path) for topic in members}) == 1


@each_dialect
@some
@given(data=st.data())
def test_two_classes_are_told_apart_by_a_publisher_or_by_a_filter_at_the_end_of_a_way(
    dialect: str, data: st.DataObject
) -> None:
    mesh = data.draw(meshes(dialect))
    every_path = list(naive.paths(mesh, 3))

    found = universe(mesh)

    shortest = [named(found, each.number, dialect) for each in found.classes]
    fates = {
        (naive.publishers(mesh, topic), tuple(naive.ends_well(path, topic) for path in every_path))
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
        Transform(("", "a"), ("", "b")),
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


def mqtt(*texts: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(text, "mqtt") for text in texts)


def mesh_of(*links: Link, topics: tuple[str, ...] = ("#",), names: str = "abc") -> Mesh:
    brokers = tuple(Broker(name, "mqtt") for name in names)
    return Mesh("tried", brokers, links, (Publisher("p", "a", mqtt(*topics)),))


def texts(found: Universe) -> list[str]:
    return [written(each.topic, "mqtt") for each in found.classes]


def test_the_shortest_and_nicest_topics_stand_for_their_classes() -> None:
    mesh = mesh_of(Link("ab", "a", "b", accepts=mqtt("sensors/+/temp", "$SYS/#")))

    found = universe(mesh)

    assert texts(found) == ["sensors", "sensors/x/temp"]


def test_a_wildcard_at_the_beginning_does_not_see_topics_of_the_system() -> None:
    mesh = mesh_of(Link("ab", "a", "b", accepts=mqtt("#")), topics=("$SYS/load", "a"))

    found = universe(mesh)

    assert texts(found) == ["a", "$SYS/load"]
    assert list(found.overlapped(mqtt("#"))) == [0]


def test_a_publisher_of_many_topics_that_nothing_tells_apart_publishes_one_class() -> None:
    mesh = mesh_of(Link("ab", "a", "b"), topics=tuple(f"t{number}" for number in range(1000)))

    found = universe(mesh)

    assert texts(found) == ["t0"]
    assert found.overlapped(mqtt("t7", "t8")) == {0: ("", "t7")}


def test_classes_that_only_publishers_tell_apart_are_alike() -> None:
    brokers = (Broker("a", "mqtt"), Broker("b", "mqtt"))
    link = Link("ab", "a", "b", accepts=mqtt("x/#"))
    publishers = tuple(Publisher(name, "a", mqtt(f"{name}/1")) for name in ("x", "y", "z"))

    found = universe(Mesh("three", brokers, (link,), publishers))

    assert [each.alike for each in found.classes] == [0, 1, 1]


def test_a_filter_behind_a_renaming_tells_the_original_names_apart() -> None:
    first = Link("ab", "a", "b", accepts=mqtt("s/#"), rename=Rename(add="site1/"))
    second = Link("bc", "b", "c", accepts=mqtt("site1/s/temp"))

    found = universe(mesh_of(first, second, topics=("s/#",)))

    assert texts(found) == ["s", "s/temp"]


def test_a_prefix_that_ends_within_a_word_changes_the_word_where_it_is_known() -> None:
    first = Link("ab", "a", "b", accepts=mqtt("s/#", "t/#"), rename=Rename(add="site1"))
    second = Link("bc", "b", "c", accepts=mqtt("site1s/temp"))

    found = universe(mesh_of(first, second, topics=("s/#", "t/#", "u/#")))

    assert texts(found) == ["s", "t", "u", "s/temp"]


def test_topics_that_are_renamed_by_different_transforms_are_in_different_classes() -> None:
    link = Link("ab", "a", "b", accepts=mqtt("s/#", "t/#"), rename=Rename(add="site1"))

    found = universe(mesh_of(link, topics=("s/1", "t/1")))

    assert texts(found) == ["s/1", "t/1"]


def test_a_prefix_that_ends_within_any_word_is_refused() -> None:
    link = Link("ab", "a", "b", accepts=mqtt("+/temp"), rename=Rename(add="site1"))

    with pytest.raises(MeshError, match="link ab: 'site1' ends within a word, and that word may be any"):
        universe(mesh_of(link))


def test_names_that_grow_for_ever_are_cut_and_that_is_said() -> None:
    round_trip = (Link("ab", "a", "b", rename=Rename(add="x/")), Link("ba", "b", "a"))

    found = universe(mesh_of(*round_trip))

    assert found.cut == "behind link ab, names are renamed without end"
    assert texts(found) == ["x"]


def test_rounds_that_take_off_what_they_add_are_not_cut() -> None:
    round_trip = (
        Link("ab", "a", "b", rename=Rename(add="x/")),
        Link("ba", "b", "a", rename=Rename(strip="x/")),
    )

    found = universe(mesh_of(*round_trip, topics=("t/#",)))

    assert found.cut is None


def test_mirrors_do_not_send_back_what_came_from_the_target() -> None:
    brokers = (Broker("eu", "mirrormaker"), Broker("us", "mirrormaker"))
    links = tuple(
        Link(f"{a}->{b}", a, b, refuses=(Pattern(f"{b}\\..*", "mirrormaker"),), rename=Rename(add=f"{a}."))
        for a, b in (("eu", "us"), ("us", "eu"))
    )
    orders = Publisher("p", "eu", (Pattern("orders.eu", "mirrormaker"),))

    found = universe(Mesh("mirrors", brokers, links, (orders,)))

    assert [written(each.topic, "mirrormaker") for each in found.classes] == ["orders.eu"]
    assert found.cut is None


def test_a_subscribers_name_in_the_dialect_of_mirrormaker_is_a_name_and_a_filters_is_an_expression() -> None:
    topics = (Pattern("a.b", "mirrormaker"), Pattern("axb", "mirrormaker"))
    publishers = tuple(Publisher(topic.text, "a", (topic,)) for topic in topics)
    found = universe(Mesh("one", (Broker("a", "mirrormaker"),), (), publishers))

    assert len(found.overlapped(topics[:1])) == 1
    assert len(found.overlapped(topics[:1], exact=False)) == 2


def test_words_and_characters_in_one_mesh_are_refused() -> None:
    mesh = Mesh("both", (Broker("a", "mqtt"), Broker("b", "mirrormaker")), ())

    with pytest.raises(MeshError, match="mqtt and mirrormaker in one mesh"):
        universe(mesh)


def test_dialects_of_words_share_one_mesh_and_the_words_are_kept() -> None:
    brokers = (Broker("a", "mqtt"), Broker("b", "nats"))
    link = Link("ab", "a", "b", accepts=mqtt("s/#"))
    mesh = Mesh("two", brokers, (link,), (Publisher("p", "a", mqtt("s/temp")),))

    found = universe(mesh)

    assert found.overlapped((Pattern("s.>", "nats"),)) == {0: ("", "s", "temp")}


def test_more_states_than_there_is_room_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.mesh.topics.states.MOST_STATES", 20)
    patterns = mqtt(*(f"+/{'+/' * number}x{number}" for number in range(20)))

    with pytest.raises(MeshError) as refused:
        universe(mesh_of(Link("ab", "a", "b", accepts=patterns)))

    assert refused.value.code == "ANG125"


def test_patterns_of_one_shape_meet_the_same_classes_with_their_own_words() -> None:
    found = universe(mesh_of(Link("ab", "a", "b", accepts=mqtt("s/+/temp"))))

    met = [found.overlapped(mqtt(text)) for text in ("s/d1/d1", "s/d2/d3", "s/d4/d4", "s/d5/temp")]

    assert [list(each.values()) for each in met] == [
        [("", "s", "d1", "d1")],
        [("", "s", "d2", "d3")],
        [("", "s", "d4", "d4")],
        [("", "s", "d5", "temp")],
    ]


def test_a_wildcard_for_any_number_of_words_may_stand_before_others() -> None:
    topics = tuple(Pattern(text, "amqp") for text in ("a.a", "b.c.a", "c"))
    publishers = tuple(Publisher(topic.text, "a", (topic,)) for topic in topics)
    found = universe(Mesh("one", (Broker("a", "amqp"),), (), publishers))

    met = found.overlapped((Pattern("#.a", "amqp"),))

    assert sorted(met.values()) == [("", "a", "a"), ("", "b", "c", "a")]


def test_among_many_links_a_name_meets_all_that_let_it_through_and_few_others() -> None:
    """Those that take one word are found by it; those with wildcards, or without a filter, are met, too."""
    words = [(f"w{number}",) for number in range(40)]
    others = [("w1.#",), ("#.x",), ("*",), ("*.x",), ("#",), ("w1.x",), ("w2.*",), ("w39", "w1", "w39.#")]
    links = [
        Link(" ".join(texts), "a", "b", accepts=tuple(Pattern(text, "amqp") for text in texts))
        for texts in words + others
    ]
    found = ByScope((each, each) for each in (*links, Link("all", "a", "b")))

    for topic in [("", "w1"), ("", "w1", "x"), ("", "w39"), ("", "w2", "x"), ("",), ("", "else")]:
        met = found.meeting(topic)
        assert {each.name for each in links if passing(each)(topic)} < {each.name for each in met}
        assert len(topic) == 1 or len(met) < 12
        assert met == [each for each in found.all if each in met]
