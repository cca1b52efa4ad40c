"""Which engines this machine can use, with what they have here, and what each is good for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from angarium.core.errors import InputError
from angarium.core.records import key
from angarium.core.result import GuaranteeVerdict, Result

GOOD_FOR = {
    "auto": "what nobody has to think about: the local engine, and a card where a search is large",
    "local": "nearly everything: millions of states a second on a thread, as many as memory holds",
    "gpu": "large searches: many states in each level, as many as the card's memory holds",
    "spark": "more states than one machine holds, on many machines or on this one's disk",
    "reference": "comparing: it is slow, obvious, and shares nothing with the others",
}


@dataclass(frozen=True, slots=True)
class Part:
    """Something of this machine that an engine uses."""

    name: str
    memory: int | None = field(default=None, metadata=key("bytes"))
    """Bytes; None if that is no matter."""


@dataclass(frozen=True, slots=True)
class Available:
    """An engine, as it is here."""

    name: str
    parts: tuple[Part, ...] = field(default=(), metadata=key("has"))
    missing: str | None = None
    """Why it cannot be used; None if it can."""
    remedy: str | None = None
    usable: bool = field(init=False)
    good_for: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "usable", self.missing is None)
        object.__setattr__(self, "good_for", GOOD_FOR[self.name])


@dataclass(frozen=True, kw_only=True)
class EnginesResult(Result[GuaranteeVerdict]):
    """What this machine can search with."""

    kind: str = "engines"
    subject: str = "this machine"
    engine: str = ""
    engines: Sequence[Available]


def available() -> list[Available]:
    """All engines; to ask a driver for its cards and a Java for its version takes a moment."""
    gpu = _asked("gpu", _cards)
    chosen = Part("the local engine" if gpu.missing else "the local engine, then the card")
    return [
        Available("auto", (chosen,)),
        _asked("local", _processor),
        gpu,
        _asked("spark", _spark),
        Available("reference", (Part("1 thread"),)),
    ]


def _asked(name: str, ask: Callable[[], Iterator[Part]]) -> Available:
    try:
        return Available(name, tuple(ask()))
    except InputError as problem:
        possible = f" ({problem.possible})" if problem.possible else ""
        return Available(name, (), f"{problem.what}{possible}", problem.remedy or None)


def _processor() -> Iterator[Part]:
    from angarium.checker.explore.native_watch import most_bytes

    threads = len(os.sched_getaffinity(0))
    yield Part("1 thread" if threads == 1 else f"{threads} threads", most_bytes())


def _cards() -> Iterator[Part]:
    from angarium.checker.explore.gpu.engine import usable_cards

    for card in usable_cards():
        yield Part(card.name, card.memory)


def _spark() -> Iterator[Part]:
    from angarium.spark.java import fitting_java
    from angarium.spark.machine import spark_home

    spark_home()
    yield Part(f"Spark {version('pyspark')}")
    yield Part(f"Java {fitting_java().version}")
