"""Proofs as people read them: what must be true, who must keep it, and the verdicts.

    OrderedMapQueue: Keeps every message under its number.

      verdict   obligation
      ------------------------------------------------------------------------------
                (y in self.spec.contents) == ((y.num, y) in self.map.pairs)
      holds       enqueue keeps represents
      violated    delete_all keeps represents

What must be true stands above those that must keep it, because many keep the same. Counterexamples come
behind the summary, and last what to make of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from angarium.app.report import counterexample_text
from angarium.app.report.layout import GAP, amount, duration, paint, paragraphs
from angarium.contracts.obligations import Judged, Proof, Sides
from angarium.core.result import Verdict

_MARGIN = "  "
_VERDICT = len("violated")

_BROKEN: dict[Sides, str] = {
    "initial": "it is false at the start.",
    "preserved": "a call of {operation} can make it false.",
    "ensured": "it can be false in {operation}.",
    "required": "{operation} calls something that requires it, and it can be false.",
    "kept": "it can be false in the loop of {operation}.",
}
"""What a counterexample shows."""

_INDUCTION = (
    "A counterexample is one call from a state in which every conjecture holds, but perhaps no run leads to"
    " that state. If one does, the code or the contract is wrong. If none does, a conjecture is missing that"
    " rules the state out."
)
_LOOP = " Behind a loop there is any state that the loop's invariants allow."
_ADVICE = {
    "--timeout": "Raise --timeout.",
    "interrupted": "Let it run to the end.",
    "so nothing is said": "Mend what contradicts itself, or take it out.",
    "can never be called": "Mend what contradicts itself: requirements and conjectures.",
    "whether what it assumes": "Say the conjectures more simply.",
    "no counterexample": "Add conjectures that help, or say in smaller steps what must be true.",
}
"""What to do about an obligation that is unknown, by words of the reason."""


def render(
    subject: str, proofs: Sequence[Proof], seconds: float, *, width: int = 80, colourful: bool = False
) -> str:
    """The whole answer."""
    page = _Page(width, colourful)
    judged = [each for proof in proofs for each in proof.judged]
    parts = [
        *(part for proof in proofs for part in (page.header(proof), page.table(proof.judged))),
        page.summary(subject, judged, seconds),
        *(page.violation(proof, each) for proof in proofs for each in proof.judged if each.counterexample),
        page.meaning(judged),
        page.advice(judged),
    ]
    return paragraphs(parts)


@dataclass(frozen=True, slots=True)
class _Page:
    width: int
    colourful: bool

    def wrapped(self, text: str) -> list[str]:
        return wrap(text, self.width, break_on_hyphens=False)

    # --- verdicts -----------------------------------------------------------------------

    def header(self, proof: Proof) -> list[str]:
        about = " ".join(proof.description.split("\n\n")[0].split())
        lines = self.wrapped(f"{proof.subject}: {about}" if about else proof.subject)
        lines[0] = lines[0].replace(proof.subject, paint(proof.subject, "title", self.colourful), 1)
        return lines

    def table(self, judged: Sequence[Judged]) -> list[str]:
        lines = [f"{'verdict':<{_VERDICT}}{GAP}obligation", "-" * (self.width - len(_MARGIN))]
        for claims in _by_claim(judged):
            lines += self.claim(claims)
        return [f"{_MARGIN}{line}" for line in lines]

    def claim(self, judged: Sequence[Judged]) -> Iterator[str]:
        """What must be true, and below it everybody who must see to it."""
        room = self.width - len(_MARGIN) - _VERDICT - len(GAP)
        claim = wrap(judged[0].obligation.text, room, subsequent_indent=_MARGIN * 2, break_on_hyphens=False)
        yield from (f"{'':<{_VERDICT}}{GAP}{line}" for line in claim)
        told = None
        for each in judged:
            word = each.verdict.value
            name, *more = wrap(each.obligation.name, room - len(_MARGIN), break_on_hyphens=False)
            why = each.reason if each.reason != told else None  # once for all that follow each other
            reason = wrap(why or "", room - 2 * len(_MARGIN), break_on_hyphens=False)
            told = each.reason
            yield f"{paint(f'{word:<{_VERDICT}}', word, self.colourful)}{GAP}{_MARGIN}{name}"
            yield from (f"{'':<{_VERDICT}}{GAP}{_MARGIN * 2}{line}" for line in [*more, *reason])

    # --- summary --------------------------------------------------------------------------

    def summary(self, subject: str, judged: Sequence[Judged], seconds: float) -> list[str]:
        return [*self.wrapped(_counts(subject, judged)), f"Took {duration(seconds)} (z3 engine)."]

    # --- counterexamples --------------------------------------------------------------------

    def violation(self, proof: Proof, each: Judged) -> list[str]:
        assert each.counterexample
        obligation, word = each.obligation, each.verdict.value
        name = f"{proof.subject}: {obligation.name}"
        plain = f"{name} {word}"
        where = obligation.operation or "__init__"
        first, *more = self.wrapped(f"{plain}: {_BROKEN[obligation.kind].format(operation=where)}")
        title = f"{paint(name, 'title', self.colourful)} {paint(word, word, self.colourful)}"
        shown = counterexample_text.render(each.counterexample, obligation, self.width)
        return [first.replace(plain, title, 1), *more, *shown]

    def meaning(self, judged: Sequence[Judged]) -> list[str]:
        broken = {each.obligation.operation for each in judged if each.counterexample} - {None}
        loops = {each.obligation.operation for each in judged if each.obligation.kind == "kept"}
        return self.wrapped(_INDUCTION + (_LOOP if broken & loops else "")) if broken else []

    def advice(self, judged: Sequence[Judged]) -> list[str]:
        reasons = [each.reason for each in judged if each.reason]
        if not reasons:
            return []
        help_ = [text for word, text in _ADVICE.items() if any(word in reason for reason in reasons)]
        return self.wrapped(" ".join(["Unknown is not holds.", *help_]))


def _by_claim(judged: Sequence[Judged]) -> list[list[Judged]]:
    """Obligations with the same claim together, in the order in which claims come up."""
    groups: dict[tuple[str, str], list[Judged]] = {}
    for each in judged:
        groups.setdefault((each.obligation.text, str(each.obligation.place)), []).append(each)
    return list(groups.values())


def _counts(subject: str, judged: Sequence[Judged]) -> str:
    if not judged:
        return f"There is nothing to prove in {subject}: no conjecture, and no implementation."
    count = {verdict: sum(each.verdict is verdict for each in judged) for verdict in Verdict}
    proved, total = count[Verdict.HOLDS], amount(len(judged), "obligation")
    rest = [f"{count[each]} {each.value}" for each in (Verdict.VIOLATED, Verdict.UNKNOWN) if count[each]]
    if not rest:
        return f"Proved all of {total}, for sorts of any size."
    return f"Proved {proved} of {total}, for sorts of any size; {', '.join(rest)}."
