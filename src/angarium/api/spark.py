"""Where Spark runs, for all products that can be given to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from angarium.spark.place import Place


@dataclass(frozen=True, slots=True)
class OnSpark:
    """Where the engine `spark` runs."""

    master: str = "local[*]"
    memory: str | None = None
    """Of each of Spark's Javas, such as "2g"."""
    checkpoint: Path | None = None
    """A folder that every worker can see: the search is kept there, and goes on if it was stopped."""

    @property
    def place(self) -> Place:
        """The same as Spark's room has it."""
        from angarium.spark.place import Place

        return Place(self.master, self.memory)


def place_of(engine: str, spark: OnSpark | None) -> Place | None:
    """Where Spark is to do the work, if it shall."""
    if engine not in ("local", "spark"):
        possible = did_you_mean(engine, ("local", "spark"))
        raise UsageError("ANG013", f"there is no engine named {engine!r}", possible=possible)
    return (spark or OnSpark()).place if engine == "spark" else None
