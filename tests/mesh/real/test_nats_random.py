"""Random small configurations of NATS, run by real servers: who gets how many copies is predicted."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest

from angarium.mesh.importers import nats
from angarium.mesh.mesh import Failures, Remark
from tests.brokers import needs_nats
from tests.effort import seeds
from tests.mesh.real.nats_net import (
    CLIENTS,
    IMPORTED,
    KINDS,
    Servers,
    Texts,
    random_texts,
    servers,
    version,
    written,
)
from tests.mesh.real.rounds import Rounds, predicted
from tests.waiting import wait_until

TOPICS = ["t", "a.x", "b.x", "a.b.z"]
MODERN = (2, 10)
"""From here on, several remotes to one cluster are no loop."""


_LEAF = "leafnodes {{ reconnect: 1, remotes: [{{urls: [{}], dont_randomize: true}}] }}"
_HUB = """
leafnodes {{ listen: <{0}.leaf> }}
cluster {{ name: A, listen: <{0}.route>, routes: [nats://<a1.route>] }}
"""
_USERS = f"""
accounts {{ A {{ users: [
  {{user: any, password: p}}
  {{user: some, password: p, permissions: {{publish: {{allow: [a.>]}}, subscribe: {{deny: [t]}}}}}}
] }} }}
{CLIENTS["A"]}
"""
KEPT = {
    "servers that a hub tells of come before the next url": {
        **{name: _HUB.format(name) for name in ("a1", "a2")},
        "b1": "leafnodes { listen: <b1.leaf> }",
        "l0": _LEAF.format("nats-leaf://<a2.leaf>, nats-leaf://<b1.leaf>"),
    },
    "a url without a user is of the user whom another names": {
        "a1": f"leafnodes {{ listen: <a1.leaf> }}{_USERS}",
        "a2": f"leafnodes {{ listen: <a2.leaf> }}{_USERS}",
        "l0": _LEAF.format("nats-leaf://<a2.leaf>, nats-leaf://some:p@<a1.leaf>"),
    },
}
"""What random configurations once found, in fewer words; of each, `a2` dies."""


@needs_nats
@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(100, 2))
def test_nats_servers_do_what_is_predicted_from_their_files(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    texts = _understood(random, tmp_path)

    _as_predicted(tmp_path, texts, random.choice(sorted(texts)))


@needs_nats
@pytest.mark.slow
@pytest.mark.parametrize("found", KEPT)
def test_nats_servers_do_what_was_found_once(tmp_path: Path, found: str) -> None:
    _as_predicted(tmp_path, KEPT[found], "a2")


def _as_predicted(folder: Path, texts: Texts, victim: str) -> None:
    """Count everybody's copies, kill a server, and count again."""
    with servers(folder, texts, [*TOPICS, *IMPORTED]) as net:
        mesh = nats.read(list(net.files.values()))
        said = {each: account for account, each in CLIENTS.items()}
        scopes = {name: said[each] for name, text in texts.items() for each in said if each in text}
        connected(net)
        rounds = Rounds(net.clients)

        assert rounds.refuted(predicted(mesh, TOPICS, scopes=scopes)) == {}

        net.kill(victim)
        rounds.clients.pop(victim)
        dead = Failures(frozenset({victim}))

        assert rounds.refuted(predicted(mesh, TOPICS, dead, scopes)) == {}, dead


def _understood(random: Random, folder: Path) -> Texts:
    """A configuration that leaves nothing open that clients could change: ours want no wildcards."""
    while True:
        texts = random_texts(random, version() >= MODERN)
        ports = {
            name: {kind: 10_000 + 10 * at + number for number, kind in enumerate(KINDS)}
            for at, name in enumerate(texts)
        }
        mesh = nats.read(list(written(folder, texts, ports).values()))
        if not any(map(_left_open, mesh.remarks)):
            return texts


def _left_open(remark: Remark) -> bool:
    of_clients = ("permissions: what clients may not", "somebody there subscribes to a wildcard")
    return bool(remark.effects) and not any(words in remark.what for words in of_clients)


def connected(net: Servers) -> None:
    """Wait for the remotes of all servers."""
    remotes = {name: path.read_text(encoding="utf-8").count("{urls:") for name, path in net.files.items()}
    for name, count in remotes.items():
        wait_until(f"{name} is connected", partial(net.has_leaf_nodes, name, count))
