"""What is not part of the language: each mistake is an error at its place that says what to write."""

from __future__ import annotations

import pytest

from angarium.core.errors import ModelError
from tests.models import source, system

ACTION = "\n@action\ndef act(self) -> None:\n    "
MISTAKES = {
    # construct: (class body, code, the text that the error points at, a word of the message)
    "while in an action": (
        "n = integer(0, 1)" + ACTION + "while self.n < 1: self.n += 1",
        "ANG104",
        "while",
        "While",
    ),
    "return in an action": ("n = integer(0, 1)" + ACTION + "return", "ANG104", "return", "Return"),
    "assert": ("n = integer(0, 1)" + ACTION + "assert self.n < 1", "ANG104", "assert", "@invariant"),
    "lambda": ("n = integer(0, 1)" + ACTION + "self.n = (lambda: 1)()", "ANG105", "(lambda", "called"),
    "power of anything": (
        "n = integer(0, 1)" + ACTION + "self.n = 2 ** (self.n + 1)",
        "ANG107",
        "self.n + 1",
        "may be anything",
    ),
    "negative power": ("n = integer(0, 1)" + ACTION + "self.n = 2 ** -1", "ANG107", "-1", "may be -1"),
    "matrices": ("n = integer(0, 1)" + ACTION + "self.n = 2 @ 1", "ANG104", "2 @ 1", "+ - * // %"),
    "text": ("n = integer(0, 1)" + ACTION + "self.n = 'a'", "ANG104", "'a'", "whole numbers"),
    "float": ("n = integer(0, 1)" + ACTION + "self.n = 1.5", "ANG104", "1.5", "whole numbers"),
    "unknown state": (
        "count_ = integer(0, 1)" + ACTION + "self.cuont_ = 1",
        "ANG105",
        "self.cuont_",
        "did you mean count_",
    ),
    "unknown name": ("n = integer(0, 1)" + ACTION + "self.n = m", "ANG105", "m", "not known"),
    "name bound in a branch": (
        "n = integer(0, 1)" + ACTION + "if self.n == 0:\n        x = 1\n    self.n = x",
        "ANG105",
        "x",
        "bind it before",
    ),
    "unknown member": (
        "c: Colour = Colour.RED" + ACTION + "self.c = Colour.GREY",
        "ANG105",
        "Colour.GREY",
        "GREEN",
    ),
    "unknown field": ("p: Parcel" + ACTION + "self.p.weight = True", "ANG105", "self.p.weight", "fragile"),
    "two types": ("c: Colour = Colour.RED" + ACTION + "self.c = 1", "ANG106", "1", "Colour is needed"),
    "compared types": (
        "c: Colour = Colour.RED" + ACTION + "require(self.c == Item(1))",
        "ANG106",
        "self.c == Item(1)",
        "compared",
    ),
    "index truth": ("i: Item" + ACTION + "require(self.i)", "ANG106", "self.i", "condition"),
    "no range": ("n: int = 0" + ACTION + "self.n = 1", "ANG106", "int", "integer(low, high)"),
    "undeclared": ("n = 3" + ACTION + "self.n = 1", "ANG107", "n = 3", "integer(0, 3)"),
    "empty range": ("n = integer(3, 1)" + ACTION + "self.n = 1", "ANG107", "3", "impossible"),
    "start outside": ("n = integer(0, 1, start=2)" + ACTION + "self.n = 1", "ANG107", "0", "starts at 2"),
    "twice": (
        "n = integer(0, 1)\nn = integer(0, 2)" + ACTION + "self.n = 1",
        "ANG107",
        "n = integer(0, 2)",
        "twice",
    ),
    "no capacity": ("s = seq(Colour)" + ACTION + "self.s.clear()", "ANG107", "Colour", "capacity"),
    "huge": (
        "s = seq(Colour, 10 ** 99)" + ACTION + "self.s.clear()",
        "ANG107",
        "99",
        "no exponent",
    ),
    "too many cells": (
        "s = array(Item, seq(Colour, 99999))" + ACTION + "self.s[Item(0)].clear()",
        "ANG107",
        "array(",
        "cells",
    ),
    "recursion": (
        "n = integer(0, 1)\ndef f(self, i: Item) -> int:\n    return self.f(i)"
        + ACTION
        + "self.n = self.f(Item(0))",
        "ANG108",
        "self.f(i)",
        "f -> f",
    ),
    "helper without end": (
        "n = integer(0, 1)\ndef f(self) -> int:\n    if self.n == 1:\n        return 1"
        + ACTION
        + "self.n = self.f()",
        "ANG104",
        "def f",
        "every path",
    ),
    "loop in a helper": (
        "n = integer(0, 1)\ndef f(self) -> int:\n    for i in Item:\n        return 1"
        + ACTION
        + "self.n = self.f()",
        "ANG104",
        "for i",
        "comprehension",
    ),
    "loop without await": (
        "n = integer(0, 1)\nasync def p(self) -> None:\n    while True:\n        self.n = 0",
        "ANG108",
        "while True",
        "never ends",
    ),
    "await in an expression": (
        "c = channel(Item)\nn = integer(0, 5)\nasync def p(self) -> None:\n"
        "    self.n = 1 + await self.c.receive()",
        "ANG104",
        "self.n = 1",
        "stand alone",
    ),
    "await nothing": (
        "async def p(self) -> None:\n    await sleep(1)",
        "ANG104",
        "sleep(1)",
        "cannot be awaited",
    ),
    "not a channel": (
        "n = integer(0, 1)\nasync def p(self) -> None:\n    await self.n.send(1)",
        "ANG106",
        "self.n.send(1)",
        "not a channel",
    ),
    "case missing": (
        "c = channel(Item)\nasync def p(self) -> None:\n"
        "    match await either(a=self.c.receive(), b=until(True)):\n"
        "        case 'a', x:\n            pass",
        "ANG106",
        "match",
        "b",
    ),
    "unranged local": (
        "async def p(self) -> None:\n    k = 0\n    while True:\n        await until(k < 3)\n        k += 1",
        "ANG107",
        "k = 0",
        "integer(0, 3)",
    ),
    "used before assigned": (
        "c = channel(Item)\nasync def p(self) -> None:\n    if len(self.c) == 0:\n        x = Item(0)\n"
        "    await until(True)\n    await self.c.send(x)".replace("channel(Item)", "channel(Item, 1)"),
        "ANG105",
        "x = Item(0)",
        "before it has a value",
    ),
    "choose in a function that a loop calls": (
        "n = integer(0, 1)\ndef pick(self) -> None:\n    self.n = choose(0, 1)\n"
        + ACTION.strip("\n")
        + "for i in Item:\n        self.pick()",
        "ANG104",
        "choose(0, 1)",
        "a for loop calls",
    ),
    "choose in a loop of unknown length": (
        "n = integer(0, 1)" + ACTION + "for i in range(self.n):\n        self.n = choose(0, 1)",
        "ANG108",
        "range(self.n)",
        "the number of rounds must be known",
    ),
    "choose in a loop over interchangeable values": (
        "f = array(Twin, bool)" + ACTION + "for t in Twin:\n        self.f[t] = choose(bool)",
        "ANG109",
        "for t in Twin:",
        "each round chooses, and Twin values are interchangeable",
    ),
    "choose in an expression": (
        "n = integer(0, 1)" + ACTION + "self.n = 1 + choose(0, 1)",
        "ANG104",
        "choose(0, 1)",
        "x = choose",
    ),
    "two decorators": (
        "n = integer(0, 1)\n@action\n@invariant\ndef act(self) -> None:\n    self.n = 1",
        "ANG104",
        "invariant",
        "decorate",
    ),
    "guarantee with arguments": (
        "n = integer(0, 1)"
        + ACTION
        + "self.n = 1\n@invariant\ndef g(self, i: Item) -> bool:\n    return True",
        "ANG107",
        "def g",
        "all(...)",
    ),
    "guarantee that is no bool": (
        "n = integer(0, 1)" + ACTION + "self.n = 1\n@invariant\ndef g(self) -> int:\n    return self.n",
        "ANG106",
        "def g",
        "bool",
    ),
    "argument without type": (
        "n = integer(0, 1)\n@action\ndef act(self, i) -> None:\n    self.n = 1",
        "ANG107",
        "i",
        "write i: App",
    ),
    "nothing happens": ("n = integer(0, 1)", "ANG107", "class Sample", "nothing can happen"),
    "statement in the class": (
        "n = integer(0, 1)\nif True:\n    pass" + ACTION + "self.n = 1",
        "ANG104",
        "if True",
        "class",
    ),
    "budget unknown": ("c = channel(Item, 1, loses=faults)" + ACTION + "pass", "ANG107", "faults", "budget"),
    "reorder without buffer": (
        "f = budget(1)\nc = channel(Item, reorders=f)" + ACTION + "pass",
        "ANG107",
        "f",
        "buffer",
    ),
    "twins ordered": (
        "t: Twin" + ACTION + "require(self.t < 1)\n    self.t = self.t",
        "ANG109",
        "self.t",
        "symmetric=True",
    ),
    "twin by number": ("t: Twin" + ACTION + "self.t = 0", "ANG109", "0", "apart"),
    "twin compared with a number": (
        "t: Twin" + ACTION + "require(self.t == 0)",
        "ANG109",
        "self.t == 0",
        "apart",
    ),
    "order of twins": (
        "n: Twin | None = None" + ACTION + "for t in Twin:\n        self.n = t",
        "ANG109",
        "for t",
        "order",
    ),
    "loop variable taken": (
        "n = integer(0, 9)" + ACTION + "x = 1\n    for x in range(3):\n        self.n = x",
        "ANG104",
        "x in",
        "another name",
    ),
    "loop variable assigned": (
        "n = integer(0, 9)" + ACTION + "for x in range(3):\n        x = 1",
        "ANG104",
        "x = 1",
        "belongs to a loop",
    ),
    "name of two types": (
        "n = integer(0, 9)" + ACTION + "x = 1\n    x = Colour.RED",
        "ANG106",
        "x = Colour",
        "would become Colour",
    ),
    "or of numbers": (
        "n = integer(0, 9)" + ACTION + "self.n = self.n or 3",
        "ANG106",
        "self.n or",
        "one of their sides",
    ),
    "argument of a process assigned": (
        "async def p(self, i: Item) -> None:\n    i = Item(0)\n    await until(True)",
        "ANG104",
        "i = Item(0)",
        "cannot be assigned",
    ),
    "local named pc": (
        "async def p(self) -> None:\n    pc = True\n    await until(pc)",
        "ANG104",
        "pc = True",
        "another name",
    ),
    "crash without await": (
        "d = budget(1)\nn = integer(0, 1)\n@crashes(d)\nasync def p(self) -> None:\n    self.n = 1",
        "ANG107",
        "crashes(d)",
        "never awaits",
    ),
    "twins one after the other": (
        "async def p(self) -> None:\n    for t in Twin:\n        await until(True)",
        "ANG109",
        "Twin",
        "apart",
    ),
    "twins that see each other": (
        "a = array(Twin, integer(0, 3))\nb = array(Twin, integer(0, 9))"
        + ACTION
        + "for t in Twin:\n        self.a[t] = sum(self.a[u] for u in Twin) % 4",
        "ANG109",
        "for t",
        "order",
    ),
    "twins counted": (
        "a = array(Twin, integer(0, 3))"
        + ACTION
        + "k = 0\n    for t in Twin:\n        self.a[t] = k\n        k += 1",
        "ANG109",
        "for t",
        "order",
    ),
    "append to a channel": (
        "c = channel(Item, 1)" + ACTION + "self.c.append(Item(0))",
        "ANG104",
        "self.c.append",
        "by await",
    ),
    "sequence of sequences": (
        "s = seq(seq(Item, 2), 2)" + ACTION + "self.s.clear()",
        "ANG107",
        "seq(Item, 2)",
        "cannot be",
    ),
    "two receivers of one value": (
        "c = channel(Item)\nasync def p(self) -> None:\n    x = y = await self.c.receive()",
        "ANG104",
        "x = y",
        "right of an assignment",
    ),
    "no argument": ("n = integer(0, 1)" + ACTION + "self.n = abs()", "ANG106", "abs()", "one argument"),
    "built-in name of a guarantee": (
        "n = integer(0, 1)"
        + ACTION
        + "self.n = 1\n@invariant\ndef stays_in_range(self) -> bool:\n    return True",
        "ANG107",
        "def stays",
        "already",
    ),
}


def where(text: str, error: ModelError) -> str:
    """The source text that an error points at."""
    assert error.place is not None
    return text.splitlines()[error.place.line - 1][error.place.column - 1 :]


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_an_error_at_its_place(name: str) -> None:
    body, code, points_at, says = MISTAKES[name]

    with pytest.raises(ModelError) as caught:
        system(body)

    assert code == caught.value.code
    assert where(source(body), caught.value).startswith(points_at)
    assert says in str(caught.value)
