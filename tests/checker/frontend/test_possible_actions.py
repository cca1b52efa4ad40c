"""An action that parameters rule out is left out, unless it can fail before it comes to that."""

from __future__ import annotations

import pytest

from angarium.checker.ir.transition import STAYS_IN_RANGE
from tests.models import system
from tests.verdicts import hit

BODY = """
    on = param(False)
    q = seq(Item, 2)
    n = integer(0, 1)
    nothing = option(Item)
    @action
    def go(self) -> None:
        self.n = 1 - self.n
    @action
    def act(self) -> None:
        {}
        require(self.on)
        self.n = 0
    """


@pytest.mark.parametrize(
    "statement",
    [
        "require(self.q[0] == Item(0))",
        "x = self.q[0]",
        "x = Item(self.n + 3)",
        "self.n += 2",
        "self.q.pop(0)",
        "for i in range(3):\n            self.q.append(i)",
        "if self.n == 1:\n            self.n = 2",
    ],
)
def test_what_fails_before_it_is_ruled_out_fails(statement: str) -> None:
    assert STAYS_IN_RANGE in hit(BODY.format(statement))


@pytest.mark.parametrize(
    "statement",
    ["pass", "require(self.n == 0)", "x = self.n", "self.n = 1", "if self.n == 1:\n            self.n = 0"],
)
def test_what_cannot_fail_before_it_is_ruled_out_is_left_out(statement: str) -> None:
    assert [action.name for action in system(BODY.format(statement)).actions] == ["go"]
    assert not hit(BODY.format(statement))


def test_what_stands_behind_what_rules_an_action_out_does_not_matter() -> None:
    body = BODY.format("require(self.on)\n        self.q.pop(0)")

    assert [action.name for action in system(body).actions] == ["go"]
