"""A list is looked up once, however its index changes while it is used: Python does the same to its lists."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from angarium.core.errors import ModelError
from tests.checker.frontend.test_like_asyncio import indented
from tests.models import only_step, system
from tests.verdicts import hit

FUNCTIONS = """
def move_on(self, line, x):
    self.active = 2
    line.append(x)
def twice(self, line):
    self.move_on(line, 1)
    self.active = 0
    line.append(2)
"""

PROGRAMS = {
    "a loop over a list whose index changes": """
for x in self.rows[self.active]:
    self.active = 1
    self.seen.append(x)
""",
    "a loop over a list by a name that changes": """
k = 0
for x in self.rows[k]:
    k = 1
    self.seen.append(x)
self.active = k
""",
    "a loop over a list by a field of a record that changes": """
p = Pair(0, 1)
for x in self.rows[p.x]:
    p = Pair(p.y, p.x)
    self.seen.append(x)
self.active = p.x
""",
    "a loop over a list that grows": """
for x in self.line:
    if x < 3:
        self.line.append(x + 1)
    self.seen.append(x)
""",
    "a loop over a list that shrinks": """
for x in self.line:
    self.seen.append(x)
    if x == 1:
        self.line.pop(0)
""",
    "a loop over a list that is emptied": """
for x in self.line:
    self.seen.append(x)
    self.line.clear()
""",
    "a function that is given a list": "self.twice(self.rows[self.active])",
    "pop by an index in the list itself": "x = self.rows[self.rows[1][0]].pop(0)\nself.active = x",
    "pop the last by an index in the list itself": "x = self.rows[self.rows[1][0]].pop()\nself.active = x",
    "clear by an index in the list itself": "self.rows[self.rows[1][0]].clear()",
    "insert by an index in the list itself": "self.rows[self.rows[1][0]].insert(0, 0)",
    "remove by an index in the list itself": "self.rows[self.rows[1][0]].remove(1)",
    "append by an index in the list itself": "self.rows[self.rows[1][0]].append(3)",
    "assign by an index in the list itself": "self.rows[self.rows[1][0]] = [2, 2]",
    "a position that the list itself says": "x = self.line.pop(self.line[0])\nself.active = x",
}


def by_python(program: str) -> tuple[object, ...]:
    names: dict[str, object] = {"Pair": lambda x, y: SimpleNamespace(x=x, y=y)}
    exec(FUNCTIONS + "\n".join(["def act(self):", *indented(program.strip().splitlines())]), names)
    state = SimpleNamespace(active=0, rows=[[1, 2], [1, 3], [0]], line=[1, 2], seen=[])
    for name in ("move_on", "twice"):
        setattr(state, name, lambda *given, _method=names[name]: _method(state, *given))
    names["act"](state)  # type: ignore[operator]
    return state.active, state.rows, state.line, state.seen


def by_angarium(program: str) -> tuple[object, ...]:
    body = f"""
active = integer(0, 3)
rows = array(Item, seq(integer(0, 3), 4))
line = seq(integer(0, 3), 6)
seen = seq(integer(0, 3), 6)
done: bool = False
@initial
def fill(self) -> None:
    self.rows[0] = [1, 2]
    self.rows[1] = [1, 3]
    self.rows[2] = [0]
    self.line = [1, 2]
{FUNCTIONS}
@action
def act(self) -> None:
    require(not self.done)
    self.done = True
{chr(10).join(indented(program.strip().splitlines()))}
"""
    head = "class Pair(Record):\n    x: int = integer(0, 3)\n    y: int = integer(0, 3)\n"
    assert not hit(body, head=head)
    state = only_step(body, head=head)
    rows = state["rows"]
    assert isinstance(rows, dict)
    return state["active"], list(rows.values()), state["line"], state["seen"]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_list_is_looked_up_once(program: str) -> None:
    assert by_angarium(program) == by_python(program)


@pytest.mark.parametrize("change", ["self.s.discard(x)", "self.s.add(2)", "self.s.clear()", "self.s = {1}"])
def test_a_set_that_changes_while_it_is_looped_over_is_refused(change: str) -> None:
    with pytest.raises(ModelError, match=r"may change the set that it runs over, self\.s"):
        system(f"""
            s = setof(integer(0, 3))
            @action
            def act(self) -> None:
                for x in self.s:
                    {change}
            """)
