"""Verdicts and outcomes as words with a sign, so that colour is never all that tells them apart."""

from __future__ import annotations

from angarium.app.report.html.elements import Html, element
from angarium.app.report.job import AS_EXPECTED, FAILED, UNDECIDED, UNEXPECTED

SIGNS = {
    "holds": "✓",
    "violated": "✗",
    "unknown": "?",
    "noticed": "✓",
    "survived": "✗",
    AS_EXPECTED: "✓",
    UNEXPECTED: "✗",
    FAILED: "!",
    UNDECIDED: "?",
}
_KINDS = {"✓": "good", "✗": "bad", "!": "bad", "?": "open"}


def plain(verdict: str) -> Html:
    """A verdict in a table: its word is coloured, but says by itself what it means."""
    return element("span", f"{sign_of(verdict)} {verdict}", class_=f"verdict {kind_of(verdict)}")


def badge(outcome: str) -> Html:
    """An outcome, to be seen from afar."""
    return element("span", f"{sign_of(outcome)} {outcome}", class_=f"badge {kind_of(outcome)}")


def sign_of(word: str) -> str:
    """One letter for a verdict or an outcome."""
    return SIGNS.get(word, "?")


def kind_of(word: str) -> str:
    """Whether it is good, bad or open: the class that gives it its colour."""
    return _KINDS[sign_of(word)]
