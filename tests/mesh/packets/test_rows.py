"""What brokers do with packets: by the tables of `recovery`, and by hand for alternates and layers."""

from __future__ import annotations

from random import Random

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.packets import running
from angarium.mesh.packets.links import network_of
from angarium.mesh.packets.packets_core import LINK_BITS, LINK_MASK, NOWHERE
from angarium.mesh.packets.running import forwarding_of
from angarium.mesh.packets.timeline import LFA, PCRT, RRL
from angarium.mesh.recovery.tables import coloured, recovery
from angarium.mesh.verify.budget import ONE
from tests.mesh.packets.nets import cable, net, random_mesh

SQUARE = net(*(cable(one, other) for one, other in ("az", "ab", "bz")))
RING = net(*(cable(one, other) for one, other in ("ab", "bz", "ac", "cd", "dz")))
AROUND = frozenset({"a-z"})


def row(
    mesh: Mesh, scheme: object, broker: str, known: Failures, around: frozenset[str], to: str = "z"
) -> list[str]:
    """The next broker for each mark, with the mark that the packet gets."""
    network = network_of(mesh)
    forwarding = forwarding_of(scheme, network, [network.number[to]])  # type: ignore[arg-type]
    entries = forwarding.row(network.number[broker], known, around)
    return [
        "nowhere" if each == NOWHERE else f"{network.links[each & LINK_MASK].target}{each >> LINK_BITS or ''}"
        for each in entries
    ]


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_those_of_the_tables_that_were_calculated_beforehand(seed: int) -> None:
    mesh = random_mesh(Random(seed))
    network, colours = network_of(mesh), coloured(mesh, (each for _, each in ONE.failures(mesh)))
    brokers = range(len(network.names))
    forwarding, tables = forwarding_of(PCRT, network, brokers), recovery(mesh, colours)

    for colour in colours:
        table = tables.table(colour)
        for broker in brokers:
            entries = forwarding.row(broker, colours[colour], frozenset())
            targets = [-1 if each == NOWHERE else network.ends[each][1] for each in entries]
            assert targets == table[broker].tolist()


def test_no_row_uses_a_link_that_is_known_to_be_dead() -> None:
    mesh = net(cable("a", "z"), cable("a", "z", name="spare", cost=5))
    network = network_of(mesh)

    entry = forwarding_of(PCRT, network, [1]).row(0, Failures(cables=frozenset({"a-z"})), frozenset())

    assert network.links[entry[0]].fails_as == "spare"


def test_an_alternate_takes_the_place_of_a_dead_link() -> None:
    assert row(SQUARE, LFA, "a", NOTHING, frozenset()) == ["z"]
    assert row(SQUARE, LFA, "a", NOTHING, AROUND) == ["b"]


def test_where_there_is_no_alternate_packets_are_lost() -> None:
    assert row(RING, LFA, "b", NOTHING, frozenset({"b-z"})) == ["nowhere"]


def test_alternates_are_those_of_what_is_left() -> None:
    """With a-b known to be dead, a has no neighbour left that could lead around a-z."""
    known = Failures(cables=frozenset({"a-b"}))

    assert row(SQUARE, LFA, "a", known, AROUND) == ["nowhere"]


def test_a_packet_whose_link_is_dead_gets_a_layer_and_keeps_it() -> None:
    healthy = row(RING, RRL, "b", NOTHING, frozenset())
    around = row(RING, RRL, "b", NOTHING, frozenset({"b-z"}))

    assert healthy[0] == "z"
    layer = int(around[0].removeprefix("a"))
    assert around[0] == f"a{layer}" and layer > 0
    assert row(RING, RRL, "a", NOTHING, frozenset())[layer] == f"c{layer}"


def test_a_packet_in_a_layer_does_not_get_another_one() -> None:
    marked = row(RING, RRL, "c", NOTHING, frozenset({"c-d", "a-c"}))

    assert set(marked[1:]) == {"nowhere"}


def test_too_many_layers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_MARKS", 1)

    with pytest.raises(MeshError, match="layers"):
        forwarding_of(RRL, network_of(RING), [0])
