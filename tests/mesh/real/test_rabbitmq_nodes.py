"""What real RabbitMQ nodes do when one of them dies, compared with what is predicted from their definitions.

Three nodes, each a cluster of its own, have a virtual host of every configuration. Messages are published at
all of them, and, when one node is killed, at the two others.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from angarium.mesh.importers import rabbitmq
from tests.brokers import needs_rabbitmq, rabbit_ports, rabbits
from tests.effort import seeds
from tests.mesh.importers.definitions import written
from tests.mesh.real.configurations import Apart, configuration
from tests.mesh.real.test_rabbitmq_random import GUEST, Case, Tried, can_be_tried

NODES = ("a", "b", "c")
DRAWN, TRIED = 300, 20
"""Configurations drawn, and those of them that are tried, side by side at one death."""


def case(folder: Path, seed: int, killed: str) -> Case | None:
    """One that can be tried."""
    drawn = configuration(f"n{seed}", seed, Apart)
    assert isinstance(drawn, Apart)
    parts, own = drawn.of_nodes(), folder / drawn.name
    own.mkdir()
    mesh = rabbitmq.read(written(own, parts))
    found = Case(drawn.name, parts, None, (mesh, mesh), killed)
    return found if mesh.links and can_be_tried(found) else None


def is_told_apart(found: Case) -> bool:
    """Whether the death changes what is predicted of those who live."""
    alive = set(found.vhosts(1))
    before = {
        (message, queue): copies
        for (message, queue), copies in found.predicted(0).items()
        if message[0] in alive and queue.partition("/")[0] in alive
    }
    return before != found.predicted(1)


@needs_rabbitmq
@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("killed", NODES)
def test_nodes_do_what_is_predicted_when_one_of_them_dies(tmp_path: Path, killed: str) -> None:
    """Those configurations come first in which somebody can tell."""
    numbers = (DRAWN * seed + number for seed in seeds(1, 1) for number in range(DRAWN))
    found = [each for each in (case(tmp_path, number, killed) for number in numbers) if each]
    batch = sorted(found, key=is_told_apart, reverse=True)[:TRIED]
    assert len(batch) == TRIED and is_told_apart(batch[TRIED // 4])
    guest = tmp_path / "guest.json"
    guest.write_text(json.dumps(GUEST), encoding="utf-8")
    nodes = rabbit_ports(NODES)

    with rabbits(tmp_path, nodes, dict.fromkeys(NODES, guest)) as servers:
        assert Tried(nodes, servers, batch).run() == []
