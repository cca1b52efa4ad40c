"""What of a model's steps belongs to the life of one message: the table that a system's `lives.toml` holds.

A model is explored as it is. Its table says with which parameters, and which steps are letters:

    system = "nsq"
    deliveries = 3               # lives with more are longer than the scenario is large enough for
    consumers = 3                # and so are those with more consumers
    ignores = ""                 # letters that the model does not have, and that do not matter to it
    outside = ""                 # letters that the model does not have: it says nothing of lives with them
    parameters = { messages = 1, … }

    [letters]                    # action: letter, and the parameter that is the consumer
    read = "d c"
    crash_consumer = "e c ?"     # ?: the step may also go unseen

    [confirmed]                  # letter: the variable that is set by the steps that count for certain
    f = "done"

    [[assumptions]]              # in the order in which they are rather dropped
    name = "no message times out"
    drop = { timeouts = 2 }

All other steps are silent; a letter without a consumer is about the only one. A letter that is in none of
these lists cannot happen. Without any assumption dropped nothing goes wrong.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from angarium import systems
from angarium.core.errors import HistoryError, did_you_mean
from angarium.core.files import read_text

OF_ACKNOWLEDGEMENT = "a"
"""The letter whose steps may count for certain."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """What is taken for granted, and the parameters of a scenario in which it is not."""

    name: str
    drop: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Told:
    """The letter that an action is."""

    letter: str
    consumer: str | None
    """The parameter that says which consumer it is about."""
    unseen: bool
    """Whether it may happen without being seen."""


@dataclass(frozen=True, slots=True)
class Lives:
    """The table of a system."""

    system: str
    deliveries: int
    consumers: int
    ignores: str
    outside: str
    parameters: Mapping[str, str]
    letters: Mapping[str, Told]
    confirmed: Mapping[str, str]
    """For a letter: the variable whose first cell the step sets if it counts for certain."""
    assumptions: tuple[Assumption, ...]

    @property
    def alphabet(self) -> set[str]:
        """All letters that can happen."""
        return {told.letter for told in self.letters.values()} | set(self.confirmed)


@lru_cache(maxsize=1)
def all_lives() -> dict[str, Lives]:
    """Every system that has a message automaton, by its name."""
    folder = Path(systems.__file__).parent
    found = [_lives(tomllib.loads(read_text(path))) for path in sorted(folder.glob("*/lives*.toml"))]
    return {lives.system: lives for lives in found}


def lives_of(system: str) -> Lives:
    """The table of a system."""
    if system in all_lives():
        return all_lives()[system]
    raise HistoryError(
        "ANG135",
        f"the model {system!r} does not say what the life of a message is",
        possible=did_you_mean(system, all_lives()),
        remedy="give one of these with --model, or audit without a model",
    )


def _lives(table: Mapping[str, Any]) -> Lives:
    return Lives(
        table["system"],
        table["deliveries"],
        table["consumers"],
        table["ignores"],
        table["outside"],
        _settings(table["parameters"]),
        {action: _told(text) for action, text in table["letters"].items()},
        table.get("confirmed", {}),
        tuple(Assumption(each["name"], _settings(each["drop"])) for each in table["assumptions"]),
    )


def _settings(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value).lower() for name, value in values.items()}


def _told(text: str) -> Told:
    letter, *rest = text.split()
    named = [each for each in rest if each != "?"]
    return Told(letter, named[0] if named else None, "?" in rest)
