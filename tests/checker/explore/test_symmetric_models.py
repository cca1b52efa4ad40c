"""Symmetry changes no verdict, from a model's text on: loops that could tell values apart are refused."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.control import Limits
from angarium.core.errors import ModelError
from tests.effort import examples
from tests.models import system

STATE = """
m = array(Twin, array(Twin, bool))
a = array(Twin, option(Twin))
k = array(Twin, integer(0, 1))
s = array(Twin, setof(Twin))
flag = array(Twin, bool)

def mark(self, t: Twin) -> None:
    self.flag[t] = not self.flag[t]

@action
def begin(self, x: Twin, y: Twin) -> None:
    require(not any(self.m[t][u] for t in Twin for u in Twin))
    self.m[x][y] = True
    self.flag[x] = True

@action
def loop(self, x: Twin, y: Twin) -> None:
"""
CLAIMS = """
@invariant
def no_mirror(self) -> bool:
    return all(self.m[t][u] == self.m[u][t] for t in Twin for u in Twin)

@invariant
def pointing(self) -> bool:
    return not all(self.a[t] is not None for t in Twin)

@invariant
def flagged(self) -> bool:
    return sum(self.flag[t] for t in Twin) != 1

@invariant
def in_sets(self) -> bool:
    return sum(len(self.s[t]) for t in Twin) != 2
"""
indices = st.sampled_from(
    ["t", "t", "t", "x", "y", "(t if self.flag[t] else x)", "(x if self.m[x][y] else t)"]
)
truths = st.one_of(
    st.tuples(indices, indices).map(lambda i: f"self.m[{i[0]}][{i[1]}]"),
    indices.map(lambda i: f"self.flag[{i}]"),
    indices.map(lambda i: f"(self.a[{i}] is None)"),
    indices.map(lambda i: f"(self.k[{i}] == 0)"),
    st.tuples(indices, indices).map(lambda i: f"({i[0]} in self.s[{i[1]}])"),
    st.sampled_from(["any(self.m[t][u] for u in Twin)", "all(self.flag[u] for u in Twin)"]),
)
updates = st.one_of(
    st.tuples(indices, indices, truths).map(lambda i: f"self.m[{i[0]}][{i[1]}] = {i[2]}"),
    st.tuples(indices, truths).map(lambda i: f"self.flag[{i[0]}] = {i[1]}"),
    st.tuples(indices, indices).map(lambda i: f"self.a[{i[0]}] = {i[1]}"),
    st.tuples(indices, indices).map(lambda i: f"self.s[{i[0]}].add({i[1]})"),
    st.tuples(indices, indices).map(lambda i: f"self.k[{i[0]}] = self.k[{i[1]}] + 1"),
    truths.map(lambda condition: f"require({condition})"),
    indices.map(lambda i: f"self.mark({i})"),
)


@st.composite
def loops(draw: st.DrawFn) -> str:
    """A model with one loop over interchangeable values, which may be accepted or not."""
    lines = ["for t in Twin:"]
    for update in draw(st.lists(updates, min_size=1, max_size=2)):
        if draw(st.booleans()):
            lines += [f"    if {draw(truths)}:", f"        {update}"]
        else:
            lines.append(f"    {update}")
    return STATE + "".join(f"    {line}\n" for line in lines) + CLAIMS


def verdicts(compiled: TransitionSystem, *, symmetry: bool) -> dict[str, int] | None:
    """How long the shortest story of each violated guarantee is; None if there are too many states."""
    outcome = ReferenceEngine().search(compiled, symmetry=symmetry, limits=Limits(max_states=1500))
    return None if outcome.coverage.cut else {name: len(run) for name, run in outcome.runs.items()}


@settings(max_examples=examples(600), suppress_health_check=list(HealthCheck), deadline=None)
@given(loops())
def test_accepted_loops_over_interchangeable_values_have_the_same_verdicts_with_symmetry(body: str) -> None:
    try:
        compiled = system(body)
    except ModelError as error:
        if error.code != "ANG109":
            raise
        reject()
    plain = verdicts(compiled, symmetry=False)
    assume(plain is not None)

    assert verdicts(compiled, symmetry=True) == plain


@pytest.mark.parametrize(
    "body",
    [
        "self.m[t][x] = self.m[y][t]",
        "self.m[t][x] = self.m[t][y]\n        self.m[y][t] = True",
        "self.a[t if self.flag[t] else x] = t",
        "for u in Twin:\n            self.m[t][u] = self.m[u][t]",
        "require(self.flag[t])\n        self.k[t] = self.k[t] + 1",
        "require(self.flag[t])\n        self.k[t] = 2",
        "require(self.flag[t])\n        self.m[t][self.a[x]] = True",
    ],
)
def test_loop_whose_rounds_may_meet_is_refused(body: str) -> None:
    with pytest.raises(ModelError, match="may depend on the order") as caught:
        system(STATE + f"    for t in Twin:\n        {body}\n")

    assert caught.value.code == "ANG109"


@pytest.mark.parametrize(
    "body",
    [
        "self.m[t][x] = self.m[t][y]",
        "self.m[t][t] = self.m[t][x]",
        "self.m[x][t] = self.flag[y]",
        "self.mark(t)",
        "self.s[t].clear()",
        "self.s[x].discard(t)",
        "for u in Twin:\n            self.m[t][u] = self.flag[t]",
        "require(self.flag[t])\n        self.flag[t] = False",
    ],
)
def test_loop_whose_rounds_have_cells_of_their_own_is_accepted(body: str) -> None:
    compiled = system(STATE + f"    for t in Twin:\n        {body}\n" + CLAIMS)

    assert verdicts(compiled, symmetry=True) == verdicts(compiled, symmetry=False)
