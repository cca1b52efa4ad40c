"""What ought to be in a subject, followed call by call: verdicts on calls and answers, and on conjectures
between them.

A monitor knows nothing of how the subject is called, nor what to do when something is wrong: it raises.

The parameters of a conjecture stand for everything of their sorts. Here they go through what there is: the
values in the state, and those of the last call. So whatever is found false is false; that nothing was found
proves nothing. Of very many combinations, those with a value of the last call come first, and the rest is
left out. A conjecture that has no finite meaning is not watched, and stays unknown. Where it asks for a
value that nothing has set yet, it may be true.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice, product
from typing import Any, NamedTuple, TypeAlias

from angarium.contracts.module import Conjecture, Contract, Specification
from angarium.contracts.monitor.concrete import (
    Concrete,
    Function,
    State,
    Undo,
    Unkept,
    local,
    python,
    take_back,
)
from angarium.contracts.monitor.real_values import Shapes, in_order, shown
from angarium.contracts.monitor.rules import (
    Call,
    ContractBroken,
    Rule,
    WrongCall,
    answers,
    ensures,
    stays_true,
)
from angarium.contracts.terms import TRUTH, Kind, Sort, Symbol
from angarium.core.errors import ConformError, did_you_mean

Condition: TypeAlias = Callable[..., bool]
"""Called with the state and the values of the parameters."""
_MOST = 100
"""Combinations of values that are tried behind one call."""


class Refuted(NamedTuple):
    """A conjecture that is not true, and of which values."""

    conjecture: Conjecture
    values: tuple[tuple[str, Any], ...]


class Conjectures:
    """The conjectures of a specification that can be watched."""

    def __init__(self, specification: Specification) -> None:
        self._specification, self._shapes = specification, Shapes(specification)
        conditions = {each: condition(each) for each in specification.conjectures}
        self._conditions = {each: found for each, found in conditions.items() if found}

    def first_false(self, state: Mapping[str, Any], call: Call) -> Refuted | None:
        """A conjecture that is false behind a call."""
        for conjecture, holds in self._conditions.items():
            for values in self._combinations(conjecture, state, call):
                if not _is_true(holds, state, values):
                    names = [each.name for each in conjecture.parameters]
                    return Refuted(conjecture, tuple(zip(names, values, strict=True)))
        return None

    def _combinations(
        self, conjecture: Conjecture, state: Mapping[str, Any], call: Call
    ) -> Iterator[tuple[Any, ...]]:
        sorts = [each.sort for each in conjecture.parameters]
        new = [self._values_of(call, sort) for sort in sorts]
        known = [
            _once([*fresh, *self._values_in(state, sort)]) for fresh, sort in zip(new, sorts, strict=True)
        ]
        with_new = (product(*known[:at], new[at], *known[at + 1 :]) for at in range(len(sorts)))
        return islice(chain(chain.from_iterable(with_new), product(*known)), _MOST)

    def _values_in(self, state: Mapping[str, Any], sort: Sort) -> list[Any]:
        return [False, True] if sort.kind is Kind.TRUTH else self._shapes.near(state, sort)

    def _values_of(self, call: Call, sort: Sort) -> list[Any]:
        """What of a sort the call speaks of: its arguments and its answer."""
        contract = self._specification.contract(call.operation)
        answers = call.answer if len(contract.results) > 1 else [call.answer][: len(contract.results)]
        values = (*(value for _, value in call.arguments), *answers)
        sorts = [each.sort for each in (*contract.parameters, *contract.results)]
        return [value for value, each in zip(values, sorts, strict=True) if each == sort]


@lru_cache(maxsize=64)
def condition(conjecture: Conjecture) -> Condition | None:
    """A conjecture as Python; None if it has no finite meaning."""
    place = conjecture.place
    if any(each.sort.kind is Kind.RING for each in conjecture.parameters):
        return None
    try:
        body = python(conjecture.condition, place)
    except ConformError:
        return None
    arguments = ", ".join(["state", *(local(each.name) for each in conjecture.parameters)])
    run: Condition = eval(compile(f"lambda {arguments}: {body}", place.file, "eval"), {})
    return run


def _is_true(holds: Condition, state: Mapping[str, Any], values: Iterable[Any]) -> bool:
    try:
        return bool(holds(state, *values))
    except ConformError:
        return True


def _once(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


Steps: TypeAlias = Generator[None, Any, None]
"""A contract that is being gone through: it stands at its `yield` while the subject does its part."""


class Monitor:
    """The abstract state of a subject."""

    def __init__(
        self,
        rules: Concrete,
        begin: Mapping[str, Any] | None = None,
        conjectures: Conjectures | None = None,
    ) -> None:
        """`conjectures` are judged behind every call that changes the state, if they are given."""
        self.specification = rules.specification
        self.state = _begun(rules, begin or {})
        self.shapes = Shapes(rules.specification)
        self._rules, self._conjectures = rules, conjectures
        self._undo: Undo = []

    def before(self, contract: Contract, call: Call) -> Steps:
        """Go through the contract up to the call; it is the caller's fault if that is not possible."""
        self._check_arguments(contract, call)
        steps = self._steps(contract, call)
        try:
            next(steps)
        except Unkept as unkept:
            take_back(self._undo)
            rule = Rule(contract.name, f"require {unkept.clause.text}", unkept.clause.place)
            what = f"{call} must not be called now"
            raise WrongCall(what, call, rule=rule, before=self.state.copy()) from unkept
        return steps

    def after(self, contract: Contract, call: Call, steps: Steps) -> None:
        """Go through the rest of the contract; it is the subject's fault if that is not possible."""
        if call.raised is not None or not self.shapes.fit(call.answer, contract.results):
            raise self._no_answer(contract, call) from call.raised
        try:
            steps.send(call.answer)
        except StopIteration:
            self._judge_conjectures(call)
            self._undo.clear()
        except Unkept as unkept:
            raise self._wrong_answer(contract, call, unkept) from unkept

    def allows(self, contract: Contract, call: Call) -> bool:
        """Whether the contract allows a call now."""
        try:
            next(self._steps(contract, call))
        except Unkept:
            return False
        finally:
            take_back(self._undo)
        return True

    def _steps(self, contract: Contract, call: Call) -> Steps:
        values = [value for _, value in call.arguments]
        return self._rules.contracts[contract.name](self.state, self._undo, *values)

    def _check_arguments(self, contract: Contract, call: Call) -> None:
        given = dict(call.arguments)
        for each in contract.parameters:
            if not self.shapes.fits(given[each.name], each.sort):
                needed = f"{each.name} must be {self.shapes.words(each.sort)}"
                raise WrongCall(
                    f"{call} cannot be called: {needed}, and it is {shown(given[each.name])}",
                    call,
                    rule=Rule(contract.name, f"{each.name}: {each.sort.name}", contract.place),
                    before=self.state.copy(),
                )

    # --- the subject's fault ------------------------------------------------------------------------

    def _no_answer(self, contract: Contract, call: Call) -> ContractBroken:
        take_back(self._undo)
        needed = self.shapes.answer_in_words(contract.results)
        did = f"answered {shown(call.answer)}" if call.raised is None else f"raised {call.raised!r}"
        return ContractBroken(
            f"{call} {did}, and should have answered {needed}",
            call,
            rule=answers(contract, self.shapes),
            before=self.state.copy(),
            allowed=self._allowed(contract, call),
        )

    def _wrong_answer(self, contract: Contract, call: Call, unkept: Unkept) -> ContractBroken:
        after = self.state.copy()
        take_back(self._undo)
        return ContractBroken(
            f"{call} answered {shown(call.answer)}, which its contract does not allow",
            call,
            rule=ensures(contract, unkept.clause),
            before=self.state.copy(),
            after=after,
            allowed=self._allowed(contract, call),
        )

    def _judge_conjectures(self, call: Call) -> None:
        """What the subject has answered must lead to a state of which they are true."""
        refuted = (
            self._conjectures.first_false(self.state, call) if self._conjectures and self._undo else None
        )
        if refuted is None:
            return
        after = self.state.copy()
        take_back(self._undo)
        values = ", ".join(f"{name} = {shown(value)}" for name, value in refuted.values)
        why = f"{refuted.conjecture.name} is false then" + (f" for {values}" if values else "")
        raise ContractBroken(
            f"{call} answered {shown(call.answer)}, and {why}",
            call,
            why=why,
            rule=stays_true(refuted.conjecture),
            before=self.state.copy(),
            after=after,
        )

    def _allowed(self, contract: Contract, call: Call) -> tuple[Any, ...]:
        """Answers that the contract would have allowed, of those that the state brings to mind."""
        if len(contract.results) != 1:
            return ()
        candidates = self._candidates(contract, call, contract.results[0].sort)
        return tuple(each for each in candidates if self._accepts(contract, call, each))

    def _candidates(self, contract: Contract, call: Call, sort: Sort) -> list[Any]:
        """Things near the state before the call, and near the one that its contract makes of it."""
        if sort == TRUTH:
            return [True, False]
        before = self.shapes.near(self.state, sort)
        next(self._steps(contract, call))
        between = self.shapes.near(self.state, sort)
        take_back(self._undo)
        return in_order({*before, *between})

    def _accepts(self, contract: Contract, call: Call, answer: object) -> bool:
        steps = self._steps(contract, call)
        try:
            next(steps)
            steps.send(answer)
        except StopIteration:
            return True
        except Unkept:
            return False
        finally:
            take_back(self._undo)
        return False


