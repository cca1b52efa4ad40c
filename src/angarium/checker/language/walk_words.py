"""The words for random walks: where a walk ends, what is observed of it, and how often steps come.

A search looks at every run, a simulation at some; what is said here is for the simulation alone. It changes
neither the states of a model nor its guarantees. Like all words of the language these are read, not run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def _compiled_only(word: str) -> NoReturn:
    raise RuntimeError(f"{word} is part of a model: models are compiled, not called")


def goal(function: F) -> F:
    """Where a random walk ends: the function returns whether it is there. A model has one goal or none.

    Without one a walk ends where nothing more can happen, or when it has taken as many steps as it may.
    """
    return function


def observation(function: F) -> F:
    """A figure that each random walk gives: the function returns a number or a truth, when the walk ends.

    It may use the state in which the walk ends and what was counted on the way: `times`, `steps`,
    `steps_until` and `time_until`. With arguments, such as `q: Queue`, there is one figure for each value.
    """
    return function


def rate(step: Callable[..., Any] | int | str) -> Callable[[F], F]:
    """How often a step happens in a unit of time: `@rate(deliver)`. The function returns a whole number.

    It is the rate of each instance: two workers who can each take four orders have eight times that rate.

    Named are an action, a process (every step in which it takes part, its faults aside), or a fault budget
    (every step that spends it). A step that has no function of its own is named in quotes:
    `@rate("producer_timeout")`. The rate of a step itself goes before that of its process or its budget;
    a step without a rate has the rate 1, and one whose rate is 0 does not happen. The function
    takes no arguments, or those of the action or process.
    """
    return lambda function: function


def times(step: Callable[..., Any] | int | str, **arguments: object) -> int:
    """In an observation: how often a step happened, `times(self.release)`; steps are named as in `rate`.

    `times(self.release, q=q)` counts only the steps with that argument. What stands there must be known when
    the model is compiled: an argument of the observation, or a constant.
    """
    _compiled_only("times")


def steps() -> int:
    """In an observation: how many steps the walk has taken."""
    _compiled_only("steps")


def steps_until(condition: bool) -> int:
    """In an observation: how many steps were taken before the condition was true for the first time.

    The condition is asked in every state of the walk. A walk in which it never is true gives no figure.
    """
    _compiled_only("steps_until")


def time_until(condition: bool) -> int:
    """In an observation: how much time passed until then, in millionths of the unit in which rates are given.

    Time passes only where steps are chosen by their rates.
    """
    _compiled_only("time_until")


COUNTED = ("times", "steps", "steps_until", "time_until")
"""The words that stand in observations."""
