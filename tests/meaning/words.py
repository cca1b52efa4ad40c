"""The words of the language as Python does them: what a model's file imports, when it is run.

Declarations become kinds (`values`), decorators say what a function is for, `require`, `spend` and `choose`
decide whether and how a step goes on. What is said about time, walks and intruders says nothing about states:
those words are taken and forgotten.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import Enum

from tests.meaning.intruder import Knowledge as Knowledge
from tests.meaning.intruder import Mind
from tests.meaning.intruder import Term as Term
from tests.meaning.intruder import atom as atom
from tests.meaning.intruder import encrypted as encrypted
from tests.meaning.intruder import paired as paired
from tests.meaning.intruder import sealed as sealed
from tests.meaning.intruder import signed as signed
from tests.meaning.scalars import (
    Budget,
    Index,
    Kind,
    Maybe,
    Member,
    MistypedError,
    OutOfRangeError,
    Place,
    Truth,
    Value,
    Whole,
)
from tests.meaning.values import Array, Bag, Line, Record, Rows, Seq, Wire, kind_of, put
from tests.meaning.values import Channel as Channel
from tests.meaning.values import SetOf as SetOf


class NotPossibleError(Exception):
    """A `require` is false, a budget is used up, or there is nothing to choose from."""


class Chosen:
    """The choices of one run of a step; `following` gives the next run's, until there are no more."""

    def __init__(self, script: tuple[int, ...] = ()) -> None:
        self.script, self.taken = script, list[tuple[int, int]]()

    def take(self, options: list[Value]) -> Value:
        if not options:
            raise NotPossibleError
        number = self.script[len(self.taken)] if len(self.taken) < len(self.script) else 0
        self.taken.append((number, len(options)))
        return options[number]

    def following(self) -> Chosen | None:
        taken = list(self.taken)
        while taken:
            number, size = taken.pop()
            if number + 1 < size:
                return Chosen((*(n for n, _ in taken), number + 1))
        return None


CHOSEN = [Chosen()]
"""The run that is under way."""


def subsets(of: Value) -> list[frozenset[Value]]:
    """All sets of some values, in the order of the numbers whose bits they are."""
    values = list(of)
    chosen = range(1 << len(values)) if values else [0]
    return [frozenset(v for n, v in enumerate(values) if number >> n & 1) for number in chosen]


# --- parameters -------------------------------------------------------------------------------------


class Param:
    """A parameter until its name is known."""

    def __init__(self, default: Value, index: type[Index] | None = None) -> None:
        self.default, self.index = default, index

    def value(self, given: Value) -> Value:
        """What was set, as a command line says it."""
        if given is None:
            return self.default
        if isinstance(self.default, bool):
            return str(given).lower() in ("true", "yes", "on", "1")
        if isinstance(self.default, Enum):
            plain = str(given).lower().replace("-", "_")
            return next(each for each in type(self.default) if each.name.lower() == plain)
        return int(given)


def param(default: Value, *, low: int = 0, high: int = 0) -> Value:
    return Param(default)


def count(index: type[Index], default: int, *, low: int = 1, high: int = 64) -> Value:
    return Param(default, index)


setting = param


class _Body(dict[str, Value]):
    """The body of a model's class while it is run: parameters become their values, declarations get names."""

    def __init__(self, given: dict[str, Value]) -> None:
        self.given = given
        super().__setitem__("_parameters", {})

    def __setitem__(self, name: str, value: Value) -> None:
        if isinstance(value, Param):
            self["_parameters"][name] = value
            index, value = value.index, value.value(self.given.get(name))
            if index is not None:
                index.size = value
        if isinstance(value, Kind):
            value.name = name
        super().__setitem__(name, value)


GIVEN: dict[str, Value] = {}
"""The parameters that are set for the file that is being run."""


class _Prepared(type):
    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], **_: Value) -> dict[str, Value]:
        return _Body(GIVEN)

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Value], **_: Value) -> type:
        return super().__new__(cls, name, bases, dict(body))


