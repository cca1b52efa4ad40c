"""The lives of a history: for every message and subscriber its word, and how often each word is there.

Words are strings of letters with the numbers of consumers (see `letters`). The kernel spells them
(`kernel.told_core`); distinct ones are few, whatever the number of messages.

- A send that nobody recorded is taken for granted where a run has no sends at all, or its recorder attached
  late.
- An unconfirmed acknowledgement is in doubt (`u`) if its consumer ends before it or within the *ack doubt*
  after it.
- Where two events of a life were seen by different clocks within the *clock skew*, their order is not
  certain.
- Messages that were sent only are left out: there is no model in which that cannot be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from angarium.history.kernel.lives import Key, Spelled, Words
from angarium.history.kernel.numbering import Tables

Fetch = Callable[[Collection[int], Collection[str]], Mapping[int, Mapping[str, Any]]]
MOST_WORDS = 100_000
"""Of more distinct words the most frequent are judged."""


@dataclass(frozen=True, slots=True)
class Lived:
    """A word of a run, and how many lives it is."""

    run_id: str
    word: str
    blurred: bool
    """Its order is not certain."""
    resent: bool
    """The message was sent more than once."""
    cut: bool
    """It has more deliveries than are put together."""
    count: int
    destination: str
    message_id: str
    subscriber: str
    """One that had it, with the two before."""


def lived(words: Words, tables: Tables, fetch: Fetch) -> tuple[list[Lived], dict[str, int]]:
    """The most frequent words first, each with an example; and how many lives of each run have others."""
    runs = tables.runs.values

    def order(each: tuple[Key, Spelled]) -> tuple[Any, ...]:
        (run, *rest), found = each
        return -found.count, runs[run], *rest

    ordered = sorted(words.items(), key=order)
    left = Counter[str]()
    for (run, *_), found in ordered[MOST_WORDS:]:
        left[runs[run]] += found.count
    return list(_named(ordered[:MOST_WORDS], tables, fetch)), dict(left)


def _named(words: Sequence[tuple[Key, Spelled]], tables: Tables, fetch: Fetch) -> Sequence[Lived]:
    names = fetch([each.row for _, each in words], ["message_id", "destination"])
    found = []
    for (run, word, blurred, resent, cut), each in words:
        _, name = tables.subscribers.values[tables.subscriber_of(each.reader)]
        message = names[each.row]
        example = message["destination"], message["message_id"], tables.names.values[name]
        found.append(Lived(tables.runs.values[run], word, blurred, resent, cut, each.count, *example))
    return found
