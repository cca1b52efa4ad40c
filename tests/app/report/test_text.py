"""The report as people read it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.app.report.text import Background, render
from angarium.checker.explore.stories import replay
from angarium.core.control import cut_by_memory, cut_by_states
from angarium.core.result import CheckVerdict, Coverage, Report, Story, Verdict
from tests.lassos import BREAKS, FLICKERS, lamp
from tests.zoo import counter

COVERAGE = Coverage(states=181, transitions=428, depth=9, seconds=0.25, cpu_seconds=0.3, bytes=8192)
STORY = replay(counter(), (0, 0, 0), subject="counter")
BLINKS = replay(lamp(), (0, 0, 0), 0)
REPORT = Report(
    subject="counter",
    parameters={"high": "3", "stops": "true"},
    model_hash="0" * 12,
    engine="local",
    threads=1,
    symmetry=False,
    extent=COVERAGE,
    verdicts=[
        CheckVerdict(guarantee="small", kind="invariant", verdict=Verdict.HOLDS, description="n is small.")
    ],
)
ABOUT = Background("Counts.\n\nIn detail.", {"high": "2", "stops": "true"}, ("crash", "lose"))


def test_a_report_without_stories() -> None:
    assert render(REPORT, ABOUT).splitlines() == [
        "counter: Counts.",
        "  set       high=3",
        "  default   stops=true",
        "  faults    crash, lose",
        "",
        "  verdict   guarantee  what it says",
        "  " + "-" * 78,
        "  holds     small      n is small.",
        "",
        "Searched all 181 states: 428 transitions, 9 levels deep.",
        "Took 0.25 s on 1 thread (local engine) and 8 KiB.",
    ]


def test_speed_and_bytes_a_state_where_they_mean_something() -> None:
    large = replace(COVERAGE, states=1_000_000, seconds=2.0, bytes=20_000_000)
    text = render(replace(REPORT, extent=large, symmetry=True), ABOUT)
    assert "(local engine, with symmetry): 500 k states/s; 19 MiB, 20.0" in text


def test_what_is_violated_comes_first_and_every_story_has_its_command() -> None:
    verdicts = [
        CheckVerdict(guarantee="two", kind="reaches", verdict=Verdict.HOLDS, story=STORY),
        CheckVerdict(
            guarantee="small", kind="invariant", verdict=Verdict.VIOLATED, fairness="weak", story=STORY
        ),
    ]
    text = render(replace(REPORT, verdicts=verdicts), ABOUT, tell=lambda story: story.summary + "\n")
    assert text.index("small violated: it breaks in 2 steps") < text.index("two holds: it is reached")
    assert text.count(f"  angarium replay {STORY.address}") == 2
    assert text.count("\n\ntwo is reached\n\n") == 2
    assert "(fairness: weak)" in text


def test_a_cut_search_says_what_to_do() -> None:
    cut = replace(COVERAGE, complete=False, cut=cut_by_states(181), frontier=7)
    unknown = [replace(REPORT.verdicts[0], verdict=Verdict.UNKNOWN)]
    report = replace(REPORT, extent=cut, verdicts=unknown)
    text = " ".join(render(report, replace(ABOUT, symmetric=True)).split())
    assert "cut: limit of 181 states, with 7 states still to expand." in text
    assert "Raise --max-states" in text
    assert "--symmetry" in text
    assert "--symmetry" not in render(report, ABOUT)


def test_a_search_that_ended_early_because_all_is_decided_needs_no_advice() -> None:
    early = replace(COVERAGE, complete=False, frontier=2)
    violated = [replace(REPORT.verdicts[0], verdict=Verdict.VIOLATED, story=STORY)]
    text = render(replace(REPORT, extent=early, verdicts=violated), ABOUT)
    assert "stopped: every guarantee is decided" in " ".join(text.split())
    assert "Unknown" not in text


def test_colours() -> None:
    text = render(REPORT, ABOUT, colourful=True)
    assert "\x1b[1mcounter\x1b[0m: Counts." in text
    assert "\x1b[32mholds   \x1b[0m" in text


def words(verdict: CheckVerdict) -> str:
    return " ".join(render(replace(REPORT, verdicts=[verdict]), ABOUT).split())


@pytest.mark.parametrize(
    ("kind", "verdict", "story", "title"),
    [
        ("invariant", Verdict.VIOLATED, STORY, "it breaks in 2 steps, and in no fewer."),
        ("reaches", Verdict.HOLDS, STORY, "it is reached in 2 steps, and in no fewer."),
        ("ctl", Verdict.VIOLATED, STORY, "it breaks in 2 steps."),
        ("ctl", Verdict.HOLDS, STORY, "it is shown in 2 steps."),
        ("determinism", Verdict.VIOLATED, STORY, "it breaks in 2 steps."),
        ("ltl", Verdict.VIOLATED, FLICKERS, "it breaks in 4 steps, of which the last 2 repeat for ever."),
        ("ltl", Verdict.VIOLATED, BREAKS, "it breaks in 2 steps, and then nothing more happens."),
        (
            "ltl",
            Verdict.VIOLATED,
            replay(lamp(), (0, 0, 0), 0),
            "it breaks in 2 steps, again and again for ever.",
        ),
        (
            "divergence",
            Verdict.VIOLATED,
            replace(FLICKERS, cycle=3),
            "it breaks in 4 steps, of which the last repeats for ever.",
        ),
    ],
)
def test_a_title_says_how_long_the_run_is(kind: str, verdict: Verdict, story: Story, title: str) -> None:
    assert f"g {verdict.value}: {title}" in words(
        CheckVerdict(guarantee="g", kind=kind, verdict=verdict, story=story)
    )


def test_the_address_of_a_run_without_end_is_quoted_for_the_shell() -> None:
    verdict = CheckVerdict(guarantee="g", kind="ltl", verdict=Verdict.VIOLATED, story=FLICKERS)
    assert f"angarium replay '{FLICKERS.address}'" in words(verdict)


def test_fairness_is_shown_with_the_verdict() -> None:
    verdict = CheckVerdict(
        guarantee="g", kind="ltl", verdict=Verdict.HOLDS, description="It ends.", fairness="weak by process"
    )
    assert "holds g It ends. (fairness: weak by process)" in words(verdict)


def test_what_claims_nothing_is_unknown_and_says_why() -> None:
    empty = CheckVerdict(
        guarantee="no-loss",
        kind="ltl",
        verdict=Verdict.UNKNOWN,
        description="All arrives.",
        vacuous="`published` never happens",
    )
    report = replace(REPORT, verdicts=[*REPORT.verdicts, empty])
    lines = render(report, ABOUT).splitlines()
    assert "  unknown   no-loss    All arrives." in lines
    assert "                       nothing claimed: `published` never happens" in lines
    text = " ".join(lines)
    assert "a guarantee that claims nothing here was not put to the test" in text
    assert "a step that fails" not in text
    bare = render(replace(REPORT, verdicts=[replace(empty, description="")]), ABOUT)
    assert "  unknown   no-loss    nothing claimed: `published` never happens" in bare


def test_every_reason_for_unknown_has_its_advice() -> None:
    empty = CheckVerdict(guarantee="a", kind="ltl", verdict=Verdict.UNKNOWN, vacuous="nothing is sent")
    behind = CheckVerdict(guarantee="b", kind="invariant", verdict=Verdict.UNKNOWN)
    text = " ".join(render(replace(REPORT, verdicts=[empty, behind]), ABOUT).split())
    assert text.index("Mend what violates stays-in-range") < text.index("Set parameters under which")


def test_what_would_have_saved_it_stands_behind_the_story() -> None:
    saved = CheckVerdict(
        guarantee="g",
        kind="invariant",
        verdict=Verdict.VIOLATED,
        story=STORY,
        remedies=({"queue": "disk"}, {"crashes": "0"}),
    )
    report = replace(REPORT, verdicts=[saved])
    text = render(report, ABOUT, tell=lambda story: "the story")
    assert "\nthe story\n\nIt would hold with: queue=disk; or crashes=0.\n\nShow it again" in text
    assert "no fewer.\nIt would hold with: queue=disk; or crashes=0.\nShow it again" in render(report, ABOUT)


def test_a_graph_that_was_cut_says_that_runs_were_not_judged() -> None:
    undecided = CheckVerdict(guarantee="a", kind="ltl", verdict=Verdict.UNKNOWN)
    coverage = replace(REPORT.coverage, complete=True, cut=cut_by_memory(9))
    text = " ".join(render(replace(REPORT, verdicts=[undecided], extent=coverage), ABOUT).split())
    assert "runs were not judged (limit of 9 bytes)" in text
    assert "Raise --max-memory" in text
