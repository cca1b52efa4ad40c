"""What cannot be asked of a simulation, found out before the first walk.

The figures of all walks are kept until the statistics are made, so their number is limited by memory: each
walk has its length and how it ended (9 bytes), and for every figure its value and whether it is known (9
bytes more), and all of it stands in memory twice while the parts are put together.
"""

from __future__ import annotations

from angarium.checker.explore.native_memory import WORD, physical_memory
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.walks.plan import SCHEDULES, Plan
from angarium.core.errors import LimitError, UsageError, did_you_mean

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
