"""An action does what Python's function does: random bodies with names, branches, loops, run by both."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.checker.explore.interpret import initial_states, steps
from angarium.checker.explore.states import decode
from tests.checker.frontend.test_like_asyncio import indented
from tests.effort import examples
from tests.models import system

numbers = st.sampled_from(
    ["a", "b", "i", "self.n", "self.rows[a % 3]", "self.q.x", "p.y", "self.twice(b)", "1", "2"]
)
conditions = st.tuples(numbers, st.sampled_from(["<", "==", "!=", ">="]), numbers).map(" ".join)
simple = st.one_of(
    st.tuples(st.sampled_from("abi"), numbers).map(lambda p: f"{p[0]} = {p[1]} % 4"),
    st.tuples(st.sampled_from("abi"), numbers).map(lambda p: f"{p[0]} += {p[1]} % 3"),
    numbers.map(lambda x: f"self.n = (self.n + {x}) % 4"),
    st.tuples(numbers, numbers).map(lambda p: f"self.rows[{p[0]} % 3] = {p[1]} % 4"),
    st.tuples(numbers, numbers).map(lambda p: f"self.rows[self.rows[{p[0]} % 3] % 3] = {p[1]} % 4"),
    st.tuples(numbers, numbers).map(lambda p: f"p = Pair({p[0]} % 4, {p[1]} % 4)"),
    st.sampled_from(
        [
            "self.q = Pair(self.q.y, self.q.x)",
            "p = Pair(p.y, p.x)",
            "self.q = p",
            "p = self.q",
            "self.pairs[a % 3] = p",
            "self.pairs[self.pairs[0].x % 3] = Pair(self.pairs[1].y, self.pairs[0].x)",
            "p = self.pairs[b % 3] if a > b else p",
        ]
    ),
    numbers.map(lambda x: f"self.bump({x})"),
)


def block(draw: st.DrawFn, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 5)) if depth else 0
        if kind <= 2:
            lines.append(draw(simple))
        elif kind <= 4:
            lines += [f"if {draw(conditions)}:", *indented(block(draw, depth - 1))]
            if draw(st.booleans()):
                lines += ["else:", *indented(block(draw, depth - 1))]
        else:
            over = draw(st.sampled_from(["range(3)", "(a, b, self.n)", "self.line"]))
            lines += [
                f"for k{depth} in {over}:",
                *indented([f"a = (a + k{depth}) % 5", *block(draw, depth - 1)]),
            ]
    return lines


@st.composite
def programs(draw: st.DrawFn) -> list[str]:
    return ["a = 1", "b = 2", "p = Pair(1, 2)", *block(draw, 2)]


METHODS = """
def twice(self, x: int) -> int:
    y = x
    if x > 2:
        y = x - 1
    return y * 2
def bump(self, x: int) -> None:
    if x > 2:
        x = 0
    a = x
    for k in range(2):
        a += k
    self.n = (self.n + a) % 4
"""


def by_python(program: list[str], i: int) -> tuple[object, ...]:
    text = "\n".join(["def act(self, i):", *indented(program)]) + METHODS
    names: dict[str, object] = {"Pair": lambda x, y: SimpleNamespace(x=x, y=y)}
    exec(text, names)
    state = SimpleNamespace(n=0, rows=[0, 1, 2], line=[2, 1])
    state.q = SimpleNamespace(x=0, y=3)
    state.pairs = [SimpleNamespace(x=k, y=1) for k in range(3)]
    for name in ("twice", "bump"):
        method = names[name]
        setattr(state, name, lambda x, method=method: method(state, x))  # type: ignore[operator]
    names["act"](state, i)  # type: ignore[operator]
    pairs = [(each.x, each.y) for each in state.pairs]
    return state.n, state.rows, (state.q.x, state.q.y), pairs


def by_angarium(program: list[str], i: int) -> tuple[object, ...]:
    body = "\n".join(indented(program))
    compiled = system(
        f"""
n = integer(0, 3)
rows = array(Item, integer(0, 3))
line = seq(integer(0, 3), 2)
q: Pair
pairs = array(Item, Pair)
done: bool = False
@initial
def fill(self) -> None:
    self.rows[1] = 1
    self.rows[2] = 2
    self.line = [2, 1]
    self.q = Pair(0, 3)
    for k in range(3):
        self.pairs[k] = Pair(k, 1)
{METHODS}
@action
def act(self, i: Item) -> None:
    require(not self.done)
    self.done = True
{body}
""",
        head="class Pair(Record):\n    x: int = integer(0, 3)\n    y: int = integer(0, 3)\n",
    )
    (start,) = initial_states(compiled)
    (move,) = (move for move in steps(compiled, start) if move.arguments == (i,))
    state = decode(compiled, move.target)
    pairs = [(each["x"], each["y"]) for each in state["pairs"].values()]
    return state["n"], list(state["rows"].values()), (state["q"]["x"], state["q"]["y"]), pairs


@settings(max_examples=examples(120))
@given(programs(), st.integers(0, 2))
def test_random_actions_agree_with_python(program: list[str], i: int) -> None:
    assert by_angarium(program, i) == by_python(program, i)
