"""Jobs in Markdown."""

from __future__ import annotations

import re
from dataclasses import replace

from angarium.app.report.job import AS_EXPECTED, UNEXPECTED
from angarium.app.report.job_files import MOST_FINDINGS, fenced, literal, summary
from angarium.core.control import INTERRUPTED
from tests.app.report.jobs import answer, broken, claim, everything, job, story


def _cells(text: str) -> list[list[str]]:
    """The rows of the table, cut where Markdown would."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_all_claims_stand_in_a_table_from_the_worst_on() -> None:
    text = summary(job(claim("balancing", "violated"), claim("queue", cached=True), broken()))
    head, line, *rows = _cells(text)
    assert text.startswith("# shop messaging: ✗ unexpected\n\n3 claims; run 20261116-183000-1f3a, ")
    assert head[0] == "claim" and set(line) == {"---"}
    assert [row[0] for row in rows] == ["queue", "broken", "balancing"]
    assert rows[0][1:] == [
        *("✗ unexpected", "✗ violated", "✓ holds", "check", "what queue says", "114 states"),
        "1.5 s (from before)",
    ]


def test_what_is_not_as_expected_has_its_story_drawn() -> None:
    text = summary(job(claim("queue"), claim("balancing", "violated")))
    assert "## queue" in text and "## balancing" not in text
    assert (
        "**no-duplicates** violated: no-duplicates (No message is delivered twice.) is false for m1." in text
    )
    (drawn,) = re.findall(r"```mermaid\n(.*?)```", text, re.DOTALL)
    assert drawn.startswith("sequenceDiagram\n    participant P1 as producer\n")
    address = story("queue", "no-duplicates")["address"]
    assert f"Show it again, in the project's folder: `angarium replay {address}`" in text


def test_an_audits_story_has_its_drawing_already() -> None:
    text = summary(job(claim("shop")))
    assert story("shop", "no-loss")["mermaid"].strip() in text
    assert "**no-loss** violated: message o-27 was confirmed" in text


def test_a_story_that_is_too_long_is_not_drawn_and_only_some_are_told() -> None:
    record = answer("shop")
    told = next(each for each in record["verdicts"] if each["guarantee"] == "no-loss")
    long = {**told, "story": {**told["story"], "mermaid": "x" * 30_000}}
    text = summary(job(replace(claim("shop"), record={**record, "verdicts": [long, *[told] * 4]})))
    assert text.count("```mermaid") == 2 and "xxx" not in text
    assert "Stories that only the report has: 2." in text


def test_findings_and_counterexamples_are_listed() -> None:
    text = summary(job(claim("mesh"), claim("ring")))
    assert "- reachability without b1-b2: b1 to b2 is lost with its path" in text
    count = sum(len(each["findings"]) for each in answer("mesh")["verdicts"])
    assert f"- and {count - MOST_FINDINGS} more" in text
    assert "- OverwritingRing: enqueue keeps represents violated: (m in self.spec.contents)" in text


def test_why_a_bound_failed_is_told() -> None:
    note = "mean of releases is 6 to 7 (95 %), wanted at most 5"
    text = summary(job(claim("walks", verdict="violated", outcome=UNEXPECTED, bounded=True, notes=(note,))))
    assert f"expected holds, found violated.\n\n{note}\n" in text
    assert "## Notes" not in text and "## What was not checked" not in text


def test_what_is_strange_about_a_claim_that_fits_is_told() -> None:
    gone = "40 of 100 states are gone: is less tried than before?"
    shrunk = claim("balancing", "violated", notes=(gone,))
    kept = claim("walks", verdict="holds", outcome=AS_EXPECTED, bounded=True, notes=("at most 5", "broken"))
    text = summary(job(shrunk, kept))
    assert f"## Notes\n\n- balancing: {gone}\n- walks: broken\n" in text
    assert "at most 5" not in text, "a bound that is kept is no news"


def test_a_bound_of_which_nothing_is_known_is_open_with_its_reason() -> None:
    text = summary(job(claim("walks", bounded=True, notes=("mean is 4 to 6, wanted at most 5",))))
    assert "- walks: mean is 4 to 6, wanted at most 5\n" in text
    assert text.endswith("- walks: whether the statistic keeps to its bound stays unknown\n")


def test_what_is_open_is_told() -> None:
    text = summary(job(claim("walks"), broken(), unchecked=("nightly",), cut=INTERRUPTED))
    end = text.partition("## What was not checked\n\n")[2].splitlines()
    assert end[:2] == ["- The run was cut: interrupted", "- nightly: was not looked at in this run"]
    assert end[-1] == "- broken: there is no answer: no such system: nsk"
    assert "What was not checked" not in summary(job(claim("queue")))


def test_names_cannot_break_the_table_or_the_page() -> None:
    name = "a|b\n<script>*x*\r\n# `c` @somebody [d](e)"
    text = summary(job(broken(name)))
    row = _cells(text)[2]
    assert len(row) == 8
    assert row[0] == r"a\|b \<script\>\*x\* \# \`c\` &#64;somebody \[d\](e)"
    assert "\n<script" not in text and "@somebody" not in text


def test_text_without_anything_special_is_left_alone() -> None:
    assert literal("nsq with messages=2: no-loss") == "nsq with messages=2: no-loss"


def test_a_fence_is_longer_than_what_it_holds() -> None:
    assert fenced("a\n````\nb\n", "mermaid") == "`````mermaid\na\n````\nb\n`````"


def test_what_others_wrote_is_shown_as_escapes_in_diagrams() -> None:
    assert fenced("a\x1b[2J\n  b\u202e\n", "mermaid") == "```mermaid\na\\x1b[2J\n  b\\u202e\n```"


def test_a_run_that_was_cut_is_not_as_expected() -> None:
    assert summary(job(claim("walks", "unknown"), cut=INTERRUPTED)).startswith(
        "# shop messaging: ? undecided"
    )
    assert summary(job()).startswith("# shop messaging: ? undecided\n\n0 claims")


def test_every_kind_of_claim_can_be_told() -> None:
    found = everything()
    assert len(_cells(summary(found))) == 2 + len(found.claims)
