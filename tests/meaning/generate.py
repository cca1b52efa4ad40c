"""Random models as text, made to reach every word of the language in every position.

A model has a random state, helpers that compute and helpers that change something, actions, processes that meet
over channels, faults, and guarantees of every kind. What it does may well leave its ranges: that must be found
by everybody. Its loops and ranges are small, so that most models have few states.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.meaning.grammar import (
    BOOL,
    COLOUR,
    CRATE,
    FIELDS,
    INT,
    ITEM,
    PACKET,
    TWIN,
    Maker,
    Type,
)

HEAD = """from enum import Enum
from angarium import *

LEAST = 1
MOST = LEAST + 1

class Item(Index):
    "A thing."

class Twin(Index, symmetric=SYMMETRIC):
    "One of several that are alike."

class Colour(Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"

class Packet(Record):
    item: Item
    weight: int = integer(0, 2)
    back: Item | None
    colour: Colour

class Crate(Record):
    packet: Packet
    open: bool
    tag: int | None = option(integer(1, 2))

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
            [number, number, ("bool", BOOL), ("Item", ITEM), ("Colour", COLOUR), ("Twin", TWIN)]
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
        text, type_ = self.random.choice(KEYS)
        return f"setof({text})", ("set", type_)

    def array(self) -> tuple[str, Type]:
        key, key_type = self.random.choice(KEYS)
        text, type_ = [self.plain, self.held, self.array, self.plain][self.random.randrange(4)]()
        return f"array({key}, {text})", ("array", key_type, type_)

    def one(self) -> tuple[str, Type]:
        """A declaration as it stands in the class: text behind the name, and type."""
        made = [self.plain, self.plain, self.held, self.array][self.random.randrange(4)]()
        text, type_ = made
        match type_:
            case ("int", int() as low, int() as high) if self.random.randrange(2):
                return f" = integer({low}, {high}, {high})", type_
            case ("option", _) if not text.startswith("option(integer"):
                return f": {text[7:-1]} | None = None", type_
            case ("bool",):
                return self.random.choice([": bool = True", ": bool = False"]), type_
            case ("enum", _):
                return ": Colour = Colour.BLUE", type_
            case ("index", _) | ("record", _):
                return f": {text}", type_
        return f" = {text}", type_


class Writer(Maker):
    """Statements, in actions and between awaits."""

    def __init__(self, random: Random, state: dict[str, Type]) -> None:
        super().__init__(random, state)
        self.budgets: list[str] = []
        self.procedures: dict[str, list[Type]] = {}
        self.choosing: set[str] = set()
        """Procedures with a choice, which cannot stand in a loop."""
        self.plain_names = True
        """Whether names may be bound: a process declares its own."""

    def statement(self, depth: int, loops: int = 0) -> list[str]:
        ways: list[Callable[[], list[str]]] = [
            lambda: [self.assignment(depth)],
            lambda: [self.assignment(depth)],
            lambda: self.changed(depth),
            lambda: self.changed(depth),
            lambda: [self.augmented(depth)],
            lambda: [self.procedure(depth, loops)],
            self.popped,
        ]
        if depth > 0:
            ways += [lambda: self.branch(depth - 1, loops), lambda: self.loop(depth - 1, loops)]
        if self.plain_names:
            ways += [lambda: [self.bound(depth)], lambda: [self.rebound(depth)]]
        if not loops:
            ways += [lambda: [self.chosen(depth)]]
        return self.random.choice(ways)()

    def block(self, depth: int, loops: int = 0) -> list[str]:
        lines = [line for _ in range(self.random.randrange(1, 4)) for line in self.statement(depth, loops)]
        return lines or ["pass"]

    # --- assignments --------------------------------------------------------------------------------

    def _types(self) -> list[Type]:
        """Every type that some part of the state has."""
        found: list[Type] = []
        todo = list(self.state.values())
        while todo:
            type_ = todo.pop()
            found.append(type_)
            match type_:
                case ("array", _, item):
                    todo.append(item)  # type: ignore[arg-type]
                case ("record", str() as record):
                    todo += FIELDS[record].values()
        return found

    def assignment(self, depth: int) -> str:
        types = [t for t in self._types() if "'channel'" not in repr(t) and self.can_make(t)]
        type_ = self.random.choice(types) if types else BOOL
        found = self.places(lambda t: t == type_, 1, writable=True)
        if not found:
            return "pass"
        place = self.any_of(*found)
        return f"{place} = {self.value(type_, depth)}"

    def value(self, type_: Type, depth: int) -> str:
        """What can be assigned to a place of a type."""
        match type_:
            case ("seq" | "set" as kind, tuple() as item, *_):
                if self.chance(30):
                    return self.any_of(*self.places(lambda t: t == type_, 0))
                values = ", ".join(self.of(item, 1) for _ in range(self.random.randrange(3)))
                return f"[{values}]" if kind == "seq" else (f"{{{values}}}" if values else "set()")
            case ("array", *_):
                return self.any_of(*self.places(lambda t: t == type_, 0))
        return self.of(type_, depth)

    def augmented(self, depth: int) -> str:
        found = self.places(lambda t: t[0] == "int", 1, writable=True)
        found += [lambda n=n: n for n, t in self.scope.items() if t == INT and n.startswith("n")]
        if not found:
            return "pass"
        if self.chance(self.care):
            return f"{self.any_of(*found)} {self.one('+=', '-=')} {self.one('0', 'int(False)')}"
        return f"{self.any_of(*found)} {self.one('+=', '-=', '*=', '//=', '%=')} {self.number(depth - 1)}"

    def bound(self, depth: int) -> str:
        type_ = self.random.choice([INT, INT, ITEM, COLOUR, PACKET, BOOL, ("option", ITEM)])
        known = self._known(type_, 1)
        text = self.any_of(*known) if type_[0] == "option" and known else self.of(type_, depth)
        if type_[0] == "option" and not known:
            return "pass"
        name = self.name("n" if type_ == INT else "x")
        self.scope[name] = type_
        hint = {"int": "int", "bool": "bool", "option": "Item | None"}.get(str(type_[0]), str(type_[-1]))
        return f"{name}: {hint} = {text}" if self.chance(20) else f"{name} = {text}"

    def rebound(self, depth: int) -> str:
        names = [(n, t) for n, t in self.scope.items() if n[0] in "nx" and t[0] != "option"]
        if not names:
            return self.bound(depth)
        name, type_ = self.random.choice(names)
        return f"{name} = {self.of(type_, depth)}"

    # --- sequences and sets -------------------------------------------------------------------------

    def changed(self, depth: int) -> list[str]:
        kind = self.one("seq", "set")
        held = self.collection(kind, 1, writable=True)
        if not held:
            return [self.assignment(depth)]
        item = self._item_of(held, kind)
        value = self.of(item, depth)
        if kind == "set":
            return [self.one(f"{held}.add({value})", f"{held}.discard({value})", f"{held}.clear()")]
        position = "0" if self.chance(self.care) else self.one("0", "1", self.number(1))
        grows = self.one(f"{held}.append({value})", f"{held}.insert({position}, {value})")
        shrinks = self.one(f"{held}.remove({value})", f"{held}[{position}] = {value}")
        plain = self.one(f"{held}.discard({value})", f"{held}.clear()")
        if self.chance(60):
            return self._guarded(f"len({held}) < 1", grows)
        return self._guarded(f"{value} in {held}", shrinks) if self.chance(50) else [plain]

    def _guarded(self, condition: str, line: str) -> list[str]:
        """A statement that may leave its range, mostly behind the condition that it does not."""
        return [f"if {condition}:", f"    {line}"] if self.chance(self.care) else [line]

    def popped(self) -> list[str]:
        held = self.collection("seq", 1, writable=True)
        return self._guarded(f"len({held}) > 0", self._pop(held)) if held else ["pass"]

    def _pop(self, held: str) -> str:
        item = self._item_of(held, "seq")
        position = self.one("", "0", "-1") if self.chance(self.care) else self.number(1)
        call = f"{held}.pop({position})"
        places = self.places(lambda t: t in (item, ("option", item)), 1, writable=True)
        if places and self.chance(60):
            return f"{self.any_of(*places)} = {call}"
        if not self.plain_names or item[0] == "option":
            return call if self.chance(50) else "pass"
        return f"{self.name('x')} = {call}"

    # --- control ------------------------------------------------------------------------------------

    def branch(self, depth: int, loops: int) -> list[str]:
        test = self.condition(depth + 1)
        if self.chance(10) and (held := self.collection(self.one("seq", "set"))):
            test = held
        with self.knowing():
            lines = [f"if {test}:", *indented(self.block(depth, loops))]
        if self.chance(40):
            with self.knowing():
                lines += ["else:", *indented(self.block(depth, loops))]
        return lines

    def loop(self, depth: int, loops: int) -> list[str]:
        text, names = self.domain(depth)
        (name,) = names
        with self.knowing(**names):
            return [f"for {name} in {text}:", *indented(self.block(depth, loops + 1))]

    def chosen(self, depth: int) -> str:
        type_ = self.random.choice([INT, ITEM, COLOUR, BOOL])
        name = self.name("x")
        text = self.any_of(
            lambda: f"choose({self.of(type_, 1)}, {self.of(type_, 1)})",
            lambda: self._choose_from(type_, depth),
        )
        if not self.plain_names:
            places = self.places(lambda t: t == type_ or (type_ == INT and t[0] == "int"), 0, writable=True)
            return f"{self.any_of(*places)} = {text}" if places else "pass"
        self.scope[name] = type_
        return f"{name} = {text}"

    def _choose_from(self, type_: Type, depth: int) -> str:
        domains = {INT: "range(2)", ITEM: "Item", COLOUR: "Colour", BOOL: "bool"}
        held = self.collection(self.one("seq", "set"), 0, type_)
        domain = held or domains[type_]
        if self.chance(50):
            return f"choose({domain})"
        name = self.name("k")
        with self.knowing(**{name: type_}):
            return f"choose({name} for {name} in {domain} if {self.condition(depth)})"

    def procedure(self, depth: int, loops: int) -> str:
        if not self.procedures:
            return self.assignment(depth)
        name, takes = self.random.choice(list(self.procedures.items()))
        if loops and name in self.choosing:
            return "pass"
        given = [self._given(each, depth) for each in takes]
        return f"self.{name}({', '.join(given)})" if all(given) else "pass"

    def _given(self, type_: Type, depth: int) -> str:
        if type_[0] in ("seq", "set"):
            found = self.places(lambda t: t == type_, 1)
            return self.any_of(*found) if found else ""
        return self.of(type_, depth - 1)


class Generator:
    """One random model."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        declarations = Declarations(self.random)
        self.lines: list[str] = []
        self.state: dict[str, Type] = {}
        for number in range(self.random.randrange(3, 6)):
            text, type_ = declarations.one()
            self.state[f"s{number}"] = type_
            self.lines.append(f"s{number}{text}")
        self.maker = Writer(self.random, self.state)
        self.maker.care = self.random.choice([70, 95, 100])
        self.with_processes = self.maker.chance(55)

    def text(self) -> str:
        """The whole file."""
        functions = self._functions() if self.maker.chance(50) else []
        self._budgets()
        parts = self._channels() if self.with_processes else []
        for part in (self._helpers, self._procedures, self._initial):
            parts += part()
        if self.with_processes:
            # Only behind the initial step: before it, no process has begun.
            self.maker.processes = {"giver": None, "taker": ITEM}
        parts += [*self._actions(), *self._alive()]
        if self.with_processes:
            parts += self._processes()
        parts += self._guarantees()
        head = HEAD.replace("SYMMETRIC", str(self.maker.chance(50)))
        body = indented([*self.lines, *parts])
        return (
            head
            + "\n".join([*functions, "class Sample(Model):", '    "A sample."'])
            + ("\n" + PARAMETERS + "\n".join(body) + "\n")
        )

    def _budgets(self) -> None:
        for name in ("mishaps", "deaths"):
            limit = self.maker.one("1", "1", "patience")
            if name == "mishaps":
                self.lines.append("turns = integer(0, 2)")
            self.lines.append(f"{name} = budget({limit})")
            self.maker.budgets.append(name)

    # --- functions ----------------------------------------------------------------------------------

    def _functions(self) -> list[str]:
        """Functions of the file, which see no state."""
        inner = Maker(self.random, {})
        inner.numbers, inner.truths = ["LEAST", "MOST"], ["True", "False"]
        takes = [INT, self.random.choice([ITEM, COLOUR, BOOL])]
        lines = self._computes(inner, "outside", takes, INT, method=False)
        self.maker.helpers["outside"] = (takes, INT)
        self.maker.numbers.append("MOST")
        return lines

    def _helpers(self) -> list[str]:
        lines: list[str] = []
        for number in range(self.random.randrange(3)):
            takes = [
                self.random.choice([INT, ITEM, COLOUR, PACKET, BOOL]) for _ in range(self.random.randrange(3))
            ]
            gives = self.random.choice([INT, INT, BOOL, BOOL, ITEM, COLOUR, PACKET])
            lines += self._computes(self.maker, f"h{number}", takes, gives, method=True)
            self.maker.helpers[f"self.h{number}"] = (takes, gives)
        return lines

    def _computes(
        self, maker: Maker, name: str, takes: list[Type], gives: Type, *, method: bool
    ) -> list[str]:
        names = {f"a{n}": t for n, t in enumerate(takes)}
        with maker.knowing(**names):
            given = ", ".join([*(["self"] if method else []), *(f"{n}: {hint(t)}" for n, t in names.items())])
            body: list[str] = []
            if maker.chance(40):
                body.append(f"y = {maker.number(1)}")
                maker.scope["y"] = INT
                if maker.chance(50):
                    body += [
                        f"if {maker.condition(1)}:",
                        f"    {maker.one('y = ', 'y += ')}{maker.number(1)}",
                    ]
            if maker.chance(40):
                body += [f"if {maker.condition(1)}:", f"    return {maker.of(gives, 1)}"]
            body.append(f"return {maker.of(gives, 2)}")
        return [f"def {name}({given}) -> {hint(gives)}:", *indented(body)]

    def _procedures(self) -> list[str]:
        lines: list[str] = []
        for number in range(self.random.randrange(3)):
            held = [t for t in self.state.values() if t[0] in ("seq", "set")]
            takes = [self.random.choice([INT, ITEM, COLOUR, PACKET]) for _ in range(self.random.randrange(3))]
            takes += held[:1] if self.maker.chance(30) else []
            names = {f"a{n}": t for n, t in enumerate(takes)}
            with self.maker.knowing(**names):
                given = "".join(f", {n}: {hint(t)}" for n, t in names.items())
                body = self.maker.block(1)
            lines += [f"def p{number}(self{given}) -> None:", *indented(body)]
            if any("choose(" in line or f".{each}(" in line for line in body for each in self.maker.choosing):
                self.maker.choosing.add(f"p{number}")
            if "choose(" in "".join(body):
                self.maker.choosing.add(f"p{number}")
            self.maker.procedures[f"p{number}"] = takes
        return lines

    # --- steps --------------------------------------------------------------------------------------

    def _initial(self) -> list[str]:
        if not self.maker.chance(40):
            return []
        with self.maker.knowing():
            first = [f"require({self.maker.condition(1)})"] if self.maker.chance(20) else []
            return ["@initial", "def begin(self) -> None:", *indented([*first, *self.maker.block(1)])]

    def _actions(self) -> list[str]:
        lines: list[str] = []
        for number in range(self.random.randrange(1, 3)):
            keys = [ITEM, COLOUR, BOOL, TWIN, ("option", ITEM)]
            names = {f"i{n}": self.random.choice(keys) for n in range(self.random.randrange(3))}
            with self.maker.knowing(**names):
                given = "".join(f", {n}: {hint(t)}" for n, t in names.items())
                lines += ["@action", f"def act{number}(self{given}) -> None:", *indented(self._act())]
        return lines

    def _alive(self) -> list[str]:
        """An action that is possible now and then, whatever else is."""
        with self.maker.knowing():
            lines = ["require(self.turns < 2)", "self.turns += 1", *self.maker.block(1)]
        return ["@action", "def turn(self) -> None:", *indented(lines)] if self.maker.chance(70) else []

    def _act(self) -> list[str]:
        body = [f"require({self.maker.condition(2)})"] if self.maker.chance(60) else []
        if self.maker.chance(30):
            body.append(f"spend(self.{self.maker.one(*self.maker.budgets)})")
        body += self.maker.block(2)
        if self.maker.chance(20):
            body += [f"require({self.maker.condition(1)})", *self.maker.block(1)]
        return body

    def _channels(self) -> list[str]:
        text, type_ = self.random.choice(
            [("Item", ITEM), ("Packet", PACKET), ("option(Item)", ("option", ITEM))]
        )
        room = self.random.randrange(3)
        words = ["loses"] if room == 0 else ["loses", "duplicates", "reorders"]
        faults = [f", {word}=mishaps" for word in words if self.maker.chance(30)]
        wire: Type = ("channel", type_, room)
        text = f"channel({text}, {room}{''.join(faults)})"
        if self.maker.chance(30):
            text, wire = f"array(Item, {text})", ("array", ITEM, wire)
        self.state["wire"] = wire
        self.item = type_
        self.lines.append(f"wire = {text}")
        return []

    def _wire(self) -> str:
        return self.maker.collection("channel", 1)

    def _processes(self) -> list[str]:
        self.maker.plain_names = False
        lines = self._process("giver", {}, [f"await {self._wire()}.send({self.maker.of(self.item, 1)})"])
        with self.maker.knowing(me=ITEM):
            target = self.random.choice(
                [f"got = await {self._wire()}.receive()", f"await {self._wire()}.receive()"]
            )
            taker = self._process("taker", {"me": ITEM}, [target])
        if self.maker.chance(50):
            taker = [f"@crashes(deaths{self.maker.one(', restarts=mishaps', '')})", *taker]
            if self.maker.chance(60):
                with self.maker.knowing(me=ITEM):
                    taker += [
                        "@on_crash(taker)",
                        "def lose(self, me: Item) -> None:",
                        *indented(self.maker.block(1)),
                    ]
        self.maker.plain_names = True
        return [*lines, *taker]

    def _process(self, name: str, names: dict[str, Type], first: list[str]) -> list[str]:
        given = "".join(f", {n}: {hint(t)}" for n, t in names.items())
        with self.maker.knowing(**names, tries=INT, last=("option", ITEM)):
            head = [f"tries: int = integer(0, {self.maker.one('1', '2')})", "last: Item | None = None"]
            if first[0].startswith("got"):
                self.maker.scope["got"] = self.item
            rest = [*self._waiting(), *self._waiting()] if self.maker.chance(60) else self._waiting()
            if self.maker.chance(60):
                rest += [self._local()]
            body = [*first, *rest]
            if self.maker.chance(60):
                body = [
                    self.maker.one("while tries < 1:", "while True:", "for j in Item:", "for j in range(2):")
                ]
                body += indented([*first, *rest, *self._leaving()])
        return [f"async def {name}(self{given}) -> None:", *indented([*head, *body])]

    def _local(self) -> str:
        return self.maker.any_of(
            lambda: f"tries = min({self.maker.number(1)}, 1)",
            lambda: "tries += 1",
            lambda: f"last = {self.maker.optional(('option', ITEM), 1)}",
        )

    def _leaving(self) -> list[str]:
        if not self.maker.chance(50):
            return []
        return [f"if {self.maker.condition(1)}:", f"    {self.maker.one('break', 'continue', 'return')}"]

    def _waiting(self) -> list[str]:
        """Something awaited, and what is done then."""
        kind = self.random.randrange(4)
        if kind == 0:
            return [f"await until({self.maker.condition(2)})", *self.maker.statement(1)]
        if kind == 1:
            return self._either()
        if kind == 2:
            lines = [f"await until({self.maker.condition(1)})", *self.maker.statement(1)]
            return [f"if {self.maker.condition(1)}:", *indented(lines), "else:", *indented([self._local()])]
        return self.maker.statement(2)

    def _either(self) -> list[str]:
        other = self.maker.any_of(
            lambda: f"self.{self._wire()[5:]}.receive()",
            lambda: f"{self._wire()}.send({self.maker.of(self.item, 1)})",
        )
        takes = "receive" in other and self.maker.chance(60)
        with self.maker.knowing():
            if takes:
                self.maker.scope["it"] = self.item
            first = [f'case "one", {"it" if takes else "_"}:', *indented(self.maker.statement(1))]
        second = ['case "two", _:', *indented([self._local(), *self.maker.statement(1)])]
        head = f"match await either(one={other}, two=until({self.maker.condition(1)})):"
        return [head, *indented([*first, *second])]

    # --- guarantees ---------------------------------------------------------------------------------

    def _guarantees(self) -> list[str]:
        lines: list[str] = []
        for role in ("invariant", "reaches", "at_rest", "deadlock_free"):
            condition = self.maker.condition(2)
            if self.maker.chance(20):
                condition = f"implies({condition}, {self.maker.condition(1)})"
            first = (
                [f"require({self.maker.one('self.strict', 'self.limit > 2')})"]
                if self.maker.chance(10)
                else []
            )
            lines += [
                f"@{role}",
                f"def claim_{role}(self) -> bool:",
                *indented([*first, f"return {condition}"]),
            ]
        return lines


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


def model(seed: int) -> str:
    """The random model with this number."""
    return Generator(seed).text()
