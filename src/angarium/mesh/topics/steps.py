"""What a pattern is made of, whatever its dialect: one step for each symbol, or for many.

A step is a literal symbol, a wildcard (for one symbol, or for any number), or, at the end, a regular
expression over characters. Wildcards ask only of which kind a symbol is: MQTT's do not see a first word
that begins with `$`, NATS has no empty words, and everything else is alike to them.
"""

from __future__ import annotations

from dataclasses import dataclass

from angarium.mesh.topics.regular import Term

ORDINARY, DOLLAR, EMPTY = 0, 1, 2
KINDS = (ORDINARY, DOLLAR, EMPTY)


def kind_of(symbol: str) -> int:
    """What wildcards can tell about a symbol."""
    if not symbol:
        return EMPTY
    return DOLLAR if symbol[0] == "$" else ORDINARY


@dataclass(frozen=True, slots=True)
class Wild:
    """A wildcard: one symbol of these kinds, or, if `many`, any number of them."""

    kinds: tuple[int, ...] = KINDS
    many: bool = False


ONE, MANY = Wild(), Wild(many=True)
ONE_SEEN = Wild((ORDINARY, EMPTY))
"""A first word in MQTT: wildcards do not see `$SYS` and its like."""
ONE_SAID, MANY_SAID = Wild((ORDINARY, DOLLAR)), Wild((ORDINARY, DOLLAR), many=True)
"""Words that are not empty: in NATS there are no others."""

Step = str | Wild | Term
Steps = tuple[Step, ...]
