"""Some recorders have clocks of their own, messages are forgotten and come back, nobody says when it ends.

Whatever clocks say: what is found is what the audit in plain Python finds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import pytest

from angarium.history.live import batches
from angarium.history.live.follow import findings, follow
from angarium.history.live.progress import Progress
from angarium.history.tables import COMPARED
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

IDLE = 1.0
PLAIN = 3_000
"""More messages than all others have."""


@dataclass(frozen=True)
class Followed:
    """What was told after each batch, and what was found."""

    told: list[Progress]
    found: Findings


def stream() -> tuple[Row, ...]:
    """Histories with clocks that differ, with and without faults, and one with many plain messages."""
    skewed = {system: [history(system, seed, "", skewed=True) for seed in range(3)] for system in SYSTEMS}
    named = {f"{system} skewed": skewed[system][0] for system in SYSTEMS}
    named |= {
        f"{fault.name} skewed": fault.rows for injector in INJECTORS for fault in faults(injector, skewed, 1)
    }
    named |= {name: numbered(rows) for name, rows in hand_written().items()}
    named["plain"] = numbered(plain())
    return tuple(row | {"run_id": name} for name, rows in named.items() for row in rows)


def plain() -> list[Row]:
    """Plain messages, which are forgotten; much later one comes that their producer sent before them."""
    lives = [life(f"m{number}", number / 1000, "a", producer_seq=number + 2) for number in range(PLAIN)]
    lives += [life("other", 15, "a"), life("first", 30, "a", producer_seq=1)]
    return [row for rows in lives for row in rows]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    pytest.importorskip("pyarrow")
    folder, checkpoint = (tmp_path_factory.mktemp(name) for name in ("in", "checkpoint"))
    *first, last = pieces(stream(), seed=3)
    write(folder, first)
    told = list[Progress]()

    def observer(progress: Progress) -> None:
        """The last file comes when all others have been judged."""
        told.append(progress)
        if progress.batch == len(first) - 1:
            write(folder, [*([] for _ in first), last])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "GROWN", 1 << 30)  # whatever can be forgotten is forgotten at once
        follow(folder, checkpoint, PARAMETERS, replace(LIVE, until_idle=IDLE), observer=observer)
    return Followed(told, Counter(tuple(row[name] for name in COMPARED) for row in findings(checkpoint)))


def test_what_is_found_is_what_the_audit_in_plain_python_finds(followed: Followed) -> None:
    assert followed.found - expected(stream()) == Counter()
    assert expected(stream()) - followed.found == Counter()


def test_clocks_did_differ(followed: Followed) -> None:
    skewed = [row for row in stream() if row.get("clock_domain")]
    assert len({row["clock_domain"] for row in skewed}) > 2
    found = Counter(each[COMPARED.index("run_id")] for each in followed.found)
    assert found["plain"] == 1 and sum("skewed" in run for run in found) > 10


def test_it_ends_when_nothing_new_came_for_a_while_and_not_before(followed: Followed) -> None:
    *during, last = followed.told
    assert last.ended and not any(each.ended for each in during)
    assert last.accepted == len(stream()) > during[-2].accepted
