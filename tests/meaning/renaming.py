"""States with their interchangeable values renamed: what `--symmetry` may take for one.

If a model treats the values of an index alike, then a state with two of them exchanged hits the same and
fails alike, and the search with symmetry finds one state of each such group. Neither is taken from the front
end here: states that Python has found are renamed, and the groups are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from angarium.checker.explore.reference import ReferenceEngine
from tests.meaning.compare import Teller, compiled
from tests.meaning.load import load
from tests.meaning.scalars import Frozen, Index, Value
from tests.meaning.search import Node, World, explore
from tests.meaning.values import Array, Record, Seq, SetOf, cloned

Renaming = dict[type[Index], tuple[int, ...]]


def renamed(value: Value, names: Renaming) -> Value:
    """A value with other ones of its interchangeable parts."""
    if isinstance(value, Index):
        return type(value)(names[type(value)][value]) if type(value) in names else value
    new = cloned(value)
    match new:
        case Record():
            new._parts.update((key, renamed(part, names)) for key, part in value._parts.items())
        case Array():
            parts = {renamed(key, names): renamed(part, names) for key, part in value._parts.items()}
            new._parts = {key: parts[key] for key in value._parts}
        case Seq():
            new._parts = [renamed(part, names) for part in value._parts]
        case SetOf():
            new._parts = {renamed(part, names) for part in value._parts}
    return new


def renamed_world(world: World, names: Renaming) -> World:
    """The same state with other names."""
    new = world.copy()
    for name in new.model._kinds:
        new.model._hold(name, renamed(getattr(new.model, name), names))
    places = {(each.name, each.arguments): number for number, each in enumerate(world.walkers)}
    for walker in list(new.walkers):
        walker.arguments = tuple(renamed(each, names) for each in walker.arguments)
        walker.locals = {name: renamed(value, names) for name, value in walker.locals.items()}
    new.walkers.sort(key=lambda each: places[each.name, each.arguments])
    return new


def renamings(index: type[Index]) -> Iterator[Renaming]:
    """Every way to rename the values of an index."""
    return ({index: order} for order in permutations(range(index.size)))


@dataclass(frozen=True)
class Groups:
    """How many states there are but for names, how many the search found, and where names matter."""

    states: int
    found: int
    different: tuple[Frozen, ...]


def groups(text: str, index: str, most: int) -> Groups | None:
    """The groups of a model's states by the values of an index; None if the search may end early."""
    system, loaded = compiled(text), load(text, Path("model.py"))
    found = explore(loaded, most)
    outcome = ReferenceEngine().search(system, symmetry=True)
    if len(outcome.runs) > len(system.guarantees) or "symmetric=True" not in text:
        return None
    representatives, different = _grouped(Teller(system), found, loaded._names[index])
    return Groups(len(representatives), outcome.coverage.states, tuple(different))


def _grouped(
    teller: Teller, found: dict[Frozen, Node], index: type[Index]
) -> tuple[set[Frozen], list[Frozen]]:
    told = {teller.world(node.world): (node.fails, node.hits) for node in found.values()}
    different, representatives = [], set()
    for node in found.values():
        own = (node.fails, node.hits)
        same = [teller.world(renamed_world(node.world, names)) for names in renamings(index)]
        representatives.add(min(same, key=repr))
        if any(told.get(each, own) != own for each in same):
            different.append(same[0])
    return representatives, different
