"""A job as JUnit's XML, which every CI can show.

A claim is a test case, and its kind the class. A claim that is not as expected is a failure, one that failed
or stays undecided an error: a build is green only if everything is known and fits. A claim that was left out
on purpose is skipped; if the run was cut before it, that is an error too. What is strange about a claim that
fits, such as a state space that has become smaller, is its output.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from angarium.app.report.job import FAILED, UNDECIDED, UNEXPECTED, ClaimResult, JobResult
from angarium.app.report.job_text import summaries
from angarium.app.report.left_open import left_open
from angarium.core.control import Cut
from angarium.core.escaping import plain

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot say at all, not even as an entity."""
_ELEMENTS = {UNEXPECTED: "failure", FAILED: "error", UNDECIDED: "error"}


def xml(job: JobResult) -> str:
    """The whole file."""
    cases = [*map(_case, job.claims), *(_left_out(name, job.cut) for name in job.unchecked)]
    suite = Element("testsuite", _attributes(job, cases))
    suite.extend([_properties(job), *cases])
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _attributes(job: JobResult, cases: list[Element]) -> dict[str, str]:
    def count(name: str) -> str:
        return str(sum(case.find(name) is not None for case in cases))

    return {
        "name": allowed(job.project),
        "tests": str(len(cases)),
        "failures": count("failure"),
        "errors": count("error"),
        "skipped": count("skipped"),
        "time": f"{job.seconds:.3f}",
        "timestamp": allowed(job.began),
    }


def _properties(job: JobResult) -> Element:
    found = Element("properties")
    for name, value in (("run", job.run_id), ("master", job.master), ("angarium", job.version)):
        SubElement(found, "property", name=name, value=allowed(value))
    return found


def _case(claim: ClaimResult) -> Element:
    case = Element("testcase", classname=claim.kind, name=allowed(claim.name), time=f"{claim.seconds:.3f}")
    kind = _ELEMENTS.get(claim.outcome)
    if kind:
        wrong = SubElement(case, kind, message=allowed(_message(claim)), type=claim.outcome)
        wrong.text = allowed("\n".join(_told(claim)))
    elif claim.notes:
        SubElement(case, "system-out").text = allowed("\n".join(claim.notes))
    return case


def _message(claim: ClaimResult) -> str:
    if claim.outcome == FAILED:
        return claim.problem or "there is no answer"
    return f"expected {claim.expect}, found {claim.verdict}"


def _told(claim: ClaimResult) -> list[str]:
    """What was asked, what came out and what is open."""
    said = filter(None, [claim.about, claim.problem, *claim.notes])
    return [*said, *summaries(claim), *left_open(claim)]


def _left_out(name: str, cut: Cut | None) -> Element:
    case = Element("testcase", classname="unchecked", name=allowed(name), time="0")
    if cut:
        SubElement(case, "error", message=allowed(f"the run was cut: {cut}"), type="cut")
    else:
        SubElement(case, "skipped", message="was not looked at in this run")
    return case


def allowed(text: str) -> str:
    """The text as it is shown, without what XML forbids."""
    return _FORBIDDEN.sub("", plain(text))
