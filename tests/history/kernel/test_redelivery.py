"""What is owed after a consumer ends, where messages are read by offsets: what was not committed."""

from __future__ import annotations

from angarium.core.result import Verdict
from angarium.history.intake.batch import batch_of
from angarium.history.intake.source import Kept
from angarium.history.kernel.process import audit
from angarium.history.parameters import Parameters
from angarium.history.results import Judgement
from tests.history.histories import Row, numbered, row
from tests.oracles.history.audit import RULES, lives

NAME = "redelivery-time"
KAFKA = {"system": "kafka", "destination": "t", "partition_id": "0"}


def history(*commits: int) -> list[Row]:
    """One member reads ten messages, commits some of them, and is killed; the next goes on with the last."""
    sent = [row("r", each, "send", message_id=f"m{each}", **KAFKA) for each in range(10)]
    got = [_of("a", 20 + each, "receive", each) for each in range(10)]
    done = [_of("a", 40 + each, "settle", each, settle="ack") for each in commits]
    killed = row("r", 60, "control", op_name="kill", client_id="a", system="kafka")
    after = [_of("b", 1_000 + 1_000 * each, "receive", 9) for each in range(1, 15)]
    return numbered([*sent, *got, *done, killed, *after])


def _of(who: str, at: float, op: str, number: int, **fields: object) -> Row:
    named = {"message_id": f"m{number}", "client_id": who, "consumer_group": "g", "offset": number}
    return row("r", at, op, **KAFKA | named | fields)


def judged(events: list[Row]) -> Judgement:
    """What is said of it: by the kernel and by the oracle."""
    found = audit(Kept([batch_of(events)]), Parameters(), mend=False)
    (said,) = (each for each in found.judgements if each.guarantee == NAME)
    outcome = RULES[NAME](lives(events)["r"])
    assert (said.judged, said.violations) == (outcome.judged, len(outcome.violations))
    return said


def test_where_no_commit_is_recorded_nothing_is_known_to_be_owed() -> None:
    said = judged(history())
    assert (said.verdict, said.judged, said.violations) == (Verdict.UNKNOWN, 0, 0)
    assert said.reason is not None and "no event says what consumers commit" in said.reason


def test_what_was_committed_is_not_owed_and_the_rest_is() -> None:
    said = judged(history(*range(8)))
    assert (said.verdict, said.violations) == (Verdict.VIOLATED, 1), "the eighth; the ninth came again"
