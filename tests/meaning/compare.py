"""The compiled transition system and Python's own meaning of the same model, state by state.

Python keeps all local variables of a process; the transition system forgets those that are dead (ADR 4). So
each of Python's states is seen as the transition system would tell it, without them. Every one must then be a
state of the transition system and the other way round, with the same steps, each as often, the same failure
and the same hits. Where states, steps and hits are the same, so are counts, verdicts and lengths of stories.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from angarium.checker.explore.interpret import expand, initial_states, judge
from angarium.checker.explore.states import _without_dead, decode
from angarium.checker.frontend.build import build
from angarium.checker.ir import types
from angarium.checker.ir.labels import Fields, Labels
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse
from angarium.core.errors import ModelError
from tests.meaning.intruder import numbered
from tests.meaning.load import load
from tests.meaning.scalars import Frozen, Value
from tests.meaning.search import InitialStepError, Node, World, explore
from tests.meaning.values import Record, Rows, freeze
from tests.meaning.walk import Walker


@dataclass
class Told:
    """What is said of one state."""

    targets: Counter[Frozen] = field(default_factory=Counter)
    fails: bool = False
    hits: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Comparison:
    """How many states were compared, and what differs."""

    states: int
    transitions: int
    differences: tuple[str, ...]


def compare(
    text: str,
    given: Mapping[str, Value] | None = None,
    *,
    path: Path = Path("model.py"),
    most: int = 3000,
    first: int | None = None,
) -> Comparison:
    """Run a model and compile it, and compare all states, or the levels of the first so many steps."""
    settings = {name: str(value).lower() for name, value in (given or {}).items()}
    system = compiled(text, settings, path)
    try:
        found = explore(load(text, path, settings, system.name), most, first)
    except InitialStepError:
        return Comparison(0, 0, () if _fails_at_once(system) else ("only Python fails in the initial step",))
    by_python = told_by_python(system, found)
    by_us = told_by_interpreter(system, max(each.level for each in found.values() if each.expanded))
    transitions = sum(told.targets.total() for told in by_us.values())
    if _has_meetings(system):
        _count_once([*by_us.values(), *(each for same in by_python.values() for each in same)])
    return Comparison(len(by_us), transitions, tuple(_differences(by_python, by_us)))


def compiled(
    text: str, settings: Mapping[str, str] | None = None, path: Path = Path("model.py")
) -> TransitionSystem:
    """What the front end makes of a model."""
    return build(find_model(parse(text, str(path))), settings or {})


def _has_meetings(system: TransitionSystem) -> bool:
    """Whether processes meet: they go on in either order, as two steps only if that makes a difference."""
    return any(each.sender and each.receiver for action in system.actions for each in action.messages)


def _count_once(told: Sequence[Told]) -> None:
    for each in told:
        each.targets = Counter(dict.fromkeys(each.targets, 1))


def _fails_at_once(system: TransitionSystem) -> bool:
    try:
        initial_states(system)
    except ModelError:
        return True
    return False


def _differences(by_python: dict[Frozen, list[Told]], by_us: dict[Frozen, Told]) -> Iterator[str]:
    for state in by_python.keys() - by_us.keys():
        yield f"only Python reaches {_short(state)}"
    for state in by_us.keys() - by_python.keys():
        yield f"only the compiled model reaches {_short(state)}"
    for state in by_us.keys() & by_python.keys():
        for told in by_python[state]:
            yield from _different(state, told, by_us[state])


def _different(state: Frozen, by_python: Told, by_us: Told) -> Iterator[str]:
    where = f"in {_short(state)}"
    if by_python.fails != by_us.fails:
        who = "Python" if by_python.fails else "the compiled model"
        yield f"only {who} fails {where}"
    if by_python.hits != by_us.hits:
        yield f"{where} Python hits {set(by_python.hits)}, the compiled model {set(by_us.hits)}"
    more, fewer = by_python.targets - by_us.targets, by_us.targets - by_python.targets
    if more or fewer:
        only = [("Python", more), ("the compiled model", fewer)]
        yield from (f"{where} only {who} steps to {_short(t)}" for who, found in only for t in found)


def _short(state: Frozen) -> str:
    return ", ".join(f"{name}={_text(value)}" for name, value in state)


def _text(value: Frozen) -> str:
    match value:
        case ("array" | "seq" as kind, tuple(parts)):
            inside = ", ".join(map(_text, parts))
            return f"[{inside}]" if kind == "seq" else f"<{inside}>"
        case ("record", tuple(parts)):
            return f"({', '.join(f'{name}={_text(part)}' for name, part in parts)})"
        case frozenset():
            return f"{{{', '.join(sorted(map(str, value)))}}}"
    return str(value)


# --- the compiled model -----------------------------------------------------------------------------


def told_by_interpreter(system: TransitionSystem, deepest: int) -> dict[Frozen, Told]:
    """What the transition system means down to this level, by the interpreter that is its reference."""
    teller = Teller(system)
    level = initial_states(system)
    seen: dict[Cells, Frozen] = {cells: teller.cells(cells) for cells in level}
    found: dict[Frozen, Told] = {}
    while level and deepest >= 0:
        deepest -= 1
        following = []
        for cells in level:
            expansion = expand(system, cells)
            judgement = judge(system, cells, at_rest=expansion.at_rest)
            told = Told(fails=bool(expansion.failures or judgement.failures), hits=frozenset(judgement.hits))
            for move in expansion.moves:
                if move.target not in seen:
                    seen[move.target] = teller.cells(move.target)
                    following.append(move.target)
                told.targets[seen[move.target]] += 1
            assert seen[cells] not in found, "two states that are told alike"
            found[seen[cells]] = told
        level = following
    return found


class Teller:
    """States of both kinds as values that can be compared."""

    def __init__(self, system: TransitionSystem) -> None:
        whole = tuple((name, _with_all(type_)) for name, type_ in system.state)
        self.system = replace(system, state=whole)
        prefixes = "|".join(map(re.escape, Labels(system).prefixes.values())) or "$."
        self.label = re.compile(f"(?:{prefixes})([0-9]+)")
        self.processes = [name for name, _ in system.state if name in system.dead]
        self.parts = [name for name, _ in system.state if name not in system.dead]
        self.types = dict(system.state)

    def cells(self, cells: Cells) -> Frozen:
        state = decode(self.system, cells)
        shared = [(name, self.plain(state[name])) for name in self.parts]
        walkers = [(name, tuple(map(self._process, _each(state[name])))) for name in self.processes]
        return (*shared, *walkers)

    def _process(self, fields: Fields) -> Frozen:
        rest = {name: self.plain(value) for name, value in fields.items() if name != "pc"}
        return ("record", (("pc", fields["pc"]), *rest.items()))

    def plain(self, value: Value) -> Frozen:
        """A readable value: labels of indices as numbers."""
        match value:
            case Fields():
                return ("record", tuple((name, self.plain(part)) for name, part in value.items()))
            case dict():
                return ("array", tuple(map(self.plain, value.values())))
            case list():
                return ("seq", tuple(map(self.plain, value)))
            case tuple():
                return frozenset(map(self.plain, value))
            case str() if found := self.label.fullmatch(value):
                return int(found[1]) - 1
            case str() if value.endswith(")"):  # a term
                return numbered(value)
        return value

    # --- Python's states ----------------------------------------------------------------------------

    def world(self, world: World) -> Frozen:
        shared = [(name, freeze(getattr(world.model, name))) for name in self.parts]
        walkers = [
            (name, tuple(self._walker(each) for each in world.walkers if each.name == name))
            for name in self.processes
        ]
        return (*shared, *walkers)

    def _walker(self, walker: Walker) -> Frozen:
        type_ = self.types[walker.name]
        while isinstance(type_, types.Array):
            type_ = type_.item
        assert isinstance(type_, types.Record)
        (_, counter), *kept = type_.fields
        assert isinstance(counter, types.Enumeration)
        values = {name: _readable(field, _held(walker, name)) for name, field in kept}
        fields = Fields(pc=_label(walker, counter.members), **values)
        return self._process(_without_dead(fields, self.system.dead[walker.name]))


def _held(walker: Walker, name: str) -> Value:
    """A local variable; an array has all of its items, also where the process is down."""
    kind = walker.program.kinds.get(name)
    return walker.locals.get(name, kind.start() if isinstance(kind, Rows) else None)


def _with_all(type_: Value) -> Value:
    """A type whose sets are told with the elements that follow from others."""
    match type_:
        case types.SetOf(item):
            return types.SetOf(item)
        case types.Array(index, item):
            return types.Array(index, _with_all(item))
    return type_


def _each(value: Value) -> Iterator[Fields]:
    if isinstance(value, Fields):
        yield value
    else:
        for part in value.values():
            yield from _each(part)


def _label(walker: Walker, labels: Sequence[str]) -> str:
    """What the transition system calls the place where a process is."""
    if walker.site is None:
        return "crashed" if walker.crashed else "finished"
    (found,) = (label for label in labels if label.startswith(f"line {walker.site.lineno}:"))
    return found


def _readable(type_: types.Type, value: Value) -> Value:
    """A local variable, with those fields that the transition system keeps; empty before it has a value."""
    if isinstance(value, Record) and isinstance(type_, types.Option):
        return _readable(type_.item, value)
    if isinstance(value, Record) and isinstance(type_, types.Record):
        return Fields({name: _readable(field, value._parts[name]) for name, field in type_.fields})
    match type_:
        case types.Seq():
            return list(freeze(value)[1]) if value is not None else []
        case types.SetOf():
            return tuple(freeze(value)) if value is not None else ()
        case types.Array(_, item):
            return {key: _readable(item, part) for key, part in value._parts.items()}
    return freeze(value)


def told_by_python(system: TransitionSystem, found: dict[Frozen, Node]) -> dict[Frozen, list[Told]]:
    """What Python finds in each state; several of its states may be told alike."""
    teller = Teller(system)
    names = {node: teller.world(node.world) for node in found.values()}
    told: dict[Frozen, list[Told]] = {}
    for node, name in names.items():
        if not node.expanded:
            continue
        targets = Counter(names[target] for target in node.targets)
        told.setdefault(name, []).append(Told(targets, node.fails, node.hits))
    return told
