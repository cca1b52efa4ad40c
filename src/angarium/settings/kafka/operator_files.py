"""From an operator's files to the settings that they give: which file is whose, and which name is a mistake.

A file's name says who reads it (server.properties, producer-eu.properties); if it does not, the names in it
do. Kafka ignores a name that it does not know, so that a mistyped one has no effect and nobody notices. Here
it is an error if it is close to a name that Kafka knows; other names belong to plug-ins and are listed.
Kafka ignores, too, what is in the wrong file: that is a remark. Values of settings that do not bear on
delivery are not kept, and their lines are not shown: some are passwords. A file that gives nothing is
remarked, too.

Spring Boot has names of its own in application.properties. `spring.kafka.consumer.auto-offset-reset` is the
consumer's `auto.offset.reset`, and what stands behind `spring.kafka.producer.properties.` is a name of
Kafka's own. Names that Spring has for itself are nobody's mistakes. Its listeners commit themselves, after
the record is processed, unless they are set otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from os.path import realpath
from pathlib import Path

from angarium.core.errors import SettingsError
from angarium.settings.kafka.catalogue import ALIASES, KAFKA_VERSION, SETTINGS, named, plain
from angarium.settings.kafka.known_names import KNOWN, is_known
from angarium.settings.properties import Entry, printable, read_properties
from angarium.settings.setting import Given, Scope, Setting

_SPRING = re.compile(r"spring\.kafka\.(?P<client>producer|consumer)\.(?P<own>properties\.)?(?P<name>.+)")
_OTHERWISE = {"transaction.id.prefix": "transactional.id"}
_AUTO_COMMIT = "consumer.enable.auto.commit"


def from_spring(entry: Entry) -> Entry:
    """The entry as a client of Kafka gets it; unchanged if it is not Spring's."""
    name = _kafkas_name(entry.name)
    if name == "consumer.isolation.level":
        return replace(entry, name=name, value=entry.value.lower().replace("-", "_"))
    return replace(entry, name=name)


def is_springs(name: str) -> bool:
    """Whether Spring may have made the name, and not Kafka."""
    found = _SPRING.fullmatch(name)
    return bool(found and not found["own"])


def spring_remarks(file: str, names: Iterable[str], overridden: Collection[str]) -> list[str]:
    consumers = {_kafkas_name(name) for name in names if name.startswith("spring.kafka.consumer.")}
    if not consumers or _AUTO_COMMIT in consumers or "enable.auto.commit" in overridden:
        return []
    return [
        f"{file}: Spring's listeners have enable.auto.commit=false where nobody sets it, and commit by "
        "themselves (--set enable.auto.commit=false if yours are such)"
    ]


def _kafkas_name(name: str) -> str:
    found = _SPRING.fullmatch(name)
    if not found:
        return name
    dotted = found["name"] if found["own"] else found["name"].replace("-", ".")
    return f"{found['client']}.{_OTHERWISE.get(dotted, dotted)}"


ALIKE, SHORT_ALIKE = 0.85, 0.75
"""How much of two names must be the same for one to be a slip of the other (difflib's ratio): in a name of
six letters or fewer, such as acks, one may be wrong."""

FILES = {
    Scope.BROKER: "server.properties",
    Scope.TOPIC: "the topic's settings (kafka-topics --config)",
    Scope.PRODUCER: "producer.properties",
    Scope.CONSUMER: "consumer.properties",
}
"""Where Kafka reads what."""

_WHOSE = {
    "server": Scope.BROKER,
    "broker": Scope.BROKER,
    "controller": Scope.BROKER,
    "topic": Scope.TOPIC,
    "producer": Scope.PRODUCER,
    "consumer": Scope.CONSUMER,
}
_OTHERS = re.compile(r"connect|mirror|mm2|streams")
_CLIENT = re.compile(r"(?:[\w>-]+\.)?(?P<client>producer|consumer)\.(?:override\.)?(?P<name>.+)")
_FILLED_IN = re.compile(r"\$\{.*\}")


@dataclass(slots=True)
class Reading:
    """What is found in the files."""

    given: list[Given] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    errors: list[SettingsError] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How much bears on delivery, or is said of it."""
        return len(self.given) + len(self.remarks) + len(self.errors)


def read_files(files: Iterable[Path], overridden: Collection[str]) -> Reading:
    """Everything that the files give. What is overridden need not be a value that we understand."""
    reading = Reading()
    for path in _each_once(files, reading):
        before = reading.size
        entries = read_properties(path)
        _read(path.name, entries, overridden, reading)
        if reading.size == before:
            reading.remarks.append(f"{path.name}: nothing in it bears on delivery")
    return reading


def _each_once(files: Iterable[Path], reading: Reading) -> list[Path]:
    """A file that is given again counts where it is given last."""
    found: dict[str, Path] = {}
    for path in files:
        if found.pop(realpath(path), None):
            reading.remarks.append(f"{path.name} is given more than once: it is read once")
        found[realpath(path)] = path
    return list(found.values())


def _read(file: str, entries: Sequence[Entry], overridden: Collection[str], reading: Reading) -> None:
    reads = _readers(file, entries)
    for entry in entries:
        _note_repeats(entry, file, reading)
        _sort(entry, reads, overridden, reading)
    reading.remarks += spring_remarks(file, [entry.name for entry in entries], overridden)
    if Scope.BROKER in reads and "eligible.leader.replicas.version" not in overridden:
        reading.remarks += [_of_an_older_kafka(entry) for entry in entries if _is_older(entry)][:1]


def _is_older(entry: Entry) -> bool:
    """Whether a broker's entry is of a Kafka that still had ZooKeeper, or a protocol of its own."""
    version = re.match(r"\s*(\d+)\.", entry.value)
    older = entry.name == "inter.broker.protocol.version" and version and int(version[1]) < 4
    return entry.name == "zookeeper.connect" or bool(older)


