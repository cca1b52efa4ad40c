"""What is to be audited, and what came of it: the same for all hosts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.history.parameters import Parameters
from angarium.history.stories import HistoryStory
from angarium.history.told import Told

if TYPE_CHECKING:
    from angarium.history.automaton.against import Comparison


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be audited, and how."""

    paths: Sequence[Path]
    parameters: Parameters = field(default_factory=Parameters)
    only: tuple[str, ...] = ()
    kind: str | None = None
    mapping: Path | None = None
    run_id: str | None = None
    model: str | None = None
    out: Path | None = None
    engine: str = "spark"
    """`spark`, `local`, or `auto`: in the process if all that is asked can be answered there."""
    uris: Sequence[str] = ()
    """Files and folders that only Spark can open."""
    tables: Sequence[str] = ()
    """Names of tables that Spark knows."""


@dataclass(frozen=True, slots=True)
class Conducted:
    """What came of it."""

    told: Told
    stories: Sequence[HistoryStory]
    comparison: Comparison | None
    engine: str = "spark"

    def with_files(self, names: Iterable[str]) -> Conducted:
        """The same, with more files or tables that were read."""
        files = dict.fromkeys((*self.told.files, *names))
        return replace(self, told=replace(self.told, files=tuple(files)))
