"""Mistakes in what a model says about random walks: each is an error at its place that says what to write."""

from __future__ import annotations

import pytest

from angarium.core.errors import ModelError
from tests.checker.frontend.test_errors import where
from tests.checker.frontend.test_walk_words import SHELF
from tests.models import source, system

SEEN = "@observation\ndef n(self, i: Item) -> int:\n    return "
MISTAKES = {
    # construct: (class body, code, the text that the error points at, a word of the message)
    "a count in an action": (
        "@action\ndef act(self, i: Item) -> None:\n    require(times(self.fill) < 2)",
        "ANG104",
        "times(self.fill)",
        "@observation",
    ),
    "a count in an invariant": (
        "@invariant\ndef few(self) -> bool:\n    return steps() < 2",
        "ANG104",
        "steps()",
        "@observation",
    ),
    "a count in a goal": (
        "@goal\ndef few(self) -> bool:\n    return steps_until(self.full[0]) < 2",
        "ANG104",
        "steps_until(",
        "@observation",
    ),
    "a count in a rate": (
        "@rate(fill)\ndef few(self) -> int:\n    return time_until(self.full[0])",
        "ANG104",
        "time_until(",
        "@observation",
    ),
    "a count in a helper": (
        "def h(self) -> int:\n    return times(self.fill)\n" + SEEN + "self.h()",
        "ANG104",
        "times(self.fill)",
        "not in a condition or in a helper",
    ),
    "a count in a condition": (SEEN + "steps_until(steps() > 2)", "ANG104", "steps() > 2", "condition"),
    "unknown action": (SEEN + "times(self.fil)", "ANG105", "self.fil)", "did you mean fill"),
    "state is no action": (SEEN + "times(self.full)", "ANG105", "self.full)", "no action"),
    "a helper is no action": (SEEN + "times(self.filled)", "ANG105", "self.filled)", "no action"),
    "a call is no name": (SEEN + "times(self.fill(i))", "ANG105", "self.fill(i)", "no action"),
    "unknown step in quotes": (SEEN + "times('spil')", "ANG105", "'spil'", "did you mean spill"),
    "no action": (SEEN + "times()", "ANG106", "times()", "one step"),
    "two actions": (SEEN + "times(self.fill, self.swap)", "ANG106", "times(self.fill,", "one step"),
    "wrong keyword": (SEEN + "times(self.fill, j=i)", "ANG105", "i)", "fill has no argument 'j'"),
    "keyword of a budget": (SEEN + "times(self.left, i=i)", "ANG105", "i)", "possible: no arguments"),
    "keywords of a mapping": (SEEN + "times(self.fill, **i)", "ANG105", "i)", "** is not supported"),
    "keyword of another type": (SEEN + "times(self.fill, i=Colour.RED)", "ANG106", "Colour.RED", "Item"),
    "an argument that changes": (
        SEEN + "times(self.fill, i=self.filled())",
        "ANG104",
        "self.filled()",
        "known",
    ),
    "an argument of a comprehension": (
        SEEN + "sum(times(self.fill, i=j) for j in Item)",
        "ANG104",
        "j)",
        "not known when the model is compiled",
    ),
    "a condition of a comprehension": (
        SEEN + "sum(steps_until(self.full[j]) for j in Item)",
        "ANG104",
        "j])",
        "not known when the model is compiled",
    ),
    "a condition on a name": (
        "@observation\ndef n(self) -> int:\n    x = self.filled()\n    return steps_until(x > 1)",
        "ANG104",
        "x > 1",
        "not known when the model is compiled",
    ),
    "steps of something": (SEEN + "steps(self.fill)", "ANG106", "steps(self.fill)", "takes nothing"),
    "steps until nothing": (SEEN + "steps_until()", "ANG106", "steps_until()", "takes one condition"),
    "time with a keyword": (SEEN + "time_until(True, of=1)", "ANG106", "time_until(", "takes one condition"),
    "a goal of something": (
        "@goal(fill)\ndef a(self) -> bool:\n    return True",
        "ANG104",
        "goal(fill)",
        "@goal takes nothing",
    ),
    "two goals": (
        "@goal\ndef a(self) -> bool:\n    return True\n@goal\ndef b(self) -> bool:\n    return True",
        "ANG107",
        "def b",
        "already a goal, a",
    ),
    "a goal that is a number": (
        "@goal\ndef a(self) -> bool:\n    return self.filled()",
        "ANG106",
        "def a",
        "a number, where True or False",
    ),
    "a goal with arguments": (
        "@goal\ndef a(self, i: Item) -> bool:\n    return self.full[i]",
        "ANG107",
        "i: Item",
        "cannot have arguments",
    ),
    "two observations": (
        SEEN + "1\n" + SEEN + "2",
        "ANG107",
        "def n",
        "declared twice",
    ),
    "an observation that is no figure": (SEEN + "i", "ANG106", "def n", "Item, where a number or a truth"),
    "an observation of any int": (
        "@observation\ndef n(self, k: int) -> int:\n    return k",
        "ANG106",
        "int) -> int",
        "which values",
    ),
    "a rate of nothing": ("@rate\ndef r(self) -> int:\n    return 1", "ANG107", "def r", "@rate(deliver)"),
    "a rate of two": (
        "@rate(fill, swap)\ndef r(self) -> int:\n    return 1",
        "ANG107",
        "rate(fill, swap)",
        "must name one",
    ),
    "a rate of an unknown step": (
        "@rate(fil)\ndef r(self) -> int:\n    return 1",
        "ANG105",
        "fil)",
        "did you mean fill",
    ),
    "two rates for an action": (
        '@rate(fill)\ndef a(self) -> int:\n    return 1\n@rate("fill")\ndef b(self) -> int:\n    return 1',
        "ANG107",
        "def b",
        "fill has two rates: a and b",
    ),
    "two rates for what never happens": (
        "@rate(never)\ndef a(self) -> int:\n    return 1\n@rate(never)\ndef b(self) -> int:\n    return 1",
        "ANG107",
        "def b",
        "never has two rates: a and b",
    ),
    "a rate that is a truth": (
        "@rate(fill)\ndef r(self) -> int:\n    return self.filled() > 1",
        "ANG106",
        "def r",
        "where a whole number is needed",
    ),
    "a rate of what never happens": (
        "@rate(never)\ndef r(self) -> int:\n    return True",
        "ANG106",
        "def r",
        "where a whole number is needed",
    ),
    "a negative rate": ("@rate(fill)\ndef r(self) -> int:\n    return -1", "ANG107", "def r", "0 and more"),
    "a rate with some of the arguments": (
        "@rate(swap)\ndef r(self, i: Item) -> int:\n    return i",
        "ANG106",
        "def r",
        "or i: Item, j: Item",
    ),
    "a rate with an argument of another type": (
        "@rate(fill)\ndef r(self, i: Colour) -> int:\n    return 1",
        "ANG106",
        "def r",
        "possible: no arguments, or i: Item",
    ),
    "a rate of a budget with arguments": (
        "@rate(left)\ndef r(self, i: Item) -> int:\n    return i",
        "ANG106",
        "def r",
        "possible: no arguments",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_an_error_at_its_place(name: str) -> None:
    more, code, points_at, says = MISTAKES[name]
    body = f"{SHELF}\n{more}"

    with pytest.raises(ModelError) as caught:
        system(body)

    assert code == caught.value.code
    assert where(source(body), caught.value).startswith(points_at)
    assert says in str(caught.value)
