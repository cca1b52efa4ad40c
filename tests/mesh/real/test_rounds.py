"""When a prediction about real brokers counts as met, and when as refuted: with clients that are made up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.mesh.real.rounds import Rounds, exactly

MESSAGE = exactly("b", "t", {("b", "t"): 1})
FIRST = 0.001


class Scripted:
    """A broker that gets so many copies in each round, the last number ever after; some come late."""

    def __init__(self, rounds: Sequence[int], late: int = 0) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._rounds, self._late, self.published = list(rounds), late, 0

    def publish(self, topic: str, says: str) -> None:
        copies = self._rounds.pop(0) if len(self._rounds) > 1 else self._rounds[0]
        self.counts[says, topic] += copies
        self.published += 1
        if self.published == 3:
            first = next(iter(self.counts))
            self.counts[first] += self._late


def refuted(client: Scripted) -> list[int]:
    """The copies that came instead."""
    found = Rounds({"b": client}, FIRST).refuted([MESSAGE])
    return [copies["b", "t"] for _, _, copies in found.values()]


def test_three_good_rounds_in_a_row_are_enough() -> None:
    client = Scripted([1])

    assert (refuted(client), client.published) == ([], 3)


def test_rounds_before_all_is_connected_do_not_count() -> None:
    client = Scripted([0, 0, 1, 0, 1])

    assert (refuted(client), client.published) == ([], 7)


def test_what_always_comes_instead_refutes() -> None:
    client = Scripted([0, 2])

    assert (refuted(client), client.published) == ([2], 7)


def test_a_copy_that_comes_late_is_one_too_many() -> None:
    client = Scripted([1, 1, 1, 2], late=1)

    assert (refuted(client), client.published) == ([2], 8)


def test_rounds_that_differ_each_time_decide_nothing() -> None:
    client = Scripted([*range(2, 40), 1])

    assert (refuted(client), client.published) == ([], 41)
