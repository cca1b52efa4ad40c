"""What is not part of the language: each mistake is an error at its place that says what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.compile.frontend.build import build
from angarium.errors import InputError, LimitError, ModelError, ParameterError, UsageError
from angarium.explore.interpret import initial_states
from angarium.explore.native import NativeEngine
from angarium.explore.reference import ReferenceEngine
from angarium.model.declare import find_model
from angarium.model.source import parse, read
from tests.models import HEAD, source, system

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
    "power": ("n = integer(0, 1)" + ACTION + "self.n = 2 ** 1", "ANG104", "2 ** 1", "+ - * // %"),
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
        "s = seq(Colour, 10 ** 2)" + ACTION + "self.s.clear()",
        "ANG104",
        "10 ** 2",
        "before the search",
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
    "choose in a loop": (
        "n = integer(0, 1)" + ACTION + "for i in Item:\n        self.n = choose(0, 1)",
        "ANG104",
        "choose(0, 1)",
        "loop",
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


def test_error_shows_the_line_and_a_caret() -> None:
    with pytest.raises(ModelError) as caught:
        system("n = integer(0, 1)" + ACTION + "self.n = 2 ** 1")

    line, shown, caret, *_ = str(caught.value).splitlines()
    assert line.startswith("<model>:")
    assert "self.n = 2 ** 1" in shown
    assert caret.index("^") == shown.index("2 ** 1")


@pytest.mark.parametrize(
    ("text", "error", "code"),
    [
        ("class A(:\n", ModelError, "ANG100"),
        ("x = 1\n", ModelError, "ANG101"),
        ("from angarium import Model\nclass A(Model): pass\nclass B(Model): pass\n", ModelError, "ANG102"),
        ("import no_such_module_anywhere\n", ModelError, "ANG103"),
        ("from .no_such_file import X\n", ModelError, "ANG103"),
    ],
)
def test_file_without_one_model_is_an_error(text: str, error: type[InputError], code: str) -> None:
    with pytest.raises(error) as caught:
        find_model(parse(text))

    assert code == caught.value.code


def test_named_model_must_exist() -> None:
    with pytest.raises(UsageError, match="did you mean Sample"):
        find_model(parse(HEAD), "Smaple")


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read(str(tmp_path / "nothing.py"))

    assert caught.value.code == "ANG010"


def test_binary_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UsageError, match="not UTF-8"):
        read(str(path))


@pytest.mark.parametrize(
    ("settings", "code", "says"),
    [
        ({"itmes": 3}, "ANG020", "did you mean items"),
        ({"items": 0}, "ANG021", "1 .. 64"),
        ({"items": "many"}, "ANG021", "whole number"),
        ({"hue": "pink"}, "ANG021", "possible: blue, green, red"),
        ({"fast": "perhaps"}, "ANG021", "true, false"),
    ],
)
def test_parameter_must_exist_and_fit(settings: dict[str, object], code: str, says: str) -> None:
    body = "hue = param(Colour.RED)\nfast = param(False)\nn = integer(0, 1)" + ACTION + "self.n = 1"

    with pytest.raises(ParameterError) as caught:
        system(body, **settings)

    assert code == caught.value.code
    assert says in str(caught.value)


def test_state_that_needs_more_bits_than_there_are_is_refused() -> None:
    compiled = system("s = seq(integer(0, 1000000), 600)" + ACTION + "self.s.clear()")

    with pytest.raises(LimitError) as caught:
        NativeEngine().search(compiled)

    assert caught.value.code == "ANG050"


def test_model_file_is_read_and_never_run(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    witness = tmp_path / "ran"
    path.write_text(
        source("n = integer(0, 1)" + ACTION + "self.n = 1")
        + f"\nopen({str(witness)!r}, 'w')\nwhile True: pass\n"
    )

    model = find_model(read(str(path)))

    assert model.name == "Sample"
    assert not witness.exists()


def test_parts_of_a_model_can_stand_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(
        "from angarium import Index\nclass Box(Index): pass\nLIMIT = 2\n"
        "def double(x: int) -> int:\n    return x * 2\n"
    )
    path = tmp_path / "model.py"
    path.write_text(
        "from angarium import *\nfrom parts import LIMIT, Box, double\n"
        "class M(Model):\n    boxes = count(Box, 2)\n    full = array(Box, integer(0, double_limit))\n"
        "    @action\n    def fill(self, b: Box) -> None:\n        require(self.full[b] == 0)\n"
        "        self.full[b] = double(LIMIT)\n".replace("double_limit", "2 * LIMIT")
    )
    assert ReferenceEngine().search(build(find_model(read(str(path))))).coverage.states == 4


def test_constants_that_are_defined_by_each_other_are_an_error() -> None:
    text = HEAD.replace("class Item", "N = M\nM = N\nclass Item") + "    n = integer(0, N)\n"

    with pytest.raises(ModelError, match="defined by itself") as caught:
        build(find_model(parse(text)))

    assert caught.value.code == "ANG108"


def test_file_that_imports_a_name_from_itself_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(source("n = integer(0, LIMIT)" + ACTION + "self.n = 1") + "\nfrom model import LIMIT\n")

    with pytest.raises(ModelError, match="in a circle"):
        build(find_model(read(str(path))))


def test_model_without_an_initial_state_is_an_error() -> None:
    body = (
        "n = integer(0, 1)\n@initial\ndef none(self) -> None:\n    require(self.n == 1)"
        + ACTION
        + "self.n = 1"
    )

    with pytest.raises(ModelError, match="no initial state"):
        initial_states(system(body))


def test_action_with_too_many_combinations_of_arguments_is_refused() -> None:
    arguments = ", ".join(f"{name}: Item" for name in "abcd")
    body = f"n = integer(0, 1)\n@action\ndef act(self, {arguments}) -> None:\n    self.n = 1"

    with pytest.raises(LimitError, match="331,776 combinations"):
        NativeEngine().search(system(body, items=24))


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("class Base(Model):\n    pass\nclass M(Base):\n    pass", "ANG104", "derives from Base"),
        ("N = 2\nN += 1\nclass M(Model):\n    n = integer(0, N)", "ANG107", "more than once"),
        ("class E(Enum):\n    pass\nclass M(Model):\n    e: E", "ANG107", "no members"),
        ("class E(Enum):\n    A = 1\n    B = 1\nclass M(Model):\n    e: E", "ANG107", "two names"),
        ("class R(Record):\n    r: R | None\nclass M(Model):\n    e: R", "ANG108", "contains itself"),
        ("class M(Model):\n    e: 'bool |'", "ANG106", "which values are possible"),
        (
            "class I(Index):\n    pass\nclass M(Model):\n    a = count(I, 2)\n    b = count(I, 3)",
            "ANG107",
            "twice",
        ),
    ],
)
def test_declaration_that_could_mean_two_things_is_an_error(text: str, code: str, says: str) -> None:
    module = parse(
        "from __future__ import annotations\nfrom enum import Enum\nfrom angarium import *\n" + text
    )

    with pytest.raises(ModelError) as caught:
        build(find_model(module, "M"))

    assert caught.value.code == code
    assert says in str(caught.value)


def test_words_can_be_used_by_the_name_of_the_package() -> None:
    text = (
        "import angarium as ang\nclass M(ang.Model):\n    n = ang.integer(0, 1)\n"
        "    @ang.action\n    def act(self) -> None:\n        ang.require(self.n == 0)\n        self.n = 1\n"
    )

    assert ReferenceEngine().search(build(find_model(parse(text)))).coverage.states == 2
