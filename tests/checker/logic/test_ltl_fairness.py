"""Which steps are owed together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from angarium.checker.ir.formula import Fairness
from angarium.checker.ir.transition import Action, Parameter
from angarium.checker.ir.types import Int
from angarium.checker.logic import fairness
from angarium.checker.logic.fairness import Classes, classes
from angarium.core.errors import LimitError
from tests.checker.logic.graphs import FILE, HAND_1, HAND_2, SYSTEM, TICK, WORK_1
from tests.checker.logic.textbook_runs import CLASSES
from tests.zoo import counter, handoff, system


def groups(found: Classes, strength: str) -> list[set[int]]:
    """The labels of each class of a strength."""
    owed = found.weak if strength == "weak" else found.strong
    bits = [(c, np.uint64(b)) for c in range(found.chunks) for b in range(64) if int(owed[c]) >> b & 1]
    return [{int(n) for n in np.flatnonzero(found.members[c] >> b & np.uint64(1))} for c, b in bits]


def in_order(found: list[set[int]]) -> list[list[int]]:
    return sorted(sorted(each) for each in found)


@pytest.mark.parametrize("asked", CLASSES, ids=lambda asked: asked.text)
def test_each_scope(asked: Fairness) -> None:
    found = classes(SYSTEM, (asked,))
    stronger = classes(SYSTEM, (replace(asked, strength="strong"),))

    assert in_order(groups(found, "weak")) == in_order(list(CLASSES[asked]))
    assert in_order(groups(stronger, "strong")) == in_order(list(CLASSES[asked]))
    assert not found.strong.any() and not stronger.weak.any()


def test_nothing_demanded() -> None:
    assert classes(SYSTEM, ()).chunks == 0


def test_the_same_is_not_owed_twice() -> None:
    weak, strong = Fairness("weak", "action", ("file",)), Fairness("strong", "instance", ("file",))

    found = classes(SYSTEM, (weak, weak, strong))

    assert groups(found, "weak") == []
    assert groups(found, "strong") == [{FILE}]


def test_a_process_is_owed_its_part_of_a_rendezvous_even_beside_an_action() -> None:
    found = classes(SYSTEM, (Fairness("weak", "process", ("clerk", "tick")),))

    assert in_order(groups(found, "weak")) == [[TICK], [HAND_1, HAND_2, FILE]]


def test_an_action_by_process_is_owed_by_each_of_them() -> None:
    found = classes(SYSTEM, (Fairness("weak", "process", ("hand",)),))

    assert in_order(groups(found, "weak")) == [[HAND_1], [HAND_1, HAND_2], [HAND_2]]


def test_a_system_without_processes() -> None:
    assert groups(classes(counter(), (Fairness("weak", "process"),)), "weak") == [{0}]


def test_who_takes_part_may_be_a_constant() -> None:
    found = classes(handoff(), (Fairness("weak", "process"),))

    assert in_order(groups(found, "weak")) == [[0, 2], [1, 2]]


def test_standing_still_belongs_to_no_class() -> None:
    found = classes(SYSTEM, (Fairness("weak", "all"),))

    assert not found.members[:, -1].any()
    assert found.members[:, WORK_1].any()


def test_more_classes_than_bits_of_a_word() -> None:
    many = system("many", [], [Action("do", (Parameter("n", Int(1, 150)),), ())])

    found = classes(many, (Fairness("weak", "instance"), Fairness("strong", "all")))

    assert found.chunks == 3
    assert in_order(groups(found, "weak")) == [[n] for n in range(150)]
    assert groups(found, "strong") == [set(range(150))]


def test_too_many_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairness, "MOST_CLASSES", 3)

    with pytest.raises(LimitError, match="6 classes") as raised:
        classes(SYSTEM, (Fairness("weak", "instance"),))

    assert "at most 3" in str(raised.value)


def test_an_action_that_cannot_happen_is_owed_nothing() -> None:
    assert classes(SYSTEM, (Fairness("weak", "process", ("gone",)),)).chunks == 0
