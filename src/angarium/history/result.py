"""What `angarium audit` answers, as data: a verdict for each run and guarantee, and what was read and seen.

The address of a story says where the histories are, what was said beside them, and where in them the
violation is: `history:shop.jsonl@0123456789ab:shop/no-loss/p1:54`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from angarium.core.errors import AddressError, shortened
from angarium.core.records import HERE, LAST, key
from angarium.core.result import (
    Exchange,
    Extent,
    GuaranteeVerdict,
    Parameters,
    Result,
    Step,
    Story,
    Verdict,
)
from angarium.history.asked import Conducted
from angarium.history.automaton.against import Life
from angarium.history.guarantees import GUARANTEES
from angarium.history.intake.paths import find, is_uri
from angarium.history.results import Figures, Judgement
from angarium.history.sequence import mermaid
from angarium.history.stories import HistoryStory, StoryRow
from angarium.history.told import Times

PREFIX = "history"
_ADDRESS = re.compile(rf"{PREFIX}:([^@]+)@([0-9a-f]{{12}}):(.*)/([a-z-]+)/[^/]+", re.ASCII | re.DOTALL)
_SAYS = {guarantee.name: guarantee.promise for guarantee in GUARANTEES}
_OF_A_MODEL = "each message's life is one that the model has"


@dataclass(frozen=True, slots=True)
class Source:
    """The files of histories, and what is said beside them, as on a command line."""

    paths: Sequence[str]
    words: Sequence[str] = ()

    @property
    def version(self) -> str:
        """Twelve hexadecimal digits of the names and sizes of all files, as histories may be too long."""
        found = find([Path(each) for each in self.paths if not is_uri(each)])
        seen: list[object] = [(each.path.name, each.path.stat().st_size) for each in found]
        seen += [each for each in self.paths if is_uri(each)]
        return hashlib.sha256(repr(seen).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return "+".join(quote(each, "/.-_*") for each in (*self.words, *self.paths))


@dataclass(frozen=True, slots=True)
class AuditStory(Story):
    """The events that prove a violation; `rows` are the steps as the audit has them."""

    run_id: str = ""
    kind: str = ""
    explanation: str = ""
    begins: int = 0
    """When the first event was, in nanoseconds since 1970."""
    rows: Sequence[StoryRow] = ()
    mermaid: str = ""


@dataclass(frozen=True, kw_only=True)
class AuditVerdict(GuaranteeVerdict):
    """The verdict on a guarantee in one run."""

    reason: str | None = field(default=None, metadata=key("note"))
    """Why it is unknown, or why some of it could not be judged."""
    run_id: str
    judged: int
    unjudged: int
    violations: int
    story: AuditStory | None = field(default=None, metadata=LAST)

    @property
    def situation(self) -> str:
        return self.run_id


@dataclass(frozen=True, kw_only=True)
class AuditResult(Result[AuditVerdict]):
    """What histories say of the guarantees."""

    kind: str = "audit"
    engine: str = "spark"
    files: Sequence[str]
    read: int
    accepted: int
    quarantined: int
    quarantine: Mapping[str, int]
    """How many rows are in quarantine for each reason."""
    figures: Sequence[Figures]
    times: Sequence[Times] = field(metadata=key("latency_nanoseconds"))
    remarks: Sequence[str]
    lives: Sequence[Life] | None = None
    """Of messages, against a model."""
    found: Conducted | None = field(default=None, repr=False, compare=False, metadata=HERE)
    """The same as the audit has it."""

    @property
    def worst(self) -> Verdict:
        """The worst of what could be judged; what a history has no events for does not count beside that."""
        return self.found.told.verdict if self.found else super().worst


@dataclass(frozen=True, kw_only=True)
class FollowVerdict(GuaranteeVerdict):
    """The verdict on a guarantee over all runs that a followed history has had so far."""

    reason: str | None = field(default=None, metadata=key("note"))
    """Why it is unknown."""
    violations: int


@dataclass(frozen=True, kw_only=True)
class FollowResult(Result[FollowVerdict]):
    """What was found in a followed history until now."""

    kind: str = "audit"
    ended: bool
    """Whether the stream has said that nothing more comes."""
    read: int
    accepted: int
    quarantined: int
    quarantine: Mapping[str, int]
    """How many rows are in quarantine for each reason."""
    open_messages: int
    overdue: int
    """Messages confirmed long ago and not delivered: lost if they never come."""


def result_of(found: Conducted, source: Source, parameters: Parameters) -> AuditResult:
    """The answer to a question about histories."""
    told, counts = found.told, found.told.counts
    begin = f"{PREFIX}:{source}@{source.version}" if found.stories else ""
    stories = {(each.run_id, each.guarantee): story_of(each, begin) for each in found.stories}
    return AuditResult(
        subject=", ".join(told.runs),
        parameters=parameters,
        engine=found.engine,
        extent=Extent(seconds=told.seconds),
        files=told.files,
        read=counts.read,
        accepted=counts.accepted,
        quarantined=counts.quarantined,
        quarantine=counts.reasons,
        figures=told.figures,
        times=told.times,
        remarks=told.remarks,
        lives=found.comparison.lives if found.comparison else None,
        verdicts=tuple(_verdict(each, stories) for each in told.judgements),
        found=found,
    )


def _verdict(judged: Judgement, stories: Mapping[tuple[str, str], AuditStory]) -> AuditVerdict:
    return AuditVerdict(
        guarantee=judged.guarantee,
        verdict=judged.verdict,
        description=_SAYS.get(judged.guarantee, _OF_A_MODEL),
        reason=judged.reason,
        run_id=judged.run_id,
        judged=judged.judged,
        unjudged=judged.unjudged,
        violations=judged.violations,
        story=stories.get((judged.run_id, judged.guarantee)),
    )


def story_of(told: HistoryStory, begin: str) -> AuditStory:
    """The story of a violation; what stands before its own address says where the histories are."""
    return AuditStory(
        subject=told.run_id,
        address=f"{begin}:{told.address}",
        guarantee=told.guarantee,
        summary=told.explanation,
        steps=tuple(map(_step, told.rows)),
        others=told.others,
        run_id=told.run_id,
        kind=told.kind,
        explanation=told.explanation,
        begins=told.begins,
        rows=told.rows,
        mermaid=mermaid(told),
    )


def _step(row: StoryRow) -> Step:
    """An event; who takes part in it is the channel too, where nobody else does."""
    return Step(
        action="left out" if row.cut else str((row.event or {}).get("op_type", "event")),
        actor=None if row.cut else row.source,
        exchanges=(Exchange(row.text, None, row.source, row.target),) if row.target else (),
        state=row.event or {},
        fault=row.failed,
        text=row.text,
        at=None if row.cut else row.after,
        proves=row.proof,
        stands_for=row.cut or 1,
    )


@dataclass(frozen=True, slots=True)
class Address:
    """Where an audit's story is to be found."""

    source: Source
    version: str
    run_id: str
    guarantee: str


def parse_address(text: str) -> Address:
    """The parts of an address: `history:WORDS@HASH:RUN/GUARANTEE/EVENT`."""
    match = _ADDRESS.fullmatch(text.strip())
    if not match:
        raise AddressError(
            "ANG030",
            f"this is not the address of an audit's story: {shortened(text)!r}",
            possible="such an address looks like history:shop.jsonl@0123456789ab:shop/no-loss/p1:54",
            remedy="copy it from what angarium audit finds",
        )
    said, version, run, guarantee = match.groups()
    words = [unquote(each) for each in said.split("+")]
    options = 0
    while options < len(words) and words[options].startswith("--"):
        options += 2
    return Address(Source(words[options:], words[:options]), version, run, guarantee)
