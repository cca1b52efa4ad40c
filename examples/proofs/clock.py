"""A clock that advances by one or by two, with a specification of its own.

angarium prove examples/proofs/clock.py
"""

from __future__ import annotations

from angarium.contracts import (
    Answer,
    Implementation,
    Order,
    Specification,
    conjecture,
    contract,
    ensure,
    first,
)


class Number(Order):
    """Times."""


class Clock(Specification):
    """Shows a time that only grows."""

    now: Number

    def __init__(self) -> None:
        self.now = first(Number)

    @contract
    def tick(self, fast: bool) -> Answer[Number]:
        """Advance by one, or if it is fast by two, and say what the time is."""
        was = self.now
        if fast:
            self.now = self.now.next.next
        else:
            self.now = self.now.next
        shown = yield
        ensure(shown == self.now)
        ensure(was < shown)


class Hand(Implementation):
    """A hand that is moved step by step."""

    spec: Clock
    hand: Number

    def __init__(self) -> None:
        self.hand = first(Number)

    def tick(self, fast: bool) -> Number:
        if fast:
            self.hand = self.hand.next
        self.hand = self.hand.next
        return self.hand

    @conjecture
    def shows_the_time(self) -> bool:
        """The hand points at the time."""
        return self.hand == self.spec.now
