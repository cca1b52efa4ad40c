"""What is plain is sorted out first, some recorders have clocks of their own, and nobody says when it ends.

Whatever is left out, and whatever clocks say: what is found is what the audit in plain Python finds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import pytest

from angarium.history.checks.facts import Facts
from angarium.history.live import batches
from angarium.history.live.follow import findings, follow
from angarium.history.live.progress import Progress
from angarium.history.tables import COMPARED
from angarium.history.workshop import INTERPRETED
from tests.history.faults import INJECTORS, faults
from tests.history.generated import SYSTEMS, history, numbered
from tests.history.live.streams import (
    LIVE,
    PARAMETERS,
    Findings,
    Row,
    expected,
    hand_written,
    life,
    pieces,
    write,
)

IDLE = 2.0
PLAIN = 3_000
"""More messages than all others have."""


@dataclass(frozen=True)
class Followed:
    """What was told after each batch, whether plain messages were sorted out in it, and what was found."""

    told: list[Progress]
    sorted_out: list[bool]
    found: Findings


def stream() -> tuple[Row, ...]:
    """Histories with clocks that differ, with and without faults, and others with many plain messages.

    A settle of several messages is in none of them: where there is one, nothing is sorted out.
    """
    skewed = {system: [history(system, seed, "", skewed=True) for seed in range(3)] for system in SYSTEMS}
    named = {f"{system} skewed": skewed[system][0] for system in SYSTEMS}
    named |= {
        f"{fault.name} skewed": fault.rows for injector in INJECTORS for fault in faults(injector, skewed, 1)
    }
    named |= {name: numbered(rows) for name, rows in hand_written().items()}
    named["plain"] = numbered(plain())
    single = {name: rows for name, rows in named.items() if not any(r.get("settle_multiple") for r in rows)}
    return tuple(row | {"run_id": name} for name, rows in single.items() for row in rows)


def plain() -> list[Row]:
    """Plain messages, which are forgotten; much later one comes that their producer sent before them."""
    lives = [life(f"m{number}", number / 1000, "a", producer_seq=number + 2) for number in range(PLAIN)]
    lives += [life("other", 15, "a"), life("first", 30, "a", producer_seq=1)]
    return [row for rows in lives for row in rows]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    pytest.importorskip("pyspark")
    from angarium.spark.session import session
    from tests.history.histories import HERE

    spark = session(HERE)
    for name, value in INTERPRETED.items():
        spark.conf.set(name, value)
    folder, checkpoint = (tmp_path_factory.mktemp(name) for name in ("in", "checkpoint"))
    *first, last = pieces(stream(), seed=3)
    write(folder, first)
    told, sorted_out = list[Progress](), list[bool]()

    def observer(progress: Progress) -> None:
        """The last file comes when all others have been judged."""
        told.append(progress)
        if progress.batch == len(first) - 1:
            write(folder, [*([] for _ in first), last])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "WORTH_A_PROGRAM", 0)
        patch.setattr(batches, "messages", _noting(sorted_out))
        follow(spark, folder, checkpoint, PARAMETERS, replace(LIVE, until_idle=IDLE), observer=observer)
    found = Counter(tuple(row) for row in findings(spark, checkpoint).select(*COMPARED).collect())
    return Followed(told, sorted_out, found)


def _noting(sorted_out: list[bool]) -> Any:  # noqa: ANN401 (the function in whose place it is)
    from angarium.history.live.matters import messages

    def noted(facts: Facts, watermark: int) -> Any:  # noqa: ANN401 (a table)
        sorted_out.append(facts.rest is not None)
        return messages(facts, watermark)

    return noted


@pytest.mark.thorough
def test_what_is_found_is_what_the_audit_in_plain_python_finds(followed: Followed) -> None:
    assert followed.found - expected(stream()) == Counter()
    assert expected(stream()) - followed.found == Counter()


@pytest.mark.thorough
def test_plain_messages_were_sorted_out_and_clocks_did_differ(followed: Followed) -> None:
    assert followed.sorted_out[:3] == [True] * 3
    skewed = [row for row in stream() if row.get("clock_domain")]
    assert len({row["clock_domain"] for row in skewed}) > 2
    found = Counter(each[COMPARED.index("run_id")] for each in followed.found)
    assert found["plain"] == 1 and sum("skewed" in run for run in found) > 10


@pytest.mark.thorough
def test_it_ends_when_nothing_new_came_for_a_while_and_not_before(followed: Followed) -> None:
    *during, last = followed.told
    assert last.ended and not any(each.ended for each in during)
    assert last.accepted == len(stream()) > during[-2].accepted
