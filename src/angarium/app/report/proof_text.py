"""Proofs as people read them: what must be true, who must keep it, and the verdicts.

    OrderedMapQueue: Keeps every message under its number.

      verdict   obligation
      ------------------------------------------------------------------------------
                (y in self.spec.contents) == ((y.num, y) in self.map.pairs)
      holds       enqueue keeps represents
      violated    delete_all keeps represents

What must be true stands above those that must keep it, because many keep the same. Counterexamples come
behind the summary, and last what to make of them:

    must be true  (y in self.spec.contents) == ((y.num, y) in self.map.pairs)
    written in    queue.py:45
    elements      Message m; Number 0
    where         m.num = 0
    call          delete_all(seq=0)

    state      before    after
    contents   {m}       {}
    map.pairs  {(0, m)}  {(0, m)}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import Any

from angarium.app.report.layout import GAP, amount, duration, entry, gathered, paint, paragraphs, widest
from angarium.contracts.obligations import Counterexample, Sides, Snapshot
from angarium.contracts.results import START, ProofPart, ProofResult, ProofVerdict, call_of
from angarium.core.result import Verdict

_MARGIN = "  "
_VERDICT = len("violated")
_LABEL = len("must be true")

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


def render(result: ProofResult, *, width: int = 80, colourful: bool = False) -> str:
    """The whole answer."""
    page, verdicts = _Page(width, colourful), result.verdicts
    parts = [
        *(part for each in result.parts for part in (page.header(each), page.table(_of(each, verdicts)))),
        page.summary(result),
        *(page.violation(each, each.counterexample) for each in verdicts if each.counterexample),
        page.meaning(verdicts),
        page.advice(verdicts),
    ]
    return paragraphs(parts)


def _of(part: ProofPart, verdicts: Sequence[ProofVerdict]) -> list[ProofVerdict]:
    return [each for each in verdicts if each.part == part.name]


@dataclass(frozen=True, slots=True)
class _Page:
    width: int
    colourful: bool

    def wrapped(self, text: str) -> list[str]:
        return wrap(text, self.width, break_on_hyphens=False)

    # --- verdicts -----------------------------------------------------------------------

    def header(self, part: ProofPart) -> list[str]:
        about = " ".join(part.description.split("\n\n")[0].split())
        lines = self.wrapped(f"{part.name}: {about}" if about else part.name)
        lines[0] = lines[0].replace(part.name, paint(part.name, "title", self.colourful), 1)
        return lines

    def table(self, verdicts: Sequence[ProofVerdict]) -> list[str]:
        lines = [f"{'verdict':<{_VERDICT}}{GAP}obligation", "-" * (self.width - len(_MARGIN))]
        for claims in _by_claim(verdicts):
            lines += self.claim(claims)
        return [f"{_MARGIN}{line}" for line in lines]

    def claim(self, verdicts: Sequence[ProofVerdict]) -> Iterator[str]:
        """What must be true, and below it everybody who must see to it."""
        room = self.width - len(_MARGIN) - _VERDICT - len(GAP)
        claim = wrap(verdicts[0].description, room, subsequent_indent=_MARGIN * 2, break_on_hyphens=False)
        yield from (f"{'':<{_VERDICT}}{GAP}{line}" for line in claim)
        told = None
        for each in verdicts:
            word = each.verdict.value
            name, *more = wrap(each.guarantee, room - len(_MARGIN), break_on_hyphens=False)
            why = each.reason if each.reason != told else None  # once for all that follow each other
            reason = wrap(why or "", room - 2 * len(_MARGIN), break_on_hyphens=False)
            told = each.reason
            yield f"{paint(f'{word:<{_VERDICT}}', word, self.colourful)}{GAP}{_MARGIN}{name}"
            yield from (f"{'':<{_VERDICT}}{GAP}{_MARGIN * 2}{line}" for line in [*more, *reason])

    # --- summary --------------------------------------------------------------------------

    def summary(self, result: ProofResult) -> list[str]:
        return [
            *self.wrapped(_counts(result)),
            f"Took {duration(result.extent.seconds)} ({result.engine} engine).",
        ]

    # --- counterexamples --------------------------------------------------------------------

    def violation(self, each: ProofVerdict, found: Counterexample) -> list[str]:
        name, word = f"{each.part}: {each.guarantee}", each.verdict.value
        plain = f"{name} {word}"
        broken = _BROKEN[each.kind].format(operation=each.operation or START)
        first, *more = self.wrapped(f"{plain}: {broken}")
        title = f"{paint(name, 'title', self.colourful)} {paint(word, word, self.colourful)}"
        return [first.replace(plain, title, 1), *more, *_counterexample(each, found, self.width)]

    def meaning(self, verdicts: Sequence[ProofVerdict]) -> list[str]:
        broken = {each.operation for each in verdicts if each.counterexample} - {None}
        loops = {each.operation for each in verdicts if each.kind == "kept"}
        return self.wrapped(_INDUCTION + (_LOOP if broken & loops else "")) if broken else []

    def advice(self, verdicts: Sequence[ProofVerdict]) -> list[str]:
        reasons = [each.reason for each in verdicts if each.reason]
        if not reasons:
            return []
        help_ = [text for word, text in _ADVICE.items() if any(word in reason for reason in reasons)]
        return self.wrapped(" ".join(["Unknown is not holds.", *help_]))


def _by_claim(verdicts: Sequence[ProofVerdict]) -> list[list[ProofVerdict]]:
    """Obligations with the same claim together, in the order in which claims come up."""
    groups: dict[tuple[str, str], list[ProofVerdict]] = {}
    for each in verdicts:
        groups.setdefault((each.description, str(each.place)), []).append(each)
    return list(groups.values())


def _counts(result: ProofResult) -> str:
    verdicts = result.verdicts
    if not verdicts:
        return f"There is nothing to prove in {result.subject}: no conjecture, and no implementation."
    count = {verdict: sum(each.verdict is verdict for each in verdicts) for verdict in Verdict}
    proved, total = count[Verdict.HOLDS], amount(len(verdicts), "obligation")
    rest = [f"{count[each]} {each.value}" for each in (Verdict.VIOLATED, Verdict.UNKNOWN) if count[each]]
    if not rest:
        return f"Proved all of {total}, for sorts of any size."
    return f"Proved {proved} of {total}, for sorts of any size; {', '.join(rest)}."


# --- counterexamples ----------------------------------------------------------------------------


def _counterexample(verdict: ProofVerdict, counterexample: Counterexample, width: int) -> list[str]:
    """The lines below the title of a violation: the elements, the call, and the states side by side."""
    place = verdict.place
    labels = {
        "must be true": verdict.description,
        "elements": "; ".join(f"{sort} {', '.join(names)}" for sort, names in counterexample.sorts.items()),
        "where": "; ".join(_facts(counterexample.facts)),
        "call": call_of(counterexample),
    }
    room = width - len(_MARGIN)
    lines = [
        line for label, text in labels.items() if text for line in entry(label, text, left=_LABEL, width=room)
    ]
    lines.append(f"{'written in':<{_LABEL}}{GAP}{place.file}:{place.line}")  # to copy: it is not broken
    table = list(_states(counterexample.snapshots, room))
    return [f"{_MARGIN}{line}".rstrip() for line in [*lines, *([""] if table else []), *table]]


def _facts(facts: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """`m.num = 0`, as the source would ask for it."""
    for name, table in facts.items():
        for arguments, value in table.items():
            where = (
                f"{name}({arguments})" if "," in arguments else f"{arguments}.{name}" if arguments else name
            )
            yield f"{where} = {value}"


# --- states ---------------------------------------------------------------------------------


def _states(snapshots: Sequence[Snapshot], width: int) -> Iterator[str]:
    """One column a moment, one row a symbol."""
    if not any(snapshot.symbols for snapshot in snapshots):
        return
    names = list(dict.fromkeys(name for snapshot in snapshots for name in snapshot.symbols))
    columns = [[each.name, *(_value(each.symbols.get(name)) for name in names)] for each in snapshots]
    left = widest(["state", *names])
    most = (width - left) // len(columns) - len(GAP)
    widths = [min(most, widest(column)) for column in columns]
    for label, *cells in zip(["state", *names], *columns, strict=True):
        wrapped = [wrap(cell, room) or [""] for cell, room in zip(cells, widths, strict=True)]
        for number, lines in enumerate(zip_longest(*wrapped, fillvalue="")):
            row = [f"{line:<{room}}" for line, room in zip(lines, widths, strict=True)]
            yield GAP.join([f"{label if number == 0 else '':<{left}}", *row])


def _value(value: Any) -> str:  # noqa: ANN401 (as a snapshot has it)
    """A relation as a set, a function as a mapping, else the thing itself."""
    match value:
        case bool():
            return str(value).lower()
        case list() | dict():
            return gathered(value)
        case _:
            return str(value)
