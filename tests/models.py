"""Models as text, for tests: `system("...")` compiles the class body, `explore` runs the reference on it."""

from __future__ import annotations

from textwrap import dedent, indent

from angarium.checker.explore.engine import Outcome
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.explore.states import decode
from angarium.checker.frontend.build import build
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse

HEAD = """
from enum import Enum
from angarium import *

class Item(Index):
    "A thing."

class Twin(Index, symmetric=True):
    "One of several that are alike."

class Colour(Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"

class Parcel(Record):
    item: Item
    colour: Colour
    fragile: bool

class Sample(Model):
    "A sample."
    items = count(Item, 3)
    twins = count(Twin, 2)
"""


def source(body: str, head: str = "") -> str:
    """A whole model file around the body of its class, with more declarations before it."""
    return HEAD.replace("class Sample", f"{head}\nclass Sample") + indent(dedent(body), "    ")


def system(body: str, *, head: str = "", **settings: object) -> TransitionSystem:
    """The transition system of a model with this class body."""
    text = {name: str(value).lower() for name, value in settings.items()}
    return build(find_model(parse(source(body, head))), text)


def explore(body: str, **settings: object) -> Outcome:
    """What the reference finds in a model with this class body."""
    return ReferenceEngine().search(system(body, **settings))


def only_step(body: str, **settings: object) -> dict[str, object]:
    """The readable state after the only step of a model that has just one."""
    from angarium.checker.explore.interpret import initial_states, steps

    compiled = system(body, **settings)
    (start,) = initial_states(compiled)
    (move,) = steps(compiled, start)
    return dict(decode(compiled, move.target))
