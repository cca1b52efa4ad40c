"""Random small configurations of Mosquitto, run by real brokers: who gets how many copies is predicted."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest

from angarium.mesh.importers import mosquitto
from angarium.mesh.mesh import DROPS, Failures
from tests.brokers import needs_mosquitto
from tests.effort import seeds
from tests.mesh.real.mosquitto_net import Brokers, brokers, random_texts
from tests.mesh.real.rounds import Rounds, predicted
from tests.waiting import wait_until

TOPICS = ["a/b", "a/c", "x/b", "a", "a/b/c", "p/a/b", "q/a/c", "pa/b"]


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(100, 2))
def test_mosquittos_do_what_is_predicted_from_their_files(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    with brokers(tmp_path, random_texts(random)) as net:
        mesh = mosquitto.read(list(net.files.values()))
        open_ = [remark.effects for remark in mesh.remarks if remark.effects]
        assert all(effects == {DROPS} for effects in open_)
        connected(net)
        rounds, at_most = Rounds(net.clients), bool(open_)

        assert rounds.refuted(predicted(mesh, TOPICS, at_most=at_most)) == {}

        victim = random.choice(sorted(net.files))
        net.kill(victim)
        rounds.clients.pop(victim)
        dead = Failures(frozenset({victim}))

        assert rounds.refuted(predicted(mesh, TOPICS, dead, at_most=at_most)) == {}, dead


def connected(net: Brokers) -> None:
    """Wait for all bridges."""
    bridges = {
        name: path.read_text(encoding="utf-8").count("connection ") for name, path in net.files.items()
    }
    for name, count in bridges.items():
        wait_until(f"{name} is connected", partial(has_connected, net, name, count))


def has_connected(net: Brokers, name: str, count: int) -> bool:
    return list(net.clients[name].states.values()).count(b"1") >= count
