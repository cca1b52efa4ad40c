"""Random small configurations of NATS, run by real servers: who gets how many copies is predicted."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest

from angarium.mesh.importers import nats
from angarium.mesh.mesh import Failures
from tests.brokers import needs_nats
from tests.effort import also
from tests.mesh.real.nats_net import Servers, random_texts, servers, version
from tests.mesh.real.rounds import Rounds, predicted
from tests.waiting import wait_until

TOPICS = ["t", "a.x", "b.x", "a.b.z"]
MODERN = (2, 10)
"""From here on, several remotes to one cluster are no loop."""


@needs_nats
@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(2), *also(range(2, 100))])
def test_nats_servers_do_what_is_predicted_from_their_files(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    with servers(tmp_path, random_texts(random, version() >= MODERN)) as net:
        mesh = nats.read(list(net.files.values()))
        if any(remark.effects for remark in mesh.remarks):
            pytest.skip("this is one of which nothing is predicted: it says so itself")
        connected(net)
        rounds = Rounds(net.clients)

        assert rounds.refuted(predicted(mesh, TOPICS)) == {}

        victim = random.choice(sorted(net.files))
        net.kill(victim)
        rounds.clients.pop(victim)
        dead = Failures(frozenset({victim}))

        assert rounds.refuted(predicted(mesh, TOPICS, dead)) == {}, dead


def connected(net: Servers) -> None:
    """Wait for the remotes of all servers."""
    remotes = {name: path.read_text(encoding="utf-8").count("{urls:") for name, path in net.files.items()}
    for name, count in remotes.items():
        wait_until(f"{name} is connected", partial(net.has_leaf_nodes, name, count))
