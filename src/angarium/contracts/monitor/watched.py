"""`watch`: an object that stands in front of a queue and checks every call against a contract.

    queue = watch(MyQueue(), specification)
    queue.enqueue(message)          MyQueue.enqueue is called; what it answers is checked and returned

A call that the contract does not allow is the caller's fault: `WrongCall`, and the queue is not called. An
answer that the contract does not allow is the queue's: `ContractBroken`. So is an exception, because what
may be called must answer, and an answer of another type. After `ContractBroken`, nobody knows what ought to
be in the queue: every further call raises it again.

In production nothing should be raised that would not have been raised without a monitor: with `on_broken`,
the function that is given there gets the first violation, once, and from then on calls are passed on
unchecked.

The monitor keeps what the contract speaks of, such as the messages that are in the queue, and nothing else.
It is for one thread at a time: two calls at once have no state before and after. Whoever has several threads
holds a lock around each call, as for the queue itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import iscoroutinefunction
from typing import Any, TypeAlias

from angarium.contracts.module import Contract, Specification
from angarium.contracts.monitor.concrete import concrete
from angarium.contracts.monitor.monitor import Monitor, arguments_of
from angarium.contracts.monitor.rules import Call, ContractBroken, Violation, WrongCall
from angarium.core.errors import ConformError

OnBroken: TypeAlias = Callable[[Violation], object]


def watch(
    subject: object,
    specification: Specification,
    *,
    on_broken: OnBroken | None = None,
    begin: Mapping[str, Any] | None = None,
) -> Any:  # noqa: ANN401 (it has the operations of the specification, which no type can say)
    """The subject, with every call checked against the specification.

    `on_broken` gets the first violation, instead of it being raised. `begin` is what the abstract state holds
    already, such as `{"contents": messages}` for a queue that was filled before.
    """
    return Watched(subject, Monitor(concrete(specification), begin), on_broken)


class Watched:
    """A subject whose operations are checked; everything else is the subject's own."""

    def __init__(self, subject: object, monitor: Monitor, on_broken: OnBroken | None) -> None:
        demand_operations(subject, monitor.specification)
        self._subject = subject
        guard = _Guard(monitor, on_broken)
        for contract in monitor.specification.contracts:
            operation = getattr(subject, contract.name)
            setattr(self, contract.name, partial(guard.call, contract, operation))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever the subject has)
        return getattr(object.__getattribute__(self, "_subject"), name)


class _Guard:
    """What to do with the monitor's judgements: raise them, or report the first one."""

    def __init__(self, monitor: Monitor, on_broken: OnBroken | None) -> None:
        self._monitor, self._on_broken = monitor, on_broken
        self._violation: Violation | None = None
        self._lost = False
        """Whether nobody knows the abstract state any more: after a violation, or a call that did not end."""

    def call(self, contract: Contract, operation: Callable[..., Any], /, *given: Any, **named: Any) -> Any:  # noqa: ANN401
        """Call an operation, and check whether it may be called and what it answers."""
        if self._lost:
            return self._unwatched(partial(operation, *given, **named))
        call = arguments_of(contract, given, named)
        try:
            steps = self._monitor.before(contract, call)
        except WrongCall as violation:
            self._report(violation)
            self._lost = True
            return operation(*given, **named)
        self._lost = True  # until the call has ended as it should: an interrupt leaves it so
        done = self._done(call, partial(operation, *given, **named))
        try:
            self._monitor.after(contract, done, steps)
            self._lost = False
        except ContractBroken as violation:
            self._report(violation)
        if done.raised is not None:
            raise done.raised
        return done.answer

    def _unwatched(self, operation: Callable[[], Any]) -> Any:  # noqa: ANN401
        if self._violation and self._on_broken is None:
            raise self._violation
        return operation()

    @staticmethod
    def _done(call: Call, operation: Callable[[], Any]) -> Call:
        try:
            return Call(call.operation, call.arguments, operation())
        except Exception as problem:
            return Call(call.operation, call.arguments, raised=problem)

    def _report(self, violation: Violation) -> None:
        self._violation = violation
        if self._on_broken is None:
            raise violation
        self._on_broken(violation)


def demand_operations(subject: object, specification: Specification) -> None:
    """Refuse a subject that lacks an operation, before anything is called."""
    names = [each.name for each in specification.contracts]
    missing = [name for name in names if not callable(getattr(subject, name, None))]
    kind = subject.__name__ if isinstance(subject, type) else type(subject).__name__
    if missing:
        raise ConformError(
            "ANG091",
            f"{kind} has no {' and no '.join(missing)}, which the contract of {specification.name} asks for",
            possible=f"an object with {', '.join(names)}",
            remedy="write a small class with these operations around it, and give that: an adapter",
        )
    later = [name for name in names if iscoroutinefunction(getattr(subject, name))]
    if later:
        raise ConformError(
            "ANG091",
            f"{' and '.join(later)} of {kind} would have to be awaited, and operations are only called",
            possible="functions that have done everything when they return",
            remedy="write an adapter whose operations run it to its end, as with asyncio.Runner().run(...)",
        )
