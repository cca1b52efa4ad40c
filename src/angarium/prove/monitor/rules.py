"""What a contract says of real objects, rule by rule: each is judged by itself.

An operation that may be called answers, with something of the right shape; and every `ensure` is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from angarium.errors import Place
from angarium.prove.module import Branch, Contract, Ensure, Put, Require, Specification, Statement
from angarium.prove.monitor.shapes import Shapes


class Rule(NamedTuple):
    """Something that the contract of an operation says."""

    operation: str
    text: str
    place: Place


def rules_of(specification: Specification) -> list[Rule]:
    """Everything that an object must keep to."""
    shapes = Shapes(specification)
    return [rule for each in specification.contracts for rule in (answers(each, shapes), *_ensured(each))]


def answers(contract: Contract, shapes: Shapes) -> Rule:
    """That an operation answers, and in which shape."""
    return Rule(contract.name, f"answers {shapes.answer_in_words(contract.results)}", contract.place)


def ensures(contract: Contract, clause: Ensure | Require) -> Rule:
    """That a line of the contract is true."""
    return Rule(contract.name, f"ensure {clause.text}", clause.place)


def grows(contract: Contract) -> bool:
    """Whether an operation adds something to the state."""
    return any(isinstance(each, Put) for each in _statements((*contract.before, *contract.after)))


def _ensured(contract: Contract) -> list[Rule]:
    return [ensures(contract, each) for each in _statements(contract.after) if isinstance(each, Ensure)]


def _statements(statements: Iterable[Statement]) -> Iterator[Statement]:
    for each in statements:
        yield each
        if isinstance(each, Branch):
            yield from _statements((*each.then, *each.otherwise))
