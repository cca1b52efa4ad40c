"""A followed history ends in what an audit of the whole finds in plain Python, and nothing vanishes.

One stream serves all tests here.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from angarium.core.errors import HistoryError, UsageError
from angarium.core.result import Verdict
from angarium.history.guarantees import GUARANTEES
from angarium.history.intake.reasons import BROKEN_FILE, CUT_LINE, REPEATS
from angarium.history.live import batches, written
from angarium.history.live.follow import findings, follow
from angarium.history.live.gate import LATE
from angarium.history.live.progress import Progress
from angarium.history.live.released import BATCH_ONLY
from angarium.history.live.verdicts import judgements
from angarium.history.parameters import Parameters
from angarium.history.tables import COMPARED
from tests.history.live.streams import LIVE, PARAMETERS, Row, expected, lines, pieces, stream, write

JUDGED = [each.name for each in GUARANTEES if each.kinds and each.name not in BATCH_ONLY]
Findings = Counter[tuple[Any, ...]]


@dataclass(frozen=True)
class Followed:
    """What is there when the stream has ended."""

    folder: Path
    checkpoint: Path
    told: list[Progress]
    found: Findings
    expected: Findings
    quarantine: list[Row]

    @property
    def progress(self) -> Progress:
        return self.told[-1]


def disturbed(files: list[list[Row]], folder: Path) -> None:
    """Files with rows that come too late, that come twice, that are none, and a file that is cut."""
    early, newest = files[0][0], max(files[-2], key=lambda row: int(row["time_unix_nano"]))
    files = [list(file) for file in files]
    files[-2] += [newest]
    files[-1] += [newest, early | {"message_id": "too late", "run_id": "late"}]
    write(folder, files)
    first = folder / "piece-000000.jsonl"
    first.write_text(first.read_text("utf-8") + '{"half a row', "utf-8")
    os.utime(first, (1, 1))
    broken = folder / "broken.jsonl.gz"
    broken.write_bytes(b"this is not packed")
    os.utime(broken, (0, 0))
    (folder / "_not-ready.jsonl").write_text(lines([early | {"message_id": "not ready"}]), "utf-8")


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    pytest.importorskip("pyarrow")
    folder, checkpoint = (tmp_path_factory.mktemp(name) for name in ("in", "checkpoint"))
    disturbed(pieces(stream(), seed=1), folder)
    (folder / "_END").touch()
    told: list[Progress] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "GROWN", 1 << 30)  # whatever can be forgotten is forgotten at once
        follow(folder, checkpoint, PARAMETERS, LIVE, observer=told.append)
    found = Counter(tuple(row[name] for name in COMPARED) for row in findings(checkpoint))
    quarantine = list(written.read(checkpoint / "quarantine", told[-1].batch))
    return Followed(folder, checkpoint, told, found, expected(stream()), quarantine)


@pytest.mark.parametrize("guarantee", JUDGED)
def test_what_is_found_is_what_an_audit_of_the_whole_finds(followed: Followed, guarantee: str) -> None:
    column = COMPARED.index("guarantee")
    wanted = Counter({each: n for each, n in followed.expected.items() if each[column] == guarantee})
    found = Counter({each: n for each, n in followed.found.items() if each[column] == guarantee})
    assert wanted, "nothing breaks it, so nothing is compared"
    assert found - wanted == Counter()
    assert wanted - found == Counter()


def test_most_is_told_before_the_end_and_most_is_forgotten_by_then(followed: Followed) -> None:
    *during, last = followed.told
    assert last.ended and not any(each.ended for each in during)
    assert sum(during[-1].findings.values()) > sum(last.findings.values()) / 2
    assert during[-1].findings.get("no-loss", 0) == 0 < during[-1].overdue
    assert 0 < during[-1].retained < last.accepted / 2


def test_every_row_is_accepted_or_in_quarantine_with_a_reason(followed: Followed) -> None:
    reasons = Counter(row["reason"] for row in followed.quarantine)
    assert reasons == {LATE: 1, REPEATS: 2, CUT_LINE: 1, BROKEN_FILE: 1}
    assert followed.progress.quarantined == reasons
    assert followed.progress.accepted == len(stream())
    late = next(row for row in followed.quarantine if row["reason"] == LATE)
    assert late["run_id"] == "late" and json.loads(late["raw"])["message_id"] == "too late"
    assert late["file"].startswith(str(followed.folder))


def test_what_is_damaged_may_be_of_any_run_of_its_file_and_leaves_nothing_certain(followed: Followed) -> None:
    lacking, runs = followed.progress.missing, {row["run_id"] for row in stream()}
    assert (lacking.anywhere, dict(lacking.rows)) == (1, {"late": 1})
    assert lacking.strays and set(lacking.strays) <= runs
    found = judgements(followed.progress)
    assert Verdict.HOLDS not in {each.verdict for each in found}
    certain = {each.guarantee for each in found if each.verdict is Verdict.VIOLATED}
    assert not certain  # offsets, whose violations two events prove, are not judged in a stream


def test_alerts_are_the_findings_each_once(followed: Followed) -> None:
    written = (followed.checkpoint / "alerts.jsonl").read_text("utf-8").splitlines()
    alerts = [json.loads(line) for line in written]
    assert Counter(tuple(alert[name] for name in COMPARED) for alert in alerts) == followed.found
    assert len({alert["id"] for alert in alerts}) == len(alerts)
    assert all(alert["explanation"] for alert in alerts)


def test_the_metrics_are_those_of_the_end(followed: Followed) -> None:
    text = (followed.checkpoint / "metrics.prom").read_text("utf-8")
    assert f"angarium_events_total {len(stream())}\n" in text
    assert "angarium_late_total 1\n" in text and "angarium_ended 1\n" in text


def test_what_has_ended_is_not_judged_again(followed: Followed) -> None:
    again = follow(followed.folder, followed.checkpoint, PARAMETERS, LIVE)
    assert again == followed.progress


def test_the_checkpoint_of_another_audit_is_refused(followed: Followed) -> None:
    with pytest.raises(HistoryError, match="not the checkpoint of this audit: it has grace") as caught:
        follow(followed.folder, followed.checkpoint, Parameters(grace=1), LIVE)
    assert caught.value.code == "ANG134"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        follow(tmp_path / "none", tmp_path / "checkpoint", PARAMETERS, LIVE)


def test_a_checkpoint_among_the_events_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is inside the followed folder"):
        follow(tmp_path, tmp_path / "checkpoint", PARAMETERS, LIVE)
