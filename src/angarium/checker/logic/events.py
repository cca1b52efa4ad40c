"""What can be seen of a system from outside: events, their numbers and their names.

A step of a declared action is seen as the action with its arguments, `publish(p1, m2)`; internal choices
are not seen. A channel operation is seen as the channel with what is carried: `link!m1` is put into the
channel's buffer, `link?m1` taken out of it, `link.m1` given from hand to hand. A model says which of them
are visible; if it does not, all are, but not faults. All other steps are internal: their event is 0.

Events that are told apart are numbered in blocks, one for each name: inside a block the arguments are the
digits of a number in mixed radix. Numbers mean nothing outside a system; systems are compared by the names
of their events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from angarium.checker.explore.states import decode_value
from angarium.checker.ir.labels import Labels, index_types, show
from angarium.checker.ir.syntax import Binary, Const, Expr, Local
from angarium.checker.ir.transition import Action, Message, TransitionSystem
from angarium.checker.ir.types import Option, Scalar, Type, leaves, size
from angarium.core.errors import LimitError

MOST = 2**62
"""How many events can be told apart."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Events that differ only in their arguments."""

    name: str
    sign: str
    """Between the name and what is carried: `!`, `?` or `.`; empty for an action."""
    indices: tuple[Scalar | Option, ...]
    """What the channel's indices are, or the action's arguments."""
    carried: Type | None = None

    @property
    def digits(self) -> tuple[Scalar | Option, ...]:
        """The types of all arguments, cell by cell."""
        items = leaves(self.carried) if self.carried else ()
        return (*self.indices, *(leaf.type for leaf in items for _ in range(leaf.cells)))

    @property
    def count(self) -> int:
        return prod(map(size, self.digits))

    def text(self, labels: Labels, values: Sequence[int]) -> str:
        """The name of one event."""
        own = len(self.indices)
        words = [labels.text(type_, n) for type_, n in zip(self.indices, values, strict=False)]
        if not self.sign:
            return f"{self.name}({', '.join(words)})" if words else self.name
        channel = self.name + "".join(f"[{word}]" for word in words)
        if self.carried is None:
            return channel + self.sign.rstrip(".")
        return f"{channel}{self.sign}{show(decode_value(labels, self.carried, values[own:]))}"


@dataclass(frozen=True)
class Alphabet:
    """The events of a system."""

    system: TransitionSystem

    @cached_property
    def seen(self) -> dict[str, tuple[Kind, tuple[Expr, ...]]]:
        """By the name of each action with visible steps: their kind, and their arguments."""
        found = ((action.name, _seen(action, self.system.visible)) for action in self.system.actions)
        return {name: seen for name, seen in found if seen}

    @cached_property
    def blocks(self) -> dict[Kind, int]:
        """The first number of each kind."""
        blocks, first = {}, 1
        for kind in dict.fromkeys(kind for kind, _ in self.seen.values()):
            blocks[kind] = first
            first += kind.count
        if first > MOST:
            raise _too_many(self.system)
        return blocks

    @property
    def numbers(self) -> Mapping[str, Expr]:
        """For `Wish.events`: how the number of a step's event is computed."""
        return {
            name: _number(self.blocks[kind], kind.digits, values)
            for name, (kind, values) in self.seen.items()
        }

    def name(self, number: int) -> str:
        """The event with a number, as people call it."""
        return self._text(number, Labels(self.system))

    def key(self, number: int) -> str:
        """The same event in whichever system: labels may be short because of what else a system has."""
        return self._text(number, _WholeLabels(self.system))

    def _text(self, number: int, labels: Labels) -> str:
        kind = max(
            (kind for kind, first in self.blocks.items() if first <= number), key=self.blocks.__getitem__
        )
        return kind.text(labels, _values(number - self.blocks[kind], kind.digits))


class _WholeLabels(Labels):
    """Labels with the whole names of types."""

    @cached_property
    def prefixes(self) -> dict[str, str]:
        return {index.name: f"{index.name} " for index in index_types(self.system)}


# --- which steps are seen -----------------------------------------------------------------------------


def _seen(action: Action, visible: Sequence[str] | None) -> tuple[Kind, tuple[Expr, ...]] | None:
    """What is seen of an action's steps; None if they are internal."""
    if visible is not None and action.name in visible:
        return _as_action(action)
    if action.fault:
        return None
    if visible is None and action.actor is None:
        return _as_action(action)
    channels = (each for each in action.messages if visible is None or each.channel in visible)
    message = next(channels, None)
    return _as_message(message) if message else None


def _as_action(action: Action) -> tuple[Kind, tuple[Expr, ...]]:
    arguments = [each for each in action.parameters if not each.internal]
    kind = Kind(action.name, "", tuple(each.type for each in arguments))
    return kind, tuple(Local(each.name) for each in arguments)


def _as_message(message: Message) -> tuple[Kind, tuple[Expr, ...]]:
    sign = "." if message.sender and message.receiver else "!" if message.sender else "?"
    return Kind(message.channel, sign, message.keys, message.type), (*message.indices, *message.value)


# --- numbers ------------------------------------------------------------------------------------------


def _number(first: int, digits: Sequence[Scalar | Option], values: Sequence[Expr]) -> Expr:
    number: Expr = Const(0)
    for type_, value in zip(digits, values, strict=True):
        digit = Binary("-", value, Const(type_.low))
        number = Binary("+", Binary("*", number, Const(size(type_))), digit)
    return Binary("+", number, Const(first))


def _values(number: int, digits: Sequence[Scalar | Option]) -> list[int]:
    return list(_from_the_last(number, digits))[::-1]


def _from_the_last(number: int, digits: Sequence[Scalar | Option]) -> Iterator[int]:
    for type_ in reversed(digits):
        number, digit = divmod(number, size(type_))
        yield type_.low + digit


def _too_many(system: TransitionSystem) -> LimitError:
    return LimitError(
        "ANG053",
        f"{system.name} has too many events to number them",
        possible=f"at most {MOST:,}, counted by all values that actions and channels can have",
        remedy="make fewer of them visible, or their values smaller",
    )
