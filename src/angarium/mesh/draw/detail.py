"""How much a drawing says, by how many brokers there are: the more there are, the less is said about each."""

from __future__ import annotations

from dataclasses import dataclass

from angarium.core.errors import MeshError
from angarium.mesh.draw.drawing import Drawing


@dataclass(frozen=True, slots=True)
class Detail:
    """What there is room for."""

    brokers: int
    """Up to how many brokers this fits."""
    size: float
    """The height of the letters of a broker's name."""
    letters: int
    """How many letters of a name are shown."""
    rows: int
    """How many publishers and subscribers are named at a broker; 0: only whether there are some."""
    gap: float
    """How long a line should at least be seen."""

    @property
    def dots(self) -> bool:
        """Whether brokers are dots with their names below."""
        return self.rows == 0


_DETAILS = (
    Detail(brokers=16, size=14, letters=26, rows=5, gap=72),
    Detail(brokers=40, size=12, letters=22, rows=3, gap=56),
    Detail(brokers=80, size=11, letters=18, rows=1, gap=48),
    Detail(brokers=250, size=9, letters=14, rows=0, gap=26),
    Detail(brokers=1_000, size=8, letters=11, rows=0, gap=18),
)
MOST_LINES = 5_000
MOST_LABELLED = 40
"""With more lines than this, what is special about them is said in tooltips only."""


def detail_of(drawing: Drawing) -> Detail:
    """What there is room for; a picture that nobody could look at is refused."""
    number, lines = len(drawing.mesh.brokers), len(drawing.strands)
    fitting = next((each for each in _DETAILS if number <= each.brokers), None)
    if fitting is None or lines > MOST_LINES:
        raise MeshError(
            "ANG125",
            f"{number:,} brokers and {lines:,} links are too many to draw as a picture",
            possible=f"possible: {_DETAILS[-1].brokers:,} brokers and {MOST_LINES:,} links",
            remedy="Draw it as DOT and give that to Graphviz (sfdp).",
        )
    return fitting
