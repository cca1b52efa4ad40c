"""Jobs as JUnit's XML."""

from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

from angarium.app.report.job import UNDECIDED, JobResult
from angarium.app.report.job_files import xml
from angarium.core.control import INTERRUPTED
from tests.app.report.jobs import broken, claim, job


def _suite(given: JobResult) -> Element:
    return fromstring(xml(given).encode())[0]


def _wrong(case: Element) -> str:
    return ", ".join(each.tag for each in case)


def test_each_claim_is_a_case_of_its_kind() -> None:
    given = job(
        claim("queue"), claim("balancing", "violated"), claim("mesh", seconds=0.25), unchecked=("nightly",)
    )
    suite = _suite(given)
    cases = suite.findall("testcase")
    assert [(each.get("classname"), each.get("name"), each.get("time"), _wrong(each)) for each in cases] == [
        ("check", "queue", "1.500", "failure"),
        ("check", "balancing", "1.500", ""),
        ("mesh", "mesh", "0.250", "failure"),
        ("unchecked", "nightly", "0", "skipped"),
    ]
    counts = {name: suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped", "time")}
    assert counts == {
        "name": "shop messaging",
        "tests": "4",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
        "time": "83.200",
    }


def test_a_failure_tells_what_was_expected_and_all_that_is_known() -> None:
    (failure,) = _suite(job(claim("queue", notes=("fewer states",)))).iter("failure")
    assert failure.get("message") == "expected holds, found violated"
    assert failure.get("type") == "unexpected"
    assert (failure.text or "").splitlines() == [
        "what queue says",
        "fewer states",
        "no-duplicates: no-duplicates (No message is delivered twice.) is false for m1",
    ]


def test_the_notes_of_a_claim_that_fits_are_its_output() -> None:
    given = job(claim("balancing", "violated", notes=("fewer states", "a broken\x08 entry")), claim("queue"))
    fits, wrong = _suite(given).findall("testcase")
    assert _wrong(fits) == "system-out" and fits[0].text == "fewer states\na broken\\x08 entry"
    assert _wrong(wrong) == "failure"


def test_a_build_is_not_green_if_nothing_is_known() -> None:
    undecided = claim("walks")
    assert undecided.outcome == UNDECIDED
    first, second = _suite(job(undecided, broken())).iter("error")
    assert first.get("type") == "undecided" and "never show that it holds" in (first.text or "")
    assert second.get("type") == "failed" and second.get("message") == "no such system: nsk"


def test_what_a_cut_run_did_not_look_at_is_an_error() -> None:
    suite = _suite(job(cut=INTERRUPTED, unchecked=("nightly",)))
    (case,) = suite.findall("testcase")
    assert _wrong(case) == "error" and case[0].get("message") == "the run was cut: interrupted"
    assert suite.get("errors") == "1" and suite.get("skipped") == "0"


def test_what_is_strange_is_shown_by_its_number_and_what_xml_forbids_is_left_out() -> None:
    given = job(broken("<a>\x00\x1b[31m & \ud800", "bad\x08 \ufffe]]>"), project="a\x0bb")
    suite = _suite(given)
    assert suite.get("name") == "a\\x0bb"
    (case,) = suite.findall("testcase")
    assert case.get("name") == "<a>\\x00\\x1b[31m & \\ud800"
    assert case[0].get("message") == "bad\\x08 ]]>"
