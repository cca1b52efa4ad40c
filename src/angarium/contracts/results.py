"""What `angarium prove` answers, as data: a verdict for each obligation, and the story of what breaks one.

The story of a counterexample is one call: the state before it, what it changes, and the state behind it. Its
address names the subject, what was proved of it, and the version of the source:
`proof:SUBJECT@HASH:PART:OBLIGATION`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from angarium.contracts.obligations import Counterexample, Judged, Obligation, Proof, Sides, Snapshot
from angarium.core.control import Cut
from angarium.core.errors import AddressError, Place, shortened
from angarium.core.files import read_text
from angarium.core.records import decimals
from angarium.core.result import Change, Extent, GuaranteeVerdict, Result, Step, Story

PREFIX = "proof"
START = "__init__"
"""Where an obligation belongs that is about no operation."""
_ADDRESS = re.compile(rf"{PREFIX}:(.+)@([0-9a-f]{{12}}):(\w+):(.+)", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class ProofVerdict(GuaranteeVerdict):
    """The verdict on one obligation; `description` is what must be true, as it was written."""

    kind: Sides
    part: str
    """The class of which it was to be proved."""
    operation: str | None
    place: Place
    seconds: float = field(metadata=decimals(4))
    counterexample: Counterexample | None = None

    @property
    def situation(self) -> str:
        return self.part


@dataclass(frozen=True, slots=True)
class ProofPart:
    """A specification or an implementation that was looked at."""

    name: str
    description: str


@dataclass(frozen=True, kw_only=True)
class ProofResult(Result[ProofVerdict]):
    """What became of all obligations of a subject."""

    kind: str = "prove"
    engine: str = "z3"
    parts: Sequence[ProofPart] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A subject and the files in which it stands."""

    subject: str
    files: Sequence[str]
    """Each as FILE or FILE:CLASS."""

    @property
    def hash(self) -> str:
        """The version of the source: twelve hexadecimal digits of its text."""
        import hashlib  # only stories need it, and it takes as long as a small proof

        paths = [each.partition(".py:")[0].removesuffix(".py") for each in self.files]
        text = "\0".join(read_text(f"{path}.py") for path in paths)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def address(self, part: str, obligation: str) -> str:
        """Where to find the story of an obligation again."""
        return f"{PREFIX}:{self.subject}@{self.hash}:{part}:{obligation}"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a proof's story is to be found."""

    subject: str
    hash: str
    part: str
    obligation: str


def parse_address(text: str) -> Address:
    """The parts of an address."""
    match = _ADDRESS.fullmatch(text.strip())
    if not match:
        raise AddressError(
            "ANG030",
            f"this is not the address of a proof's story: {shortened(text)!r}",
            possible="such an address looks like proof:queue@0123456789ab:Ring:enqueue keeps represents",
            remedy="copy it from a story that angarium prove shows",
        )
    return Address(*match.groups())


def result_of(source: Source, proofs: Sequence[Proof], seconds: float) -> ProofResult:
    """What was proved of a source, with what cut it short."""
    verdicts = tuple(_verdict(source, proof.subject, each) for proof in proofs for each in proof.judged)
    cut = next((each.reason for each in verdicts if isinstance(each.reason, Cut)), None)
    extent = Extent(complete=cut is None, cut=cut, seconds=seconds)
    parts = tuple(ProofPart(proof.subject, proof.description) for proof in proofs)
    return ProofResult(subject=source.subject, extent=extent, parts=parts, verdicts=verdicts)


def _verdict(source: Source, part: str, judged: Judged) -> ProofVerdict:
    obligation, found = judged.obligation, judged.counterexample
    return ProofVerdict(
        guarantee=obligation.name,
        verdict=judged.verdict,
        description=obligation.text,
        reason=judged.reason,
        kind=obligation.kind,
        part=part,
        operation=obligation.operation,
        place=obligation.place,
        seconds=judged.seconds,
        counterexample=found,
        story=_story(source, part, obligation, found) if found else None,
    )


def _story(source: Source, part: str, obligation: Obligation, found: Counterexample) -> Story:
    first = found.snapshots[0].symbols if found.snapshots else {}
    return Story(
        subject=f"{source.subject}: {part}",
        address=source.address(part, obligation.name),
        guarantee=obligation.name,
        summary=f"it is false that {obligation.text}",
        initial=first,
        steps=tuple(_steps(found)),
    )


def _steps(found: Counterexample) -> Iterator[Step]:
    """The call; where a loop or another call comes between its ends, a step to each state."""
    for before, after in pairwise(found.snapshots):
        yield Step(
            action=found.operation or START,
            arguments=found.arguments,
            text=call_of(found),
            changes=tuple(_changes(before, after)),
            state=after.symbols,
            proves=after is found.snapshots[-1],
        )


def call_of(found: Counterexample) -> str:
    """The call, with what it answers; empty at the start."""
    if found.operation is None:
        return ""
    given, answers = (
        ", ".join(f"{name}={each}" for name, each in pairs.items())
        for pairs in (found.arguments, found.results)
    )
    return f"{found.operation}({given})" + (f", which answers {answers}" if answers else "")


def _changes(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    for name, value in after.symbols.items():
        if before.symbols.get(name) != value:
            yield Change(name, before.symbols.get(name), value)
