"""A closer look: which facts a check needs to see, so that what is plain is counted and not looked at.

What checks ask about a message takes several sorts of all events. Three questions to numbers alone, which are
much quicker, tell beforehand where nothing can be found: which messages are plain, which sequences are in
order, and which holders never had too much in flight. Each errs on one side only: what is left out cannot be
a violation. The checks themselves know nothing of it; they get fewer events.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from angarium.history.checks.check import Looks
from angarium.history.checks.facts import Facts, Plain
from angarium.history.checks.fullness import seemingly_full
from angarium.history.checks.order import seemingly_inverted
from angarium.history.checks.plain import of_messages, screened
from angarium.spark.session import side_by_side

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHARED = ("holdings", "lives", "subscribers", "credits", "limits")
"""The facts that many checks ask for, each made from those before it."""
_OF_REST = ("rest_counts", "rest_times")
"""What is asked about the plain messages, too."""
MOST_CLOSE = 0.5
"""If more of the messages must be looked at closely, all of them are."""
FEW = 300_000
"""The names of so many messages can be sent to everybody."""
_MORE = {Looks.SEQUENCES: seemingly_inverted, Looks.HOLDERS: seemingly_full}


def with_shared(facts: Facts, keep: Callable[[DataFrame], DataFrame]) -> Facts:
    """The facts, with those kept that many checks ask for."""
    for name in SHARED:
        vars(facts)[name] = keep(getattr(facts, name))
    return facts


def _gathered(events: DataFrame) -> DataFrame:
    """Events picked from many, in no more parts than are looked at at a time: each part costs every query."""
    return events.coalesce(events.sparkSession.sparkContext.defaultParallelism)


@dataclass(frozen=True)
class Closer:
    """The facts of a history for each kind of look."""

    whole: Facts
    keep: Callable[[DataFrame], DataFrame]
    screen: bool | None
    """Whether what is plain is sorted out; None: if it pays, because most of it is plain."""
    suiting: Callable[[int], AbstractContextManager[None]] = lambda events: nullcontext()
    """While Spark goes about its work as it suits so many events."""
    _wider: dict[Looks, Facts | None] = field(default_factory=dict)

    @cached_property
    def facts(self) -> Facts:
        """Those of messages that are not plain, with the plain ones as `rest`; or else of all."""
        if self.screen is False or (self.screen is None and self._most_are_close()):
            return with_shared(self.whole, self.keep)
        plain = replace(self._screened, messages=self._screened.messages.where("NOT close"))
        some = self._of(self._close, plain)
        with self.suiting(some.size or 0):
            return with_shared(some, self.keep)

    @cached_property
    def _screened(self) -> Plain:
        return screened(self.whole, self.keep)

    @property
    def _close(self) -> DataFrame:
        return self._screened.messages.where("close").select("hash")

    @cached_property
    def _tally(self) -> tuple[int, int]:
        """How many messages there are, and how many of them must be looked at."""
        from pyspark.sql import functions as f

        (row,) = self._screened.messages.agg(f.count("*"), f.count_if("close")).collect()
        return row[0], row[1]

    def _most_are_close(self) -> bool:
        messages, close = self._tally
        return close > MOST_CLOSE * messages or not messages

    @property
    def sorted_messages(self) -> int | None:
        """How many messages are sorted to find what a check must see; None: all events are."""
        return self._tally[0] if self.facts.rest is not None else None

    def counted(self, looks: Looks) -> Facts:
        """Those by which a check counts what it has judged."""
        return self.whole if looks is Looks.EVENTS else self.facts

    def _of(self, messages: DataFrame, plain: Plain | None) -> Facts:
        """The facts of some messages, with their events kept."""
        from pyspark.sql import functions as f

        names = self.keep(messages.distinct())
        few = names.count() <= FEW
        some = replace(of_messages(self.whole, f.broadcast(names) if few else names), rest=plain)
        events = self.keep(_gathered(some.events) if few else some.events)
        rest = {name: self.keep(getattr(some, name)) for name in _OF_REST if plain is not None}
        with side_by_side(2) as start:
            size, *_ = [start(table.count) for table in (events, *rest.values())]
        facts = replace(some, events=events, size=size.result())
        vars(facts).update(rest, controls=self.whole.controls, takers=self.whole.takers)
        return facts

    def facts_for(self, looks: Looks) -> Facts | None:
        """Those in which a check finds all of its violations; None: there cannot be any."""
        if looks is Looks.EVENTS or self.facts.rest is None:
            return self.whole
        if looks is Looks.MESSAGES:
            return self.facts
        if looks not in self._wider:
            self._wider[looks] = self._with_more(looks, self.facts.rest)
        return self._wider[looks]

    def _with_more(self, looks: Looks, plain: Plain) -> Facts | None:
        """The facts, and those of plain messages among which something may be wrong, if anything may."""
        from pyspark.sql import functions as f

        suspects = _MORE[looks](self.facts, plain, self.keep)
        keys = self.keep(suspects.keys)
        if keys.isEmpty():
            return None
        more = suspects.messages.join(f.broadcast(keys), "key", "left_semi").select("hash")
        return with_shared(self._of(self._close.unionByName(more), None), self.keep)
