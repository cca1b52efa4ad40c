from __future__ import annotations

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.files.gml import gml_mesh, read_gml
from angarium.mesh.files.nodes import source_of
from angarium.mesh.mesh import Link, Mesh, Routing
from tests.needs import ZOO, needs


def mesh(text: str) -> Mesh:
    return gml_mesh(source_of("net.gml", text))


def test_nodes_are_brokers_and_edges_are_links_both_ways() -> None:
    nodes = 'node [ id 0 label "Oslo" ] node [ id 1 label "New York" ]'

    found = mesh(f'graph [ label "Net" {nodes} edge [ source 1 target 0 ] ]')

    assert found.name == "Net"
    assert [broker.name for broker in found.brokers] == ["Oslo", "New York"]
    cable = "New York-Oslo"
    assert found.links == (
        Link("New York->Oslo", "New York", "Oslo", cable=cable, connection=cable),
        Link("Oslo->New York", "Oslo", "New York", cable=cable, connection=cable),
    )
    assert found.routing == Routing("shortest")


def test_equal_and_missing_labels_are_told_apart_by_numbers() -> None:
    labels = ['label "A"', 'label "A"', "", 'label ""', 'label "None"', 'label "A (0)"', 'label "&amp; B"']
    nodes = " ".join(f"node [ id {number} {label} ]" for number, label in enumerate(labels))

    names = [broker.name for broker in mesh(f"graph [ {nodes} ]").brokers]

    assert names == ["A (0)'", "A (1)", "node 2", "node 3", "node 4", "A (0)", "& B"]


def test_parallel_edges_are_links_of_their_own() -> None:
    edges = "edge [ source 0 target 1 ] edge [ source 1 target 0 ]"

    found = mesh(f'graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] {edges} ]')

    assert found.cables == ("a-b", "b-a (2)")
    assert len({link.name for link in found.links}) == 4


def test_an_edge_from_a_node_to_itself_is_remarked_upon() -> None:
    found = mesh("graph [\n  node [ id 0 ]\n  edge [ source 0 target 0 ]\n]\n")

    assert found.links == ()
    assert [(each.kind, each.what, str(each.place)) for each in found.remarks] == [
        ("note", "node 0 is joined with itself, which is no link", "net.gml:3:3")
    ]


def test_comments_and_what_says_nothing_about_links_are_passed_over() -> None:
    found = mesh('# a net\nCreator "x"\ngraph [\n # one\n node [ id 0 graphics [ x 1.5 y -2 ] ]\n] # end')

    assert [broker.name for broker in found.brokers] == ["node 0"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("graph [", "ANG120 1:1 the file is not GML: the bracket of graph is not closed"),
        ("graph [ ] ]", "ANG120 1:11 the file is not GML: a bracket closes nothing"),
        ("graph [ label ]", "ANG120 1:15 the file is not GML: a bracket closes nothing"),
        ("graph", "ANG120 1:1 the file is not GML: graph has no value"),
        ('graph [ "x" 1 ]', "ANG120 1:10 the file is not GML: a key must stand here, not 'x'"),
        ('graph [\n label "x ]', "ANG120 2:8 the file is not GML: a text has no closing quotes"),
        ("a [" * 33, "ANG120 1:99 the file is not GML: the graph is nested more than 32 deep"),
        ("graph [ ]", "ANG120 1:1 the graph has no nodes"),
        ("graph [ node [ ] ]", "ANG121 1:9 this node does not say 'id'"),
        ("graph [ node [ id 0 ] node [ id 0 ] ]", "ANG122 1:23 there are two nodes with the id 0"),
        ("graph [ node [ id 0 ] edge [ source 0 ] ]", "ANG121 1:23 this edge does not say 'target'"),
        (
            "graph [ node [ id 0 ] edge [ source 0 target 7 ] ]",
            "ANG123 1:46 the target of this edge is 7, and there is no such node",
        ),
    ],
)
def test_a_mistake_is_named_where_it_is(text: str, what: str) -> None:
    with pytest.raises(MeshError) as caught:
        mesh(text)

    place = caught.value.place
    assert place is not None
    assert f"{caught.value.code} {place.line}:{place.column} {caught.value.what}" == what


@needs("zoo")
def test_all_nets_of_the_zoo_are_read() -> None:
    meshes = [read_gml(str(path)) for path in sorted(ZOO.glob("*.gml"))]

    assert len(meshes) == 276
    assert sum(len(each.brokers) for each in meshes) == 10_952
    joined = [{frozenset((link.source, link.target)) for link in each.links} for each in meshes]
    parallel = sum(len(each.cables) - len(pairs) for each, pairs in zip(meshes, joined, strict=True))
    assert (sum(map(len, joined)), parallel) == (13_320, 654)
    assert all(len({broker.name for broker in each.brokers}) == len(each.brokers) for each in meshes)
    assert all(len({link.name for link in each.links}) == len(each.links) for each in meshes)
