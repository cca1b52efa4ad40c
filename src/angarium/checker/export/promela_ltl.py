"""What is claimed of runs, as `ltl` formulas for SPIN's own translator.

A claim is chosen when the text is read: `spin -DLTL_name -a`. Without one the text is that of the safety
check, with its exact counts. With one, each step is followed, in the same atomic move, by a *watch*: it
computes what the formula needs to know of the new state. So the formula has only variables in it, and SPIN
counts no states in between.

    atoms     a bit for each; SPIN's formulas have no conditional expressions, and macros would make them
              huge
    next      SPIN as it is usually built has no such operator. `next` can be moved inwards to the atoms,
              and the formula is asked some steps late, of what the atoms were then (`atom_1_was_2` is two
              steps old); where nothing more can happen, that many idle moves show the last state again
    fairness  SPIN's translator fails at three or four demands. So a turn goes round the classes in the
              model: it leaves a class when one of its steps was taken or none is possible. A run is fair if
              the turn comes round for ever, and that is one premise: `[]<> (turn_ == n)`. A class that is
              owed strongly is left only when a step was taken, or when it was given up, which may happen at
              any time and is a lie, told by turn n + 1, if it is ever possible again

Where nothing more can happen SPIN's claims stutter, as our runs do: the turn is set to n there. Where nothing
but faults can happen, another move leads to a place of the process that it never leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from angarium.checker.export.render import Names
from angarium.checker.export.temporal import (
    LOGICS,
    CannotSayError,
    Claims,
    Lines,
    Words,
    one_line,
    owed,
    spell,
)
from angarium.checker.export.unroll import Unroller
from angarium.checker.ir.fair_classes import Group, Instance, Owed
from angarium.checker.ir.formula import Atom, Formula, Over, TemporalGuarantee, atoms, fairness_text, parts
from angarium.checker.ir.normal_form import rebuild
from angarium.checker.ir.syntax import Call, Const, Expr, LetIn, Local, Read

WORDS = Words(
    true="true",
    false="false",
    negation="(! {0})",
    conjunction=" && ",
    disjunction=" || ",
    implication="({0} -> {1})",
    over={
        "F": "(<> {0})",
        "G": "([] {0})",
        "U": "({0} U {1})",
        "W": "({0} W {1})",
        "R": "({0} V {1})",
    },
    looks_ahead=True,
)
COMMENT = "/* {0} */"
PLAIN = [
    "#ifndef RUNS",
    "#define BEGIN do",
    "#define END od",
    "#define TAKE(step)",
    "#endif",
]
"""Without a claim on runs: one loop, and nothing to remember of a step."""
GHOSTS = _AGE, _IDLE, _RESTS, _TOOK, _TURN = "age_", "idle_", "resting_", "took_", "turn_"
"""Variables of the watch. No name of a model ends in an underscore here."""


@dataclass(frozen=True)
class Taking:
    """A step of the loop, and what the watch must know of it."""

    instance: Instance
    number: int
    can: str
    guard: Expr
    moves: str
    """The macro that says that it is possible and changes something; `can` if it always does."""
    fault: bool

    @property
    def taken(self) -> str:
        """Its number, or none if it changes nothing."""
        return str(self.number) if self.moves == self.can else f"({self.moves} -> {self.number} : -1)"


@dataclass(frozen=True)
class RunClaims:
    """The claims on runs of one Promela text."""

    claims: Claims
    unroller: Unroller
    names: Names
    atom: Callable[[Atom], tuple[Expr, str]]
    """An atom as a condition that has a value in every state, and as text."""
    start: tuple[int, ...]
    symbols: Names = field(default_factory=Names)
    """What chooses a claim: a space of its own, so that it is the guarantee's name wherever it can be."""

    def text(self, steps: Sequence[Taking]) -> Lines:
        """The blocks of all claims, of which one is chosen."""

        def block(guarantee: TemporalGuarantee) -> Lines:
            return self._block(guarantee, steps)

        return self.claims.say(self.claims.runs, block, COMMENT)

    def _block(self, guarantee: TemporalGuarantee, steps: Sequence[Taking]) -> Lines:
        if guarantee.logic != "ltl" or guarantee.formula is None:
            raise CannotSayError(LOGICS[guarantee.logic])
        name = self.names(("ltl", guarantee.name), guarantee.name)
        demands = owed(self.unroller, guarantee.fairness).without(lambda group: _is_trivial(group, steps))
        watch = _Watch(self, steps, guarantee.formula, demands)
        title = one_line(f"{guarantee.name}: {guarantee.description or 'of every run'}")
        return [
            f"#ifdef LTL_{self.symbols(guarantee.name, guarantee.name)}",
            f"/* {title} (fairness: {one_line(fairness_text(guarantee.fairness))}) */",
            *watch.declarations(),
            "#define RUNS",
            "#define BEGIN do :: atomic { if",
            f"#define END fi; d_step {{ {'; '.join(watch.statements())} }} }}{watch.ghosts()} od",
            f"#define TAKE(step) {_TOOK} = step;" if demands.groups else "#define TAKE(step)",
            f"ltl {name} {{ {watch.formula()} }}",
            "#endif",
        ]

    def name(self, atom: Atom) -> str:
        """The bit that says whether an atom is true."""
        return self.names(("atom", atom), f"atom_{self.claims.number(atom)}")

    def is_true(self, condition: Expr) -> bool:
        """Whether a condition is true in the initial state."""
        made = _constant(self, condition, {})
        assert isinstance(made, Const), made
        return bool(made.value)


