"""The house, read from its imports: which rooms there are, what each is for, and which it knows.

`tests/test_repository.py` looks that arrows point downwards; `docs/explanation/house.md` shows the picture
and the table that are made here. An arrow that follows from others is not drawn: where `cli` knows `web`, and
`web` knows `pipeline`, nobody needs to see that `cli` knows `pipeline` as well. Rooms of one row do not know
each other, and a room stands as high as those that know it allow.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "angarium"
SOURCES = sorted(PACKAGE.rglob("*.py"))

ROOMS = tuple(
    """__main__ app.cli app.web app.pipeline api app.report history mesh settings systems contracts
    checker.export checker.walks checker.logic checker.explore checker.backend checker.frontend
    checker.language checker.ir spark native core""".split()
)
"""From top to bottom: a room knows the rooms below it, never those above."""

GROUPS = {"angarium", "angarium.app", "angarium.checker"}
"""Packages that only group rooms."""

Arrows = Mapping[str, frozenset[str]]


def room_of(module: str) -> str | None:
    """The room of `angarium.ROOM...`; None for the package itself, and for what only groups rooms."""
    parts = module.split(".")[1:]
    return next((room for room in (".".join(parts[:2]), *parts[:1]) if room in ROOMS), None)


def room_of_file(path: Path) -> str | None:
    """The room in which a file of the package lies."""
    return room_of(".".join(("angarium", *path.relative_to(PACKAGE).with_suffix("").parts)))


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """The modules of the package that a file imports, each with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0) if module in GROUPS:
                yield from ((node.lineno, f"{module}.{alias.name}") for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield node.lineno, module


@cache
def arrows() -> Arrows:
    """Which rooms each room knows."""
    known: dict[str, set[str]] = {room: set() for room in ROOMS}
    for path in SOURCES:
        if room := room_of_file(path):
            known[room] |= {other for _, name in imported(path) if (other := room_of(name))} - {room}
    return {room: frozenset(others) for room, others in known.items()}


def necessary(known: Arrows) -> Arrows:
    """The arrows that do not follow from others: the transitive reduction of a graph without circles."""
    return {
        room: frozenset(
            other for other in others if not any(other in below(third, known) for third in others - {other})
        )
        for room, others in known.items()
    }


def below(room: str, known: Arrows) -> frozenset[str]:
    """Everything that a room knows, also through others."""
    return known[room].union(*(below(other, known) for other in known[room]))


def rows(known: Arrows) -> list[list[str]]:
    """The rooms row by row, from the top: each stands just below the lowest that knows it."""
    depths = {room: _depth(room, known) for room in known}
    return [[room for room in known if depths[room] == depth] for depth in range(max(depths.values()) + 1)]


def _depth(room: str, known: Arrows) -> int:
    return 1 + max((_depth(user, known) for user, others in known.items() if room in others), default=-1)


# --- the table ----------------------------------------------------------------------------------------


def table() -> str:
    """Every room, what it is for, and which rooms it knows, from top to bottom."""
    lines = ["| room | what it is for | stands on |", "|---|---|---|"]
    for room, others in necessary(arrows()).items():
        stands_on = ", ".join(f"`{other}`" for other in ROOMS if other in others)
        lines.append(f"| `{room}` | {purpose(room)} | {stands_on} |")
    return "\n".join(lines)


def purpose(room: str) -> str:
    """The first sentence of a room's docstring."""
    path = PACKAGE.joinpath(*room.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


# --- the picture --------------------------------------------------------------------------------------

PICTURE = "house.svg"

_WIDTH, _BOX, _HIGH, _STEP = 800, 128, 30, 62
_PASSAGE = 44
"""How much of a row's width a line takes that passes between its boxes."""
_COLOURS = {"app": "#dbe9f6", "checker": "#e3f1dd"}
_PRODUCT, _GROUND = "#fdeccd", "#e8e6e3"
_GROUNDWORK = {"spark", "native", "core"}

Place = tuple[int, int]


def drawn() -> str:
    """The picture: a box a room, a line for each arrow that does not follow from others."""
    known = {room: others for room, others in arrows().items() if room != "__main__"}
    lines = _lines(known)
    places = _places(rows(known), lines)
    height = 24 + _STEP * (len(rows(known)) - 1) + _HIGH
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
            ' font-family="sans-serif" font-size="13" text-anchor="middle">',
            "<title>The rooms of Angarium; each knows only what is below it</title>",
            f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
            *(_curve([places[stop] for stop in line]) for line in lines),
            *(_box(room, *places[room]) for room in known),
            "</svg>\n",
        ]
    )


def _lines(known: Arrows) -> list[list[str]]:
    """Each arrow with the stops that it makes: a room, a passage in each row between, a room."""
    row_of = {room: number for number, row in enumerate(rows(known)) for room in row}
    return [
        [room, *(f"{room} > {other} {row}" for row in range(row_of[room] + 1, row_of[other])), other]
        for room, others in necessary(known).items()
        for other in sorted(others)
    ]


def _places(rooms: list[list[str]], lines: list[list[str]]) -> dict[str, Place]:
    """The middle of each stop's upper edge: a row is ordered by what it hangs from, and spread evenly."""
    places: dict[str, Place] = {}
    for number, row in enumerate(rooms):
        passing = [line[1:-1] for line in lines if len(line) > 2]
        stops = row + [stop for line in passing for stop in line if stop.endswith(f" {number}")]
        ordered = sorted(stops, key=lambda stop: _hangs_from(stop, lines, places))
        widths = [_BOX if stop in row else _PASSAGE for stop in ordered]
        gap = (_WIDTH - sum(widths)) // (len(ordered) + 1)
        for place, stop in enumerate(ordered):
            left = gap * (place + 1) + sum(widths[:place])
            places[stop] = (left + widths[place] // 2, 12 + number * _STEP)
    return places


def _hangs_from(stop: str, lines: list[list[str]], places: Mapping[str, Place]) -> float:
    above = [places[line[line.index(stop) - 1]][0] for line in lines if stop in line[1:]]
    return sum(above) / len(above) if above else _WIDTH / 2


def _curve(stops: list[Place]) -> str:
    """A line from the lower edge of one box through passages to the upper edge of another."""
    (x, y), *rest = stops
    parts = [f"M{x} {y + _HIGH}"]
    for to_x, to_y in rest:
        bend = to_y - (_STEP - _HIGH) // 2
        parts.append(f"C{x} {bend} {to_x} {bend} {to_x} {to_y}")
        parts += [f"V{to_y + _HIGH}"] * ((to_x, to_y) != rest[-1])
        x = to_x
    return f'<path d="{" ".join(parts)}" fill="none" stroke="#8a8a8a" stroke-width="1.2"/>'


def _box(room: str, x: int, y: int) -> str:
    return (
        f'<rect x="{x - _BOX // 2}" y="{y}" width="{_BOX}" height="{_HIGH}" rx="5" fill="{_colour(room)}"'
        f' stroke="#555"/><text x="{x}" y="{y + 20}">{room}</text>'
    )


def _colour(room: str) -> str:
    return _GROUND if room in _GROUNDWORK else _COLOURS.get(room.split(".")[0], _PRODUCT)


def stale(folder: Path) -> dict[Path, str]:
    """The picture, if what lies in a folder is not what would be drawn now."""
    file, text = folder / PICTURE, drawn()
    return {} if file.exists() and file.read_text(encoding="utf-8") == text else {file: text}
