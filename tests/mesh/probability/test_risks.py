"""What can fail, how many at a time, and that sets are drawn as they are likely."""

from __future__ import annotations

from collections import Counter
from math import prod

import numpy as np
import pytest

from angarium.core.errors import MeshError
from angarium.mesh.mesh import NOTHING, Failures
from angarium.mesh.probability.latency import Risk, dead_in, risks_of, strata_of
from tests.mesh.probability.meshes import every_set, read, ring

UNEVEN = tuple(Risk(f"r{n}", Failures(frozenset([f"r{n}"])), p) for n, p in enumerate((0.4, 0.1, 0.02, 0.3)))


def test_brokers_cables_and_shared_risks_can_fail_and_the_rest_never() -> None:
    shared = "shared-risks: {duct: {links: [a-b, b-c], mtbf: 3 h, mttr: 1 h}, room: {brokers: b}}"
    mesh = ring(("routing: shortest", f"routing: shortest\n{shared}"))

    found = {risk.name: (risk.failures, risk.down) for risk in risks_of(mesh)}

    assert found == {
        "a": (Failures(frozenset(["a"])), 0.1),
        "a-b": (Failures(cables=frozenset(["a-b"])), 0.2),
        "b-c": (Failures(cables=frozenset(["b-c"])), 0.1),
        "a-c": (Failures(cables=frozenset(["a-c"])), 0.05),
        "duct": (Failures(cables=frozenset(["a-b", "b-c"])), 0.25),
    }


def test_links_of_one_cable_may_not_contradict_each_other() -> None:
    mesh = read(
        "brokers: [a, b]\nlinks:\n"
        "  - {from: a, to: b, cable: wire, mtbf: 9 h, mttr: 1 h}\n"
        "  - {from: b, to: a, cable: wire, mtbf: 8 h, mttr: 1 h}\n"
    )

    with pytest.raises(MeshError, match="b->a says mtbf 8 h") as raised:
        risks_of(mesh)

    assert raised.value.place
    assert raised.value.place.line == 4


def test_the_weights_are_those_of_all_sets() -> None:
    mesh = ring()
    strata = strata_of(risks_of(mesh))
    sums: Counter[int] = Counter()
    for size in range(5):
        for numbers, chance in strata.all_of(size):
            sums[len(numbers)] += chance  # type: ignore[assignment]

    assert [sums[size] for size in range(5)] == pytest.approx(list(strata.weights))
    assert sum(chance for _, chance in every_set(mesh)) == pytest.approx(1)
    assert strata.beyond(1) == pytest.approx(sum(strata.weights[2:]))
    assert strata.enough(1e-3) == 3


@pytest.mark.parametrize("size", [1, 2, 3])
def test_sets_are_drawn_as_often_as_they_are_likely(size: int) -> None:
    strata, random, count = strata_of(UNEVEN), np.random.Generator(np.random.Philox(5)), 40_000

    drawn = Counter(map(tuple, strata.drawn(size, count, random).tolist()))

    for numbers, chance in strata.all_of(size):
        assert drawn[numbers] / count == pytest.approx(chance / strata.weights[size], abs=0.01)
    assert drawn.total() == count
    assert len(drawn) <= strata.sets(size)


def test_what_is_dead_is_what_all_risks_together_kill() -> None:
    assert dead_in(UNEVEN, (0, 2)) == Failures(frozenset(["r0", "r2"]))
    assert dead_in(UNEVEN, ()) == NOTHING


def test_without_risks_nothing_fails() -> None:
    strata = strata_of(())

    assert strata.weights == (1.0,)
    assert strata.drawn(0, 3, np.random.Generator(np.random.Philox(1))).shape == (3, 0)
    assert prod(strata.behind.shape) == 1
