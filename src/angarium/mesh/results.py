"""What `angarium mesh verify` answers, as data: a verdict for each guarantee and each size of failures.

What goes wrong stands in the violations of a verdict, each with an address; the first is also its story: the
path of one message, link by link, with what died before.

An address is `mesh:WORDS@HASH:GUARANTEE:DEAD:NUMBER`. The words are the names of the files, and what is said
beside them, as on a command line. The hash is of the mesh that they describe: an address of another is
refused. What is dead is named with its kind. The number is that of the sentence which says what is wrong: it
is found again by looking at that failure alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from urllib.parse import quote, unquote
from zlib import crc32

from angarium.core.errors import AddressError, Place, shortened
from angarium.core.escaping import json_text
from angarium.core.records import HERE, key, write
from angarium.core.result import Exchange, Extent, GuaranteeVerdict, Result, Step, Story, Verdict
from angarium.mesh.delivery.outcome import Path
from angarium.mesh.files.given import NOTHING_SAID, Given, brokers_by_host, files_by_name
from angarium.mesh.files.inside import STANDARD_INPUT
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.remarks import numbered, sentence
from angarium.mesh.topics.dialects import written
from angarium.mesh.verify.demands import Demand
from angarium.mesh.verify.violations import GUARANTEES, Verdicts, Verification, Violation

PREFIX = "mesh"
_ADDRESS = re.compile(rf"{PREFIX}:([^@]+)@([0-9a-f]{{12}}):([a-z-]+):([^:]*):([0-9a-f]{{8}})", re.ASCII)
_SAFE = "/.-_>*"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a mesh is from: files, and what is said beside them."""

    files: Sequence[str]
    given: Given = NOTHING_SAID

    @property
    def is_lasting(self) -> bool:
        """Whether it can be read again."""
        return bool(self.files or self.given.brokers) and STANDARD_INPUT not in self.files

    @property
    def words(self) -> str:
        """All of it in one word."""
        return "+".join(quote(each, _SAFE) for each in (*self.given.words(), *self.files))


