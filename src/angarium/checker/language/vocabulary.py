"""The words of the language: what a model file imports.

A model is ordinary, typed Python that is read, not run: Angarium takes its syntax tree. So most of what
stands here exists for editors, type checkers and readers; called at run time it refuses. Only what a class
body needs (parameters and declarations of state) returns harmless values, so that a model file can be
imported like any other module.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from typing import Any, Generic, NoReturn, TypeVar, dataclass_transform, overload

from angarium.checker.language.intruder_words import Knowledge as Knowledge
from angarium.checker.language.intruder_words import Term as Term
from angarium.checker.language.intruder_words import atom as atom
from angarium.checker.language.intruder_words import encrypted as encrypted
from angarium.checker.language.intruder_words import knowledge as knowledge
from angarium.checker.language.intruder_words import paired as paired
from angarium.checker.language.intruder_words import sealed as sealed
from angarium.checker.language.intruder_words import signed as signed
from angarium.checker.language.time_words import AF as AF
from angarium.checker.language.time_words import AG as AG
from angarium.checker.language.time_words import AR as AR
from angarium.checker.language.time_words import AU as AU
from angarium.checker.language.time_words import AW as AW
from angarium.checker.language.time_words import AX as AX
from angarium.checker.language.time_words import EF as EF
from angarium.checker.language.time_words import EG as EG
from angarium.checker.language.time_words import ER as ER
from angarium.checker.language.time_words import EU as EU
from angarium.checker.language.time_words import EW as EW
from angarium.checker.language.time_words import EX as EX
from angarium.checker.language.time_words import always as always
from angarium.checker.language.time_words import ctl as ctl
from angarium.checker.language.time_words import deterministic as deterministic
from angarium.checker.language.time_words import divergence_free as divergence_free
from angarium.checker.language.time_words import events as events
from angarium.checker.language.time_words import eventually as eventually
from angarium.checker.language.time_words import implies as implies
from angarium.checker.language.time_words import leads_to as leads_to
from angarium.checker.language.time_words import ltl as ltl
from angarium.checker.language.time_words import next_ as next_
from angarium.checker.language.time_words import release as release
from angarium.checker.language.time_words import strong as strong
from angarium.checker.language.time_words import weak as weak
from angarium.checker.language.time_words import weak_until as weak_until
from angarium.checker.language.walk_words import goal as goal
from angarium.checker.language.walk_words import observation as observation
from angarium.checker.language.walk_words import rate as rate
from angarium.checker.language.walk_words import steps as steps
from angarium.checker.language.walk_words import steps_until as steps_until
from angarium.checker.language.walk_words import time_until as time_until
from angarium.checker.language.walk_words import times as times

T = TypeVar("T")
K = TypeVar("K")
E = TypeVar("E")
F = TypeVar("F", bound=Callable[..., Any])


def _compiled_only(word: str) -> NoReturn:
    raise RuntimeError(f"{word} is part of a model: models are compiled, not called")


class _Values(type):
    """Lets `for q in Queue` type-check."""

    def __iter__(cls: type[T]) -> Iterator[T]:
        _compiled_only("iteration over an index")


class Index(int, metaclass=_Values):
    """A kind of thing that there are several of: `class Queue(Index): "A queue of the group."`

    How many there are is a parameter of the model: `queues = count(Queue, 3)`. With
    `class Queue(Index, symmetric=True)` they are declared interchangeable: `--symmetry` may then merge
    states that differ only in which is which. In stories they are called by the first letter and a
    number, `q1`, or as the class says: `class Daemon(Index, label="nsqd")` has `nsqd1` and `nsqd2`.
    """

    def __init_subclass__(cls, *, symmetric: bool = False, label: str = "") -> None:
        super().__init_subclass__()


@dataclass_transform()
class Record:
    """Named fields: `class Packet(Record): ...`. Records are values: assigning one copies it.

    A field is a bool, an integer, an index, an enumeration, a record, or one of these `| None`; not a
    sequence, a set or an array.
    """

    def __init__(self, **fields: object) -> None:
        _compiled_only("a record")


class Model:
    """The base of every model."""


class Array(Generic[K, T]):
    """One item for each value of an index."""

    def __getitem__(self, key: K | int) -> T: ...  # type: ignore[empty-body]
    def __setitem__(self, key: K | int, value: T) -> None: ...


class Seq(Generic[T]):
    """Items in order, up to a capacity. One more than that violates `stays-in-range`.

    An item is what the field of a record can be.
    """

    def append(self, item: T) -> None:
        """Add at the end."""

    def pop(self, position: int = -1) -> T:  # type: ignore[empty-body]
        """Take out the item at a position: `pop(0)` the first, `pop()` the last."""

    def insert(self, position: int, item: T) -> None:
        """Add before a position."""

    def remove(self, item: T) -> None:
        """Take out the first item that is equal; there must be one."""

    def discard(self, item: T) -> None:
        """Take out the first item that is equal, if there is one."""

    def clear(self) -> None:
        """Take out everything."""

    def __contains__(self, item: T) -> bool: ...  # type: ignore[empty-body]
    def __getitem__(self, position: int) -> T: ...  # type: ignore[empty-body]
    def __setitem__(self, position: int, item: T) -> None: ...
    def __iter__(self) -> Iterator[T]: ...  # type: ignore[empty-body]
    def __len__(self) -> int: ...  # type: ignore[empty-body]


class SetOf(Generic[T]):
    """A set of numbers, indices, enumeration members, or records of these.

    A set of records keeps a bit for each record that there could be: messages that are on their way in
    any order. What is in it is asked for by `in`, loops, comprehensions and `choose`, or by an action
    with a record as its argument: `def deliver(self, m: Message)`.
    """

    def add(self, item: T) -> None:
        """Put in."""

    def discard(self, item: T) -> None:
        """Take out, if it is in."""

    def clear(self) -> None:
        """Take out everything."""

    def __contains__(self, item: T) -> bool: ...  # type: ignore[empty-body]
    def __iter__(self) -> Iterator[T]: ...  # type: ignore[empty-body]
    def __len__(self) -> int: ...  # type: ignore[empty-body]
    def __or__(self, other: SetOf[T] | set[T]) -> SetOf[T]: ...  # type: ignore[empty-body]
    def __and__(self, other: SetOf[T] | set[T]) -> SetOf[T]: ...  # type: ignore[empty-body]
    def __sub__(self, other: SetOf[T] | set[T]) -> SetOf[T]: ...  # type: ignore[empty-body]
    def __le__(self, other: SetOf[T] | set[T]) -> bool: ...  # type: ignore[empty-body]
    def __lt__(self, other: SetOf[T] | set[T]) -> bool: ...  # type: ignore[empty-body]
    def __ge__(self, other: SetOf[T] | set[T]) -> bool: ...  # type: ignore[empty-body]
    def __gt__(self, other: SetOf[T] | set[T]) -> bool: ...  # type: ignore[empty-body]


class Channel(Generic[T]):
    """Where processes meet: with capacity 0 both at once (a rendezvous), else through a buffer."""

    async def send(self, item: T) -> None:
        """Give an item; waits for a receiver, or for room in the buffer."""

    async def receive(self) -> T:  # type: ignore[empty-body]
        """Take an item; waits until there is one."""

    def __len__(self) -> int: ...  # type: ignore[empty-body]


class _Declared:
    """What a declaration of state is at run time: nothing that can be used."""

    def __init__(self, word: str) -> None:
        self.word = word

    def __repr__(self) -> str:
        return f"<{self.word} of a model>"


def _declared(word: str) -> Any:
    return _Declared(word)


# --- parameters -------------------------------------------------------------------------------------


def param(default: T, *, low: int = 0, high: int = 1_000_000) -> T:
    """A parameter, set from outside with `--set name=value`: a number, a bool or an enumeration member."""
    return default


def count(index: type[Index], default: int, *, low: int = 1, high: int = 64) -> int:
    """A parameter that says how many values an index has."""
    return default


def setting(default: T, *, low: int = 0, high: int = 1_000_000) -> T:
    """A parameter that is part of the state, where no step can change it: one kernel serves all its values.

    For what many scenarios of a model differ in. Sizes and ranges cannot depend on it; a fault budget can
    start at it: `crashes = setting(0, high=2)` and `crashes_left = budget(crashes)`.
    """
    return default


# --- state ------------------------------------------------------------------------------------------


def integer(low: int, high: int, start: int | None = None) -> int:
    """An integer from low to high, both included; starts at `start`, else at low."""
    return low if start is None else start


def option(item: type[T]) -> T | None:
    """A value or None; starts as None."""
    return None


@overload
def array(index: type[K], item: type[T]) -> Array[K, T]: ...
@overload
def array(index: type[K], item: T) -> Array[K, T]: ...
def array(index: Any, item: Any) -> Array[Any, Any]:
    """One item for each value of an index type."""
    array: Array[Any, Any] = _declared("array")
    return array


@overload
def seq(item: type[T], capacity: int = ...) -> Seq[T]: ...
@overload
def seq(item: T, capacity: int = ...) -> Seq[T]: ...
def seq(item: Any, capacity: int = 0) -> Seq[Any]:
    """Items in order; the capacity of a sequence of indices is the number of their values if not given."""
    seq: Seq[Any] = _declared("seq")
    return seq


def setof(item: type[T]) -> SetOf[T]:
    """A set of numbers, indices, enumeration members or records; starts empty."""
    setof: SetOf[T] = _declared("setof")
    return setof


def channel(
    item: type[T],
    capacity: int = 0,
    *,
    loses: int | None = None,
    duplicates: int | None = None,
    reorders: int | None = None,
    intruder: Knowledge[T] | None = None,
) -> Channel[T]:
    """A channel. `loses`, `duplicates` and `reorders` name the fault budgets that it may use up.

    `intruder` names what somebody knows who sits on the channel (see `knowledge`).
    """
    channel: Channel[T] = _declared("channel")
    return channel


def budget(limit: int) -> int:
    """A fault budget: how often something may go wrong in one run. Each time takes one away."""
    return limit


# --- what functions are -----------------------------------------------------------------------------


def action(function: F) -> F:
    """One atomic step, possible for each combination of its arguments for which its `require` is true."""
    return function


def initial(function: F) -> F:
    """How the initial state is made from the declared start values; `choose` makes several."""
    return function


def invariant(function: F) -> F:
    """A guarantee: true in every state."""
    return function


def reaches(function: F) -> F:
    """A guarantee: true in at least one state."""
    return function


def at_rest(function: F) -> F:
    """A guarantee: true in every state in which nothing more can happen."""
    return function


def deadlock_free(function: F) -> F:
    """The guarantee `deadlock-free`: where nothing more can happen, this is true (the end is intended)."""
    return function


def crashes(budget: int, *, restarts: int | None = None) -> Callable[[F], F]:
    """A process that may crash at any `await`, losing its local variables, and may start over."""
    return lambda function: function


def on_crash(process: Callable[..., Coroutine[Any, Any, None]]) -> Callable[[F], F]:
    """What else happens in the same step as the crash of a process, such as a connection that breaks."""
    return lambda function: function


# --- what stands in functions -----------------------------------------------------------------------


def require(condition: bool) -> None:
    """The step is possible only if the condition is true."""
    _compiled_only("require")


def spend(budget: int) -> None:
    """Take one from a fault budget; the step is possible only if something is left."""
    _compiled_only("spend")


@overload
def until(condition: bool, /) -> Awaitable[None]: ...
@overload
def until(condition: bool, end: bool, /) -> bool: ...
def until(condition: bool, end: bool = False) -> Any:
    """`await until(condition)`: go on in a state in which the condition is true.

    In a formula, `until(condition, end)`: the condition is true up to the moment of the end, which comes.
    """
    _compiled_only("until")


def either(**alternatives: Awaitable[Any]) -> Awaitable[tuple[str, Any]]:
    """External choice: `match await either(data=a.receive(), stop=b.receive()):`, `case "data", item:`."""
    _compiled_only("either")


@overload
def choose(options: Iterable[E], /) -> E: ...
@overload
def choose(first: E, second: E, /, *more: E) -> E: ...
def choose(*options: Any) -> Any:
    """Internal choice: any of the values may come out, and all are explored.

    In a loop, each round has a choice of its own: `for n in Node: self.vote[n] = choose(bool)`.
    """
    _compiled_only("choose")


def subsets(of: Iterable[E]) -> Iterable[SetOf[E]]:
    """All sets of some values, to quantify over or to choose from: quorums.

    `any(2 * len(q) > nodes and q <= self.voted for q in subsets(Node))`. Of at most 16 values.
    """
    _compiled_only("subsets")


def finished(process: Callable[..., Coroutine[Any, Any, None]], *instance: object) -> bool:
    """Whether a process (this instance, or all of them) has come to its end."""
    _compiled_only("finished")


def crashed(process: Callable[..., Coroutine[Any, Any, None]], *instance: object) -> bool:
    """Whether a process (this instance, or any of them) is down after a crash."""
    _compiled_only("crashed")


WORDS = frozenset(
    (
        "Index",
        "Record",
        "Model",
        "Array",
        "Seq",
        "SetOf",
        "Channel",
        "param",
        "count",
        "setting",
        "integer",
        "option",
        "array",
        "seq",
        "setof",
        "channel",
        "budget",
        "action",
        "initial",
        "invariant",
        "reaches",
        "at_rest",
        "deadlock_free",
        "crashes",
        "on_crash",
        "require",
        "spend",
        "until",
        "either",
        "choose",
        "subsets",
        "finished",
        "crashed",
        "ltl",
        "ctl",
        "eventually",
        "divergence_free",
        "deterministic",
        "events",
        "weak",
        "strong",
        "always",
        "next_",
        "weak_until",
        "release",
        "leads_to",
        "implies",
        "AX",
        "AF",
        "AG",
        "AU",
        "AW",
        "AR",
        "EX",
        "EF",
        "EG",
        "EU",
        "EW",
        "ER",
        "Term",
        "Knowledge",
        "atom",
        "paired",
        "encrypted",
        "sealed",
        "signed",
        "knowledge",
        "goal",
        "observation",
        "rate",
        "times",
        "steps",
        "steps_until",
        "time_until",
    )
)
"""Everything that a model file may import from `angarium`."""
