"""What is told of every message: the kernel and the plain-Python oracle say the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from angarium.history import tabled
from angarium.history.intake.batch import batch_of
from angarium.history.intake.source import Kept
from angarium.history.kernel.audit import audited
from angarium.history.kernel.lives import columns
from angarium.history.kernel.process import InProcess
from angarium.history.parameters import Parameters
from tests.effort import is_thorough
from tests.history.checks.deeds import control, settle, take
from tests.history.every import Row, rows
from tests.history.histories import numbered
from tests.oracles.history.audit import lives
from tests.oracles.history.messages import messages
from tests.oracles.history.words import Word, words

HISTORIES, SOUPS = (12, 3000) if is_thorough() else (3, 200)


def folded(given: list[Row]) -> InProcess:
    steps = InProcess(Kept([batch_of(given)]))
    audited(steps, Parameters(), mend=False)
    return steps


def spelled(steps: InProcess) -> dict[str, Counter[Word]]:
    """How often each word is there, by run."""
    found: dict[str, Counter[Word]] = {}
    names = steps.folding.facts.tables.runs.values
    for (run, *word), each in steps.spelled().items():
        found.setdefault(names[run], Counter())[tuple(word)] += each.count  # type: ignore[index]
    return found


@pytest.fixture(scope="module")
def random_ones() -> InProcess:
    return folded(rows(HISTORIES, SOUPS))


def test_the_table_of_messages_says_what_the_oracle_does(random_ones: InProcess) -> None:
    given = rows(HISTORIES, SOUPS)
    told = columns(random_ones.lives(), random_ones.folding.facts)
    (batch,) = random_ones.source.batches()
    names = tabled.message_ids(batch, told["row"].to_numpy())
    fields = "run_id destination message_id subscriber send_outcome deliveries requeues state".split()
    found = Counter(tuple(row[name] for name in fields) for row in tabled.messages(told, names).to_pylist())
    expected = Counter(
        tuple(getattr(each, name) for name in fields)
        for life in lives(given).values()
        for each in messages(life)
    )
    assert {row[-1] for row in expected} == {
        "settled", "delivered", "unseen", "lost", "unconfirmed", "phantom"
    }  # fmt: skip
    assert found == expected


def test_the_words_are_those_of_the_oracle(random_ones: InProcess) -> None:
    found = spelled(random_ones)
    expected = {run: words(life) for run, life in lives(rows(HISTORIES, SOUPS)).items()}
    letters = {letter for counted in expected.values() for word, *_ in counted for letter in word}
    assert letters >= set("sxdaufqje")
    assert any(blurred for counted in expected.values() for _, blurred, *_ in counted)
    assert found == {run: counted for run, counted in expected.items() if counted}


def times(run: str) -> list[Row]:
    return numbered(
        each for ms in range(0, 140, 2) for each in (take(run, ms, "m"), settle(run, ms + 1, "m", "requeue"))
    )


def test_a_long_life_is_put_together_up_to_a_bound() -> None:
    (word, *said), count = next(iter(spelled(folded(times("r")))["r"].items()))
    assert word == " ".join(["s", *["d1 q1"] * 60]) and said == [False, False, True] and count == 1


HELD: dict[str, tuple[list[Row], dict[str, str]]] = {
    "a settle belongs to the delivery before it": (
        [
            take("r", 0, "m"), settle("r", 5, "m", "requeue"), take("r", 10, "m"), settle("r", 15, "m"),
            settle("r", 16, "m", phase="ok"), take("r", 20, "m", "d"),
        ],
        {"m": "s d1 q1 d1 f1 d2"},
    ),
    "a settle of many settles what is open": (
        [
            *(take("r", ms, f"m{tag}", delivery_tag=tag) for ms, tag in ((1, 1), (2, 2), (3, 3), (4, 9))),
            settle("r", 5, "m2", "reject"), settle("r", 6, None, delivery_tag=3, settle_multiple=True),
            take("r", 7, "late", delivery_tag=2),
        ],
        {"m1": "s d1 a1", "m2": "s d1 j1", "m3": "s d1 a1", "m9": "s d1", "late": "s d1"},
    ),
    "a settle of many with tag 0 settles all of its consumer": (
        [
            take("r", 1, "m1", delivery_tag=7), take("r", 2, "m2"), take("r", 3, "m3", "d", delivery_tag=1),
            settle("r", 4, "m1", "reject"), settle("r", 5, None, delivery_tag=0, settle_multiple=True),
            take("r", 6, "late", delivery_tag=1), settle("r", 7, None, delivery_tag=0),
        ],
        {"m1": "s d1 j1", "m2": "s d1 a1", "m3": "s d1", "late": "s d1"},
    ),
    "a consumer ends by its name or with its client": (
        [
            take("r", 0, "m1", consumer_id="c1"), take("r", 0, "m2", consumer_id="c2"),
            control("r", 5, "basic.cancel", client_id="c", consumer_id="c1"), take("r", 7, "m1", "d"),
            control("r", 9, "kill", client_id="c", phase="invoke"), take("r", 10, "m2", "d"),
        ],
        {"m1": "s d1 e1 d2", "m2": "s d1 e1 d2"},
    ),
    "what was received is not delivered again by processing it": (
        [
            take("r", 0, "m"), take("r", 1, "m") | {"op_type": "process"},
            take("r", 2, "m") | {"op_type": "process"},
        ],
        {"m": "s d1 d1"},
    ),
    "an answer that a settle failed is no settle": (
        [take("r", 0, "m"), settle("r", 1, "m"), settle("r", 2, "m", phase="fail")], {"m": "s d1 a1"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HELD)
def test_what_became_of_each_delivery(name: str) -> None:
    given, expected = HELD[name]
    found: dict[Any, str] = {}
    for message in expected:
        others = [row | {"run_id": message} for row in numbered(given)]
        mine = [
            row for row in others if row.get("message_id") in (None, message) or row["op_type"] == "settle"
        ]
        (word,) = (each for each, *_ in spelled(folded(mine))[message])
        found[message] = word
    assert found == expected
