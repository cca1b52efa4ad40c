"""The table of one broker is that which all tables together would have."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.mesh.mesh import Mesh
from angarium.mesh.protocol.forwarding import calculated
from angarium.mesh.routing.graph import NONE, graph_of
from angarium.mesh.routing.tables import shortest
from tests.effort import examples
from tests.mesh.routing.meshes import failure_sets, meshes


@settings(max_examples=examples(80))
@given(meshes(), st.data())
def test_the_row_of_a_broker_is_that_of_all_tables(mesh: Mesh, data: st.DataObject) -> None:
    graph, failures = graph_of(mesh), data.draw(failure_sets(mesh))

    all_tables = shortest(graph, failures).tolist()

    for name, row in zip(graph.names, all_tables, strict=True):
        expected = {graph.names[to]: graph.names[after] for to, after in enumerate(row) if after != NONE}
        assert calculated(mesh, name, failures) == expected
