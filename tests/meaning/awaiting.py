"""Random processes, the channels over which they meet, and what goes wrong with them.

A process has local variables of every kind: a number with its range, one that may be missing, a record, a
sequence and a set of its own. Which of them it uses is up to chance, and so is which are dead where it waits.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.meaning.declarations import hint, indented
from tests.meaning.grammar import BOOL, COLOUR, FACT, FIELDS, INT, ITEM, PACKET, TWIN, Type
from tests.meaning.statements import Writer

INSTANCES: list[dict[str, Type]] = [
    {"me": ITEM},
    {"me": ITEM},
    {"me": COLOUR},
    {"me": TWIN},
    {"me": BOOL},
    {"me": ITEM, "up": BOOL},
]
LOCALS: dict[str, tuple[str, Type]] = {
    "tries": ("tries: int = integer(0, 2)", INT),
    "last": ("last: Item | None = None", ("option", ITEM)),
    "box": ("box: Packet = Packet(Item(0), 1, None, Colour.RED)", PACKET),
    "todo": ("todo: Seq[Item] = seq(Item, 2)", ("seq", ITEM, 2)),
    "seen": ("seen: SetOf[Colour] = setof(Colour)", ("set", COLOUR)),
    "mine": ("mine = Item(1)", ITEM),
    "flag": ("flag = True", BOOL),
}
LOOPS = ("while tries < 1:", "while True:", "for j in Item:", "for j in range(2):", "for j in Colour:")


class Processes:
    """A giver and takers, who meet over a channel."""

    def __init__(self, random: Random, maker: Writer) -> None:
        self.random, self.maker = random, maker
        self.item: Type = ITEM
        self.instances = random.choice(INSTANCES)

    @property
    def named(self) -> dict[str, list[Type]]:
        """The processes, and what selects an instance of each."""
        return {"giver": [], "taker": list(self.instances.values())}

    def channel(self) -> str:
        """The declaration of a channel, which is in the state from now on."""
        items: list[tuple[str, Type]] = [
            ("Item", ITEM),
            ("Packet", PACKET),
            ("option(Item)", ("option", ITEM)),
            ("integer(1, 2)", ("int", 1, 2)),
        ]
        text, self.item = self.random.choice(items)
        room = self.random.randrange(3)
        overheard = self.maker.knowledge and self.maker.chance(70)
        if overheard:
            text, self.item, room = "Fact", FACT, 0
        words = ["loses"] if room == 0 else ["loses", "duplicates", "reorders"]
        faults = [f", {word}=mishaps" for word in words if self.maker.chance(30)]
        faults += [", intruder=knows"] if overheard else []
        wire: Type = ("channel", self.item, room)
        text = f"channel({text}, {room}{''.join(faults)})"
        if self.maker.chance(30):
            key, key_type = self.random.choice([("Item", ITEM), ("Colour", COLOUR), ("bool", BOOL)])
            text, wire = f"array({key}, {text})", ("array", key_type, wire)
        self.maker.state["wire"] = wire
        return f"wire{self.maker.one('', ': Channel[Any]')} = {text}"

    def text(self) -> list[str]:
        """Both processes, with their faults."""
        self.maker.plain_names = False
        giver = self._process("giver", {}, f"await {self._wire()}.send({self.maker.of(self.item, 1)})")
        with self.maker.knowing(**self.instances):
            target = self.maker.one("got = ", "")
            taker = self._process("taker", self.instances, f"{target}await {self._wire()}.receive()")
            if self.maker.chance(50):
                taker = self._crashing(taker)
        self.maker.plain_names = True
        return [*giver, *taker]

    def _crashing(self, taker: list[str]) -> list[str]:
        lines = [f"@crashes(deaths{self.maker.one(', restarts=mishaps', '')})", *taker]
        if self.maker.chance(60):
            given = "".join(f", {n}: {hint(t)}" for n, t in self.instances.items())
            body = indented(self.maker.block(1))
            lines += ["@on_crash(taker)", f"def lose(self{given}) -> None:", *body]
        return lines

    def _wire(self) -> str:
        return self.maker.collection("channel", 1)

    def _process(self, name: str, names: dict[str, Type], first: str) -> list[str]:
        given = "".join(f", {n}: {hint(t)}" for n, t in names.items())
        some = ["tries", *(each for each in LOCALS if each != "tries" and self.maker.chance(35))]
        self.own = {each: LOCALS[each][1] for each in some}
        with self.maker.knowing(**names, **self.own):
            head = [LOCALS[each][0] for each in some]
            if first.startswith("got"):
                self.maker.scope["got"] = self.item
            body = [first, *self._rest()]
            if self.maker.chance(60):
                body = [self.maker.one(*LOOPS), *indented([*body, *self._leaving()])]
                body += self._rest() if "True" not in body[0] and self.maker.chance(30) else []
        return [f"async def {name}(self{given}) -> None:", *indented([*head, *body])]

    def _rest(self) -> list[str]:
        parts = [self._waiting() for _ in range(self.random.randrange(1, 3))]
        return [line for part in parts for line in part] + ([self._local()] if self.maker.chance(60) else [])

    def _local(self) -> str:
        """A change of a local variable."""
        name, type_ = self.random.choice(list(self.own.items()))
        match type_[0]:
            case "int":
                return self.maker.one("tries += 1", f"tries = min(max({self.maker.number(1)}, 0), 1)")
            case "seq" | "set":
                add = "append" if type_[0] == "seq" else "add"
                call = f"{name}.{add}({self.maker.of(type_[1], 1)})"  # type: ignore[arg-type]
                return self.maker.one(f"{name}.clear()", call)
            case "record" if self.maker.chance(20):
                return f"{name}.weight {self.maker.one('+=', '-=')} {self.maker.one('0', '1')}"
            case "record" if self.maker.chance(60):
                field = self.maker.one(*FIELDS["Packet"])
                return f"{name}.{field} = {self.maker.of(FIELDS['Packet'][field], 1)}"
        return f"{name} = {self.maker.of(type_, 1)}"

    def _leaving(self) -> list[str]:
        if not self.maker.chance(50):
            return []
        return [f"if {self.maker.condition(1)}:", f"    {self.maker.one('break', 'continue', 'return')}"]

    def _waiting(self, depth: int = 2) -> list[str]:
        """Something awaited, and what is done then; inside branches and loops, the same again."""
        ways: list[Callable[[], list[str]]] = [
            lambda: [f"await until({self.maker.condition(2)})", *self.maker.statement(1)],
            self._either,
            lambda: self.maker.statement(2),
        ]
        if depth:
            ways += [lambda: self._branch(depth - 1), lambda: self._counted(depth - 1)]
            ways += [lambda: self._round(depth - 1)]
        return self.random.choice(ways)()

    def _branch(self, depth: int) -> list[str]:
        lines = [f"if {self.maker.condition(1)}:", *indented([*self._waiting(depth), self._local()])]
        if self.maker.chance(60):
            lines += ["else:", *indented([self._local(), *self._waiting(depth)])]
        return lines

    def _counted(self, depth: int) -> list[str]:
        name, over = self.maker.name("w"), self.maker.one("range(2)", "range(self.limit)", "range(1, 3)")
        with self.maker.knowing(**{name: INT}):
            inner = [f"await until({self.maker.condition(1)})", *self._waiting(depth), *self._leaving()]
        return [f"for {name} in {over}:", *indented(inner)]

    def _round(self, depth: int) -> list[str]:
        inner = [f"await until({self.maker.condition(1)})", *self._waiting(depth), *self._leaving()]
        return [f"while {self.maker.condition(1)}:", *indented(inner)]

    def _either(self) -> list[str]:
        other = self.maker.any_of(
            lambda: f"{self._wire()}.receive()",
            lambda: f"{self._wire()}.send({self.maker.of(self.item, 1)})",
        )
        name = self.maker.name("it")
        takes = "receive" in other and self.maker.chance(60)
        with self.maker.knowing():
            if takes:
                self.maker.scope[name] = self.item
            first = [f'case "one", {name if takes else "_"}:', *indented(self.maker.statement(1))]
        second = ['case "two", _:', *indented([self._local(), *self.maker.statement(1)])]
        head = f"match await either(one={other}, two=until({self.maker.condition(1)})):"
        return [head, *indented([*first, *second])]
