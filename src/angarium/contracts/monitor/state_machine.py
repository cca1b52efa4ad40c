"""A Hypothesis state machine from a specification: it calls a subject in every order that it can think of.

Calls that the contract does not allow are not made. There is one rule, which chooses an operation and its
arguments with the abstract state in view. With a rule for each operation, Hypothesis would leave some of
them out of each sequence and choose evenly among the others: most queues would stay nearly empty, and be
asked about that again and again. Mistakes that need a full queue need one that is filled: some sequences
spend half of their calls on that, and some more, before they ask and take out again.

Values are those that are likely to show a mistake, the simplest first. Mistakes with numbers hide at their
edges: beside numbers that are in use, where a number gets another digit (as text, "10" comes before "9"),
and where it no longer fits into 32, 53 or 64 bits. Things are new, or some that the abstract state holds
already. Where a state is to be filled, numbers go up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, make_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from hypothesis.strategies import SearchStrategy

from angarium.contracts.message import Message
from angarium.contracts.module import Contract, Specification
from angarium.contracts.monitor.real_values import Shapes
from angarium.contracts.monitor.rules import Call, grows, shrinks
from angarium.contracts.monitor.sequences import Log, MakeSubject, Run
from angarium.contracts.terms import Kind, Sort
from angarium.core.errors import ConformError

Value = TypeVar("Value")

EDGES = (0, 1, 2, 3, 9, 10, 11, 99, 100)
LARGE = (2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63)
PAYLOADS = (
    b"",
    b"a",
    b"007",
    b"a ",
    b"a\n",
    b"a\x00",
    b"\r\n\x00\xff",
    "\u00fc\u20ac".encode(),
    b"0123456789" * 30,
    b"0123456789" * 7_000,
)
"""What gets lost on the way: at the end, in the middle, in another encoding, beyond 255 bytes or 64 KiB."""
_OFTEN = 4
"""How much likelier a usual number is than a large one, and a new thing than a known one."""
_NAMES = ("a", "b", "c", "d")


class Values:
    """Draws values for the sorts of a specification, in a state.

    Drawing numbers and looking things up by them is much quicker than making strategies for every state.
    """

    def __init__(self, specification: Specification) -> None:
        self._name = specification.name
        self._shapes = Shapes(specification)

    def draw(self, draw: st.DrawFn, sort: Sort, state: Mapping[str, Any], *, fills: bool) -> Any:  # noqa: ANN401 (of the sort)
        """A value of a sort; where a state is to be filled, mostly one that is not in it."""
        if sort.kind is Kind.TRUTH:
            return draw(st.booleans())
        if sort.kind is Kind.ORDER:
            near = self._shapes.near(state, sort)
            return _number_above(draw, near) if fills else _number(draw, near)
        if sort.kind is Kind.RING:
            raise _no_values(self._name, sort)
        known = self._shapes.values_in(state, sort)
        if known and not fills and draw(st.integers(0, _OFTEN)) == _OFTEN:
            return one_of(draw, known)
        return self._new(draw, sort, state, f"{len(known)}" if fills else "")

    def _new(self, draw: st.DrawFn, sort: Sort, state: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401
        fields = self._shapes.fields(sort)
        if any(each.result == sort for each in fields):
            raise _no_values(self._name, sort)
        if not fields:
            return f"{sort.name.lower()}-{name or one_of(draw, _NAMES)}"
        values = {each.name: self.draw(draw, each.result, state, fills=bool(name)) for each in fields}
        make = thing(sort.name, tuple(each.name for each in fields))
        return make(**values, payload=one_of(draw, PAYLOADS))


def one_of(draw: st.DrawFn, values: Sequence[Value]) -> Value:
    """One of the values, of which the first is the simplest."""
    return values[draw(st.integers(0, len(values) - 1))]


@lru_cache
def thing(name: str, fields: tuple[str, ...]) -> Callable[..., Any]:
    """A class of things with these fields and a payload, of which the contract says nothing."""
    if (name, fields) == ("Message", ("num",)):
        return Message
    payload = ("payload", bytes, field(default=b""))
    return make_dataclass(name, [*((each, Any) for each in fields), payload], frozen=True)


def _number(draw: st.DrawFn, near: list[int]) -> int:
    """A number; large ones are rare, because who forgets all up to one has nothing left.

    What does not depend on the state comes first: with that, a call stays the same when Hypothesis leaves out
    the calls before it.
    """
    kind = draw(st.integers(0, 2 * _OFTEN))
    if kind == 2 * _OFTEN:
        return one_of(draw, LARGE)
    return one_of(draw, EDGES if kind < _OFTEN or not near else near)


def _number_above(draw: st.DrawFn, near: list[int]) -> int:
    """Mostly the next number above those in use; large ones would leave no room."""
    usual = [number for number in near if number < LARGE[0] - 1]
    if not usual or draw(st.integers(0, _OFTEN)) == _OFTEN:
        return one_of(draw, EDGES)
    return usual[-1]


def _no_values(name: str, sort: Sort) -> ConformError:
    return ConformError(
        "ANG090",
        f"there are no values of {sort.name} with which operations of {name} could be called",
        possible="orders, and things with fields that are orders, truths or other things",
        remedy="leave it out of the parameters of the contract",
    )


_FILLING = (0.0, 0.0, 0.0, 0.5, 0.8)
"""Parts of a sequence that may be spent on filling; one is drawn for each sequence."""
_TRIES = 3
"""How often another call is tried where the contract does not allow the first."""


class Mode(Enum):
    """What is done to a subject, mainly; how often each operation is chosen."""

    MIX = "everything, and often what makes the state grow: an empty queue has little to show"
    FILL = "nearly only what makes the state grow"
    DRAIN = "everything alike"

    def weight(self, contract: Contract) -> int:
        if self is Mode.FILL:
            return 32 if grows(contract) else 0 if shrinks(contract) else 1
        return 3 if self is Mode.MIX and grows(contract) else 1


def machine(
    specification: Specification, make_subject: MakeSubject, log: Log, steps: int
) -> type[RuleBasedStateMachine]:
    """A state machine that drives what `make_subject()` gives, a new one for each sequence of calls."""

    class Machine(RuleBasedStateMachine):
        """Drives one subject."""

        def __init__(self) -> None:
            super().__init__()
            self.run = Run(specification, make_subject, log)
            self.made = self.filling = 0

        @initialize(part=st.sampled_from(_FILLING))
        def fill(self, part: float) -> None:
            self.filling = int(part * steps)

        @rule(call=_calls(specification))
        def make(self, call: Call) -> None:
            self.made += 1
            self.run.offer(call)

        @property
        def mode(self) -> Mode:
            if not self.filling:
                return Mode.MIX
            return Mode.FILL if self.made < self.filling else Mode.DRAIN

        def teardown(self) -> None:
            self.run.close()

    return Machine


def _calls(specification: Specification) -> SearchStrategy[Call]:
    """Calls that the contract allows in the state of the machine that asks, or nearly always such."""
    values, choices = Values(specification), {mode: _choices(specification, mode) for mode in Mode}

    @st.composite
    def chosen(draw: st.DrawFn) -> Call:
        machine = draw(st.runner())
        for _ in range(_TRIES):
            contract = one_of(draw, choices[machine.mode])
            call = _drawn(draw, contract, values, machine.run, fills=machine.mode is Mode.FILL)
            if machine.run.allows(call):
                break
        return call

    return chosen()


def _choices(specification: Specification, mode: Mode) -> list[Contract]:
    """The operations, each as often as it weighs; where nothing makes the state grow, all."""
    contracts = specification.contracts
    return [each for each in contracts for _ in range(mode.weight(each))] or list(contracts)


def _drawn(draw: st.DrawFn, contract: Contract, values: Values, run: Run, *, fills: bool) -> Call:
    state, parameters = run.monitor.state, contract.parameters
    drawn = [values.draw(draw, each.sort, state, fills=fills) for each in parameters]
    return Call(contract.name, tuple(zip((each.name for each in parameters), drawn, strict=True)))
