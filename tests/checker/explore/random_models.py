"""Random small models as source text: the whole way from Python to every engine is under test.

A model is put together from templates that are always well formed: a fixed state, one to three actions, up to
two processes that meet over a channel, and guarantees of every kind. What they do to the state is random, and
may well leave its range.
"""

from __future__ import annotations

from hypothesis import strategies as st

STATE = """
n = integer(0, 3)
rows = array(Item, integer(0, 2))
line = seq(Item, 2)
bag = setof(Colour)
chosen: Item | None = None
hue: Colour = Colour.RED
faults = budget(1)
wire = channel(Item, CAPACITY, loses=faults)
def busy(self, i: Item) -> int:
    return sum(x == i for x in self.line) + self.rows[i]
"""
numbers = st.sampled_from(
    ["self.n", "len(self.line)", "len(self.bag)", "self.rows[i]", "self.busy(i)", "1", "2", "(3 - self.n)"]
)
conditions = st.one_of(
    st.tuples(numbers, st.sampled_from(["<", "==", "!=", ">="]), numbers).map(" ".join),
    st.sampled_from(
        [
            "self.chosen is None",
            "self.chosen == i",
            "i in self.line",
            "self.hue in self.bag",
            "self.hue == Colour.RED",
            "any(self.busy(j) > 1 for j in Item)",
            "all(self.rows[j] < 2 for j in Item if j != i)",
        ]
    ),
)
updates = st.one_of(
    numbers.map(lambda x: f"self.n = {x}"),
    numbers.map(lambda x: f"self.rows[i] = {x}"),
    numbers.map(lambda x: f"self.n = (self.n + {x}) % 4"),
    numbers.map(lambda x: f"self.n = 3 // max({x}, 1)"),
    st.sampled_from(
        [
            "self.line.append(i)",
            "self.line.discard(i)",
            "self.chosen = self.line.pop(0)",
            "self.chosen = None",
            "self.chosen = i",
            "self.rows[self.chosen] = 1",
            "self.bag.add(self.hue)",
            "self.bag.discard(Colour.BLUE)",
            "self.hue = choose(Colour)",
            "self.hue = Colour.GREEN if self.n > 1 else Colour.BLUE",
            "self.rows[i] = min(self.rows[j] for j in Item)",
        ]
    ),
)


@st.composite
def actions(draw: st.DrawFn) -> str:
    guard = draw(st.one_of(st.just("True"), conditions))  # often open, so that something happens
    lines = [f"require({guard})"]
    for update in draw(st.lists(updates, min_size=1, max_size=3)):
        if "choose" not in update and draw(st.booleans()):
            lines += [f"if {draw(conditions)}:", f"    {update}"]
        else:
            lines.append(update)
    name = draw(st.integers(0, 10**9))
    return f"@action\ndef act_{name}(self, i: Item) -> None:\n" + "".join(f"    {x}\n" for x in lines)


PROCESSES = """
async def giver(self) -> None:
    i: Item = Item(0)
    while True:
        await until({0})
        {1}
        await self.wire.send(i)
async def taker(self, me: Item) -> None:
    while {2}:
        match await either(item=self.wire.receive(), tired=until({3})):
            case "item", i:
                {4}
            case "tired", _:
                i: Item = me
                {5}
"""


@st.composite
def processes(draw: st.DrawFn) -> str:
    def about(condition: str) -> str:
        return (
            condition.replace("i in", "Item(1) in").replace("== i", "== Item(1)").replace("(i)", "(Item(1))")
        )

    plain = (
        conditions.filter(lambda c: "!= i" not in c).map(about).map(lambda c: c.replace("[i]", "[Item(0)]"))
    )
    steady = updates.filter(lambda u: "choose" not in u)
    return PROCESSES.format(
        draw(plain), draw(steady), draw(plain), draw(plain), draw(steady), draw(steady)
    ).replace("i: Item = me\n", "i = me\n")


ALIVE = """
@action
def turn(self, i: Item) -> None:
    require(self.rows[i] < 2)
    self.rows[i] += 1
@action
def paint(self) -> None:
    require(self.hue != Colour.BLUE)
    self.hue = Colour.GREEN if self.hue == Colour.RED else Colour.BLUE
"""


@st.composite
def models(draw: st.DrawFn) -> str:
    """The class body of a random model."""
    parts = [STATE.replace("CAPACITY", str(draw(st.integers(0, 2))))]
    parts += draw(st.lists(actions(), min_size=1, max_size=2, unique=True))
    if draw(st.booleans()):
        parts.append(draw(processes()))
    parts.append(ALIVE)
    for number, kind in enumerate(("invariant", "reaches", "at_rest")):
        condition = draw(conditions).replace("i in", "Item(1) in").replace("== i", "== Item(1)")
        condition = (
            condition.replace("!= i", "!= Item(1)").replace("(i)", "(Item(1))").replace("[i]", "[Item(0)]")
        )
        parts.append(f"@{kind}\ndef claim_{number}(self) -> bool:\n    return {condition}\n")
    return "\n".join(parts)
