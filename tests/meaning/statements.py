"""Random statements of a model, in actions, in functions and between awaits."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.meaning.declarations import indented
from tests.meaning.grammar import BOOL, COLOUR, FACT, FIELDS, INT, ITEM, PACKET, Maker, Type


class Writer(Maker):
    """Statements, in actions and between awaits."""

    def __init__(self, random: Random, state: dict[str, Type]) -> None:
        super().__init__(random, state)
        self.budgets: list[str] = []
        self.procedures: dict[str, list[Type]] = {}
        self.choosing: set[str] = set()
        """Procedures with a choice, which a loop cannot call."""
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
        if not loops or (loops == 1 and self.chance(15)):
            ways += [lambda: [self.chosen(depth)]]
        if self.knowledge:
            ways += [lambda: [f"{self.knowledge}.hear({self.of(FACT, depth)})"]] * 2
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
                if kind == "set" and self.chance(40):
                    return self.set_of(item, 1)
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
        type_ = self.random.choice([INT, INT, ITEM, COLOUR, PACKET, BOOL, FACT, ("option", ITEM)])
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
        type_ = self.random.choice([INT, ITEM, COLOUR, BOOL, *([FACT] if self.knowledge else [])])
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
        domains = {INT: "range(2)", ITEM: "Item", COLOUR: "Colour", BOOL: "bool", FACT: self.knowledge}
        held = self.collection(self.one("seq", "set"), 0, type_)
        domain = held or domains[type_]
        if self.chance(50):
            return f"choose({domain})"
        name = self.name("k")
        with self.knowing(**{name: type_}), self.careful():
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
