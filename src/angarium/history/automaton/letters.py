"""The letters that a message's life is written in, in models and in histories alike.

A life is what clients see of one message and one subscriber: `s d1 q1 d2 a2` is sent, delivered to a first
consumer, given back by it, delivered to a second one, acknowledged by it. Consumers are numbered as they
appear. One that ends and comes back is another.

What clients see comes late. So a life has only what its order is certain of:
- That a send was confirmed is no letter: the confirmation may be seen before or behind the first delivery.
  That it failed is known of the send, whenever it is heard: such a send is `x`, at the place of the send.
- An acknowledgement that the broker confirmed (`f`) has its place at the confirmation: until then another
  delivery may be under way. One that is not confirmed (`a`) may have come too late, or never.
- The end of a consumer (`e`) is a letter only if it had the message in hand, and somebody got it afterwards.
- An acknowledgement shortly before that end is in doubt (`u`). Either it counts, and the consumer had nothing
  in hand when it ended; or it was lost, and the consumer had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MEANINGS: dict[str, tuple[str, str, str]] = {
    "s": ("sent", "a send", "after it was sent"),
    "x": ("sent in vain", "a send that fails", "after its send had failed"),
    "d": ("delivered to {}", "a delivery", "after it was delivered"),
    "a": ("acknowledged by {}", "an acknowledgement", "after it was acknowledged"),
    "u": ("acknowledged in doubt by {}", "an acknowledgement", "after an acknowledgement in doubt"),
    "f": (
        "acknowledged for certain by {}",
        "an acknowledgement that counts",
        "after its acknowledgement was confirmed",
    ),
    "q": ("given back by {}", "a return", "after it was given back"),
    "j": ("rejected by {}", "a rejection", "after it was rejected"),
    "e": ("left behind by {}", "the end of a consumer", "after its consumer had ended"),
}
"""For each letter: how it is told in a life, what it is, and what can be said of what follows it."""

OF_PRODUCERS = "sx"
"""The letters that are about no consumer."""

_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ORDINALS = ("a first", "a second", "a third", "a fourth", "a fifth")


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter, and the consumer that it is about; 0: none."""

    kind: str
    consumer: int = 0

    def __str__(self) -> str:
        return f"{self.kind}{self.consumer or ''}"


Word = tuple[Letter, ...]


def word(text: str) -> Word:
    """A life from its letters: `s d1 a1`."""
    return tuple(Letter(each[0], int(each[1:] or 0)) for each in text.split())


def readings(letters: Sequence[Letter]) -> Iterator[Word]:
    """What may have happened: each acknowledgement in doubt was lost, or it counts."""
    place = next((n for n, each in enumerate(letters) if each.kind == "u"), None)
    if place is None:
        yield tuple(letters)
        return
    consumer = letters[place].consumer
    before, behind = letters[:place], letters[place + 1 :]
    over = next((n for n, each in enumerate(behind) if each == Letter("e", consumer)), len(behind))
    yield from readings((*before, *behind))
    yield from readings((*before, Letter("a", consumer), *behind[:over], *behind[over + 1 :]))


def told(letters: Sequence[Letter]) -> str:
    """A life as people read it: `sent, delivered to A, acknowledged by A`."""
    return ", ".join(MEANINGS[each.kind][0].format(_name(each.consumer)) for each in letters)


def happening(letters: Sequence[Letter], place: int) -> str:
    """One letter of a life with what was before it: `a second delivery after it was acknowledged`."""
    kind = letters[place].kind
    number = sum(each.kind == kind for each in letters[: place + 1])
    what = MEANINGS[kind][1]
    if kind == "d" and 1 < number <= len(_ORDINALS):
        what = f"{_ORDINALS[number - 1]} delivery"
    if place:
        return f"{what} {MEANINGS[letters[place - 1].kind][2]}"
    return what if kind in OF_PRODUCERS else f"{what} before it was sent"


def _name(consumer: int) -> str:
    return (
        _NAMES[consumer - 1]
        if 0 < consumer <= len(_NAMES)
        else f"consumer {consumer}"
        if consumer
        else "a consumer"
    )
