"""The words for guarantees over time: formulas along a run and on the tree of runs, fairness, events.

Like all words of the language they are read, not run. The words of formulas are typed as conditions, so that
they stand inside `and`, `or`, `not`, `all` and `any` like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, overload

F = TypeVar("F", bound=Callable[..., Any])


def _compiled_only(word: str) -> NoReturn:
    raise RuntimeError(f"{word} is part of a model: models are compiled, not called")


class Demand:
    """What a run must be to count; made by `weak` and `strong`."""


def weak(per: str | Callable[..., Any], *of: str | Callable[..., Any]) -> Demand:
    """What is possible without interruption happens: `weak("process")`, `weak("instance", release)`.

    Per "all" (any step), "process", "action" or "instance" (an action with the same arguments). Only named
    actions and processes, if there are any; `weak(release)` is per action. A step that has no function of
    its own is named in quotes: `weak("action", "restart_consumer")`.
    """
    return Demand()


def strong(per: str | Callable[..., Any], *of: str | Callable[..., Any]) -> Demand:
    """What is possible again and again happens; written like `weak`."""
    return Demand()


Demands = Demand | list[Demand]


@overload
def ltl(function: F, /) -> F: ...
@overload
def ltl(*, fairness: Demands) -> Callable[[F], F]: ...
def ltl(function: Any = None, *, fairness: Any = None) -> Any:
    """A guarantee: a formula that is true along every (fair) run. The function returns the formula."""
    return function or (lambda decorated: decorated)


@overload
def ctl(function: F, /) -> F: ...
@overload
def ctl(*, fairness: Demands) -> Callable[[F], F]: ...
def ctl(function: Any = None, *, fairness: Any = None) -> Any:
    """A guarantee: a formula on the tree of (fair) runs, such as `AG(EF(self.home()))`."""
    return function or (lambda decorated: decorated)


@overload
def eventually(condition: bool, /) -> bool: ...
@overload
def eventually(function: F, /) -> F: ...
@overload
def eventually(*, fairness: Demands) -> Callable[[F], F]: ...
def eventually(given: Any = None, *, fairness: Any = None) -> Any:
    """In a formula: now or later. As a decorator, a guarantee: true at some time of every (fair) run."""
    if callable(given):
        return given
    return (lambda decorated: decorated) if given is None else _compiled_only("eventually")


def divergence_free(function: F) -> F:
    """A guarantee: no run goes on for ever with internal steps only. The function's body is its docstring."""
    return function


def deterministic(function: F) -> F:
    """A guarantee: the visible events so far decide which can follow. The body is its docstring."""
    return function


def events(*names: object) -> object:
    """`visible = events(publish, link)`: the actions and channels that can be seen from outside.

    Every other step is internal. Without it all actions and channels are
    visible; faults are only if they are named.
    """
    return names


def always(condition: bool) -> bool:
    """Now and at every later time."""
    _compiled_only("always")


def next_(condition: bool) -> bool:
    """After the next step."""
    _compiled_only("next_")


def weak_until(condition: bool, end: bool) -> bool:
    """The condition is true up to the moment of the end, or for ever if that never comes."""
    _compiled_only("weak_until")


def release(end: bool, condition: bool) -> bool:
    """The condition is true up to and including the moment of the end, or for ever."""
    _compiled_only("release")


def leads_to(cause: bool, effect: bool) -> bool:
    """Always, after the cause comes the effect, at once or later."""
    _compiled_only("leads_to")


def implies(cause: bool, effect: bool) -> bool:
    """If the cause then the effect, in the same state. Where the cause never happens, nothing is claimed."""
    _compiled_only("implies")


def AX(condition: bool) -> bool:  # noqa: N802
    """After every next step."""
    _compiled_only("AX")


def AF(condition: bool) -> bool:  # noqa: N802
    """On every run from here, now or later."""
    _compiled_only("AF")


def AG(condition: bool) -> bool:  # noqa: N802
    """On every run from here, now and always."""
    _compiled_only("AG")


def AU(condition: bool, end: bool) -> bool:  # noqa: N802
    """On every run from here, the condition up to the end, which comes."""
    _compiled_only("AU")


def AW(condition: bool, end: bool) -> bool:  # noqa: N802
    """On every run from here, the condition up to the end, if that comes."""
    _compiled_only("AW")


def AR(end: bool, condition: bool) -> bool:  # noqa: N802
    """On every run from here, the condition up to and including the end, if that comes."""
    _compiled_only("AR")


def EX(condition: bool) -> bool:  # noqa: N802
    """After some next step."""
    _compiled_only("EX")


def EF(condition: bool) -> bool:  # noqa: N802
    """On some run from here, now or later: it can be reached."""
    _compiled_only("EF")


def EG(condition: bool) -> bool:  # noqa: N802
    """On some run from here, now and always."""
    _compiled_only("EG")


def EU(condition: bool, end: bool) -> bool:  # noqa: N802
    """On some run from here, the condition up to the end, which comes."""
    _compiled_only("EU")


def EW(condition: bool, end: bool) -> bool:  # noqa: N802
    """On some run from here, the condition up to the end, if that comes."""
    _compiled_only("EW")


def ER(end: bool, condition: bool) -> bool:  # noqa: N802
    """On some run from here, the condition up to and including the end, if that comes."""
    _compiled_only("ER")


ALONG_A_RUN = ("next_", "eventually", "always", "until", "weak_until", "release", "leads_to")
"""The words of LTL."""
ON_THE_TREE = tuple(quantifier + op for quantifier in "AE" for op in "XFGUWR")
"""The words of CTL."""
