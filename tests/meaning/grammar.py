"""Random expressions of a model, of a wanted type: what the front end takes, in every position.

Types are tuples: `("int", 0, 3)`, `("bool",)`, `("index", "Item")`, `("enum", "Colour")`,
`("record", "Packet")`, `("option", t)`, `("seq", t, capacity)`, `("set", t)`, `("array", key, t)`,
`("channel", t, capacity)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

Type = tuple[object, ...]
INT: Type = ("int", -99, 99)
BOOL: Type = ("bool",)
ITEM: Type = ("index", "Item")
TWIN: Type = ("index", "Twin")
COLOUR: Type = ("enum", "Colour")
PACKET: Type = ("record", "Packet")
CRATE: Type = ("record", "Crate")
FACT: Type = ("term", "Fact")
TERMS: dict[str, list[Type]] = {
    "name": [ITEM],
    "key": [BOOL],
    "secret": [],
    "cipher": [ITEM, BOOL],
    "letter": [BOOL],
    "note": [ITEM],
    "both": [ITEM, BOOL],
}
"""The functions that make terms."""
MEMBERS = ("RED", "GREEN", "BLUE")
FIELDS: dict[str, dict[str, Type]] = {
    "Packet": {"item": ITEM, "weight": ("int", 0, 2), "back": ("option", ITEM), "colour": COLOUR},
    "Crate": {"packet": PACKET, "open": BOOL, "tag": ("option", ("int", 1, 2))},
}


class Maker:
    """Makes expressions over a state and the names in scope."""

    def __init__(self, random: Random, state: dict[str, Type]) -> None:
        self.random, self.state = random, state
        self.scope: dict[str, Type] = {}
        self.helpers: dict[str, tuple[list[Type], Type]] = {}
        """Functions that compute a value: what they take, and what they give."""
        self.numbers = ["self.limit", "LEAST", "self.patience"]
        self.truths = ["True", "False", "self.strict"]
        self.processes: dict[str, list[Type]] = {}
        """With what selects an instance of each."""
        self.knowledge = ""
        """What somebody knows, if anybody does."""
        self.fresh = 0
        self.care = 100
        """In how many of a hundred places it is made sure that a value is in its range."""

    # --- chance -------------------------------------------------------------------------------------

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def any_of(self, *makers: Callable[[], str]) -> str:
        return self.random.choice(makers)()

    def name(self, start: str) -> str:
        self.fresh += 1
        return f"{start}{self.fresh}"

    @contextmanager
    def knowing(self, **names: Type) -> Iterator[None]:
        """Names that are in scope for a while."""
        before = dict(self.scope)
        self.scope |= names
        yield
        self.scope = before

    @contextmanager
    def careful(self) -> Iterator[None]:
        """Nothing fails here: where one of several choices fails, Python does not come to the others."""
        care, self.care, helpers, self.helpers = self.care, 100, self.helpers, {}
        yield
        self.care, self.helpers = care, helpers

    # --- places -------------------------------------------------------------------------------------

    def places(
        self, wanted: Callable[[Type], bool], depth: int, writable: bool = False
    ) -> list[Callable[[], str]]:
        """Ways to write a part of the state that is wanted."""
        found: list[Callable[[], str]] = []
        if depth < 0:
            return found
        for name, type_ in self.state.items():
            if not (writable and "'channel'" in repr(type_)):
                found += self._inside(lambda n=name: f"self.{n}", type_, wanted, depth)
        return found

    def _inside(
        self, text: Callable[[], str], type_: Type, wanted: Callable[[Type], bool], depth: int
    ) -> Iterator[Callable[[], str]]:
        if wanted(type_):
            yield text
        match type_:
            case ("array", key, item) if self.can_make(key):
                inner = lambda: f"{text()}[{self.of(key, depth - 1)}]"  # noqa: E731
                yield from self._inside(inner, item, wanted, depth)
            case ("seq", item, _) if depth > 0 and not self.chance(self.care):
                inner = lambda: f"{text()}[{self._position(depth - 1)}]"  # noqa: E731
                yield from self._inside(inner, item, wanted, depth - 1)
            case ("record", str() as record):
                yield from self._fields(text, record, wanted, depth)
            case ("option", ("record", str() as record)) if depth > 0 and not self.chance(self.care):
                yield from self._fields(text, record, wanted, depth)

    def _fields(
        self, text: Callable[[], str], record: str, wanted: Callable[[Type], bool], depth: int
    ) -> Iterator[Callable[[], str]]:
        for field, item in FIELDS[record].items():
            yield from self._inside(lambda f=field: f"{text()}.{f}", item, wanted, depth)

    def can_make(self, type_: Type) -> bool:
        """Whether there is a value: an interchangeable one must be given."""
        return TWIN in self.scope.values() or repr(TWIN) not in repr(type_)

    def _position(self, depth: int) -> str:
        return self.any_of(lambda: self.one("0", "0", "1", "-1"), lambda: self.number(depth))

    def collection(
        self, kind: str, depth: int = 1, item: Type | None = None, *, writable: bool = False
    ) -> str:
        """A sequence, set or channel of the state, or one that was given; empty if there is none."""
        fits = lambda t: t[0] == kind and self.can_make(t[1]) and (item is None or t[1] == item)  # noqa: E731
        found = self.places(fits, depth, writable) + [lambda n=n: n for n, t in self.scope.items() if fits(t)]
        return self.random.choice(found)() if found else ""

    # --- values -------------------------------------------------------------------------------------

    def of(self, type_: Type, depth: int) -> str:
        """An expression of a type."""
        match type_[0]:
            case "int":
                return self.ranged(type_, depth)
            case "bool":
                return self.condition(depth)
            case "option":
                return self.optional(type_, depth)
        return self._plain(type_, depth)

    def ranged(self, type_: Type, depth: int) -> str:
        """A number that is mostly in its range."""
        if type_ == INT or not self.chance(self.care):
            return self.number(depth)
        low, high = type_[1], type_[2]
        return self.one(f"min(max({self.number(depth)}, {low}), {high})", str(low), str(high))

    def _known(self, type_: Type, depth: int) -> list[Callable[[], str]]:
        """Names, places and helpers that have the type."""
        names = [
            lambda n=n: n for n, t in self.scope.items() if t == type_ or (type_ == INT and t[0] == "int")
        ]
        known = [*names, *names, *self.places(lambda t: t == type_, depth)]
        if depth > 0:
            known += [lambda h=h: self.call(h, depth - 1) for h, (_, t) in self.helpers.items() if t == type_]
        return known

    def call(self, helper: str, depth: int) -> str:
        takes, _ = self.helpers[helper]
        return f"{helper}({', '.join(self.of(each, depth) for each in takes)})"

    def _plain(self, type_: Type, depth: int) -> str:
        """An index, a member or a record."""
        known = self._known(type_, depth)
        made = {"index": self._index, "enum": self._member, "record": self._record}
        made["term"] = self._term
        ways: list[Callable[[], str]] = [lambda: made[str(type_[0])](type_, depth)] if type_ != TWIN else []
        if depth > 0:
            ways.append(lambda: self.choice(type_, depth))
            if type_[0] == "index" and not self.chance(self.care):
                known += self.places(lambda t: t == ("option", type_), depth - 1)
        if type_ == TWIN:
            known = [lambda n=n: n for n, t in self.scope.items() if t == TWIN]
        return self.any_of(*ways, *known, *known)

    def choice(self, type_: Type, depth: int) -> str:
        first, second = self.of(type_, depth - 1), self.of(type_, depth - 1)
        return f"({first} if {self.condition(depth - 1)} else {second})"

    def _index(self, type_: Type, depth: int) -> str:
        if depth > 0 and self.chance(40):
            number = self.number(depth - 1)
            return f"{type_[1]}({number} % 2)" if self.chance(self.care) else f"{type_[1]}({number})"
        return f"{type_[1]}({self.random.randrange(2)})"

    def _member(self, type_: Type, depth: int) -> str:
        if self.state and self.chance(20):
            return "self.first"
        if depth > 0 and self.chance(15):
            return f"TURN{self._row(3, depth - 1)}"
        return f"{type_[1]}.{self.one(*MEMBERS)}"

    def _term(self, _: Type, depth: int) -> str:
        function = self.one(*TERMS)
        return f"{function}({', '.join(self.of(each, depth - 1) for each in TERMS[function])})"

    def _record(self, type_: Type, depth: int) -> str:
        fields = FIELDS[str(type_[1])]
        given = [self.of(each, depth - 1) for each in fields.values()]
        if self.chance(50):
            return f"{type_[1]}({', '.join(given)})"
        return f"{type_[1]}({', '.join(f'{n}={g}' for n, g in zip(fields, given, strict=True))})"

    def optional(self, type_: Type, depth: int) -> str:
        item = type_[1]
        assert isinstance(item, tuple)
        ways: list[Callable[[], str]] = [lambda: "None", lambda: self.of(item, depth)]
        if depth > 0 and item[0] != "record":
            ways.append(lambda: f"({self.of(item, depth - 1)} if {self.condition(depth - 1)} else None)")
        return self.any_of(*ways, *self._known(type_, depth))

    # --- numbers ------------------------------------------------------------------------------------

    def number(self, depth: int) -> str:
        leaf = [lambda: self.one("0", "1", "1", "2", "3"), lambda: self.one(*self.numbers)]
        if depth <= 0:
            return self.any_of(*leaf, *self._numbers(depth))
        ways: list[Callable[[], str]] = [
            *leaf,
            lambda: f"({self.number(depth - 1)} {self.one('+', '-', '*')} {self.number(depth - 1)})",
            lambda: f"({self.number(depth - 1)} {self.one('//', '%')} {self._divisor()})",
            lambda: f"{self.one('min', 'max')}({self.number(depth - 1)}, {self.number(depth - 1)})",
            lambda: self.one(f"abs({self.number(depth - 1)})", f"(-{self.number(depth - 1)})"),
            lambda: self.choice(INT, depth),
            lambda: self.reduced(depth),
            lambda: self.length(depth - 1),
            lambda: self.one(f"int({self.number(0)})", f"int({self.condition(0)})"),
            lambda: self._of_table(depth - 1),
            lambda: f"({self.number(depth - 1)} ** {self.one('0', '2', '3', 'COST[Item(1)]')})",
        ]
        return self.any_of(*ways, *self._numbers(depth), *self._numbers(depth))

    def _of_table(self, depth: int) -> str:
        """A value of a constant table, or something of all."""
        return self.any_of(
            lambda: f"COST{self._row(3, depth)}",
            lambda: f"GRID{self._row(3, depth)}{self._row(2, depth - 1)}",
            lambda: self.one("COST[-1]", "GRID[1][-2]"),
            lambda: self.one("sum(COST)", "max(COST)", "min(GRID[1])", "len(COST)", "sum(GRID[0])"),
        )

    def _row(self, rows: int, depth: int) -> str:
        number = self.number(depth)
        return f"[{number} % {rows}]" if self.chance(self.care) else f"[{number}]"

    def _divisor(self) -> str:
        return self.one("2", "3") if self.chance(self.care) else self.number(0)

    def _numbers(self, depth: int) -> list[Callable[[], str]]:
        """Names and places that hold numbers; an index is one too."""
        names = [lambda n=n: n for n, t in self.scope.items() if t[0] == "int" or t == ITEM]
        found = [*names, *self.places(lambda t: t[0] == "int" or t == ITEM, depth)]
        if depth > 0:
            calls = [h for h, (_, t) in self.helpers.items() if t[0] == "int"]
            found += [lambda h=h: self.call(h, depth - 1) for h in calls]
        return found

    def length(self, depth: int) -> str:
        if self.knowledge and self.chance(30):
            return f"len({self.knowledge})"
        held = self.collection(self.one("seq", "set", "channel"), depth)
        return f"len({held})" if held else "1"

    def reduced(self, depth: int) -> str:
        text, names = self.domain(depth - 1)
        with self.knowing(**names):
            (name,) = names
            where = f" if {self.condition(depth - 1)}" if self.chance(40) else ""
            what = self.number(depth - 1) if self.chance(60) else self.condition(depth - 1)
            over = f"for {name} in {text}{where}"
        match self.random.randrange(4):
            case 0:
                return f"{self.one('min', 'max')}(({what} {over}), default={self.number(0)})"
            case 1 if not self.chance(self.care):
                return f"{self.one('min', 'max')}({what} {over})"
        return f"sum({what} {over})" if self.chance(80) else f"sum([{what} {over}])"

    # --- what can be gone through -------------------------------------------------------------------

    def domain(self, depth: int, *, changing: bool = True) -> tuple[str, dict[str, Type]]:
        """Something to loop over, and the name that stands for one of it."""
        name = self.name("k")
        kind = self.random.randrange(8 if changing else 4)
        if kind in (4, 5) and (held := self.collection("seq", depth)):
            return held, {name: self._item_of(held, "seq")}
        if kind == 6 and (held := self.collection("set", depth)):
            return held, {name: self._item_of(held, "set")}
        if self.knowledge and self.chance(20):
            return self.one(self.knowledge, self.knowledge, "Fact"), {name: FACT}
        if kind == 7:
            type_ = self.random.choice([INT, ITEM, COLOUR, PACKET, BOOL])
            if type_ in (INT, COLOUR) and self.chance(40):
                return ("COST" if type_ == INT else "TURN"), {name: type_}
            values = ", ".join(self.of(type_, depth) for _ in range(self.random.randrange(2, 4)))
            return f"({values})", {name: type_}
        if kind == 0:
            return self.one("range(2)", "range(1, 3)", f"range({self.numbers[0]})"), {name: INT}
        return self.random.choice(
            [
                ("Item", {name: ITEM}),
                ("Colour", {name: COLOUR}),
                ("Twin", {name: TWIN}),
                ("bool", {name: BOOL}),
            ][: 3 if changing else 2]
        )

    def _item_of(self, text: str, kind: str) -> Type:
        """The type of what a collection holds, found again by its name."""
        root = text.removeprefix("self.").split("[")[0].split(".")[0]
        type_ = self.state.get(root) or self.scope[root]
        while type_[0] == "array":
            type_ = type_[2]  # type: ignore[assignment]
        assert type_[0] in (kind, "channel"), (text, type_)
        return type_[1]  # type: ignore[return-value]

    # --- conditions ---------------------------------------------------------------------------------

    def condition(self, depth: int) -> str:
        known = self._known(BOOL, depth)
        if depth <= 0:
            return self.any_of(lambda: self.one(*self.truths), *known, lambda: self.compared(depth - 1))
        ways: list[Callable[[], str]] = [
            lambda: self.compared(depth - 1),
            lambda: self.compared(depth - 1),
            lambda: self.same(depth - 1),
            lambda: self.missing(depth - 1),
            lambda: self.member(depth - 1),
            lambda: self.quantified(depth),
            lambda: f"(not {self.condition(depth - 1)})",
            lambda: f"({self.condition(depth - 1)} {self.one('and', 'or')} {self.condition(depth - 1)})",
            lambda: self.choice(BOOL, depth),
            lambda: f"bool({self.number(0)} + 0)",
            lambda: self.about_processes(depth),
            lambda: self.about_sets(depth - 1),
        ]
        return self.any_of(*ways, *known)

    def compared(self, depth: int) -> str:
        """Two numbers in order, or three."""
        order = ("<", "<=", ">", ">=", "==", "!=")
        text = f"{self.number(depth)} {self.one(*order)} {self.number(depth)}"
        return f"({text} {self.one(*order)} {self.number(0)})" if self.chance(10) else f"({text})"

    # --- sets that are computed -------------------------------------------------------------------------

    def set_of(self, item: Type, depth: int) -> str:
        """A set with elements of a type: of the state, written down, or made of others."""
        held = self.collection("set", 0, item)
        ways: list[Callable[[], str]] = [lambda: held or "set()", lambda: f"{{{self.of(item, depth)}}}"]
        if held and depth > 0:
            joined = lambda: f"({held} {self.one('|', '&', '-')} {self.set_of(item, depth - 1)})"  # noqa: E731
            ways += [joined, joined, lambda: self._picked(item, held, depth)]
        return self.any_of(*ways)

    def _picked(self, item: Type, held: str, depth: int) -> str:
        name = self.name("k")
        with self.knowing(**{name: item}):
            return f"{{{name} for {name} in {held} if {self.condition(depth - 1)}}}"

    def about_sets(self, depth: int) -> str:
        """A comparison of sets, membership in one, or a claim about all subsets."""
        held = self.collection("set", 0)
        if not held:
            return self.compared(depth)
        item = self._item_of(held, "set")
        other = self.set_of(item, depth)
        name = self.name("q")
        all_of = "Item" if item == ITEM else "Colour" if item == COLOUR else held
        few = item in (ITEM, COLOUR, BOOL)
        about = (
            f"{self.one('any', 'all')}(len({name}) > 1 and {name} <= {other} for {name} in subsets({all_of}))"
        )
        return self.any_of(
            lambda: f"({held} {self.one('<=', '<', '>=', '>', '==', '!=')} {other})",
            lambda: f"({self.of(item, depth)} in {held} {self.one('|', '-', '&')} {other})",
            lambda: f"(len({held} {self.one('|', '-', '&')} {other}) > 1)",
            lambda: f"{self.one('any', 'all')}({about})" if few else f"(not {held} & {other})",
        )

    def same(self, depth: int) -> str:
        types = [
            ITEM,
            COLOUR,
            PACKET,
            BOOL,
            CRATE,
            FACT,
            ("option", ITEM),
            ("option", COLOUR),
            ("option", ("int", 1, 3)),
        ]
        type_ = self.random.choice(types)
        if self.chance(10) and (held := self.collection(self.one("seq", "set"), depth)):
            return f"({held} {self.one('==', '!=')} {held})"
        known = self._known(type_, depth)
        if type_[0] == "option" and not known:
            return self.compared(depth)
        left = self.any_of(*known) if type_[0] == "option" else self.of(type_, depth)
        return f"({left} {self.one('==', '!=')} {self.of(type_, depth)})"

    def missing(self, depth: int) -> str:
        options = self.places(lambda t: t[0] == "option", depth)
        options += [lambda n=n: n for n, t in self.scope.items() if t[0] == "option"]
        if not options:
            return self.compared(depth)
        return f"({self.any_of(*options)} {self.one('is None', 'is not None', '== None', '!= None')})"

    def member(self, depth: int) -> str:
        word = self.one("in", "not in")
        if self.knowledge and self.chance(50):
            return f"({self.of(FACT, depth)} {word} {self.knowledge})"
        held = self.collection(self.one("seq", "set", "channel"), depth)
        if held and self.chance(70):
            root = held.removeprefix("self.").split("[")[0]
            type_ = self.state.get(root) or self.scope[root]
            while type_[0] == "array":
                type_ = type_[2]  # type: ignore[assignment]
            return f"({self.of(type_[1], depth)} {word} {held})"  # type: ignore[arg-type]
        type_ = self.random.choice([INT, ITEM, COLOUR])
        if type_ != ITEM and self.chance(30):
            return f"({self.of(type_, depth)} {word} {'COST' if type_ == INT else 'TURN'})"
        values = ", ".join(self.of(type_, depth) for _ in range(2))
        return f"({self.of(type_, depth)} {word} ({values}))"

    def quantified(self, depth: int) -> str:
        text, names = self.domain(depth - 1)
        with self.knowing(**names):
            (name,) = names
            where = f" if {self.condition(depth - 1)}" if self.chance(40) else ""
            return f"{self.one('any', 'all')}({self.condition(depth - 1)} for {name} in {text}{where})"

    def about_processes(self, depth: int) -> str:
        if not self.processes:
            return self.compared(depth - 1)
        name, keys = self.random.choice(list(self.processes.items()))
        known = all(map(self.can_make, keys)) and self.chance(60)
        instance = "".join(f", {self.of(key, depth - 1)}" for key in keys) if known else ""
        return f"{self.one('finished', 'crashed')}(self.{name}{instance})"
