"""What is looked at in a syntax tree is all that `ast.walk` finds, but for contexts and operators."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from angarium.checker.language.trees import inside

HOW = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
"""Nodes that say how another one is meant."""
EVERYTHING = """
@d(1, k=2)
class C(B, metaclass=M):
    x: int = 1
    async def f(self, a, /, b=1, *c, d: int = 2, **e) -> int:
        global g
        async with a as b: await c
        async for x in y: pass
        return (yield), (yield from z), lambda q: -q
for i in [a for b in c if d]: del i
else: continue
while a and b: break
try: raise E from e
except (E, F) as e: assert a, b
finally: import m as n
match a:
    case {"k": v, **rest} | [1, *others] | C(p, q=r) | None | 1.5 if t: x[1:2:3].y += f"{a!r:>{w}}"
with (u := {**a, "b": {c}}) as v: nonlocal_ = a if b else [*c] < d is not e
from . import o
"""


@pytest.mark.parametrize("text", [EVERYTHING, Path(__file__).read_text(encoding="utf-8")])
def test_all_nodes_are_looked_at_each_before_those_inside_it(text: str) -> None:
    tree = ast.parse(text)
    found = inside(tree)

    assert {id(each) for each in found} == {id(each) for each in ast.walk(tree) if not isinstance(each, HOW)}
    assert len(found) == len({id(each) for each in found})
    places = {id(each): at for at, each in enumerate(found)}
    for each in found:
        assert all(
            places[id(each)] < places[id(part)] for part in ast.iter_child_nodes(each) if id(part) in places
        )
