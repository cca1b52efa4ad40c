"""Names of a target's language for a model's names, one to one.

A model's names have dots (`waiting.len`) and may be words that the target keeps for itself (`len`
in Promela). A name keeps its letters, digits and underscores; what would then be empty, reserved
or taken gets a number. So two names never become one, and the same model always gets the same
text.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable


class Names:
    """The names given out so far, for one exported text."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)
        self._given: dict[Hashable, str] = {}

    def __call__(self, key: Hashable, wish: str) -> str:
        """The name of a thing: as near to the wish as is free, and the same whenever asked."""
        if key not in self._given:
            self._given[key] = self.fresh(wish)
        return self._given[key]

    def fresh(self, wish: str) -> str:
        """A name that nothing has yet."""
        stem = _identifier(wish)
        name, number = stem, 1
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name


def instance(name: str, arguments: Iterable[int]) -> str:
    """What to wish for a thing with its arguments: for `release`, 0 and -1, `release_0_m1`."""
    return "_".join([name, *(f"m{-each}" if each < 0 else str(each) for each in arguments)])


def _identifier(wish: str) -> str:
    name = re.sub(r"\W+", "_", wish, flags=re.ASCII).strip("_") or "x"
    return f"x{name}" if name[0].isdigit() else name
