"""The words with which a proof module is written.

A proof module is ordinary, typed Python that is read and never run. `set[...]` is a relation, `dict[...]` a
total function, and a sort is a class of things of which there may be any number:

    class Number(Order): ...                    a total order with a first element; `n.next` is the next one
    class Slot(Ring): ...                       a circle; `s.next` goes round, `between(a, s, b)` asks where
    class Message(Sort):                        anything
        num: Number                             ... of which this is known

    class Queue(Specification):                 abstract state, and a contract for every operation
        contents: set[Message]

        @contract
        def enqueue(self, msg: Message) -> Answer[bool]:
            require(...)                        what the caller must see to
            ok = yield                          here the implementation does it, and answers
            if ok:
                self.contents.add(msg)          how the abstract state changes
            ensure(...)                         what the caller may rely on

    class RingBuffer(Implementation):           state of its own, and a body for every operation
        spec: Queue
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Concatenate, NoReturn, ParamSpec, Self, TypeAlias, TypeVar, cast

Thing = TypeVar("Thing")
Given = TypeVar("Given")
Owner = TypeVar("Owner")
Parameters = ParamSpec("Parameters")

Answer: TypeAlias = Generator[None, Given, None]
"""What a contract is: up to `yield` before the call, behind it after the answer, which `yield` gives."""


class Sort:
    """Things of which nothing is known but their fields."""


class Order:
    """A total order with a first element, such as sequence numbers."""

    next: Self
    """The least element above this one; in bodies and contracts only, not inside `all` and `any`."""

    def __lt__(self, other: Self) -> bool:
        _refuse("<")

    def __le__(self, other: Self) -> bool:
        _refuse("<=")

    def __gt__(self, other: Self) -> bool:
        _refuse(">")

    def __ge__(self, other: Self) -> bool:
        _refuse(">=")


class Ring:
    """Finitely many slots in a circle, as those of a ring buffer."""

    next: Self
    """The slot behind this one; behind the last comes the first."""


class Specification:
    """Abstract state, and the contracts of operations."""


class Implementation:
    """State and bodies of operations which are claimed to keep the contracts of `spec`."""


def contract(
    function: Callable[Concatenate[Owner, Parameters], Generator[None, Given, None]],
) -> Callable[Concatenate[Owner, Parameters], Given]:
    """Mark a method of a specification as the contract of the operation with its name."""
    return cast("Callable[Concatenate[Owner, Parameters], Given]", function)


def conjecture(function: Callable[..., bool]) -> Callable[..., bool]:
    """Mark a method as something that is true between calls, for all values of its parameters."""
    return function


def require(condition: bool) -> None:
    """What the caller of an operation must see to."""
    _refuse("require")


def ensure(condition: bool) -> None:
    """What an implementation must see to, and its caller may rely on."""
    _refuse("ensure")


def invariant(condition: bool) -> None:
    """At the beginning of a `while`: what is true each time its condition is looked at."""
    _refuse("invariant")


def implies(premise: bool, conclusion: bool) -> bool:
    """If the premise, then the conclusion."""
    _refuse("implies")


def every(sort: type[Thing]) -> Iterable[Thing]:
    """Everything of a sort: `all(... for m in every(Message))`."""
    _refuse("every")


def first(order: type[Thing]) -> Thing:
    """The first element of an order."""
    _refuse("first")


def between(start: Thing, slot: Thing, end: Thing) -> bool:
    """Whether a walk round a ring from `start` meets `slot` before `end`; `start` is met at once."""
    _refuse("between")


def _refuse(word: str) -> NoReturn:
    raise TypeError(f"{word} is read by `angarium prove`, not run; see docs/how-to/prove.md")


WORDS = frozenset(
    """Answer Implementation Order Ring Sort Specification between conjecture contract ensure every first
    implies invariant require""".split()
)
