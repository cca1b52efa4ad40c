"""The kernel and the plain-Python oracle find the same, in whatever pieces a history is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from angarium.history.intake.batch import batch_of
from angarium.history.intake.source import Kept
from angarium.history.kernel import encoding, memory
from angarium.history.kernel.process import audit
from angarium.history.parameters import Parameters
from angarium.history.schema import BROKER
from tests.effort import is_thorough
from tests.history.every import Row, Said, by_guarantee, in_python, rows
from tests.oracles.history.audit import RULES

HISTORIES, SOUPS = (12, 3000) if is_thorough() else (3, 200)
PIECES = [
    pytest.param((1 << 16, 1 << 14, 1), id="whole"),
    pytest.param((997, 64, 2), id="in small pieces, by two threads, events in files"),
]
"""Rows of a batch, records of a part, and threads; with several of these events are kept in files."""


def source(given: list[Row], size: int) -> Kept:
    """Rows in batches of a size."""
    return Kept([batch_of(given[first : first + size], first) for first in range(0, len(given), size)])


@pytest.fixture(scope="module", params=PIECES)
def by_kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Said:
    size, part, threads = request.param
    folder = tmp_path_factory.mktemp("events") if threads > 1 else None
    before, memory.PART = memory.PART, part
    try:
        given = source(rows(HISTORIES, SOUPS), size)
        found = audit(given, Parameters(), threads=threads, mend=False, folder=folder)
    finally:
        memory.PART = before
    return Said(
        by_guarantee(list(found.violations)),
        Counter({(each.run_id, each.guarantee): each.judged for each in found.judgements}),
        {(run, kind, bucket): (count, low, high) for run, kind, bucket, count, low, high in found.latency},
        {each.run_id: each for each in found.figures},
    )


@pytest.fixture(scope="module")
def told() -> Said:
    return in_python(HISTORIES, SOUPS)


@pytest.mark.parametrize("guarantee", RULES)
def test_the_kernel_and_the_oracle_find_the_same(guarantee: str, by_kernel: Said, told: Said) -> None:
    found, expected = by_kernel.findings[guarantee], told.findings[guarantee]
    assert expected, "no history breaks it, so nothing is compared"
    assert found == expected


@pytest.mark.parametrize("guarantee", RULES)
def test_the_kernel_and_the_oracle_judge_as_much(guarantee: str, by_kernel: Said, told: Said) -> None:
    found, expected = (
        {run: count for (run, name), count in said.judged.items() if name == guarantee}
        for said in (by_kernel, told)
    )
    assert any(expected.values())
    if guarantee == "flow-control":  # a prefetch of 0 is no limit: where there is no other, nothing is judged
        given = rows(HISTORIES, SOUPS)
        limited = {row["run_id"] for row in given if row.get("credit") is not None or row.get("prefetch")}
        expected = {run: count * (run.removesuffix(BROKER) in limited) for run, count in expected.items()}
    assert found == expected


def test_the_kernel_and_the_oracle_measure_the_same_times(by_kernel: Said, told: Said) -> None:
    assert {kind for _, kind, _ in told.latency} == {"confirm", "deliver", "settle"}
    assert by_kernel.latency == told.latency


def test_the_kernel_and_the_oracle_count_the_same(by_kernel: Said, told: Said) -> None:
    """Of a run without a message there is nothing to count."""
    expected = {run: each for run, each in told.figures.items() if each.attempted or each.delivered}
    assert by_kernel.figures == expected


def test_two_messages_with_one_hash_are_not_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the first seed all names have the same hash: all is done again with the second."""
    true = encoding.hash_table

    def hashes(values: Sequence[str], seed: int) -> NDArray[np.uint64]:
        return true(values, seed) if seed else np.zeros(len(values) + 2, np.uint64)

    given = source(rows(1, 20), 1 << 16)
    expected = audit(given, Parameters(), mend=False).violations
    monkeypatch.setattr(encoding, "hash_table", hashes)
    assert audit(given, Parameters(), mend=False).violations == expected