def _of_an_older_kafka(entry: Entry) -> str:
    return (
        f"{origin(entry)}: {entry.name} is of an older Kafka; the answers are for Kafka {KAFKA_VERSION} with "
        "KRaft. An older cluster has no eligible leader replicas unless they were turned on "
        "(--set eligible.leader.replicas.version=0), and by default clients before 3.0 have acks=1 and no "
        "idempotence"
    )


def origin(entry: Entry) -> str:
    return f"{Path(entry.place.file).name} line {entry.place.line}"


def _readers(name: str, entries: Sequence[Entry]) -> frozenset[Scope]:
    """Who reads a file: nobody, if only what has a client's prefix counts, as in Connect's files."""
    words = name.lower()
    if _OTHERS.search(words):
        return frozenset()
    by_name = frozenset(scope for word, scope in _WHOSE.items() if word in words)
    return by_name or _readers_by_names([plain(entry.name) for entry in entries])


def _readers_by_names(names: Sequence[str]) -> frozenset[Scope]:
    """Whoever is the only one to read some name of the file; anybody, if there is no such name."""
    readers = [[scope for scope, known in KNOWN.items() if name in known] for name in names]
    return frozenset(scopes[0] for scopes in readers if len(scopes) == 1) or frozenset(KNOWN)


def _note_repeats(entry: Entry, file: str, reading: Reading) -> None:
    if entry.earlier:
        lines = ", ".join(str(place.line) for place in entry.earlier)
        reading.remarks.append(
            f"{file}: {printable(entry.name)} is given more than once; "
            f"line {entry.place.line} counts, not {lines}"
        )


def _sort(entry: Entry, reads: frozenset[Scope], overridden: Collection[str], reading: Reading) -> None:
    entry, written = from_spring(entry), entry
    client = None if is_known(entry.name) else _CLIENT.fullmatch(entry.name)
    name = client["name"] if client else entry.name
    if client:
        reads = frozenset({_WHOSE[client["client"]]})
    setting = named(name)
    if not is_known(name):
        _unknown(written, name, reads, reading)
    elif setting and reads & set(setting.scopes):
        if _FILLED_IN.search(entry.value) and setting.name in overridden:
            reading.remarks.append(f"{origin(entry)}: what Kafka fills in is not known here; --set counts")
        else:
            _take(entry, setting, next(scope for scope in setting.scopes if scope in reads), reading)
    elif setting and not any(name in KNOWN[scope] for scope in reads):
        reading.remarks.append(_in_the_wrong_file(written, setting))


def _unknown(entry: Entry, name: str, reads: frozenset[Scope], reading: Reading) -> None:
    """A slip, or a name of somebody else's."""
    known = {each for scope in reads for each in KNOWN[scope]} | set(ALIASES)
    alike = ALIKE if len(name) > 6 else SHORT_ALIKE
    near = get_close_matches(plain(name), sorted(known), n=1, cutoff=alike)
    if not near or is_springs(entry.name):
        reading.ignored.append(f"{printable(entry.name)} ({origin(entry)})")
        return
    meant, setting = printable(entry.name.removesuffix(name)) + near[0], SETTINGS.get(near[0])
    wrong = printable(entry.name)
    reading.errors.append(
        SettingsError(
            "ANG061",
            f"{wrong}: did you mean {meant}? Kafka knows no {wrong}, and would ignore it",
            possible=f"{meant}: {setting.what}" if setting else f"possible: {meant}",
            remedy=f"write {meant}, or remove the line",
            place=replace(entry.place, source=entry.place.source[: entry.place.column - 1] + wrong),
        )
    )


def _in_the_wrong_file(entry: Entry, setting: Setting) -> str:
    scope = setting.scopes[0]
    instead = f"; a broker has {setting.inherits} instead" if setting.inherits else ""
    return (
        f"{origin(entry)}: {entry.name} has no effect here: it is a {scope.value}'s setting, "
        f"which Kafka reads from {FILES[scope]}{instead}"
    )


def _take(entry: Entry, setting: Setting, scope: Scope, reading: Reading) -> None:
    if entry.name in ALIASES:
        reading.remarks.append(
            f"{origin(entry)}: {entry.name} is librdkafka's name for {setting.name}; Java clients ignore it"
        )
    try:
        reading.given.append(given(setting, scope, entry.value, origin(entry), entry))
    except SettingsError as error:
        reading.errors.append(error)


def given(setting: Setting, scope: Scope, text: str, origin: str, entry: Entry | None = None) -> Given:
    """A value that somebody has set, if it is one that the setting can have."""
    value = setting.kind.canonical(text)
    place = entry.value_place if entry else None
    if value is not None:
        return Given(setting, scope, value, origin, place)
    filled_in = _FILLED_IN.search(text)
    raise SettingsError(
        "ANG062",
        f"{setting.name} cannot be {printable(text.strip()) or 'empty'}"
        + (": what Kafka fills in from elsewhere is not known here" if filled_in else ""),
        possible=f"possible: {setting.kind.possible}",
        remedy=f"give the value itself: --set {setting.name}=..." if filled_in else _hint(setting, text),
        place=place,
    )


def _hint(setting: Setting, text: str) -> str:
    """What was probably meant; otherwise what the setting is for."""
    before_comment = re.split(r"\s[#!]", text)[0]
    if setting.kind.canonical(text.lower()) is not None:
        return f"write it in lower case: {setting.name}={text.strip().lower()}"
    if before_comment != text and setting.kind.canonical(before_comment) is not None:
        return (
            f"comments stand on lines of their own: here write only {setting.name}={before_comment.strip()}"
        )
    return f"what it is for: {setting.what}"
