"""What random models begin with: classes, parameters and declarations of state."""

from __future__ import annotations

from random import Random

from tests.meaning.grammar import BOOL, COLOUR, CRATE, FACT, ITEM, PACKET, TWIN, Type

HEAD = """from enum import Enum
from typing import Any
from angarium import *

LEAST = 1
MOST = LEAST + 1
COST = (2, LEAST, 0)
GRID = ((0, 3), (MOST, -1), (1, 2))

class Item(Index):
    "A thing."

class Twin(Index, symmetric=SYMMETRIC):
    "One of several that are alike."

class Colour(Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"

TURN = (Colour.GREEN, Colour.BLUE, Colour.RED)

class Packet(Record):
    item: Item
    weight: int = integer(0, 2)
    back: Item | None
    colour: Colour

class Crate(Record):
    packet: Packet
    open: bool
    tag: int | None = option(integer(1, 2))

class Fact(Term):
    "What can be said."

def name(item: Item) -> Fact:
    return atom()

def key(flag: bool) -> Fact:
    return atom()

def secret() -> Fact:
    return atom()

def cipher(item: Item, flag: bool) -> Fact:
    return encrypted(key(flag), name(item), secret())

def letter(flag: bool) -> Fact:
    return sealed(key(flag), secret())

def note(item: Item) -> Fact:
    return signed(key(True), name(item))

def both(item: Item, flag: bool) -> Fact:
    return paired(name(item), cipher(0, flag))

"""
PARAMETERS = """    items = count(Item, 2)
    twins = count(Twin, 2)
    limit = param(2, high=3)
    strict = param(True)
    first: Colour = param(Colour.GREEN)
    patience = setting(1, high=2)
"""
KEYS: list[tuple[str, Type]] = [
    ("Item", ITEM),
    ("Colour", COLOUR),
    ("bool", BOOL),
    ("integer(1, 2)", ("int", 1, 2)),
    ("Twin", TWIN),
    ("Fact", FACT),
]


def indented(lines: list[str], by: int = 1) -> list[str]:
    return [f"{'    ' * by}{line}" for line in lines]


class Declarations:
    """Random declarations of state: text and types."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def scalar(self) -> tuple[str, Type]:
        low, width = self.random.randrange(-1, 3), self.random.randrange(1, 3)
        number = (f"integer({low}, {low + width})", ("int", low, low + width))
        return self.random.choice(
            [
                number,
                number,
                ("bool", BOOL),
                ("Item", ITEM),
                ("Colour", COLOUR),
                ("Twin", TWIN),
                ("Fact", FACT),
            ]
        )

    def option(self) -> tuple[str, Type]:
        text, type_ = self.scalar() if self.random.randrange(4) else ("Packet", PACKET)
        return f"option({text})", ("option", type_)

    def plain(self) -> tuple[str, Type]:
        """What can be an item or a field."""
        kind = self.random.randrange(8)
        if kind < 4:
            return self.scalar()
        return self.option() if kind < 6 else self.random.choice([("Packet", PACKET), ("Crate", CRATE)])

    def held(self) -> tuple[str, Type]:
        if self.random.randrange(2):
            text, type_ = self.plain()
            room = self.random.randrange(1, 3)
            return f"seq({text}, {room})", ("seq", type_, room)
        text, type_ = self.random.choice([*KEYS, ("Packet", PACKET), ("Crate", CRATE)])
        return f"setof({text})", ("set", type_)

    def array(self) -> tuple[str, Type]:
        key, key_type = self.random.choice(KEYS)
        text, type_ = [self.plain, self.held, self.array, self.plain][self.random.randrange(4)]()
        return f"array({key}, {text})", ("array", key_type, type_)

    def one(self) -> tuple[str, Type]:
        """A declaration as it stands in the class: text behind the name, and type."""
        if not self.random.randrange(20):
            wide: Type = ("int", 0, 10**9)
            return ": Array[Colour, int] = array(Colour, integer(0, 1000000000))", ("array", COLOUR, wide)
        text, type_ = [self.plain, self.plain, self.held, self.array][self.random.randrange(4)]()
        match type_:
            case ("int", int() as low, int() as high) if self.random.randrange(2):
                return f" = integer({low}, {high}, {high})", type_
            case ("option", _) if not text.startswith("option(integer"):
                return f": {text[7:-1]} | None = None", type_
            case ("bool",):
                return self.random.choice([": bool = True", ": bool = False"]), type_
            case ("enum", _):
                return ": Colour = Colour.BLUE", type_
            case ("index", _) | ("record", _) | ("term", _):
                return f": {text}", type_
        return f" = {text}", type_


def hint(type_: Type) -> str:
    """A type as an annotation."""
    match type_:
        case ("option", tuple() as item):
            return f"{hint(item)} | None"
        case ("seq" | "set" as kind, tuple() as item, *_):
            return f"{'Seq' if kind == 'seq' else 'SetOf'}[{hint(item)}]"
        case (_, str() as name):
            return name
    return str(type_[0])
