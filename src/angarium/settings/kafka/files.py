"""From an operator's files to the settings that they give: which file is whose, and which name is a mistake.

A file's name says who reads it (server.properties, producer-eu.properties); if it does not, the names in it
do. Kafka ignores a name that it does not know, so that a mistyped one has no effect and nobody notices. Here
it is an error if it is close to a name that Kafka knows; other names belong to plug-ins and are listed. Kafka
ignores, too, what is in the wrong file: that is a remark. Values of settings that do not bear on delivery are
not kept, and their lines are not shown: some are passwords.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from angarium.errors import SettingsError
from angarium.settings.kafka.catalogue import ALIASES, SETTINGS, named, plain
from angarium.settings.kafka.known_names import EVERY_NAME, KNOWN
from angarium.settings.properties import Entry, read_properties
from angarium.settings.setting import Given, Scope, Setting

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


def read_files(files: Iterable[Path], overridden: Collection[str]) -> Reading:
    """Everything that the files give. What is overridden need not be a value that we understand."""
    reading = Reading()
    for path in files:
        entries = read_properties(path)
        reads = _readers(path.name, entries)
        for entry in entries:
            _note_repeats(entry, path.name, reading)
            _sort(entry, reads, overridden, reading)
    return reading


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
            f"{file}: {entry.name} is given more than once; line {entry.place.line} counts, not {lines}"
        )


def _sort(entry: Entry, reads: frozenset[Scope], overridden: Collection[str], reading: Reading) -> None:
    client = None if entry.name in EVERY_NAME else _CLIENT.fullmatch(entry.name)
    name = client["name"] if client else entry.name
    if client:
        reads = frozenset({_WHOSE[client["client"]]})
    setting = named(name)
    if name not in EVERY_NAME:
        _unknown(entry, name, reads, reading)
    elif setting and reads & set(setting.scopes):
        if not (_FILLED_IN.search(entry.value) and setting.name in overridden):
            _take(entry, setting, next(scope for scope in setting.scopes if scope in reads), reading)
    elif setting and not any(name in KNOWN[scope] for scope in reads):
        reading.remarks.append(_in_the_wrong_file(entry, setting))


def _unknown(entry: Entry, name: str, reads: frozenset[Scope], reading: Reading) -> None:
    """A slip, or a name of somebody else's."""
    known = {each for scope in reads for each in KNOWN[scope]} | set(ALIASES)
    alike = ALIKE if len(name) > 6 else SHORT_ALIKE
    near = get_close_matches(plain(name), sorted(known), n=1, cutoff=alike)
    if not near or name.startswith("listener.name."):
        reading.ignored.append(f"{entry.name} ({origin(entry)})")
        return
    meant, setting = entry.name.removesuffix(name) + near[0], SETTINGS.get(near[0])
    reading.errors.append(
        SettingsError(
            "ANG061",
            f"{entry.name}: did you mean {meant}? Kafka knows no {entry.name}, and would ignore it",
            possible=f"{meant}: {setting.what}" if setting else f"possible: {meant}",
            remedy=f"write {meant}, or remove the line",
            place=replace(entry.place, source=entry.place.source[: entry.place.column - 1] + entry.name),
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
        f"{setting.name} cannot be {text.strip() or 'empty'}"
        + (": what Kafka fills in from elsewhere is not known here" if filled_in else ""),
        possible=f"possible: {setting.kind.possible}",
        remedy=f"give the value itself: --set {setting.name}=..."
        if filled_in
        else f"what it is for: {setting.what}",
        place=place,
    )
