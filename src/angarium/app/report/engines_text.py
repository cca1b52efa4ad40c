"""The engines of this machine, as text.

local      2 threads, 20.0 GiB
           for nearly everything: ...
gpu        not here: no driver of a graphics card is installed here
           install NVIDIA's driver, ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from angarium.app.report.layout import entry, memory, paint, paragraphs, widest
from angarium.checker.explore.available import Available, Part


def render(engines: Sequence[Available], *, width: int = 80, colourful: bool = False) -> str:
    """A paragraph for each."""
    left = widest([each.name for each in engines])
    return paragraphs([list(_about(each, left, width, colourful)) for each in engines])


def _about(engine: Available, left: int, width: int, colourful: bool) -> Iterator[str]:
    has = f"not here: {engine.missing}" if engine.missing else ", ".join(map(_told, engine.parts))
    first, *more = entry(engine.name, has, left=left, width=width)
    yield first.replace(engine.name, paint(engine.name, "title", colourful), 1)
    yield from more
    for text in (engine.remedy, f"for {engine.good_for}"):
        yield from entry("", text, left=left, width=width) if text else ()


def _told(part: Part) -> str:
    return f"{part.name} with {memory(part.memory)}" if part.memory else part.name
