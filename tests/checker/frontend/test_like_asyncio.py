"""A process does what Python's own coroutine does: random control flow, run by both.

With one process that only ever waits for `until(True)` there is one way to go, so the log that it leaves
behind must be the one that Python writes when it runs the same text.
"""

from __future__ import annotations

from collections.abc import Generator

from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.checker.explore.interpret import initial_states, steps
from angarium.checker.explore.states import decode
from tests.effort import examples
from tests.models import system

CAPACITY = 10
numbers = st.sampled_from(["a", "b", "0", "1", "2", "len(self.log)"])
conditions = st.tuples(numbers, st.sampled_from(["<", "==", "!=", ">="]), numbers).map(" ".join)
PAUSE = "await until(True)"


def plain(draw: st.DrawFn) -> list[str]:
    return [
        draw(
            st.one_of(
                numbers.map(lambda x: f"self.note({x})"),
                st.tuples(st.sampled_from("ab"), numbers, numbers).map(
                    lambda p: f"{p[0]} = ({p[1]} + {p[2]}) % 4"
                ),
                st.sampled_from(["a = 0", "b = 1", "flag = True", "flag = False", PAUSE]),
                numbers.map(lambda x: f"if flag:\n    self.note({x})\n    flag = False"),
            )
        )
    ]


def branch(draw: st.DrawFn, depth: int, loop: bool) -> list[str]:
    lines = [f"if {draw(conditions)}:", *indented(block(draw, depth - 1, loop))]
    if draw(st.booleans()):
        lines += ["else:", *indented(block(draw, depth - 1, loop))]
    return lines


def for_loop(draw: st.DrawFn, depth: int) -> list[str]:
    name = f"i{draw(st.integers(0, 10**6))}"
    body = [PAUSE, f"self.note({name})", *block(draw, depth - 1, True)]
    return [f"for {name} in range({draw(st.integers(0, 3))}):", *indented(body)]


def while_loop(draw: st.DrawFn, depth: int) -> list[str]:
    name = f"w{draw(st.integers(0, 10**6))}"
    body = [PAUSE, f"{name} = {name} + 1", *block(draw, depth - 1, True)]
    start = f"{name}: int = integer(0, 3)"
    return [start, f"while {name} < {draw(st.integers(0, 3))}:", *indented(body)]


def block(draw: st.DrawFn, depth: int, loop: bool) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 5)) if depth else 0
        if kind <= 1:
            lines += plain(draw)
        elif kind <= 3:
            lines += branch(draw, depth, loop)
        else:
            lines += for_loop(draw, depth) if kind == 4 else while_loop(draw, depth)
    if loop and draw(st.booleans()):
        lines += [f"if {draw(conditions)}:", f"    {draw(st.sampled_from(['break', 'continue', 'return']))}"]
    return lines


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for text in lines for line in text.splitlines()]


@st.composite
def programs(draw: st.DrawFn) -> list[str]:
    head = ["a: int = integer(0, 3)", "b: int = integer(0, 3)", "flag: bool = False"]
    return [*head, *block(draw, 3, False)]


class Pause:
    def __await__(self) -> Generator[None, None, None]:
        yield


class Twin:
    """The model's state, held by Python."""

    def __init__(self) -> None:
        self.log: list[int] = []

    def note(self, x: int) -> None:
        if len(self.log) < CAPACITY:
            self.log.append(x % 4)


def by_python(program: list[str]) -> list[int]:
    names = {"until": lambda condition: Pause(), "integer": lambda low, high: low}
    exec("\n".join(["async def walk(self):", *indented(program)]), names)
    twin = Twin()
    coroutine = names["walk"](twin)  # type: ignore[operator]
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        return twin.log


def by_angarium(program: list[str]) -> object:
    lines = "\n".join(indented(program))
    compiled = system(f"""
log = seq(integer(0, 3), {CAPACITY})
def note(self, x: int) -> None:
    if len(self.log) < {CAPACITY}:
        self.log.append(x % 4)
async def walk(self) -> None:
{lines}
    await until(True)
""")
    (state,) = initial_states(compiled)
    while moves := steps(compiled, state):
        (move,) = moves
        state = move.target
    return decode(compiled, state)["log"]


@settings(max_examples=examples(120))
@given(programs())
def test_random_control_flow_agrees_with_python(program: list[str]) -> None:
    assert by_angarium(program) == by_python(program)