class _Watch:
    """What must be known of each state, for one claim."""

    def __init__(self, of: RunClaims, steps: Sequence[Taking], formula: Formula, demands: Owed) -> None:
        self._of, self._steps, self._formula = of, steps, formula
        self._atoms = {atom: of.name(atom) for atom in atoms(formula)}
        self._late = ahead(formula)
        """How many steps late the formula is asked."""
        self._groups = demands.groups
        self._given_up = {
            group: of.names(("given up", n), f"given_up_{n}") for n, group in enumerate(demands.strong, 1)
        }

    # --- variables --------------------------------------------------------------------

    def declarations(self) -> Lines:
        lines = [self._declared(atom, name) for atom, name in self._atoms.items()]
        if self._late:
            lines += [f"bit {self._old(name, n)} = 0;" for name in self._atoms.values() for n in self._ages]
            rests = int(self._rests_at_start())
            lines += [f"byte {_AGE} = 0;", f"byte {_IDLE} = {self._late};", f"bit {_RESTS} = {rests};"]
        if self._groups:
            first = len(self._groups) if self._rests_at_start() else 0
            lines += [f"hidden int {_TOOK} = -1;", f"byte {_TURN} = {first};"]
        return lines + [f"bit {name} = 0;" for name in self._given_up.values()]

    def _declared(self, atom: Atom, name: str) -> str:
        condition, _ = self._of.atom(atom)
        return f"bit {name} = {int(self._of.is_true(condition))}; /* {one_line(atom.text)} */"

    def _rests_at_start(self) -> bool:
        return not any(self._of.is_true(step.guard) for step in self._steps)

    @property
    def _ages(self) -> range:
        return range(1, self._late + 1)

    def _old(self, name: str, steps: int) -> str:
        """The variable that says what an atom was so many steps ago."""
        return self._of.names(("old", name, steps), f"{name}_was_{steps}") if steps else name

    # --- after each step --------------------------------------------------------------

    def statements(self) -> Lines:
        """What is computed of the new state."""
        lines = self._aged() if self._late else []
        lines += [f"{name} = {self._of.atom(atom)[1]}" for atom, name in self._atoms.items()]
        if self._late:
            lines += [f"{_RESTS} = {self._rests()}", f"{_IDLE} = {self._late}"]
        return (lines + self._turned() if self._groups else lines) or ["skip"]

    def _aged(self) -> Lines:
        """Everything known becomes one step older."""
        moved = [
            f"{self._old(name, n)} = {self._old(name, n - 1)}"
            for name in self._atoms.values()
            for n in reversed(self._ages)
        ]
        return [*moved, f"{_AGE} = ({_AGE} < {self._late} -> {_AGE} + 1 : {_AGE})"]

    def _rests(self) -> str:
        return f"!({_any(step.can for step in self._steps)})"

    def _turned(self) -> Lines:
        """Whose turn it is now."""
        last = len(self._groups)
        passed = _any(f"({_TURN} == {n} && {self._left(group)})" for n, group in enumerate(self._groups))
        lies = _any(f"({name} && {self._possible(group)})" for group, name in self._given_up.items())
        return [
            f"{_TURN} = ({_TURN} == {last} -> 0 : {_TURN})",
            f"{_TURN} = ({passed} -> {_TURN} + 1 : {_TURN})",
            f"{_TURN} = ({_TURN} <= {last} && {self._rests()} -> {last} : {_TURN})",
            *([f"{_TURN} = ({lies} -> {last + 1} : {_TURN})"] if self._given_up else []),
        ]

    def _left(self, group: Group) -> str:
        """The condition under which the turn leaves a class."""
        numbers = [step.number for step in self._steps if step.instance in group]
        taken = _any(_between(*ends) for ends in _stretches(numbers))
        other = self._given_up.get(group) or f"!{self._possible(group)}"
        return f"({taken} || {other})"

    def _possible(self, group: Group) -> str:
        return f"({_any(step.moves for step in self._steps if step.instance in group)})"

    def ghosts(self) -> str:
        """Moves that the system does not make: to give a class up, to stand still, to show the last state."""
        moves = [f"{{ !{name} -> {name} = 1 }}" for name in self._given_up.values()]
        moves += [f"{{ {_RESTS} && {self._again()} }}"] if self._late else []
        moves += [self._standing_still()] if any(step.fault for step in self._steps) else []
        return "".join(f" :: d_step {move}" for move in moves)

    def _again(self) -> str:
        return f"{_IDLE} > 0 -> {'; '.join([*self._aged(), f'{_IDLE} = {_IDLE} - 1'])}"

    def _standing_still(self) -> str:
        """To stay for ever where nothing but faults can happen, and none that is owed."""
        work = _any(step.can for step in self._steps if not step.fault)
        faults = {step.instance for step in self._steps if step.fault}
        owed_faults = _any(self._possible(group) for group in self._groups if group & faults)
        last = len(self._groups)
        turn = f"{_TURN} = ({_TURN} <= {last} -> {last} : {_TURN})" if self._groups else "skip"
        ever = f"do :: d_step {{ {self._again()} }} od" if self._late else "false"
        return f"{{ {self._may_rest()} && !({work}) && !({owed_faults}) -> {turn} }}; {ever}"

    def _may_rest(self) -> str:
        return f"({_any(step.can for step in self._steps if step.fault)})"

    # --- the formula ------------------------------------------------------------------

    def formula(self) -> str:
        claim = spell(self._formula, WORDS, self._atom)
        if self._late:
            claim = f"(({_AGE} < {self._late}) U (({_AGE} == {self._late}) && {claim}))"
        return f"(([]<> ({_TURN} == {len(self._groups)})) -> {claim})" if self._groups else claim

    def _atom(self, atom: Atom, steps: int) -> str:
        return self._old(self._atoms[atom], self._late - steps)


