"""An audit as text and as a record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from angarium.app.report.history_text import duration_of, range_of, render
from angarium.app.report.record import result_record
from angarium.core.result import Verdict
from angarium.history.asked import Conducted
from angarium.history.automaton.against import Comparison, Life
from angarium.history.result import AuditResult, Source, result_of
from angarium.history.results import Counts, Figures, Judgement, Violation
from angarium.history.stories import HistoryStory, StoryRow
from angarium.history.told import Told, times_of

LOST = Violation(
    "shop", "no-loss", "lost", "orders", None, "billing", "m7", None, None,
    "p1", 3, 10, "p1", 4, 20, 90, explanation="message m7 never came to billing",
)  # fmt: skip
TOLD = Told(
    files=("shop.jsonl",),
    counts=Counts(12, 10, 2, {"no JSON": 2}),
    judgements=(
        Judgement("shop", "no-loss", Verdict.VIOLATED, 4, 0, 1, None),
        Judgement("shop", "order", Verdict.HOLDS, 3, 0, 0, None),
        Judgement("shop", "balance", Verdict.UNKNOWN, 0, 0, 0, "there are no assignments"),
        Judgement("shop", "ownership", Verdict.UNKNOWN, 0, 0, 0, "there are no assignments"),
    ),
    figures=(Figures("shop", 5, 4, 1, 3, 3, 0, 1, 0, 0, 1),),
    examples=(LOST,),
    times=times_of([("shop", "deliver", 88, 3, 2_050_000, 2_120_000)]),
    remarks=("the column colour is not of the schema",),
    seconds=1.5,
)

STORY = HistoryStory(
    "shop/no-loss/p1:4", "shop", "no-loss", "lost", LOST.explanation, 0,
    (StoryRow(0, "p1 sends m7", "p1", "orders", proof=True),), 0,
)  # fmt: skip


def conducted(told: Told = TOLD, *lives: Life) -> AuditResult:
    comparison = Comparison("nsq", lives, (), 0) if lives else None
    found = Conducted(told, (STORY,) if told is TOLD else (), comparison)
    return result_of(found, Source([__file__]), {"grace": 20.0})


def life(verdict: Verdict, **more: object) -> Life:
    given = {"assumptions": (), "cannot": None, "reason": None} | more
    return Life("shop", "sent, delivered", "sd", 2, "orders", "m1", "billing", verdict, **given)  # type: ignore[arg-type]


def test_all_that_is_known_is_told_within_eighty_columns() -> None:
    text = render(conducted())

    assert max(map(len, text.splitlines())) <= 80
    for words in (
        "1 run (shop): 10 events of 1 file.",
        "2 of 12 rows",
        "2: no JSON",
        "no-loss    violated           1",
        "order      holds              3",
        "balance, ownership: there are no assignments",
        "no-loss violated 1 time",
        "message m7 never came to billing",
        "the column colour is not of the schema",
        "send to delivery         2.05 to 2.12 ms     2.05 to 2.12 ms    2.12 ms",
    ):
        assert words in text


def test_many_runs_are_counted_for_each_guarantee() -> None:
    judgements = [replace(each, run_id=f"run{n}") for n in range(5) for each in TOLD.judgements[:2]]

    text = render(conducted(replace(TOLD, judgements=judgements)))

    assert "5 runs (run0, run1, run2, run3, …)" in text
    assert "no-loss    violated in 5" in text
    assert "order      holds in 5" in text
    assert "no-loss violated 5 times" in text and "and 4 more" in text


def test_runs_that_have_no_room_side_by_side_are_counted() -> None:
    long = replace(TOLD.judgements[1], guarantee="duplicates-after-ack")
    judgements = [replace(long, run_id=f"run{n}") for n in range(3)]

    narrow, wide = (
        render(conducted(replace(TOLD, judgements=judgements)), width=width) for width in (80, 90)
    )

    assert "holds in 3" in narrow and "holds in 3" not in wide
    assert max(map(len, narrow.splitlines())) <= 80 and max(map(len, wide.splitlines())) <= 90


def test_a_story_and_the_folder_of_the_tables_follow() -> None:
    text = render(conducted(), out=Path("audited"))

    assert "p1 sends m7" in text and "shop/no-loss/p1:4" in text
    assert "audited/{events," in text


def test_what_others_named_cannot_command_the_terminal() -> None:
    text = render(conducted(replace(TOLD, remarks=("\x1b[31mred",))))

    assert "\x1b" not in text


def test_the_record_has_a_verdict_for_each_run_and_guarantee() -> None:
    record = result_record(conducted(TOLD, life(Verdict.HOLDS)))

    assert record["kind"] == "audit" and record["subject"] == "shop"
    assert record["parameters"] == {"grace": 20.0}
    assert record["read"] == record["accepted"] + record["quarantined"]
    verdicts = {each["guarantee"]: each for each in record["verdicts"]}
    story = verdicts["no-loss"]["story"]
    assert verdicts["no-loss"]["verdict"] == "violated"
    assert story["address"].endswith(":shop/no-loss/p1:4") and "sequenceDiagram" in story["mermaid"]
    assert record["lives"][0]["verdict"] == "holds"
    assert verdicts["balance"]["note"] == "there are no assignments"


def test_lives_say_what_the_model_makes_of_them() -> None:
    lives = (
        life(Verdict.HOLDS),
        life(Verdict.HOLDS, assumptions=("nobody dies",)),
        life(Verdict.VIOLATED, cannot="a delivery without a send"),
        life(Verdict.UNKNOWN, reason="it is too long"),
    )

    text = render(conducted(TOLD, *lives))

    for words in (
        "against the model nsq",
        "2 x sent, delivered",
        "happens though nothing fails",
        "only without the assumption: nobody dies",
        "cannot happen: a delivery without a send (for example m1)",
        "not judged: it is too long",
    ):
        assert words in text


def test_short_times_have_three_digits_and_a_unit() -> None:
    assert [duration_of(time) for time in (17, 1_234, 56_789_000, 2_000_000_000)] == [
        "17 ns", "1.23 us", "56.8 ms", "2 s",
    ]  # fmt: skip


def test_times_between_two_that_look_the_same_are_one() -> None:
    assert range_of(2_100_000, 2_100_400) == range_of(2_100_000, 2_100_000) == "2.1 ms"
    assert range_of(2_050_000, 2_210_000) == "2.05 to 2.21 ms"
    assert range_of(998_000, 1_020_000) == "998 us to 1.02 ms"


def test_what_is_found_in_a_damaged_history_only_seems_to_be_violated() -> None:
    doubted = replace(TOLD.judgements[0], verdict=Verdict.UNKNOWN, reason="1 row is in quarantine")

    text = render(conducted(replace(TOLD, judgements=[doubted])))

    assert "no-loss seems to be violated 1 time" in text and "no-loss: 1 row is in quarantine" in text
