"""Any mesh in SMV: claims for whoever publishes and wants the same, while something is dead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from angarium.mesh.files.find import load
from angarium.mesh.mesh import NOTHING, Failures
from angarium.mesh.smv import exported
from tests.checker.export.smv_reader import Smv
from tests.checker.export.smv_time import Runs
from tests.mesh.smv.smv_walks import Walks

EXAMPLES = Path(__file__).parents[3] / "examples" / "meshes"


def written(name: str, failures: Failures = NOTHING) -> str:
    return exported(load(str(EXAMPLES / f"{name}.yaml")), failures)


def initial(text: str) -> tuple[int, ...]:
    """The cells of the one state in which everything begins."""
    (line,) = re.findall(r"^INIT (\(.*);$", text, re.M)
    return tuple(int(value) for value in re.findall(r"= (-?\d+)\)", line))


def test_the_six_brokers_have_three_specifications_for_each_topic_and_subscriber() -> None:
    verdicts = Walks(written("six-brokers")).verdicts

    pairs = [(1, 2), (1, 5), (3, 4), (5, 1), (5, 6), (6, 3)]
    names = {f"{claim}_{one}_{other}" for claim in ("reach", "loop", "hole") for one, other in pairs}
    assert verdicts == dict.fromkeys(names, True)


def test_the_injected_fault_makes_every_second_specification_false() -> None:
    verdicts = Walks(written("six-brokers-fault")).verdicts

    reached = {name: true for name, true in verdicts.items() if name.startswith("reach")}
    assert {name for name, true in reached.items() if not true} == {"reach_1_5", "reach_5_1", "reach_6_3"}


def test_clients_of_a_dead_broker_are_with_its_substitute() -> None:
    verdicts = Walks(written("six-brokers", Failures(brokers=frozenset({"b1"})))).verdicts

    assert {name for name in verdicts if name.startswith("reach")} == {
        *("reach_2_2", "reach_2_5", "reach_3_4", "reach_5_2", "reach_5_6", "reach_6_3")
    }
    assert all(verdicts.values())


@pytest.mark.parametrize(
    ("name", "dead", "reaches", "ends"),
    [
        ("bridged-triangle", NOTHING, True, False),
        ("bridged-triangle", Failures(cables=frozenset({"plant-office"})), True, True),
        ("federated-triangle", NOTHING, True, True),
        ("ring-of-six", NOTHING, True, True),
        ("ring-of-six", Failures(brokers=frozenset({"r3"})), False, True),
    ],
)
def test_a_mesh_that_forwards_is_written_as_the_walk_of_any_copy(
    name: str, dead: Failures, reaches: bool, ends: bool
) -> None:
    text = written(name, dead)

    runs = Runs(Smv(text), [initial(text)])

    assert (runs.true("ctl_reachability"), runs.true("ltl_loop_free")) == (reaches, ends)
