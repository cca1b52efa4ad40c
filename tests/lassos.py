"""A small system with runs without end, and stories of it, for tests of everything that tells stories."""

from __future__ import annotations

from angarium.checker.explore.stories import replay
from angarium.checker.ir.syntax import Local, Require, Write
from angarium.checker.ir.transition import Action, Parameter, TransitionSystem
from angarium.checker.ir.types import Int
from tests.zoo import ONE, ZERO, op, read, system


def lamp() -> TransitionSystem:
    """Begins at 0, 1 or 2 and goes down to 0; there it is switched on again, or breaks: then nothing."""
    n = read("n")
    bright = op(op(n, "==", 1), "or", op(n, "==", 2))
    return system(
        "lamp",
        [("n", Int(0, 3))],
        [
            Action("down", (), (Require(bright), Write("n", ZERO, op(n, "-", 1)))),
            Action("on", (), (Require(op(n, "==", 0)), Write("n", ZERO, ONE))),
            Action("break", (), (Require(op(n, "==", 0)), Write("n", ZERO, op(ONE, "+", 2))), fault=True),
        ],
        setup=[Parameter("first", Int(0, 2))],
        setup_body=(Write("n", ZERO, Local("first")),),
    )


FLICKERS = replay(lamp(), (2, 0, 0, 0, 0), 2)
"""Down, down, and then on and down for ever."""
BREAKS = replay(lamp(), (1, 0, 1), 2)
"""Down, and then it breaks and stands still."""
