from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.files.thesis_tables import read_tables
from angarium.mesh.mesh import Mesh, Routing

LINKS = "1 2\n2 3\n2 4\n4 5\n4 6\n"
TOPICS = "1\t2\n1\t5\n3\t4\n5\t1\n5\t6\n6\t3\n"


def read(folder: Path, links: str, topics: str, routes: str | None = None) -> Mesh:
    texts = {"links.txt": links, "topics.txt": topics, "routes.txt": routes}
    for name, text in texts.items():
        if text is not None:
            (folder / name).write_text(text)
    files = [str(folder / name) for name, text in texts.items() if text is not None]
    return read_tables(*files)


def test_the_tables_of_the_six_brokers_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, LINKS, TOPICS)

    assert [broker.name for broker in found.brokers] == ["1", "2", "3", "4", "5", "6"]
    assert found.cables == ("1-2", "2-3", "2-4", "4-5", "4-6")
    assert found.routing == Routing("shortest")
    assert [(each.broker, each.topics[0].text) for each in found.publishers] == [
        ("1", "from-1"),
        ("3", "from-3"),
        ("5", "from-5"),
        ("6", "from-6"),
    ]
    assert [(each.topics[0].text[-1], each.broker) for each in found.subscribers] == [
        tuple(line.split()) for line in TOPICS.splitlines()
    ]


def test_a_broker_may_name_all_its_neighbours_in_a_line(tmp_path: Path) -> None:
    found = read(tmp_path, "# id, neighbours\n10 9,2\n2 10 # again\n", "10 2\n")

    assert [broker.name for broker in found.brokers] == ["2", "9", "10"]
    assert found.cables == ("10-9", "10-2")


def test_topics_may_have_names(tmp_path: Path) -> None:
    found = read(tmp_path, LINKS, "A 1 2,5\nB 3 4\nA 3 5\n")

    assert [each.name for each in found.publishers] == ["A at 1", "B at 3", "A at 3"]
    assert [each.name for each in found.subscribers] == ["A at 2", "A at 5", "B at 4"]


def test_brokers_with_other_names_are_in_the_order_of_the_links(tmp_path: Path) -> None:
    found = read(tmp_path, "oslo bergen\nbergen 3\n", "oslo 3\n")

    assert [broker.name for broker in found.brokers] == ["oslo", "bergen", "3"]


def test_a_routing_table_is_followed(tmp_path: Path) -> None:
    found = read(tmp_path, LINKS, TOPICS, "# loc dest next\n1 5 2\n1 2 2\n4 5 6\n")

    assert found.routing == Routing("tables", {"1": {"5": "2", "2": "2"}, "4": {"5": "6"}})


@pytest.mark.parametrize(
    ("links", "topics", "routes", "what"),
    [
        ("1\n", "", None, "ANG121 links.txt:1:1 the line has 1 word, too few"),
        ("1 2\n 3 3\n", "", None, "ANG121 links.txt:2:4 broker 3 is linked with itself"),
        ("# none\n", "", None, "ANG120 links.txt:1:1 the link table is empty"),
        ("1 2\n", "1 7\n", None, "ANG123 topics.txt:1:3 there is no broker 7 in the link table"),
        ("1 2\n", "7 1\n", None, "ANG123 topics.txt:1:1 there is no broker 7 in the link table"),
        ("1 2\n", "A 1 7\n", None, "ANG123 topics.txt:1:5 there is no broker 7 in the link table"),
        ("1 2\n", "", "1 2\n", "ANG121 routes.txt:1:1 the line has 2 words, too few"),
        ("1 2\n", "", "1 2 2 2\n", "ANG121 routes.txt:1:7 the line has more than three words"),
        ("1 2\n", "", "1 2 3\n", "ANG123 routes.txt:1:5 there is no broker 3 in the link table"),
        ("1 2\n", "", "1 2 2\n1 2 1\n", "ANG122 routes.txt:2:3 broker 1 has two entries for 2"),
    ],
)
def test_a_mistake_is_named_where_it_is(
    links: str, topics: str, routes: str | None, what: str, tmp_path: Path
) -> None:
    with pytest.raises(MeshError) as caught:
        read(tmp_path, links, topics, routes)

    place = caught.value.place
    assert place is not None
    where = f"{Path(place.file).name}:{place.line}:{place.column}"
    assert f"{caught.value.code} {where} {caught.value.what}" == what
