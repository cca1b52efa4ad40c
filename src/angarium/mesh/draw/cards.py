"""Brokers: a card with the name, and who publishes and subscribes there; or, where there are many, a dot.

A triangle that points up into the name stands for a publisher, one that points down and out for a subscriber.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from angarium.mesh.draw import elements, words
from angarium.mesh.draw.drawing import Client, Detail, Drawing
from angarium.mesh.draw.elements import Piece
from angarium.mesh.draw.geometry import Box, Point, box_at
from angarium.mesh.mesh import Broker, Publisher

PUBLISHES, SUBSCRIBES = "publishes", "subscribes"
_PADDING = 10.0
_DOT, _LARGEST_DOT = 3.4, 7.0


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a card."""

    kind: str
    """`publishes`, `subscribes`, or empty for a note."""
    text: str
    hint: str


@dataclass(frozen=True, slots=True)
class Card:
    """What is shown of a broker, and how large that is."""

    broker: Broker
    label: str
    rows: tuple[Row, ...]
    hint: str
    dead: bool
    degree: int
    detail: Detail
    kinds: frozenset[str]
    """Whether somebody publishes, and whether somebody subscribes, here."""

    @property
    def small(self) -> float:
        return self.detail.size - 2.5

    @property
    def line(self) -> float:
        """How high a row is."""
        return self.small * 1.5

    @property
    def radius(self) -> float:
        return min(_DOT + 0.7 * sqrt(self.degree), _LARGEST_DOT)

    @property
    def size(self) -> tuple[float, float]:
        label = words.width(self.label, self.detail.size)
        if self.detail.dots:
            return max(label, 30.0), 2 * _LARGEST_DOT + self.detail.size * 1.2
        rows = [words.width(row.text, self.small) + self.small * 1.3 * bool(row.kind) for row in self.rows]
        height = self.detail.size * 2.1 + (self.line * len(rows) + 5 if rows else 0)
        return max([label * 1.04, *rows, 26.0]) + 2 * _PADDING, height

    def solid(self, centre: Point) -> Box:
        """Where lines end, if its centre is there: at the card, or at the dot."""
        if not self.detail.dots:
            return box_at(centre, *self.size)
        return box_at(self.anchor(centre), 2 * self.radius, 2 * self.radius)

    def anchor(self, centre: Point) -> Point:
        """What lines point at."""
        if not self.detail.dots:
            return centre
        return centre[0], centre[1] - self.size[1] / 2 + _LARGEST_DOT


def cards(drawing: Drawing, detail: Detail) -> dict[str, Card]:
    """A card for each broker."""
    degrees = _degrees(drawing)
    return {
        broker.name: _card(broker, drawing, detail, degrees[broker.name]) for broker in drawing.mesh.brokers
    }


def _degrees(drawing: Drawing) -> Mapping[str, int]:
    degrees = dict.fromkeys((broker.name for broker in drawing.mesh.brokers), 0)
    for strand in drawing.strands:
        degrees[strand.first] += 1
        degrees[strand.second] += 1
    return degrees


def _card(
    broker: Broker,
    drawing: Drawing,
    detail: Detail,
    degree: int,
) -> Card:
    clients = drawing.clients[broker.name]
    rows = (
        ()
        if detail.dots
        else (*_rows(clients, detail), *([_note(broker, drawing)] if drawing.within[broker.name] else []))
    )
    return Card(
        broker,
        words.cut(broker.name, detail.letters),
        rows,
        words.of_broker(broker, drawing),
        broker.name in drawing.dead.brokers,
        degree,
        detail,
        frozenset(_kind(client) for client in clients),
    )


def _kind(client: Client) -> str:
    return PUBLISHES if isinstance(client, Publisher) else SUBSCRIBES


def _rows(clients: Sequence[Client], detail: Detail) -> Iterator[Row]:
    """Each client in a row; if there are too many, some, and how many more there are."""
    if len(clients) > 1 and detail.rows == 1:
        yield Row("", _counted(clients), "\n".join(words.some([words.of_client(each) for each in clients])))
        return
    shown = len(clients) if len(clients) <= detail.rows else detail.rows - 1
    for client in clients[:shown]:
        yield Row(_kind(client), _label(client, detail), words.of_client(client))
    if clients[shown:]:
        hint = "\n".join(words.some([words.of_client(each) for each in clients[shown:]]))
        yield Row("", f"+ {len(clients) - shown:,} more", hint)