def ahead(formula: Formula) -> int:
    """How many steps ahead a formula looks by `next`."""
    inside = max(map(ahead, parts(formula)), default=0)
    return inside + 1 if isinstance(formula, Over) and formula.op == "X" else inside


def _is_trivial(group: Group, steps: Sequence[Taking]) -> bool:
    """Whether every step that can happen is one of the class, or none is."""
    inside = [step for step in steps if step.instance in group]
    return not inside or (len(inside) == len(steps) and all(step.moves == step.can for step in steps))


def _any(conditions: Iterable[str]) -> str:
    return " || ".join(conditions) or "false"


def _between(low: int, high: int) -> str:
    return f"({_TOOK} == {low})" if low == high else f"({_TOOK} >= {low} && {_TOOK} <= {high})"


def _stretches(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Numbers in rising order, as the stretches that they make."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found


def _constant(of: RunClaims, expr: Expr, local: dict[str, Expr]) -> Expr:
    """An expression in the initial state; what has no value there is left as it is."""
    system = of.unroller.system
    match expr:
        case Local(name):
            return local[name]
        case LetIn(name, value, body):
            return _constant(of, body, {**local, name: _constant(of, value, local)})
        case Call():
            return _constant(of, of.unroller.inline(expr, {}), local)
        case Read(variable, index):
            place = _constant(of, index, local)
            if isinstance(place, Const) and 0 <= place.value < system.variable[variable].cells:
                return Const(of.start[system.offset[variable] + place.value])
    return rebuild(expr, lambda part: _constant(of, part, local))
