"""A job in files that others read: Markdown for GitHub, and XML for continuous integration.

A job in GitHub's Markdown, for a pull request or the summary of a build.

First all claims in a table, then those that are not as expected, with their stories drawn by Mermaid, then
what is to be known of the others, and what is open. GitHub cuts what is too long, so of each claim only the
first stories and findings are told here: the report has all.

A job as JUnit's XML, which every CI can show.

A claim is a test case, and its kind the class. A claim that is not as expected is a failure, one that failed
or stays undecided an error: a build is green only if everything is known and fits. A claim that was left out
on purpose is skipped; if the run was cut before it, that is an error too. What is strange about a claim that
fits, such as a state space that has become smaller, is its output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from angarium.app.report.html.elements import sign_of
from angarium.app.report.job import FAILED, OUTCOMES, UNDECIDED, UNEXPECTED, ClaimResult, JobResult
from angarium.app.report.job_text import summaries
from angarium.app.report.layout import amount, duration, printable
from angarium.app.report.measures import left_open, outcome_of, size
from angarium.app.report.story_text import restored_story, shown_again
from angarium.checker.export import mermaid
from angarium.contracts.results import ProofVerdict
from angarium.core.control import Cut
from angarium.core.escaping import plain
from angarium.core.result import GuaranteeVerdict, Story
from angarium.history.result import AuditStory
from angarium.mesh.recovery.results import RecoveryVerdict
from angarium.mesh.results import MeshVerdict

MOST_STORIES, MOST_FINDINGS = 3, 5
MOST_DRAWN = 20_000
"""Letters that a diagram may have: of longer ones GitHub draws none."""
_SPECIAL = re.compile(r"[\\`*_\[\]<>|#~&]")
_WRONG = (UNEXPECTED, FAILED)
_HEADS = ("claim", "outcome", "verdict", "expected", "kind", "what was asked", "looked at", "took")


def summary(job: JobResult) -> str:
    """The whole text."""
    ranked = sorted(job.claims, key=lambda claim: OUTCOMES.index(claim.outcome))
    wrong = [claim for claim in ranked if claim.outcome in _WRONG]
    blocks = [
        f"# {literal(job.project)}: {_signed(outcome_of(job))}",
        _about(job),
        _table(ranked) if ranked else "No claim was looked at.",
        *(block for claim in wrong for block in _told(claim)),
        *_notes([claim for claim in ranked if claim.outcome not in _WRONG]),
        *_open(job),
    ]
    return "\n\n".join(blocks) + "\n"


def literal(text: str) -> str:
    """Text of others on one line, which Markdown reads as text, and which calls nobody by an at-sign."""
    line = printable(" ".join(text.split()))
    return _SPECIAL.sub(r"\\\g<0>", line).replace("@", "&#64;")


def _about(job: JobResult) -> str:
    where = f"Spark at {job.master}" if job.master else ""
    told = [f"run {job.run_id}", job.began, duration(job.seconds), where, f"Angarium {job.version}"]
    return f"{amount(len(job.claims), 'claim')}; {literal(', '.join(filter(None, told)))}."


def _signed(word: str) -> str:
    return f"{sign_of(word)} {word}"


def _table(claims: Sequence[ClaimResult]) -> str:
    lines = [_line(_HEADS), _line(["---"] * len(_HEADS))]
    return "\n".join([*lines, *(_line(_cells(claim)) for claim in claims)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(claim: ClaimResult) -> list[str]:
    took = f"{duration(claim.seconds)}{' (from before)' if claim.cached else ''}"
    signed = [_signed(word) for word in (claim.outcome, claim.verdict, claim.expect)]
    return [literal(claim.name), *map(literal, [*signed, claim.kind, claim.about, size(claim.result), took])]


# --- what is not as expected ------------------------------------------------------------------


def _told(claim: ClaimResult) -> Iterator[str]:
    yield f"## {literal(claim.name)}"
    yield f"{literal(claim.about)}: expected {claim.expect}, found {claim.verdict}."
    yield from (literal(each) for each in filter(None, [claim.problem, *claim.notes]))
    verdicts = claim.result.verdicts if claim.result else ()
    stories = [(each, each.story) for each in verdicts if each.story]
    for each, story in stories[:MOST_STORIES]:
        yield from _story(each, story)
    if len(stories) > MOST_STORIES:
        yield f"Stories that only the report has: {len(stories) - MOST_STORIES}."
    yield from _found(verdicts)


def _story(verdict: GuaranteeVerdict, story: Story) -> Iterator[str]:
    yield f"**{literal(verdict.guarantee)}** {verdict.verdict.value}: {literal(story.summary)}."
    drawn = story.mermaid if isinstance(story, AuditStory) else mermaid.render(restored_story(story))
    if len(drawn) <= MOST_DRAWN:
        yield fenced(drawn, "mermaid")
    told, command = ("Address: ", story.address) if isinstance(story, AuditStory) else shown_again(story)
    yield f"{told}{_code(command)}"


def fenced(text: str, language: str) -> str:
    """A block of code, as it is shown; its fence is longer than any that the text has."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{printable(text).rstrip()}\n{fence}"


def _code(text: str) -> str:
    return f"`{' '.join(printable(text).replace('`', ' ').split())}`"


def _found(verdicts: Sequence[GuaranteeVerdict]) -> Iterator[str]:
    """What was found of which not each has a story: a list of the first."""
    found = [line for verdict in verdicts for line in _findings(verdict)]
    if found:
        more = [f"- and {len(found) - MOST_FINDINGS:,} more"] if len(found) > MOST_FINDINGS else []
        yield "\n".join([*(f"- {literal(line)}" for line in found[:MOST_FINDINGS]), *more])


def _findings(verdict: GuaranteeVerdict) -> Iterator[str]:
    if isinstance(verdict, MeshVerdict | RecoveryVerdict):
        for each in verdict.violations:
            dead = [*each.dead.brokers, *each.dead.links]
            without = f" without {', '.join(dead)}" if dead else ""
            yield f"{verdict.guarantee}{without}: {each.what}"
    if isinstance(verdict, ProofVerdict) and verdict.counterexample:
        yield f"{verdict.part}: {verdict.guarantee} {verdict.verdict.value}: {verdict.description}"


# --- what is to be known, and what is open ----------------------------------------------------


def _notes(claims: Sequence[ClaimResult]) -> Iterator[str]:
    lines = [f"- {literal(claim.name)}: {literal(note)}" for claim in claims for note in claim.news]
    if lines:
        yield "## Notes"
        yield "\n".join(lines)


def _open(job: JobResult) -> Iterator[str]:
    lines = [f"- The run was cut: {literal(str(job.cut))}"] if job.cut else []
    lines += [f"- {literal(name)}: was not looked at in this run" for name in job.unchecked]
    lines += [f"- {literal(claim.name)}: {literal(why)}" for claim in job.claims for why in left_open(claim)]
    if lines:
        yield "## What was not checked"
        yield "\n".join(lines)


# --- junit ----------------------------------------------------------------------------------------


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
        wrong.text = allowed("\n".join(_remarks(claim)))
    elif claim.notes:
        SubElement(case, "system-out").text = allowed("\n".join(claim.notes))
    return case


def _message(claim: ClaimResult) -> str:
    if claim.outcome == FAILED:
        return claim.problem or "there is no answer"
    return f"expected {claim.expect}, found {claim.verdict}"


def _remarks(claim: ClaimResult) -> list[str]:
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
