"""The native simulation against the plain one, packet by packet and event by event."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import numpy as np
import pytest

from angarium.mesh.packets import packets_core as core
from angarium.mesh.packets import running
from angarium.mesh.packets.experiment import Experiment, Run
from angarium.mesh.packets.links import SECOND
from angarium.mesh.packets.running import simulate
from angarium.mesh.packets.timeline import SCHEMES, Scheme
from angarium.native.calls import Native
from tests.mesh.packets.nets import random_experiment
from tests.oracles.packets import Reference

QUICK = [scheme.beating(SECOND // 5) for scheme in SCHEMES.values()]
Known = dict[tuple[int, str], tuple[Experiment, Scheme, Reference]]
SEEDS = (1, 2, 8, 13, 15, 18, 21, 36, 39)
"""Random experiments in which, together, everything happens that can happen to a packet."""


@pytest.fixture(scope="module")
def known() -> Known:
    """What the reference says."""
    found = {}
    for seed in SEEDS:
        experiment = random_experiment(seed)
        for scheme in QUICK[seed % 2 :: 2]:
            found[seed, scheme.name] = experiment, scheme, Reference(experiment, scheme).run()
    return found


def agrees(found: Run, reference: Reference) -> bool:
    """Whether every packet fares the same, everything took as many events, and is used at the same time."""
    packets = reference.packets
    ended = found.fate != core.UNDER_WAY
    return (
        found.fate.tolist() == [packet.fate for packet in packets]
        and found.hops.tolist() == [packet.hops for packet in packets]
        and np.where(ended, found.done, 0).tolist() == [packet.done for packet in packets]
        and found.events == reference.events
        and found.used == tuple(reference.used.get(place) for place in range(len(found.used)))
    )


def test_every_packet_fares_as_in_the_reference(
    known: Known,
) -> None:
    wrong = [
        key for key, (asked, scheme, found) in known.items() if not agrees(simulate(asked, scheme), found)
    ]

    assert not wrong


def test_every_fate_was_met(known: Known) -> None:
    met = {packet.fate for _, _, reference in known.values() for packet in reference.packets}

    assert met == set(range(core.IN_DEAD_BROKER + 1))


MUTANTS = {
    "a cut ends no epoch": ("link[EPOCH] = link[EPOCH] + 1", "link[EPOCH] = link[EPOCH] + 0"),
    "a cut link stays busy": ("        link[BUSY] = 0\n    if with_queue", "    if with_queue"),
    "one packet too many waits": ("link[WAITING] >= link[CAPACITY]", "link[WAITING] > link[CAPACITY]"),
    "the last that waits goes first": ("packet = link[HEAD]\n", "packet = link[TAIL]\n"),
    "what waited too long is sent": ("run[NOW] - began[link[HEAD]] > link[PATIENCE]", "0 > link[PATIENCE]"),
    "sending takes no time": ("run[NOW] + (bits * SECOND + link[RATE] - 1) // link[RATE]", "run[NOW]"),
    "hops are not limited": ("byte(words(run[HOPS]), packet) >= run[HOP_LIMIT]", "0 > 1"),
    "marks are forgotten": ("put_byte(marks, packet, entry >> LINK_BITS)", "put_byte(marks, packet, 0)"),
    "a broker that died goes on": ("broker[LIVES] = broker[LIVES] + 1", "broker[LIVES] = broker[LIVES]"),
    "a queue outlives its broker": ("if with_queue or link[PATIENCE] == 0", "if link[PATIENCE] == 0"),
    "one reason to be down is enough": ("    if link[DOWN]:\n        return\n", ""),
    "sent before what is under way": ("if under_way <= sending:", "if under_way < sending:"),
    "tables stay as they were": ("if each[KIND] == SWITCH:", "if each[KIND] == SWITCH and each[MORE] == 0:"),
    "the heap forgets the order": (
        "1 if heap[2 * one + 1] < tag else 0",
        "0 if heap[2 * one + 1] < tag else 1",
    ),
    "a healed link is not awaited": ("link[AWAITED] = return_number + 1", "link[AWAITED] = 0"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_of_the_native_code_is_seen(
    name: str,
    known: Known,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, new = MUTANTS[name]
    source = inspect.getsource(core)
    assert source.count(old) == 1
    path = tmp_path / "mutant_core.py"
    path.write_text(source.replace(old, new))
    spec = importlib.util.spec_from_file_location("mutant_core", path)
    assert spec and spec.loader
    mutant = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mutant)
    monkeypatch.setattr(running, "CORE", Native(mutant, ("simulate",)))

    assert any(not agrees(simulate(experiment, scheme), each) for experiment, scheme, each in known.values())
