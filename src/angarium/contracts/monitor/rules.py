"""What a contract says of real objects, rule by rule: each is judged by itself.

An operation that may be called answers, with something of the right shape; every `ensure` is true; and so is
every conjecture, behind every call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from angarium.contracts.module import (
    Branch,
    Collect,
    Conjecture,
    Contract,
    Ensure,
    Put,
    Require,
    Specification,
    Statement,
)
from angarium.contracts.monitor.shapes import Shapes
from angarium.contracts.terms import FALSE
from angarium.core.errors import Place


class Rule(NamedTuple):
    """Something that the contract of an operation says, or a conjecture."""

    operation: str
    text: str
    place: Place


def rules_of(specification: Specification) -> list[Rule]:
    """Everything that an object must keep to."""
    shapes = Shapes(specification)
    contracts = [(answers(each, shapes), *_ensured(each)) for each in specification.contracts]
    return [*chain.from_iterable(contracts), *map(stays_true, specification.conjectures)]


def answers(contract: Contract, shapes: Shapes) -> Rule:
    """That an operation answers, and in which shape."""
    words = f" {shapes.answer_in_words(contract.results)}" if contract.results else ", and raises nothing"
    return Rule(contract.name, f"answers{words}", contract.place)


def ensures(contract: Contract, clause: Ensure | Require) -> Rule:
    """That a line of the contract is true."""
    return Rule(contract.name, f"ensure {clause.text}", clause.place)


def stays_true(conjecture: Conjecture) -> Rule:
    """That a conjecture is true behind every call; its name stands where others have an operation's."""
    return Rule(conjecture.name, f"conjecture {conjecture.text}", conjecture.place)


def grows(contract: Contract) -> bool:
    """Whether an operation adds something to the state."""
    return any(isinstance(each, Put) and each.value != FALSE for each in _effects(contract))


def shrinks(contract: Contract) -> bool:
    """Whether an operation only takes out of the state."""
    takes_out = any(isinstance(each, Put | Collect) for each in _effects(contract))
    return takes_out and not grows(contract)


def _effects(contract: Contract) -> Iterator[Statement]:
    return _statements((*contract.before, *contract.after))


def _ensured(contract: Contract) -> list[Rule]:
    return [ensures(contract, each) for each in _statements(contract.after) if isinstance(each, Ensure)]


def _statements(statements: Iterable[Statement]) -> Iterator[Statement]:
    for each in statements:
        yield each
        if isinstance(each, Branch):
            yield from _statements((*each.then, *each.otherwise))
