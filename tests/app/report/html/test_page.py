"""The report as a page."""

from __future__ import annotations

import re
from itertools import pairwise

from angarium.app.report.html import page
from angarium.app.report.job import JobResult, Trend, TrendPoint
from angarium.core.control import INTERRUPTED
from angarium.core.records import read as read_record
from angarium.core.records import write
from tests.app.report.html.pages import read, rows, section
from tests.app.report.jobs import broken, claim, everything, job


def test_the_page_is_whole_and_needs_nothing_else() -> None:
    text = page(everything())
    root = read(text)
    assert text.startswith("<!DOCTYPE html>")
    assert root.all("html")[0].attributes["lang"] == "en"
    assert not root.all("script") and not root.all("link") and not root.all("img")
    assert not re.search(r"""(?:src|href)=["'](?!#)""", text)
    assert "url(" not in text and "@import" not in text
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_it_says_of_which_run_it_is() -> None:
    header = read(page(everything())).all("header")[0]
    assert header.all("h1")[0].text == "shop messaging ✗ unexpected"
    assert "11 claims: 7 unexpected, 1 failed, 3 undecided, 1 not looked at." in header.text
    for word in ("20261116-183000-1f3a", "2026-11-16T18:30:00Z", "1 min 23 s", "local[2]", "0.1.0"):
        assert word in header.text


def test_claims_stand_in_a_table_from_the_worst_on_and_lead_to_their_sections() -> None:
    root = read(
        page(job(claim("walks", "unknown"), broken(), claim("queue"), claim("balancing", "violated")))
    )
    told = rows(root, "All claims, the worst first")
    assert [row[:2] for row in told] == [
        ["queue", "✗ unexpected"],
        ["broken", "! failed"],
        ["walks", "✓ as expected"],
        ["balancing", "✓ as expected"],
    ]
    assert told[0][2:] == [
        "✗ violated", "✓ holds", "check", "what queue says", "114 states", "1.5 s", "no",
    ]  # fmt: skip
    links = [each.attributes["href"] for each in root.all("table")[0].all("a")]
    places = {each.all("h3")[0].attributes["id"]: each.all("h3")[0].text for each in root.all("section")}
    assert [places[link.removeprefix("#")] for link in links] == [" ".join(row[:2]) for row in told]


def test_a_cached_answer_and_its_notes_are_told() -> None:
    root = read(page(job(claim("walks", "unknown", cached=True, notes=("fewer states than before",)))))
    (row,) = rows(root, "All claims, the worst first")
    assert row[0] == "walksfewer states than before" and row[-1] == "yes"
    assert "this is the answer of an earlier run" in section(root, "walks").text


def test_every_name_stands_for_itself() -> None:
    evil = "<script>alert('&')</script>"
    root = read(page(job(broken(evil, f"{evil} is wrong"), project=evil, unchecked=(evil,)), [_trend(evil)]))
    assert not root.all("script")
    assert root.all("h1")[0].text.startswith(evil)
    assert f"{evil}: there is no answer: {evil} is wrong" in root.text
    assert f"{evil}: was not looked at" in root.text
    assert rows(root, "The claims in the last runs")[0][0] == evil


def test_controls_that_turn_writing_round_are_seen() -> None:
    assert "abc\u202edef" not in page(job(broken("abc\u202edef")))


def test_two_claims_of_one_name_have_places_of_their_own() -> None:
    root = read(page(job(broken("same"), broken("same"))))
    ids = [each.attributes["id"] for each in root.all("h3")]
    assert len(set(ids)) == 2


def test_headings_stand_in_order_and_ids_are_unique() -> None:
    text = page(everything(), [_trend("queue")])
    levels = [int(level) for level in re.findall(r"<h([1-6])", text)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    root = read(text)
    assert root.all("a", "skip")[0].attributes["href"].removeprefix("#") in ids
    assert all(each.attributes["aria-labelledby"] in ids for each in root.all("section"))


def test_every_table_scrolls_in_its_own_box() -> None:
    root = read(page(everything()))
    boxed = [each for box in root.all("div", "wide") for each in box.all("table")]
    assert len(boxed) == len(root.all("table")) > 20


def test_a_run_that_was_cut_is_not_as_expected() -> None:
    fits = claim("walks", "unknown")
    assert read(page(job(fits))).all("h1")[0].text.endswith("✓ as expected")
    cut = read(page(job(fits, cut=INTERRUPTED, unchecked=("nightly",))))
    assert cut.all("h1")[0].text.endswith("? undecided")
    assert "The run was cut: interrupted." in cut.text


def test_a_job_without_claims_says_so() -> None:
    assert "No claim was looked at." in read(page(job(unchecked=("nightly",)))).text


def test_a_job_that_was_kept_gives_the_same_page() -> None:
    found = everything()
    assert page(read_record(JobResult, write(found))) == page(found)


def test_the_last_runs_are_told_by_signs_and_words() -> None:
    root = read(page(job(broken()), [_trend("queue"), Trend("new", [TrendPoint("1", "holds", 5)])]))
    (row,) = rows(root, "The claims in the last runs")
    assert row[0] == "queue" and row[1] == "?✓✓"
    assert row[3] == "8 states more than in the run before"
    assert root.all("svg", "spark")[0].all("title")[0].text == "3 runs: 100, 112, 120 states"


def test_a_verdict_that_changed_is_told_before_anything_else() -> None:
    points = [TrendPoint("1", "holds", 100), TrendPoint("2", "violated", 90)]
    (row,) = rows(read(page(job(broken()), [Trend("queue", points)])), "The claims in the last runs")
    assert row[3] == "holds, now violated"


def _trend(name: str) -> Trend:
    points = [("1", "unknown", 100), ("2", "holds", 112), ("3", "holds", 120)]
    return Trend(name, [TrendPoint(*point) for point in points])
