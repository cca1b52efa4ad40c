"""Topics as sequences of symbols, and what links make of their names.

A topic is its scope followed by its words; where patterns are regular expressions over names (MirrorMaker),
by its characters. `site1/temp` without a scope is `("", "site1", "temp")`. Renaming takes symbols off the
front and puts others there, so a path through a mesh renames by one `Transform`, however many links it has.
"""

from __future__ import annotations

from dataclasses import dataclass

Topic = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Transform:
    """Takes `strip` off the front of a topic and puts `add` there; with `whole`, drops the rest as well."""

    strip: Topic = ()
    add: Topic = ()
    whole: bool = False

    def __call__(self, topic: Topic) -> Topic | None:
        """The new topic; None if the old one does not begin so."""
        if topic[: len(self.strip)] != self.strip:
            return None
        return self.add if self.whole else self.add + topic[len(self.strip) :]

    def then(self, after: Transform) -> Transform | None:
        """Both, one after the other, as one; None if what the first leaves never fits the second."""
        shared = min(len(self.add), len(after.strip))
        if self.add[:shared] != after.strip[:shared]:
            return None
        left = after.strip[shared:]
        if self.whole and left:
            return None
        strip = self.strip if self.whole else self.strip + left
        add = after.add if after.whole else after.add + self.add[shared:]
        return Transform(strip, add, self.whole or after.whole)


IDENTITY = Transform()
