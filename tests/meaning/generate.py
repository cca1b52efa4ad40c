"""Random models as text, made to reach every word of the language in every position.

A model has a random state, helpers that compute and helpers that change something, actions, processes that
meet over channels, faults, and guarantees of every kind. What it does may well leave its ranges: that must be
found by everybody. Its loops and ranges are small, so that most models have few states.
"""

from __future__ import annotations

from random import Random

from tests.meaning.awaiting import Processes
from tests.meaning.declarations import HEAD, PARAMETERS, Declarations, hint, indented
from tests.meaning.grammar import BOOL, COLOUR, FACT, INT, ITEM, PACKET, TWIN, Maker, Type
from tests.meaning.statements import Writer


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
        self.processes = Processes(self.random, self.maker) if self.maker.chance(55) else None

    def text(self) -> str:
        """The whole file."""
        functions = self._functions() if self.maker.chance(50) else []
        self._budgets()
        if self.maker.chance(25):
            self.lines.append(f"knows{self.maker.one('', ': Knowledge[Fact]')} = knowledge(Fact)")
            self.maker.knowledge = "self.knows"
        if self.processes:
            self.lines.append(self.processes.channel())
        parts: list[str] = []
        for part in (self._helpers, self._procedures, self._initial):
            parts += part()
        # Only behind the initial step: before it, no process has begun.
        self.maker.processes = self.processes.named if self.processes else {}
        parts += [*self._actions(), *self._alive()]
        parts += self.processes.text() if self.processes else []
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
                self.random.choice([INT, ITEM, COLOUR, PACKET, BOOL, FACT])
                for _ in range(self.random.randrange(3))
            ]
            gives = self.random.choice([INT, INT, BOOL, BOOL, ITEM, COLOUR, FACT, PACKET, ("option", ITEM)])
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
            keys = [
                ITEM,
                COLOUR,
                BOOL,
                TWIN,
                PACKET,
                ("option", ITEM),
                *([FACT] if self.maker.chance(10) else []),
            ]
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


def model(seed: int) -> str:
    """The random model with this number."""
    return Generator(seed).text()
