"""The bundled proofs all hold, and each mistake is noticed by exactly the obligations that it breaks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from angarium.contracts.obligations import Counterexample
from angarium.contracts.prove import prove
from angarium.core.result import Verdict
from tests.contracts.variants import MAP, RING, VARIANTS, written


@pytest.mark.parametrize("name", VARIANTS)
def test_exactly_what_a_mistake_breaks_is_refuted(name: str, tmp_path: Path) -> None:
    judged = [each for proof in prove(str(written(name, tmp_path))) for each in proof.judged]

    refuted = {each.obligation.name for each in judged if each.verdict is Verdict.VIOLATED}

    assert refuted == VARIANTS[name].refuted
    assert all(each.verdict is not Verdict.UNKNOWN for each in judged)


def test_the_published_proof_has_as_many_obligations_of_each_kind_as_ivy_finds() -> None:
    judged = [each for proof in prove(str(MAP)) for each in proof.judged]

    kinds = Counter(each.obligation.kind for each in judged)

    assert kinds == {"initial": 4, "preserved": 16, "ensured": 3}
    assert all(each.verdict is Verdict.HOLDS for each in judged)


def test_the_ring_buffer_s_loop_is_proved_too() -> None:
    judged = [each for proof in prove(str(RING)) for each in proof.judged]

    kinds = Counter(each.obligation.kind for each in judged)

    assert kinds["kept"] == 4
    assert all(each.verdict is Verdict.HOLDS for each in judged)


def counterexample(name: str, obligation: str, folder: Path) -> Counterexample:
    judged = [each for proof in prove(str(written(name, folder))) for each in proof.judged]
    (found,) = (each.counterexample for each in judged if each.obligation.name == obligation)
    assert found is not None
    return found


def test_the_smallest_counterexample_to_erasing_too_little_is_one_message(tmp_path: Path) -> None:
    found = counterexample("erasing to seq", "delete_all keeps represents", tmp_path)

    assert (found.operation, found.arguments) == ("delete_all", {"seq": "0"})
    assert found.sorts == {"Message": ("m",), "Number": ("0",)}
    assert found.facts == {"num": {"m": "0"}}
    assert [each.name for each in found.snapshots] == ["before", "after"]
    assert found.snapshots[0].symbols == {"spec.contents": ["m"], "map.pairs": [["0", "m"]]}
    assert found.snapshots[1].symbols == {"spec.contents": [], "map.pairs": [["0", "m"]]}


def test_erasing_too_much_takes_a_message_that_was_not_acknowledged(tmp_path: Path) -> None:
    found = counterexample("erasing to seq + 2", "delete_all keeps represents", tmp_path)

    assert found.arguments == {"seq": "0"}
    assert found.facts == {"num": {"m": "1"}}
    assert found.snapshots[1].symbols == {"spec.contents": ["m"], "map.pairs": []}
