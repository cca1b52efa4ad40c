"""What a drawing of a mesh shows: the mesh, what of it is dead, and paths that deserve attention.

A link leads one way, but a person draws one line for a cable. So the links are gathered into `strands`: what
one cable holds between two brokers, however many links it is. What a broker does within itself is no line at
all.

How much a drawing says depends on how many brokers there are: the more there are, the less is said about
each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from angarium.core.errors import MeshError, did_you_mean
from angarium.mesh.delivery.outcome import Path
from angarium.mesh.mesh import NOTHING, Failures, Link, Mesh, Publisher, Subscriber

Client = Publisher | Subscriber


@dataclass(frozen=True, slots=True)
class Kind:
    """Why a path is marked."""

    meaning: str
    light: str
    dark: str
    """Its colour on dark ground."""


KINDS: Mapping[str, Kind] = {
    "loop": Kind("goes round for ever", "#d55e00", "#ff8f4d"),
    "lost": Kind("gets lost", "#b5267b", "#f28cc4"),
    "doubled": Kind("arrives more than once", "#a67300", "#f0bb3c"),
    "path": Kind("goes this way", "#0072b2", "#5cbcf2"),
}
"""Colours are those of Okabe and Ito, darker or lighter until they stand out from their ground."""
_LISTED = 20
"""How many names are listed where another one was given."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A path through the mesh that is shown in colour, with its hops numbered."""

    kind: str
    path: Path
    caption: str = ""
    at: str = ""
    """The broker where it happens; where the path ends, if empty."""


@dataclass(frozen=True, slots=True)
class Strand:
    """The links of one cable between two brokers, there and back: one line."""

    cable: str
    first: str
    second: str
    links: tuple[Link, ...]

    @property
    def there(self) -> tuple[Link, ...]:
        return tuple(link for link in self.links if link.target == self.second)

    @property
    def back(self) -> tuple[Link, ...]:
        return tuple(link for link in self.links if link.target == self.first)

    @property
    def both_ways(self) -> bool:
        return bool(self.there and self.back)


@dataclass(frozen=True)
class Drawing:
    """A mesh as it is to be shown. Names that the mesh does not have are refused."""

    mesh: Mesh
    dead: Failures = NOTHING
    marks: tuple[Mark, ...] = ()
    title: str = ""
    """What stands above; the name of the mesh if empty."""

    def __post_init__(self) -> None:
        brokers = {broker.name for broker in self.mesh.brokers}
        _known("broker", self.dead.brokers, brokers)
        _known("link", self.dead.cables, set(self.mesh.cables))
        _known("link", (name for mark in self.marks for name in mark.path), self.links)
        _known("broker", (mark.at for mark in self.marks if mark.at), brokers)
        _known("kind of mark", (mark.kind for mark in self.marks), KINDS)

    @cached_property
    def links(self) -> Mapping[str, Link]:
        return {link.name: link for link in self.mesh.links}

    @cached_property
    def strands(self) -> tuple[Strand, ...]:
        """Every line of the drawing, in the order of the file."""
        gathered: dict[tuple[str, frozenset[str]], list[Link]] = {}
        for link in self.mesh.links:
            if link.source != link.target:
                gathered.setdefault((link.fails_as, frozenset((link.source, link.target))), []).append(link)
        return tuple(
            Strand(cable, links[0].source, links[0].target, tuple(links))
            for (cable, _), links in gathered.items()
        )

    @cached_property
    def clients(self) -> Mapping[str, Sequence[Client]]:
        """Who publishes and who subscribes at each broker."""
        found: dict[str, list[Client]] = {broker.name: [] for broker in self.mesh.brokers}
        every: tuple[Client, ...] = (*self.mesh.publishers, *self.mesh.subscribers)
        for client in every:
            found[client.broker].append(client)
        return found

    @cached_property
    def within(self) -> Mapping[str, Sequence[Link]]:
        """What each broker does within itself."""
        found: dict[str, list[Link]] = {broker.name: [] for broker in self.mesh.brokers}
        for link in self.mesh.links:
            if link.source == link.target:
                found[link.source].append(link)
        return found

    def is_dead(self, strand: Strand) -> bool:
        """Whether nothing crosses it: it is dead itself, or one of its ends is."""
        return strand.cable in self.dead.cables or bool({strand.first, strand.second} & self.dead.brokers)

    def happens_at(self, mark: Mark) -> str:
        """The broker that a mark is about: where it says, or where its path ends; none for a round."""
        if mark.at or mark.kind in ("loop", "path") or not mark.path:
            return mark.at
        return self.links[mark.path[-1]].target


def _known(what: str, names: Iterable[str], possible: Iterable[str]) -> None:
    """Refuse a name that is not there, rather than draw a picture without it."""
    known = set(possible)
    for name in names:
        if name not in known:
            raise MeshError(
                "ANG123",
                f"there is no {what} {name!r} to draw",
                possible=did_you_mean(name, sorted(known)[:_LISTED], also=sorted(known)),
                remedy="Give one of the names of the mesh.",
            )


def lettered(marks: tuple[Mark, ...]) -> list[tuple[str, Mark]]:
    """The marks, each with the letters that its hops are numbered with; a single one needs none."""
    if len(marks) == 1:
        return [("", marks[0])]
    return [(_letters(number), mark) for number, mark in enumerate(marks)]


def _letters(number: int) -> str:
    """A to Z, then AA, AB …"""
    rest, last = divmod(number, 26)
    return (_letters(rest - 1) if rest else "") + chr(ord("A") + last)


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
