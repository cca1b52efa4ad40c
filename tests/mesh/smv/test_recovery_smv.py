"""Recovery tables in SMV: what every claim says is what a walk through the table of its colour does."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.recovery.overrides import Override, overridden
from angarium.mesh.recovery.tables import Recovery
from angarium.mesh.smv import recovery_smv
from tests.mesh.recovery.files.sample import random_recovery, recovered
from tests.mesh.recovery.made import triangle
from tests.mesh.smv.smv_walks import Walks
from tests.mesh.walks import net, walk
from tests.nusmv import needs_nusmv, run_nusmv


def with_random_override(seed: int) -> Recovery:
    """Tables in which one entry leads to any neighbour: some of them are broken by it."""
    random, recovery = Random(seed), random_recovery(seed)
    graph = recovery.graph
    if not graph.hops or graph.brokers < 3:
        return recovery
    hop = random.randrange(graph.hops)
    at, after = graph.names[graph.sources[hop]], graph.names[graph.targets[hop]]
    to = random.choice([name for name in graph.names if name != at])
    return overridden(recovery, [Override(at, to, after, random.choice(list(recovery.colours)))])


def expected(recovery: Recovery) -> dict[str, bool]:
    """What a plain walk through the table of each colour says."""
    found, names = {}, recovery.graph.names
    for colour in recovery.colours:
        failures, table = recovery.colours[colour], recovery.table(colour).tolist()
        rows = {
            at: {to: names[after] for to, after in zip(names, row, strict=True) if after >= 0}
            for at, row in zip(names, table, strict=True)
        }
        living = [(n, name) for n, name in enumerate(names, start=1) if name not in failures.brokers]
        for one, source in living:
            for other, target in living:
                if source == target:
                    continue
                end = walk(recovery.mesh, rows, (source, target), failures)
                if _joined(recovery, source, target, colour):
                    found[f"reach_{one}_{other}_{colour}"] = end == "arrives"
                found[f"loop_{one}_{other}_{colour}"] = end != "loops"
    return found


def _joined(recovery: Recovery, source: str, target: str, colour: int) -> bool:
    """Whether a chain of living links leads there."""
    failures, seen = recovery.colours[colour], {source}
    for _ in recovery.mesh.brokers:
        seen |= {
            link.target
            for link in recovery.mesh.links
            if link.source in seen
            and link.fails_as not in failures.cables
            and link.target not in failures.brokers
        }
    return target in seen


def test_every_claim_about_the_triangle_of_the_thesis_is_true() -> None:
    verdicts = Walks(recovery_smv(triangle())).verdicts

    assert len(verdicts) == 2 * 6 * 4
    assert all(verdicts.values())


def test_the_module_of_the_triangle_has_the_entries_of_the_thesis() -> None:
    lines = [line.strip() for line in recovery_smv(triangle()).splitlines()]

    entries = lines[lines.index("loc = dest : loc;") + 1 : lines.index("TRUE : DROP;")]
    assert entries[:2] == ["colour = 2 & loc = 1 & dest = 2 : 3;", "colour = 2 & loc = 2 & dest = 1 : 3;"]
    assert len(entries) == 6 + 6


def test_what_has_arrived_stays() -> None:
    """The trace of the thesis goes on to another broker from the destination."""
    walks = Walks(recovery_smv(triangle()))

    arrived = frozenset(
        state for state in walks.states if walks.values(state)["loc"] == walks.values(state)["dest"]
    )

    assert arrived
    assert arrived <= walks.before(arrived)


def test_an_override_that_leads_in_a_circle_makes_just_its_claims_false() -> None:
    broken = overridden(triangle(), [Override("1", "2", "3", 4)])

    verdicts = Walks(recovery_smv(broken)).verdicts

    false = {name for name, true in verdicts.items() if not true}
    assert false == {"reach_1_2_4", "loop_1_2_4", "reach_3_2_4", "loop_3_2_4"}


def test_an_override_into_a_dead_link_drops_and_does_not_go_round() -> None:
    broken = overridden(triangle(), [Override("1", "2", "2", 2)])

    text = recovery_smv(broken)

    assert "colour = 2 & loc = 1 & dest = 2 : DROP; -- no link to 2 that works" in text
    assert {name for name, true in Walks(text).verdicts.items() if not true} == {"reach_1_2_2"}


def test_claims_say_what_walks_do() -> None:
    small = [each for each in map(with_random_override, range(24)) if each.graph.brokers < 5]

    for recovery in small:
        assert Walks(recovery_smv(recovery)).verdicts == expected(recovery)

    assert len(small) > 8


@needs_nusmv
@pytest.mark.parametrize("seed", range(8))
def test_nusmv_says_the_same(seed: int, tmp_path: Path) -> None:
    text = recovery_smv(with_random_override(seed))

    assert run_nusmv(text, tmp_path) == list(Walks(text).verdicts.values())


def test_pairs_without_a_way_are_named_and_not_claimed() -> None:
    text = recovery_smv(recovered(net(3, ((1, 2), (2, 3)))))

    assert "-- 1 to 3 in colour 2: the failures leave no path" in text
    assert "reach_1_3_2" not in text


def test_a_module_that_nobody_could_check_is_not_written() -> None:
    ring = net(120, [(one, one % 120 + 1) for one in range(1, 121)])

    with pytest.raises(MeshError, match="120 brokers in 241 colours as an SMV module") as caught:
        recovery_smv(recovered(ring))

    assert caught.value.code == "ANG125"
