"""What walks are asked: whether there is room for the answers, and the form in which states and steps give
them.

The goal and the conditions that are waited for are conditions of states: the kernel says in which states
they are true, as it does for the guarantees. Each step has its label and, if rates choose, its rate. Which
steps are counted by which tally is a table from labels to tallies.

The figures of all walks are kept until the statistics are made, so their number is limited by memory: each
walk has its length and how it ended (9 bytes), and for every figure its value and whether it is known (9
bytes more), and all of it stands in memory twice while the parts are put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from angarium.checker.explore.graph import Wish, first_labels, instances, variants
from angarium.checker.explore.labelled import EVENT, labelled
from angarium.checker.explore.native_memory import WORD, physical_memory
from angarium.checker.ir.syntax import Const, Expr
from angarium.checker.ir.transition import Action, Tally, TransitionSystem, Walks
from angarium.checker.ir.types import Int
from angarium.checker.walks.plan import SCHEDULES, Plan
from angarium.core.errors import LimitError, UsageError, did_you_mean

MOST_RATE = 10**9
"""A greater rate fails; so the sum of all rates of a state fits in a word."""
NEVER = 2**63 - 1
"""The tally of steps or of time until something that did not happen."""
Table = NDArray[np.uint64]


@dataclass(frozen=True)
class Questions:
    """A system, and what its walks are asked under a schedule."""

    given: TransitionSystem
    schedule: str

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise UsageError(
                "ANG013",
                f"there is no schedule named {self.schedule!r}",
                possible=did_you_mean(self.schedule, SCHEDULES),
            )

    @cached_property
    def walks(self) -> Walks:
        return self.given.walks or Walks()

    @cached_property
    def system(self) -> TransitionSystem:
        """The system with all helpers; what is claimed of whole runs is nothing that a walk can show."""
        helpers = (*self.given.helpers, *self.walks.helpers)
        return replace(self.given, helpers=helpers, temporal=(), known_hash=self.given.hash)

    @property
    def by_rates(self) -> bool:
        return self.schedule == "rates"

    @cached_property
    def rates(self) -> dict[str, Expr]:
        """The rate of a step of each action; empty if rates do not choose."""
        if not self.by_rates:
            return {}
        given = dict(self.walks.rates)
        return {action.name: given.get(action.name, Const(1)) for action in self.given.actions}

    @cached_property
    def conditions(self) -> tuple[Expr, ...]:
        """The goal, if there is one, and what tallies wait for, each once."""
        waited = (each.condition for each in self.walks.tallies)
        found = (each for each in (self.walks.goal, *waited) if each is not None)
        return tuple(dict.fromkeys(found))

    @cached_property
    def labelled_system(self) -> TransitionSystem:
        """The system whose steps tell their label and rate, and whose states tell the conditions."""
        system = labelled(self.system, Wish(self.conditions, self.rates))
        bounded = (
            replace(each, type=Int(0, MOST_RATE)) if each.name == EVENT else each for each in system.variables
        )
        return replace(system, variables=tuple(bounded))

    @property
    def apart(self) -> int:
        """How many words each step tells."""
        return 2 if self.by_rates else 1

    # --- bits of a state's mask -------------------------------------------------------

    def bit(self, condition: Expr | None) -> int:
        """The mask of a condition; 0 for none."""
        if condition is None:
            return 0
        return 1 << len(self.given.guarantees) + self.conditions.index(condition)

    @cached_property
    def goal(self) -> int:
        return self.bit(self.walks.goal)

    @cached_property
    def waited(self) -> tuple[int, ...]:
        """The mask of what each tally waits for."""
        return tuple(self.bit(each.condition) for each in self.walks.tallies)

    # --- tables -----------------------------------------------------------------------

    @cached_property
    def actions(self) -> Table:
        """The number of each label's action."""
        sizes = [variants(action) for action in self.given.actions]
        return np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)

    @cached_property
    def counted(self) -> tuple[Table, Table]:
        """Where the tallies of each label begin, and where the last one's end; and all of them."""
        labels, tallies = self._pairs()
        order = np.lexsort((tallies, labels))
        starts = np.searchsorted(labels[order], np.arange(instances(self.given.actions) + 1))
        return starts.astype(np.uint64), tallies[order].astype(np.uint64)

    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Labels, and beside each one a tally that counts it."""
        found = [self.labels_of(each) for each in self.walks.tallies]
        numbers = np.repeat(np.arange(len(found)), [len(each) for each in found])
        return np.concatenate([np.empty(0, np.int64), *found]), numbers

    def labels_of(self, tally: Tally) -> NDArray[np.int64]:
        """The labels of the steps that a tally counts."""
        if tally.kind != "times":
            return np.empty(0, np.int64)
        (action,) = (each for each in self.given.actions if each.name == tally.action)
        sizes = [each.type.high - each.type.low + 1 for each in action.parameters]
        grid = np.arange(prod(sizes), dtype=np.int64).reshape(sizes)
        chosen = grid[_places(action, tally.arguments)]
        return np.ravel(chosen) + first_labels(self.given.actions)[action.name]


def _places(action: Action, arguments: Sequence[int | None]) -> tuple[int | slice, ...]:
    """The arguments that count, as places in the grid of all combinations."""
    pairs = zip(action.parameters, arguments, strict=False)
    return tuple(slice(None) if n is None else n - each.type.low for each, n in pairs)


_EACH = 9
"""Bytes of a figure, and of what is known of every walk."""
_COPIES = 2
_MOST = 10**18
"""More than anybody can wait for; the native code counts in words of 64 bits."""


def check(system: TransitionSystem, plan: Plan) -> None:
    """Refuse a plan that cannot be carried out."""
    if plan.schedule not in SCHEDULES:
        raise UsageError(
            "ANG013",
            f"there is no schedule named {plan.schedule!r}",
            possible=did_you_mean(plan.schedule, SCHEDULES),
            remedy="docs/how-to/simulate.md says what each of them does",
        )
    if plan.schedule == "rates" and not (system.walks and system.walks.rates):
        raise UsageError(
            "ANG013",
            f"the schedule cannot be rates: {system.name} gives no rates",
            possible="possible: by-action, uniform",
            remedy="or say in the model how often steps happen, with @rate (docs/how-to/simulate.md)",
        )
    _check_numbers(plan)
    _check_room(system, plan)


def _check_numbers(plan: Plan) -> None:
    for name, value in (("runs", plan.runs), ("steps", plan.steps)):
        if not 1 <= value <= _MOST:
            raise UsageError(
                "ANG013",
                f"{name} cannot be {value:,}",
                possible=f"possible: 1 to {_MOST:,}",
                remedy=f"give {'more' if value < 1 else 'fewer'} {name}",
            )


def _check_room(system: TransitionSystem, plan: Plan) -> None:
    figures = sum(len(each.instances) for each in system.walks.observations) if system.walks else 0
    each, room = _COPIES * _EACH * (1 + figures), physical_memory() * WORD
    most = f"{room // each:,} walks in the {room / 2**30:,.0f} GiB that there are"
    if plan.runs * each > room:
        raise LimitError(
            "ANG054",
            f"the figures of {plan.runs:,} walks do not fit into memory:"
            f" {each} bytes a walk ({figures} figures) are {plan.runs * each / 2**30:,.0f} GiB",
            possible=f"possible: at most {most}",
            remedy="make fewer walks with --runs",
        )


def observation_named(system: TransitionSystem, name: str | None) -> str:
    """The observation that is asked for, or else the first; nothing if the model names none."""
    names = [each.name for each in system.walks.observations] if system.walks else []
    if name is None:
        return names[0] if names else ""
    if name not in names:
        raise UsageError(
            "ANG013",
            f"{system.name} has no observation named {name!r}",
            possible=did_you_mean(name, names),
            remedy="give one of these, or name another in the model with @observation",
        )
    return name