class Model(metaclass=_Prepared):
    """The base of every model; an instance is a state."""

    _kinds: dict[str, Kind]
    _parameters: dict[str, Param]
    _names: dict[str, Value]
    """What the file defines."""
    _bodies: dict[str, ast.AsyncFunctionDef]
    """The processes."""

    _walkers: list[Value]
    """The instances of its processes, in this state."""

    def _asked(self, process: str, instance: tuple[Value, ...]) -> list[Value]:
        """All instances of a process, or the one with these arguments."""
        found = [each for each in self._walkers if each.name == process]
        chosen = [each for each in found if each.arguments == instance] if instance else found
        if not chosen:
            raise OutOfRangeError(f"there is no {process} {instance}")
        return chosen

    def __setattr__(self, name: str, value: Value) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        if name not in self._kinds:
            raise MistypedError(f"the model has no state {name!r}")
        self._hold(name, self._kinds[name].fit(value))

    def _hold(self, name: str, value: Value) -> None:
        """A part that is known to be in its range."""
        if isinstance(value, Record):
            value._home = (self, name)
        object.__setattr__(self, name, value)


# --- state ------------------------------------------------------------------------------------------


def integer(low: int, high: int, start: int | None = None) -> Value:
    return Whole(low, high, start)


def option(item: Value) -> Value:
    return Maybe(kind_of(item))


def array(index: Value, item: Value) -> Value:
    return Rows(kind_of(index), kind_of(item))


def seq(item: Value, capacity: int | None = None) -> Value:
    return Line(kind_of(item), capacity)


def setof(item: Value) -> Value:
    return Bag(kind_of(item))


def channel(item: Value, capacity: int = 0, *, intruder: Value = None, **faults: Value) -> Value:
    used = {word: budget for word, budget in faults.items() if budget}
    return Wire(kind_of(item), capacity, used, intruder)


def knowledge(terms: Value) -> Value:
    return Mind(kind_of(terms))  # type: ignore[arg-type]


def budget(limit: int) -> Value:
    return Budget(0, limit, limit)


def started(kind: Kind, value: Value) -> Kind:
    """`name: bool = True`: a kind with another start value."""
    assert isinstance(kind, Truth | Member | Place | Maybe), kind
    kind.first = value
    return kind


# --- what functions are -----------------------------------------------------------------------------


def _marks(role: str) -> Callable[[Value], Value]:
    def mark(function: Value) -> Value:
        function.role = role
        return function

    return mark


action = _marks("action")
initial = _marks("initial")
invariant = _marks("invariant")
reaches = _marks("reaches")
at_rest = _marks("at_rest")
deadlock_free = _marks("deadlock_free")
goal = _marks("forgotten")
observation = _marks("forgotten")
divergence_free = _marks("forgotten")
deterministic = _marks("forgotten")


def _about_runs(function: Value = None, *more: Value, **_: Value) -> Value:
    """`@ltl`, `@ltl(fairness=...)`, and a word of a formula."""
    return _marks("forgotten") if function is None else _marks("forgotten")(function)


ltl = ctl = eventually = _about_runs


def rate(_: Value) -> Value:
    return _marks("forgotten")


def crashes(budget: Value, *, restarts: Value = None) -> Value:
    def mark(function: Value) -> Value:
        function.crashes, function.restarts = budget, restarts
        return function

    return mark


def on_crash(process: Value) -> Value:
    def mark(function: Value) -> Value:
        function.role, function.process = "on_crash", process.__name__
        return function

    return mark


# --- what stands in functions -----------------------------------------------------------------------


def require(condition: Value) -> None:
    if not condition:
        raise NotPossibleError


def spend(container: Value, key: Value) -> None:
    """`spend(self.budget)`; the loader has taken the place apart."""
    left = container[key] if isinstance(container, Array | Seq) else getattr(container, key)
    require(left > 0)
    put(container, key, left - 1)


def choose(*options: Value) -> Value:
    return CHOSEN[0].take(list(options[0] if len(options) == 1 else options))


def finished(process: Value, *instance: Value) -> bool:
    return all(each.finished for each in process.__self__._asked(process.__name__, instance))


def crashed(process: Value, *instance: Value) -> bool:
    return any(each.crashed for each in process.__self__._asked(process.__name__, instance))


def _forgotten(*_: Value, **__: Value) -> None:
    return None


events = weak = strong = _forgotten
WORDS: dict[str, Value] = {
    name: value
    for name, value in globals().items()
    if not name.startswith("_") and name not in ("Value", "Callable", "Enum", "annotations", "ast")
}
