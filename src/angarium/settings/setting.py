"""A setting: who reads it, which values it can have, what it is if nobody sets it, what it does for delivery.

Values stay text, as they are written in files and on command lines. What a setting can be is a `Kind`: it
gives the one way in which we write a value (`-1` for acks is `all`), or None for a value that is impossible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from textwrap import indent
from typing import Protocol

from angarium.core.errors import Place, SettingsError

OVERRIDE = "--set"
"""The origin of what is given on the command line."""


class Scope(Enum):
    """Who reads a setting."""

    BROKER = "broker"
    TOPIC = "topic"
    PRODUCER = "producer"
    CONSUMER = "consumer"
    SCENARIO = "scenario"
    """Nobody, it is in no file: what an application does, or how large the model is."""


class Kind(Protocol):
    """What a setting can be."""

    @property
    def possible(self) -> str:
        """In words, for a message."""
        ...

    def canonical(self, text: str) -> str | None:
        """A value as we write it, or None if it is impossible."""
        ...


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number."""

    low: int = 0
    high: int = 2**31 - 1

    @property
    def possible(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def canonical(self, text: str) -> str | None:
        digits = text.strip().removeprefix("+")
        if not digits.removeprefix("-").isdecimal() or not digits.isascii() or len(digits) > 20:
            return None
        return str(int(digits)) if self.low <= int(digits) <= self.high else None


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false, in any mixture of large and small letters, as Kafka reads it."""

    possible: str = "true or false"

    def canonical(self, text: str) -> str | None:
        word = text.strip().lower()
        return word if word in ("true", "false") else None


@dataclass(frozen=True, slots=True)
class Words:
    """One of a few words. `also` has other ways to write them; `any_case` is Kafka's leave to shout."""

    words: tuple[str, ...]
    also: Mapping[str, str] = field(default_factory=dict)
    any_case: bool = False

    @property
    def possible(self) -> str:
        others = [f"{other} (the same as {word})" for other, word in self.also.items()]
        return ", ".join((*self.words, *others))

    def canonical(self, text: str) -> str | None:
        word = text.strip().lower() if self.any_case else text.strip()
        word = self.also.get(word, word)
        return word if word in self.words else None


@dataclass(frozen=True, slots=True)
class Text:
    """Anything but nothing."""

    possible: str = "any text that is not empty"

    def canonical(self, text: str) -> str | None:
        return text.strip() or None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting."""

    name: str
    scopes: tuple[Scope, ...]
    """Whoever comes first overrides who comes later: a topic's value counts before its broker's."""
    kind: Kind
    default: str
    """Empty: not set."""
    what: str
    """What it does for delivery, in one line."""
    becomes: str = ""
    """The model and its parameter."""
    why_not: str = ""
    """Why it is no parameter."""
    inherits: str = ""
    """The setting that has the value where this one is not set."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value that somebody has set."""

    setting: Setting
    scope: Scope
    value: str
    origin: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """The value that counts, and where it comes from."""

    value: str
    origin: str
    """Such as `server.properties line 12`, `--set` or `default`."""
    given: bool = False
    """Whether somebody has set it."""
    place: Place | None = None


def together(errors: Sequence[SettingsError]) -> SettingsError:
    """Everything that is wrong, as one error, so that nobody has to find the mistakes one by one."""
    if len(errors) == 1:
        return errors[0]
    listed = "\n".join(indent(str(each), "  ") for each in errors)
    return SettingsError(errors[0].code, f"{len(errors)} things are wrong with the settings:\n{listed}")