def _counted(clients: Sequence[Client]) -> str:
    kinds = [_kind(client) for client in clients]
    counts = ((kinds.count(PUBLISHES), "publish"), (kinds.count(SUBSCRIBES), "subscribe"))
    return ", ".join(f"{number:,} {what}" for number, what in counts if number)


def _label(client: Client, detail: Detail) -> str:
    """The name of a client, and its topics unless the name says them."""
    name, topics = words.clean(client.name), [words.clean(topic.text) for topic in client.topics]
    more = f" + {len(topics) - 1}" if len(topics) > 1 else ""
    if not topics or topics == [name]:
        return words.cut(name, detail.letters)
    if name == words.clean(f"{topics[0]} at {client.broker}"):
        return words.cut(topics[0], detail.letters) + more
    half = detail.letters * 3 // 4
    return f"{words.cut(name, half)}: {words.cut(topics[0], half)}{more}"


def _note(broker: Broker, drawing: Drawing) -> Row:
    """What a broker does within itself."""
    links = drawing.within[broker.name]
    hint = "\n".join(words.some([words.of_link(link) for link in links]))
    return Row("", f"{words.count(len(links), 'link')} within", hint)


# --- as pieces of a picture -----------------------------------------------------------------


def drawn(card: Card, centre: Point) -> Piece:
    """The broker at its place."""
    pieces = _dot(card, centre) if card.detail.dots else _sheet(card, centre)
    return elements.group(list(pieces), card.hint)


def _sheet(card: Card, centre: Point) -> Iterator[Piece]:
    box, size = card.solid(centre), card.detail.size
    yield elements.rectangle(box, f"card{_dead(card)}", radius=7)
    foot = (box.centre[0], box.top + size * 1.4)
    wide = words.width(card.label, size) * 1.04
    yield elements.text(foot, card.label, size, f"bold{' pale' if card.dead else ''}", "middle", wide)
    if card.rows:
        yield _rule(box, box.top + size * 2.1)
    top = box.top + size * 2.1
    for place, row in enumerate(card.rows):
        yield _row(card, row, (box.left + _PADDING, top + card.line * (place + 0.9) + 1))
    if card.dead:
        yield from _crossed((box.right - 3, box.top + 3))


def _rule(box: Box, height: float) -> Piece:
    line = f'<path d="M{elements.number(box.left)} {elements.number(height)} H{elements.number(box.right)}"'
    return Piece(f'{line} class="rule"/>', Box(box.left, height, box.right, height))


def _row(card: Card, row: Row, foot: Point) -> Piece:
    x, y = foot
    pieces = (
        [triangle(row.kind, (x + card.small * 0.4, y - card.small * 0.35), card.small * 0.4)]
        if row.kind
        else []
    )
    start = x + card.small * 1.3 * bool(row.kind)
    wide = words.width(row.text, card.small)
    return elements.group(
        [*pieces, elements.text((start, y), row.text, card.small, "pale", wide=wide)], row.hint
    )


def triangle(kind: str, centre: Point, size: float) -> Piece:
    """Upwards: gives to the broker. Downwards: gets from it."""
    x, y = centre
    up = size if kind == PUBLISHES else -size
    return elements.polygon([(x - size, y + up), (x + size, y + up), (x, y - up)], kind)


def _dot(card: Card, centre: Point) -> Iterator[Piece]:
    x, y = card.anchor(centre)
    yield elements.circle((x, y), card.radius, f"dot{_dead(card)}")
    for kind, side in ((PUBLISHES, -1), (SUBSCRIBES, 1)):
        if kind in card.kinds:
            yield triangle(kind, (x + side * (card.radius + 4.5), y), 2.8)
    foot = (x, y + _LARGEST_DOT + card.detail.size * 0.9)
    wide = words.width(card.label, card.detail.size)
    yield elements.text(foot, card.label, card.detail.size, "halo", "middle", wide)
    if card.dead:
        yield from _crossed((x, y))


def _crossed(at: Point) -> Iterator[Piece]:
    yield elements.circle(at, 7, "paper")
    yield elements.cross(at, 4)


def _dead(card: Card) -> str:
    return " dead" if card.dead else ""
