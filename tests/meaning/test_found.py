"""Small models that once meant something else than Python makes of them.

Each is refused, or has the same states, steps, failures and hits both ways. What random models find is cut
down to one of these.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

from angarium.checker.explore.native import NativeEngine
from angarium.core.errors import ModelError
from tests.meaning.compare import compare, compiled
from tests.models import source

HEAD = """
class Packet(Record):
    item: Item
    back: Item | None

class Crate(Record):
    tag: int | None = option(integer(1, 2))

class Box(Record):
    size: int = integer(0, 2, 1)

class Size(Enum):
    SMALL = "red"

SAME = Colour.GREEN == 1
END = -1

class Fact(Term):
    "What can be said."

def name(item: Item) -> Fact:
    return atom()
"""
ACT = "@action\ndef act(self) -> None:\n    "
CLAIM = ACT + "pass\n@reaches\ndef claim(self) -> bool:\n    return "
MODELS = {
    "a number below an optional range": "slot = option(integer(1, 3))\n" + ACT + "self.slot = 0",
    "a field below its optional range": "s: Crate\n" + ACT + "self.s.tag = 0",
    "an item below its optional range": "line = seq(option(integer(1, 3)), 2)\n" + ACT + "self.line = [0]",
    "a choice of options of different ranges": "a = option(integer(1, 3))\nb = option(integer(0, 3))\n"
    "c = option(integer(0, 3))\n" + ACT + "self.c = choose(self.a, self.b)",
    "values of options of different ranges": "a = option(integer(1, 3))\nb = option(integer(0, 3))\n"
    "n = integer(0, 3)\n" + ACT + "for x in (self.a, self.b):\n        self.n = 1 if x is None else 2",
    "an element outside a set": "sets = array(Item, setof(integer(0, 2)))\n" + ACT + "self.sets[0].add(3)",
    "an element outside that is taken out": "sets = array(Item, setof(integer(0, 2)))\n"
    "@initial\ndef fill(self) -> None:\n    self.sets[1].add(0)\n" + ACT + "self.sets[0].discard(3)",
    "a set with an element outside": "sets = array(Item, setof(integer(0, 2)))\n"
    + ACT
    + "self.sets[0] = {3}",
    "a record or None from a helper": "s: Packet | None\nn = integer(0, 2)\n"
    "def made(self, i: Item) -> Packet | None:\n    if self.n == 0:\n        return None\n"
    "    return Packet(i, self.s.item) if self.n == 2 else Packet(i, None)\n"
    "def kept(self) -> Packet | None:\n    return self.s\n"
    "@action\ndef act(self, i: Item) -> None:\n    self.n = choose(0, 1, 2)\n    self.s = self.made(i)\n"
    "@reaches\ndef back(self) -> bool:\n    p = self.kept()\n    return p is not None and p.back == Item(1)\n"
    "@invariant\ndef same(self) -> bool:\n    return self.kept() == self.s",
    "a field of a record that may be None": "s: Packet | None\n"
    "def kept(self) -> Packet | None:\n    return self.s\n" + CLAIM + "self.kept().item == Item(0)",
    "an index that there is not": "n = integer(0, 9)\n" + ACT + "self.n = Item(self.items + 0)",
    "an item of nothing, in an empty sequence": "line = seq(Item, 2)\n" + CLAIM + "self.line[0] in self.line",
    "an item of nothing, among values": "line = seq(Item, 2)\n" + CLAIM + "0 in (0, self.line[0])",
    "a choice of nothing": "line = seq(Item, 2)\nlast: Item\n" + ACT + "self.last = choose(0, self.line[0])",
    "an item of nothing, in a record": "line = seq(Item, 2)\ns: Packet\n"
    + CLAIM
    + "self.s == Packet(Item(1), self.line[0])",
    "an item of nothing, in a quantifier": "line = seq(Item, 2)\n"
    + CLAIM
    + "all(True for x in (Item(0), self.line[0]))",
    "an item that there never is, in a quantifier": "rows = array(integer(1, 2), Item)\n"
    + CLAIM
    + "all(True for x in (Item(0), self.rows[3]))",
    "a choice of which one cannot be asked for": "line = seq(Item, 2)\nlast: Item\n"
    "@initial\ndef fill(self) -> None:\n    self.line = [1]\n"
    + ACT
    + "x = choose(i for i in Item if self.line[i] == 1)\n    self.last = x",
    "a choice from a set of which one cannot be asked for": "line = seq(Item, 2)\nlast: Item\n"
    "some = setof(Item)\n@initial\ndef fill(self) -> None:\n    self.line = [1]\n    self.some = {0, 2}\n"
    "@action\ndef drop(self, i: Item) -> None:\n    self.some.discard(i)\n"
    + ACT
    + "x = choose(i for i in self.some if self.line[i] == 1)\n    self.last = x",
    "a choice of a set that there never is": "sets = array(integer(1, 2), setof(Item))\nn = integer(0, 3)\n"
    + ACT
    + "self.n = choose(len(self.sets[3]), 0)",
    "a loop whose place changes": "active: Item\nwaiting = array(Item, seq(Item, 2))\ndone = setof(Item)\n"
    "@initial\ndef fill(self) -> None:\n    self.waiting[0] = [0, 1]\n    self.waiting[1] = [2, 2]\n"
    + ACT
    + "for job in self.waiting[self.active]:\n        self.done.add(job)\n        self.active = 1",
    "a sequence whose place changes": "active: Item\nwaiting = array(Item, seq(Item, 2))\n"
    "def both(self, line: Seq[Item]) -> None:\n    self.active = 1\n    line.append(2)\n"
    + ACT
    + "require(self.active == 0)\n    self.both(self.waiting[self.active])",
    "a sequence that says where it is": "lines = array(Item, seq(Item, 2))\n"
    "@initial\ndef fill(self) -> None:\n    self.lines[0] = [0, 1]\n    self.lines[1] = [1, 1]\n"
    + ACT
    + "require(len(self.lines[0]) > 1)\n    self.lines[self.lines[0][0]].pop(0)",
    "a failure before a condition that is false": "line = seq(Item, 2)\nn = integer(0, 3)\n"
    + ACT
    + "self.n = self.line[0]\n    require(False)",
    "records of which one has a number for what may be missing": "s: Packet\nflag: bool = False\n"
    + CLAIM
    + "self.s == (self.s if self.flag else Packet(Item(0), Item(1)))",
    "a truth as a number, or None": "s: Crate\nflag: bool = False\n"
    + ACT
    + "self.s = Crate(True) if self.flag else self.s",
    "a channel that is assigned": "wire = channel(Item, 0)\n" + ACT + "self.wire = self.wire",
    "a helper that only the initial step uses": "n = integer(0, 3)\ndef two(self) -> int:\n    return 2\n"
    "@initial\ndef begin(self) -> None:\n    self.n = self.two()\n" + ACT + "pass",
    "a process that asks whether it has ended": "n = integer(0, 3)\n"
    "async def walk(self) -> None:\n    if finished(self.walk):\n        await until(self.n == 0)\n"
    "    await until(True)",
    "a process that waits for ever": "n = integer(0, 3)\n"
    "async def walk(self) -> None:\n    await until(False)\n@deadlock_free\ndef done(self) -> bool:\n"
    "    return finished(self.walk)",
    "crashed of a process that cannot crash": "last: Item | None = None\n"
    "async def walk(self, i: Item) -> None:\n    await until(True)\n"
    "@reaches\ndef claim(self) -> bool:\n    return crashed(self.walk, self.last)",
    "an item of a local sequence of one": "async def walk(self) -> None:\n"
    "    todo: Seq[Item] = seq(Item, 1)\n    mine: Item = Item(1)\n    await until(True)\n"
    "    todo.append(mine)\n    await until(len(todo) == 1)",
    "processes that start by writing what others read": "n = integer(0, 3)\n"
    "async def one(self) -> None:\n    self.n = self.n + 1\n    await until(True)\n"
    "async def two(self) -> None:\n    self.n = self.n * 2\n    await until(True)",
    "a term that there is not, compared": "n = integer(0, 9)\nlast: Fact\n"
    + ACT
    + "self.n = 5\n@reaches\ndef claim(self) -> bool:\n    return self.last == name(self.n)",
    "a term that there is not, asked for": "n = integer(0, 9)\nknows = knowledge(Fact)\n"
    + ACT
    + "self.n = 5\n@invariant\ndef claim(self) -> bool:\n    return name(self.n) not in self.knows",
    "a term that there is not, or None": "n = integer(0, 9)\nlast: Fact | None\n"
    + ACT
    + "self.n = 5\n    self.last = name(self.n)",
    "two records that are equal, and not the same": "s: Packet\nt: Packet\n" + CLAIM + "self.s is self.t",
    "processes that go on together": "n = integer(0, 3)\nwire = channel(Item, 0)\n"
    "async def one(self) -> None:\n    await self.wire.send(Item(1))\n    self.n = 1\n"
    "async def two(self) -> None:\n    await self.wire.receive()\n    self.n = 2",
    "a number that is True": "n = integer(0, 3)\n@initial\ndef fill(self) -> None:\n    self.n = 1\n"
    + CLAIM
    + "self.n is True",
    "a number in a bool": "flag: bool = True\n" + ACT + "self.flag += 1",
    "a list for a set": "some = setof(Item)\n" + ACT + "self.some = [1, 1]",
    "a set for a list": "line = seq(Item, 2)\n" + ACT + "self.line = {1, 1}",
    "a channel without a buffer, looked into": "wire = channel(Item, 0)\n"
    + CLAIM
    + "self.wire[0] == Item(1)",
    "a channel without a buffer, looped over": "wire = channel(Item, 0)\nn = integer(0, 3)\n"
    + ACT
    + "for x in self.wire:\n        self.n = x",
    "how long a channel is that there is not": "wires = array(Item, channel(Item, 0))\nn = integer(0, 9)\n"
    + ACT
    + "self.n = 7\n@reaches\ndef claim(self) -> bool:\n    return len(self.wires[self.n]) == 1",
    "what is in a channel that there is not": "wires = array(Item, channel(Item, 0))\nn = integer(0, 9)\n"
    + ACT
    + "self.n = 7\n@reaches\ndef claim(self) -> bool:\n    return any(x == 1 for x in self.wires[self.n])",
    "a field that starts elsewhere": "box: Box\n" + CLAIM + "self.box.size == 1",
    "members of two classes, before the search": "n = integer(0, 1 if Colour.RED == Size.SMALL else 2)\n"
    + ACT
    + "self.n = 2",
    "a member and a number, before the search": "n = integer(0, 3)\n" + ACT + "self.n = 1 if SAME else 2",
    "a member that is a condition": "n = integer(0, 1 if Colour.RED else 2)\n" + ACT + "self.n = 2",
    "the last item but one": "line = seq(Item, 2)\nlast: Item\n@initial\ndef fill(self) -> None:\n"
    "    self.line = [2, 1]\n" + ACT + "self.last = self.line.pop(-2)",
    "an item from the end, by a constant": "line = seq(Item, 2)\nlast: Item\n@initial\n"
    "def fill(self) -> None:\n    self.line = [2, 1]\n"
    + ACT
    + "self.last = self.line[END]\n    self.line.pop(END)",
    "loops inside each other, of one variable": "n = integer(0, 9)\nasync def walk(self) -> None:\n"
    "    for j in range(2):\n        for j in range(1, 3):\n            await until(self.n < 9)\n"
    "            self.n += 1",
    "a loop whose variable was declared before": "n = integer(0, 9)\nasync def walk(self) -> None:\n"
    "    j: int = integer(0, 3)\n    for j in range(2):\n        await until(self.n < 9)\n"
    "        self.n += 1\n        j = 0",
    "a loop whose variable is declared inside": "n = integer(0, 9)\nasync def walk(self) -> None:\n"
    "    for j in range(2):\n        await until(self.n < 9)\n        self.n += 1\n"
    "        j: int = integer(0, 3)",
    "a field of a local record that is None": "last: Item | None = None\nwire = channel(option(Packet), 1)\n"
    "async def one(self) -> None:\n    await self.wire.send(None)\n"
    "async def two(self) -> None:\n    got = await self.wire.receive()\n    self.last = got.item\n"
    "    await until(True)",
    "a field of None that is assigned": "last: Item | None = None\nasync def one(self) -> None:\n"
    "    box: Packet | None = None\n    await until(True)\n    box.item = 1\n    self.last = 0\n"
    "    await until(True)",
    "None in a variable that began as an index": "last: Item | None = None\nn = integer(0, 3)\n"
    "async def one(self) -> None:\n    mine = Item(1)\n    await until(self.n == 0)\n    mine = self.last\n"
    "    self.n = 1",
    "an array of a process's own": "n = integer(0, 3)\nasync def one(self) -> None:\n"
    "    own: Array[Item, int] = array(Item, integer(0, 1))\n    for j in Item:\n"
    "        await until(self.n < 3)\n        own[j] += 1\n        self.n = sum(own[i] for i in Item)",
}


@pytest.mark.parametrize("body", MODELS.values(), ids=MODELS)
def test_is_refused_or_means_what_python_makes_of_it(body: str) -> None:
    with suppress(ModelError):
        assert compare(source(body, HEAD)).differences == ()


ENUMERATIONS = {
    "members of one value, one of which is computed": ("RED = 1", "BLUE = 0 + 1"),
    "members of one value, one of which has a name": ("RED = 1", "BLUE = ONE"),
    "members of one value, within another": ("RED = (1, 'a')", "BLUE = (True, 'a')"),
    "a member that is counted on": ("RED = auto()", "BLUE = 1"),
    "members that are counted": ("RED = auto()", "BLUE = auto()"),
    "members that are lists": ("RED = [1]", "BLUE = [2]"),
}


@pytest.mark.parametrize("members", ENUMERATIONS.values(), ids=ENUMERATIONS)
def test_an_enumeration_is_refused_or_has_the_members_that_python_gives_it(members: tuple[str, str]) -> None:
    head = "from enum import auto\nONE = 1\nclass Paint(Enum):\n    " + "\n    ".join(members)
    body = "paint: Paint\nn = integer(0, 3)\n" + ACT + "self.n = sum(1 for p in Paint)\n"
    with suppress(ModelError):
        assert compare(source(body + "    self.paint = Paint.BLUE", head)).differences == ()


def test_members_can_be_counted() -> None:
    head = "from enum import auto\nclass Paint(Enum):\n    RED = auto()\n    BLUE = auto()"
    assert compare(source("paint: Paint\n" + ACT + "self.paint = Paint.BLUE", head)).states == 2


SHADOWS = {
    "a local variable": "def act(self) -> None:\n    len = 2\n    self.n = len(self.line)",
    "an argument": "def act(self, choose: Item) -> None:\n    self.n = choose(1, 2)",
    "the variable of a loop": "def act(self) -> None:\n    for min in Item:\n        self.n = min(1, 2)",
    "the variable of a comprehension": "def act(self) -> None:\n    self.n = sum(max(0, 1) for max in Item)",
}


@pytest.mark.parametrize("body", SHADOWS.values(), ids=SHADOWS)
def test_what_is_a_value_cannot_be_called(body: str) -> None:
    with pytest.raises(ModelError, match="is a value in act, which cannot be called"):
        compiled(source("n = integer(0, 3)\nline = seq(Item, 2)\n@action\n" + body))


def test_a_function_of_the_file_cannot_call_its_values_either() -> None:
    head = "def more(max: int) -> int:\n    return max(max, 1)\n"
    with pytest.raises(ModelError, match="more calls max, which is a value in it"):
        compiled(source("n = integer(0, 3)\n" + ACT + "self.n = more(1)", head))


def test_a_loop_over_a_channel_without_a_buffer_has_a_kernel() -> None:
    found = NativeEngine().search(compiled(source(MODELS["a channel without a buffer, looped over"], HEAD)))

    assert (found.coverage.states, found.coverage.transitions) == (1, 1)
