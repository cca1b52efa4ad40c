"""A Hypothesis state machine from a specification: it calls a subject in every order that it can think of.

Calls that the contract does not allow are not made. There is one rule, which chooses an operation and its
arguments with the abstract state in view. With a rule for each operation, Hypothesis would leave some of
them out of each sequence and choose evenly among the others: most queues would stay nearly empty, and be
asked about that again and again.

Mistakes that need a full queue need one that is filled: some sequences spend half of their calls on that, and
some more, before they ask and take out again.
"""

from __future__ import annotations

from enum import Enum

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from hypothesis.strategies import SearchStrategy

from angarium.contracts.module import Contract, Specification
from angarium.contracts.monitor.breaches import Call
from angarium.contracts.monitor.rules import grows, shrinks
from angarium.contracts.monitor.run import Log, MakeSubject, Run
from angarium.contracts.monitor.strategies import Values, one_of

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