def version_of(mesh: Mesh) -> str:
    """Twelve hexadecimal digits of all that its files say."""
    import hashlib

    return hashlib.sha256(json_text(write(mesh)).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Address:
    """Where something that goes wrong is to be found."""

    source: Source
    version: str
    guarantee: str
    dead: tuple[str, ...]
    """`broker b1` or `link b1-b2`."""
    number: str


@dataclass(frozen=True)
class Addresses:
    """The addresses of what goes wrong in a mesh."""

    source: Source
    mesh: Mesh

    @cached_property
    def _begin(self) -> str:
        return f"{PREFIX}:{self.source.words}@{version_of(self.mesh)}"

    def of(self, violation: Violation) -> str:
        """Where to find it again."""
        dead = "+".join(quote(name, _SAFE) for name in _dead(violation.failures))
        return f"{self._begin}:{violation.guarantee}:{dead}:{number_of(violation)}"


def number_of(violation: Violation) -> str:
    """Which of the violations under one failure it is."""
    return f"{crc32(violation.what.encode()):08x}"


def parse_address(text: str) -> Address:
    """The parts of an address."""
    match = _ADDRESS.fullmatch(text.strip())
    if not match:
        raise AddressError(
            "ANG030",
            f"this is not the address of a story of a mesh: {shortened(text)!r}",
            possible="such an address looks like mesh:a.yaml@0123456789ab:reachability:link%20a-b:01234567",
            remedy="copy it from what angarium mesh verify finds",
        )
    words, version, guarantee, dead, number = match.groups()
    named = tuple(unquote(each) for each in dead.split("+") if each)
    return Address(_source([unquote(each) for each in words.split("+")]), version, guarantee, named, number)


def _source(words: Sequence[str]) -> Source:
    """From the words of a command, as `Given.words` writes them."""
    options: dict[str, list[str]] = {}
    files, waiting = [], iter(words)
    for word in waiting:
        if word.startswith("--"):
            options.setdefault(word, []).append("" if word == "--strict" else next(waiting, ""))
        else:
            files.append(word)
    given = Given(
        assume=tuple(options.get("--assume", ())),
        strict="--strict" in options,
        form=next(iter(options.get("--format", ())), None),
        brokers=files_by_name(tuple(options.get("--broker", ()))),
        hosts=brokers_by_host(tuple(options.get("--host", ()))),
        env_files=tuple(options.get("--env-file", ())),
    )
    return Source(tuple(files), given)


def _dead(failures: Failures) -> Iterator[str]:
    yield from (f"broker {name}" for name in sorted(failures.brokers))
    yield from (f"link {name}" for name in sorted(failures.cables))


MOST_REASONS = 3
"""Of what the files leave open, how much a verdict names."""


@dataclass(frozen=True, slots=True)
class Dead:
    """What is dead."""

    brokers: Sequence[str] = ()
    links: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who wants what."""

    publisher: str
    subscriber: str
    topic: str


@dataclass(frozen=True, kw_only=True)
class MeshViolation:
    """One violation of a guarantee."""

    what: str
    dead: Dead
    path: Sequence[str]
    """The links over which a message comes."""
    round: Sequence[str]
    """And those over which it then goes round."""
    copies: int | None
    demands: Sequence[Wanted]
    address: str | None = None
    """Where `angarium replay` finds it again; none of a mesh that is in no file."""


@dataclass(frozen=True, kw_only=True)
class MeshFailover(MeshViolation):
    """What arrives only because links that stood by take over."""

    takes_ms: float


@dataclass(frozen=True, slots=True)
class MeshRemark:
    """What the files leave open, or what is worth knowing of them."""

    number: int
    """By which it can be assumed."""
    kind: str
    what: str
    remedy: str
    place: Place | None
    effects: Sequence[str]
    brokers: Sequence[str]
    assumed: bool


@dataclass(frozen=True, kw_only=True)
class MeshVerdict(GuaranteeVerdict):
    """The verdict on a guarantee under failures of one size."""

    failures: str
    note: str = ""
    because_of: Sequence[int] = ()
    """The numbers of the remarks because of which it is unknown."""
    violations: Sequence[MeshViolation] = field(default=(), metadata=key("findings"))

    @property
    def situation(self) -> str:
        return self.failures

    @property
    def reasons(self) -> list[str]:
        return [*([self.note] if self.note else []), *super().reasons]

    @property
    def summary(self) -> str:
        return self.violations[0].what if self.violations else super().summary


@dataclass(frozen=True, kw_only=True)
class MeshResult(Result[MeshVerdict]):
    """What is known of a mesh."""

    kind: str = "mesh verify"
    brokers: int
    links: int
    probed: bool
    """Whether probes stand for clients that nobody names."""
    classes: int
    """Of topics."""
    demands: int
    failures: Mapping[str, int]
    """How many sets of each size were looked at."""
    out_of_service: int
    moved: int
    failovers: Sequence[MeshFailover]
    remarks: Sequence[MeshRemark]
    found: Verification | None = field(default=None, repr=False, compare=False, metadata=HERE)
    """The same with the mesh, for who wants to look closer."""


def result_of(verification: Verification, failures: str, source: Source | None = None) -> MeshResult:
    """The answer to a question about failures of a mesh that is from files, if it is."""
    mesh, looked = verification.mesh, verification.looked
    addresses = Addresses(source, mesh) if source and source.is_lasting else None
    adapter = _Adapter(verification, addresses)
    return MeshResult(
        subject=mesh.name,
        parameters={"failures": failures},
        engine=looked.engine,
        extent=Extent(complete=looked.cut is None, cut=looked.cut, seconds=looked.seconds),
        brokers=len(mesh.brokers),
        links=len(mesh.cables),
        probed=verification.probed,
        classes=looked.classes,
        demands=looked.demands,
        failures={str(size): count for size, count in looked.failures.items()},
        out_of_service=looked.out_of_service,
        moved=looked.moved,
        failovers=tuple(map(adapter.failover, verification.failovers)),
        remarks=tuple(remarks_of(mesh)),
        verdicts=tuple(each for verdicts in verification.guarantees for each in adapter.verdicts(verdicts)),
        found=verification,
    )


def remarks_of(mesh: Mesh) -> Iterator[MeshRemark]:
    """Every remark about a mesh's files, with the number by which it can be assumed."""
    for number, each in numbered(mesh):
        effects, brokers = sorted(each.effects), list(each.brokers)
        yield MeshRemark(number, each.kind, each.what, each.remedy, each.place, effects, brokers, each.taken)


def dead_of(failures: Failures) -> Dead:
    """What is dead, in the order of the names."""
    return Dead(sorted(failures.brokers), sorted(failures.cables))


def topic_of(mesh: Mesh, demand: Demand) -> str:
    """A topic as its publisher writes it."""
    home = next(each.broker for each in mesh.publishers if each.name == demand.publisher)
    dialect = next(each.dialect for each in mesh.brokers if each.name == home)
    return written(demand.topic, dialect)


@dataclass(frozen=True, slots=True)
class _Adapter:
    """Makes plain data of what was found."""

    verification: Verification
    addresses: Addresses | None

    def verdicts(self, verdicts: Verdicts) -> Iterator[MeshVerdict]:
        for size, verdict in verdicts.verdicts.items():
            unknown, mine = verdict is Verdict.UNKNOWN, [e for e in verdicts.violations if e.size == size]
            yield MeshVerdict(
                guarantee=verdicts.guarantee,
                verdict=verdict,
                description=GUARANTEES[verdicts.guarantee],
                reason=self.reason(verdicts) if unknown else "",
                failures=str(size),
                note=verdicts.note,
                because_of=verdicts.because_of if unknown else (),
                violations=tuple(map(self.violation, mine)),
                story=self.story(mine) if verdict is Verdict.VIOLATED else None,
            )

    def reason(self, verdicts: Verdicts) -> str:
        """What of the files' gaps makes a verdict unknown, the first in words."""
        mesh = self.verification.with_clients
        entries = [sentence(mesh.remarks[number - 1]) for number in verdicts.because_of]
        more = f"; and {len(entries) - MOST_REASONS:,} more" if len(entries) > MOST_REASONS else ""
        return f"left out: {'; '.join(entries[:MOST_REASONS])}{more}" if entries else ""

    def violation(self, violation: Violation) -> MeshViolation:
        address = self.addresses.of(violation) if self.addresses else None
        return replace(self.without_address(violation), address=address)

    def failover(self, violation: Violation) -> MeshFailover:
        return MeshFailover(**vars(self.without_address(violation)), takes_ms=violation.takes)

    def without_address(self, violation: Violation) -> MeshViolation:
        """What both kinds have."""
        return MeshViolation(
            what=violation.what,
            dead=dead_of(violation.failures),
            path=violation.path,
            round=violation.round,
            copies=violation.copies,
            demands=self.wanted(violation),
        )

    def wanted(self, violation: Violation) -> list[Wanted]:
        mesh, demands = self.verification.with_clients, violation.need.demands if violation.need else ()
        return [Wanted(each.publisher, each.subscriber, topic_of(mesh, each)) for each in demands]

    def story(self, violations: Sequence[Violation]) -> Story | None:
        """The first of the violations, link by link; the others are counted."""
        if not violations or self.addresses is None:
            return None
        first, *others = violations
        return story_of(self.verification, self.addresses.of(first), first, len(others))


def story_of(verification: Verification, address: str, violation: Violation, others: int = 0) -> Story:
    """The path of one message: what dies before, each link that it crosses, and where it goes round."""
    mesh, failures = verification.with_clients, violation.failures
    topic = topic_of(mesh, violation.need.demands[0]) if violation.need else "a message"
    dies = [Step("die", {"what": name}, fault=True, text=f"{name} dies") for name in _names(failures)]
    hops = [hop for path in (violation.path, violation.round) for hop in _hops(mesh, path, failures, topic)]
    return Story(
        subject=verification.mesh.name,
        address=address,
        guarantee=violation.guarantee,
        summary=violation.what,
        steps=(*dies, *hops),
        cycle=len(dies) + len(violation.path) if violation.round else None,
        others=others,
    )


def _names(failures: Failures) -> Iterable[str]:
    dead = dead_of(failures)
    return [*(f"broker {name}" for name in dead.brokers), *(f"link {name}" for name in dead.links)]


def _hops(mesh: Mesh, path: Path, failures: Failures, topic: str) -> Iterator[Step]:
    """A step for each link, from broker to broker, up to one that is dead."""
    links = {link.name: link for link in mesh.links} if path else {}
    for name in path:
        link = links[name]
        if link.fails_as in failures.cables or {link.source, link.target} & failures.brokers:
            yield Step(
                "stop", actor=link.source, proves=True, text=f"{topic} gets no further than {link.source}"
            )
            return
        crossing = Exchange(name, topic, link.source, link.target)
        yield Step("forward", actor=link.source, exchanges=(crossing,), proves=name == path[-1])
