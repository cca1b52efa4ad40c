"""Sequences and sets do what Python's lists and sets do: random programs run by both."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tests.models import only_step

CAPACITY = 4
small = st.integers(0, 3)
seq_calls = st.one_of(
    small.map(lambda x: f"self.line.append({x})"),
    small.map(lambda x: f"self.line.remove({x})"),
    small.map(lambda x: f"self.line.insert(len(self.line) // 2, {x})"),
    st.just("self.last = self.line.pop(0)"),
    st.just("self.last = self.line.pop()"),
    st.integers(0, 2).map(lambda x: f"self.last = self.line.pop({x})"),
    st.integers(-2, 2).map(lambda x: f"self.last = self.line[{x}]"),
    st.tuples(st.integers(0, 2), small).map(lambda p: f"self.line[{p[0]}] = {p[1]}"),
    st.just("self.last = len(self.line)"),
    small.map(lambda x: f"self.last = 3 if {x} in self.line else 2"),
    st.just("self.line.clear()"),
    st.just("self.last = sum(x for x in self.line if x > 1) % 4"),
    small.map(lambda x: f"self.bag.add({x})"),
    small.map(lambda x: f"self.bag.discard({x})"),
    st.just("self.last = len(self.bag) % 4"),
    st.just("for x in self.bag:\n    if x in self.line:\n        self.line.remove(x)"),
)


class Twin:
    """The same state, held by Python itself."""

    def __init__(self) -> None:
        self.line: list[int] = []
        self.bag: set[int] = set()
        self.last = 0


def by_python(program: list[str]) -> Twin | None:
    """What Python makes of a program; None if it fails, or overflows where a model would."""
    twin = Twin()
    for statement in program:
        try:
            exec(statement, {}, {"self": twin})
        except (IndexError, ValueError):
            return None
        if len(twin.line) > CAPACITY or twin.last > 3:
            return None
    return twin


@settings(max_examples=examples(60))
@given(st.lists(seq_calls, max_size=8))
def test_random_programs_agree_with_python(program: list[str]) -> None:
    lines = "\n".join(f"    {line}" for statement in program for line in statement.splitlines())
    body = f"""
line = seq(integer(0, 3), {CAPACITY})
bag = setof(integer(0, 3))
last = integer(0, 3)
done: bool = False
@action
def act(self) -> None:
    require(not self.done)
{lines}
    self.done = True
"""
    expected = by_python(program)
    if expected is None:
        from tests.models import explore

        assert {"stays-in-range"} == set(explore(body).runs)
    else:
        state = only_step(body)
        assert (expected.line, tuple(sorted(expected.bag)), expected.last) == (
            state["line"],
            tuple(state["bag"]),  # type: ignore[arg-type]
            state["last"],
        )
