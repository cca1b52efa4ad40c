"""A Hypothesis state machine from a specification: it calls a subject in every order that it can think of.

Calls that the contract does not allow are not made. There is one rule, which chooses an operation and its
arguments with the abstract state in view. With a rule for each operation, Hypothesis would leave some of
them out of each sequence and choose evenly among the others: most queues would stay nearly empty, and be
asked about that again and again.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from hypothesis.strategies import SearchStrategy

from angarium.prove.module import Contract, Specification
from angarium.prove.monitor.breaches import Call
from angarium.prove.monitor.rules import grows
from angarium.prove.monitor.run import Log, MakeSubject, Run
from angarium.prove.monitor.strategies import Values, one_of

_WEIGHT = {True: 3, False: 1}
"""How often an operation is chosen, by whether it makes the state grow: an empty queue has little to show."""
_TRIES = 3
"""How often another call is tried where the contract does not allow the first."""


def machine(specification: Specification, make_subject: MakeSubject, log: Log) -> type[RuleBasedStateMachine]:
    """A state machine that drives what `make_subject()` gives, a new one for every sequence of calls."""

    class Machine(RuleBasedStateMachine):
        """Drives one subject."""

        def __init__(self) -> None:
            super().__init__()
            self.run = Run(specification, make_subject, log)

        @rule(call=_calls(specification))
        def make(self, call: Call) -> None:
            self.run.offer(call)

        def teardown(self) -> None:
            self.run.close()

    return Machine


def _calls(specification: Specification) -> SearchStrategy[Call]:
    """Calls that the contract allows in the state of the machine that asks, or nearly always such."""
    values = Values(specification)
    choices = [each for each in specification.contracts for _ in range(_WEIGHT[grows(each)])]

    @st.composite
    def chosen(draw: st.DrawFn) -> Call:
        run: Run = draw(st.runner()).run
        for _ in range(_TRIES):
            call = _drawn(draw, one_of(draw, choices), values, run)
            if run.allows(call):
                break
        return call

    return chosen()


def _drawn(draw: st.DrawFn, contract: Contract, values: Values, run: Run) -> Call:
    state = run.monitor.state
    return Call(contract.name, tuple((p.name, values.draw(draw, p.sort, state)) for p in contract.parameters))
