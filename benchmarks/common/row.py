"""What benchmarks say: a row for each figure, with what is promised about it."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Row:
    """A figure, and whether it is what was promised."""

    what: str
    figure: str
    promise: str = ""
    """Empty if nothing is promised."""
    kept: bool | None = None
    """None if nothing is promised, or if it cannot be measured here."""

    @property
    def said(self) -> str:
        """Whether the promise is kept, in a word."""
        if self.kept is None:
            return "not measured" if self.promise else ""
        return "yes" if self.kept else "NO"


def within(what: str, figure: float, promise: float, unit: str = "s") -> Row:
    """A figure that must be below what is promised."""
    return Row(what, f"{figure:.2f} {unit}", f"{promise:g} {unit}", figure < promise)


def if_free(row: Row, cores: float, needed: float = 1.5) -> Row:
    """A row that is judged only if so many cores are free: others who work here change such figures."""
    return row if cores >= needed else replace(row, figure=f"{row.figure}, but others work here", kept=None)


def missing(what: str, reason: str, remedy: str, promise: str = "") -> Row:
    """What cannot be measured here, and the command that changes that."""
    return Row(what, f"{reason}: {remedy}", promise or "-")