def _begun(rules: Concrete, begin: Mapping[str, Any]) -> State:
    """The state at the beginning, with what the subject is said to hold already."""
    state = rules.initial()
    symbols = {each.name: each for each in rules.specification.state}
    for name, values in begin.items():
        if name not in symbols:
            raise ConformError(
                "ANG091",
                f"{rules.specification.name} has nothing called {name} in its state",
                possible=did_you_mean(name, symbols),
                remedy="give to `begin` what the specification declares",
            )
        state[name] = _held(symbols[name], values)
    return state


def _held(symbol: Symbol, values: Any) -> Any:  # noqa: ANN401 (as the symbol)
    if not symbol.arguments:
        return values
    return set(values) if symbol.result == TRUTH else Function(symbol.name, values)


def arguments_of(contract: Contract, given: Iterable[Any], named: Mapping[str, Any]) -> Call:
    """A call with its arguments in the order of the contract; TypeError if they do not fit."""
    names = [each.name for each in contract.parameters]
    values = list(given)
    rest = names[len(values) :]
    if len(values) > len(names) or set(rest) != set(named):
        signature = f"{contract.name}({', '.join(names)})"
        raise TypeError(f"{signature} got {len(values)} arguments and the names {sorted(named)}")
    return Call(contract.name, tuple(zip(names, [*values, *(named[name] for name in rest)], strict=True)))
