"""A system as an SMV module, for NuSMV and nuXmv.

Each cell is a variable of its own, because SMV's arrays have constant indices only; a cell at an index that
depends on the state is chosen by comparing the index. The input variable `action` says which step happens,
and one TRANS for each action with its parameters filled in says what the step does. Where no step can
happen, `at_rest` repeats the state, because SMV's logic speaks of infinite paths only. Where nothing but
faults can happen, `at_rest` is possible too, and for ever, if anything is claimed of runs.

SMV evaluates both branches of a choice. So divisors are constants, chosen by what the divisor is; that a
step fails where it is 0 is said apart.

How verdicts map: `stays_in_range`, each `inv_...` and each `rest_...` is an INVARSPEC, each `reach_...` a
CTLSPEC with EF; all are true if Angarium's verdict is that they hold. A step that fails does not happen;
`stays_in_range` is false in the state before it.

What is claimed of runs is an LTLSPEC or a CTLSPEC. Each atom is a DEFINE. Whether a step of a class is
*possible* follows from the state; whether it is *taken* is told by the input variable `action`, which
LTLSPEC and JUSTICE may mention. The fairness of an LTL formula is its premise. CTL has no room for a premise
on runs, and JUSTICE counts for every formula of the file: it is written only if all formulas that go out
together are claimed under the same fairness. NuSMV has no strong fairness for CTL: COMPASSION is for LTL,
and not for models with input variables. SMV lacks weak until and release of CTL, and weak until of LTL; they
are rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from angarium.checker.export.before import Before
from angarium.checker.export.defined import Definedness
from angarium.checker.export.render import Names, Syntax, Writer, instance
from angarium.checker.export.symbolic import Define, Definition, Merge, Step, Store, execute
from angarium.checker.export.temporal import (
    LOGICS,
    CannotSayError,
    Claims,
    Lines,
    Only,
    Words,
    one_line,
    owed,
    spell,
)
from angarium.checker.export.unroll import Env, Unroller
from angarium.checker.ir.fair_classes import Group, Instance, Owed, arguments_of
from angarium.checker.ir.fold import FALSE, TRUE
from angarium.checker.ir.formula import Atom, TemporalGuarantee, atoms, fairness_text
from angarium.checker.ir.intervals import Scope, exactly
from angarium.checker.ir.normal_form import conjunction, is_truth
from angarium.checker.ir.syntax import Call, Const, Expr, LetIn
from angarium.checker.ir.transition import Action, Guarantee, TransitionSystem

WORDS = Words(
    true="TRUE",
    false="FALSE",
    negation="(!{0})",
    conjunction=" & ",
    disjunction=" | ",
    implication="({0} -> {1})",
    over={
        "X": "(X {0})",
        "F": "(F {0})",
        "G": "(G {0})",
        "U": "({0} U {1})",
        "W": "(({0} U {1}) | (G {0}))",
        "R": "({0} V {1})",
    },
    quantified={
        **{f"{quantifier}{op}": f"({quantifier}{op} {{0}})" for quantifier in "AE" for op in "XFG"},
        "AU": "(A [{0} U {1}])",
        "EU": "(E [{0} U {1}])",
        "AW": "(!(E [(!{1}) U ((!{0}) & (!{1}))]))",
        "EW": "((E [{0} U {1}]) | (EG {0}))",
        "AR": "(!(E [(!{0}) U (!{1})]))",
        "ER": "(!(A [(!{0}) U (!{1})]))",
    },
)
COMMENT = "-- {0}"


@dataclass(frozen=True)
class Taking:
    """A step, and what fairness must know of it."""

    instance: Instance
    name: str
    can: str
    moves: str
    """The DEFINE that says that it is possible and changes something; `can` if it always does."""

    @property
    def taken(self) -> str:
        chosen = f"(action = {self.name})"
        return chosen if self.moves == self.can else f"({chosen} & {self.moves})"


@dataclass(frozen=True)
class RunClaims:
    """The claims on runs of one module."""

    claims: Claims
    unroller: Unroller
    names: Names
    define: Callable[[object, str, str], str]
    """Names a text by a DEFINE: a key, a wish for the name, the text."""
    atom: Callable[[Atom], str]
    steps: Sequence[Taking]
    groups: dict[Group, int] = field(default_factory=dict)
    """The classes of steps that were spoken of, numbered."""

    def text(self) -> Lines:
        """The specifications, and before them what makes runs fair."""
        justice: dict[str, None] = {}

        def write(guarantee: TemporalGuarantee) -> Lines:
            return self._claim(guarantee, justice)

        said = self.claims.say(self.claims.runs, write, COMMENT)
        return [*justice, *said]

    def _claim(self, guarantee: TemporalGuarantee, justice: dict[str, None]) -> Lines:
        if guarantee.logic not in ("ltl", "ctl") or guarantee.formula is None:
            raise CannotSayError(LOGICS[guarantee.logic])
        demands = self._owed(guarantee)
        if guarantee.logic == "ctl":
            justice |= dict.fromkeys(f"JUSTICE {each};" for each in self._justice(guarantee, demands))
        bits = {each: self._defined(each) for each in atoms(guarantee.formula)}
        formula = spell(guarantee.formula, WORDS, lambda atom, _: bits[atom])
        if guarantee.logic == "ltl" and demands.groups:
            formula = f"(({' & '.join(self._premises(demands))}) -> {formula})"
        title = one_line(f"{guarantee.name} (fairness: {fairness_text(guarantee.fairness)})")
        name = self.names(("guarantee", guarantee.name), f"{guarantee.logic}_{guarantee.name}")
        return [f"-- {title}", f"{guarantee.logic.upper()}SPEC NAME {name} := {formula};"]

    def _defined(self, atom: Atom) -> str:
        return self.define(("atom", atom), f"atom_{self.claims.number(atom)}", self.atom(atom))

    # --- fairness ---------------------------------------------------------------------

    def _owed(self, guarantee: TemporalGuarantee) -> Owed:
        return owed(self.unroller, guarantee.fairness).without(self._is_trivial)

    def _is_trivial(self, group: Group) -> bool:
        """Whether every step that can happen is one of the class, or none is."""
        inside = [step for step in self.steps if step.instance in group]
        all_move = all(step.moves == step.can for step in self.steps)
        return not inside or (len(inside) == len(self.steps) and all_move)

    def _premises(self, demands: Owed) -> Iterable[str]:
        for group in demands.weak:
            yield f"(G (F {self._just(group)}))"
        for group in demands.strong:
            yield f"((G (F {self._possible(group)})) -> (G (F {self._taken(group)})))"

    def _justice(self, guarantee: TemporalGuarantee, demands: Owed) -> Iterable[str]:
        """What counts for every formula of the file."""
        if demands.strong:
            raise CannotSayError("strong fairness of a CTL formula")
        others = [each for each in self.claims.runs if each.logic in ("ltl", "ctl")]
        if demands.weak and any(self._owed(each) != demands for each in others):
            alone = f"export it by itself, with --only {guarantee.name}"
            raise CannotSayError(f"a CTL formula beside others under another fairness ({alone})")
        return [self._just(group) for group in demands.weak]

    def _just(self, group: Group) -> str:
        return f"((!{self._possible(group)}) | {self._taken(group)})"

    def _possible(self, group: Group) -> str:
        wish = f"possible_{self._number(group)}"
        return self.define(("possible", group), wish, _any(step.moves for step in self._in(group)))

    def _taken(self, group: Group) -> str:
        wish = f"taken_{self._number(group)}"
        return self.define(("taken", group), wish, _any(step.taken for step in self._in(group)))

    def _number(self, group: Group) -> int:
        return self.groups.setdefault(group, len(self.groups) + 1)

    def _in(self, group: Group) -> Iterable[Taking]:
        return (step for step in self.steps if step.instance in group)


def _any(conditions: Iterable[str]) -> str:
    return f"({' | '.join(conditions)})"


TARGET = "SMV"
INT = -(2**31), 2**31 - 1
SYNTAX = Syntax(
    arithmetic={
        "+": "({0} + {1})",
        "-": "({0} - {1})",
        "*": "({0} * {1})",
        "//": "({0} / {1})",
        "%": "({0} mod {1})",
    },
    comparison={
        "==": "({0} = {1})",
        "!=": "({0} != {1})",
        "<": "({0} < {1})",
        "<=": "({0} <= {1})",
        ">": "({0} > {1})",
        ">=": "({0} >= {1})",
    },
    logic={"and": " & ", "or": " | "},
    negation="(!{0})",
    choice="({0} ? {1} : {2})",
    as_number="({0} ? 1 : 0)",
    as_truth="({0} != 0)",
    true="TRUE",
    false="FALSE",
)
_WORDS = """
    A ABF ABG ACOS AF AG ARRAY ASIN ASSIGN ATAN AX BU COMPASSION COMPID COMPUTE COMPWFF
    CONSTANTS CONSTARRAY CONSTRAINT COS CTLSPEC CTLWFF DEFINE E EBF EBG EF EG EX EXP F FAIRNESS
    FALSE FROZENVAR FUN G H IN INIT INVAR INVARSPEC ISA ITYPE IVAR Integer JUSTICE LN LTLSPEC
    LTLWFF MAX MDEFINE MIN MIRROR MODULE NAME NEXTWFF O PARSYNTAX PREDICATES PRED PSLSPEC READ
    Real S SIMPWFF SIN SPEC T TAN TRANS TRUE U V VALID VAR WRITE Word X Y Z abs action array
    at_rest bool boolean case count esac extend floor in init integer main max min mod next of
    pi process pwconst real resize self signed sizeof stands_still stays_in_range swconst toint typeof union
    unsigned uwconst word word1 xnor xor
"""
RESERVED = frozenset(_WORDS.split())
STANDING_STILL = (
    "VAR stands_still : 0..1;",
    "INIT stands_still = 0;",
    "TRANS next(stands_still) = ((action = at_rest) ? 1 : 0);",
    "TRANS (stands_still = 1) -> (action = at_rest);",
)
"""Who rests although a fault could happen rests for ever."""


def smv(system: TransitionSystem, initial: Sequence[tuple[int, ...]], *, only: Only = None) -> str:
    """The system as an SMV module, from all its initial states, with all its guarantees or only some."""
    return _Module(Claims(system, TARGET, only), initial).text()


class _Module:
    def __init__(self, claims: Claims, initial: Sequence[tuple[int, ...]]) -> None:
        system = claims.system
        self._system, self._claims, self._initial = system, claims, initial
        self._fair = any(each.fairness for each in claims.runs)
        self._unroller = Unroller(system, TARGET)
        self._defined = Definedness(self._unroller)
        self._names = Names(RESERVED)
        self._at = 0
        self._cells = {v.name: [self._cell(v.name, n) for n in range(v.cells)] for v in system.variables}
        self._locals: dict[str, tuple[str, bool]] = {}
        self._helpers: dict[Call, tuple[str, bool]] = {}
        self._defines: dict[str, None] = {}
        self._known: dict[str, str] = {}
        self._scope: Scope = {}
        self._resting = ""
        self._takings: list[Taking] = []
        """The steps that can ever happen."""
        self._work: list[str] = []
        """The conditions under which steps that are no faults can happen."""
        self._alarms: list[str] = []
        self._writer = Writer(SYNTAX, self._read, self._local, self._call, self._let)

    def text(self) -> str:
        if not self._initial:
            raise self._unroller.refuse("a system without initial states")
        cells = [name for names in self._cells.values() for name in names]
        steps = [each for action in self._system.actions for each in self._action(action)]
        self._resting = self._define("resting", "nothing_can_happen", _none(can for _, can, _ in steps))
        specs = [self._guarantee(each) for each in self._claims.states]
        runs = (self._unroller, self._names, self._define, self._atom, self._takings)
        specs += RunClaims(self._claims, *runs).text()
        lazy = bool(self._claims.runs) and any(action.optional for action in self._system.actions)
        may_rest = (
            self._define("lazy", "only_faults_can_happen", _none(self._work)) if lazy else self._resting
        )
        rest = ("at_rest", may_rest, [f"next({cell}) = {cell}" for cell in cells])
        safe = f"INVARSPEC NAME stays_in_range := {_none(dict.fromkeys(self._alarms))};"
        lines = [
            f"-- {self._system.name} {self._system.hash}, exported by Angarium",
            "MODULE main",
            *self._declarations(),
            f"IVAR action : {{{', '.join([*(name for name, _, _ in steps), 'at_rest'])}}};",
            *self._defines,
            f"INIT {' | '.join(self._state(state) for state in self._initial)};",
            *(_trans(*step) for step in [*steps, rest]),
            *(STANDING_STILL if lazy else ()),
            safe,
            *specs,
        ]
        return "\n".join([*lines, ""])

    # --- declarations -----------------------------------------------------------------

    def _cell(self, variable: str, number: int) -> str:
        dims = self._system.variable[variable].dims
        return self._names((variable, number), f"{variable}_{number}" if dims else variable)

    def _declarations(self) -> list[str]:
        return [
            f"VAR {name} : {variable.low}..{variable.high};"
            for variable in self._system.variables
            for name in self._cells[variable.name]
        ]

    def _state(self, state: tuple[int, ...]) -> str:
        cells = [name for names in self._cells.values() for name in names]
        terms = [f"({cell} = {value})" for cell, value in zip(cells, state, strict=True)]
        return f"({' & '.join(terms) or 'TRUE'})"

    def _define(self, key: object, wish: str, text: str) -> str:
        name = self._names(("define", key), wish)
        self._defines[f"DEFINE {name} := {text};"] = None
        return name

    def _short(self, wish: str, text: str) -> str:
        """The text, or if it is long a name for it; the same text has the same name."""
        if len(text) <= 24:
            return text
        if text not in self._known:
            self._known[text] = self._define(text, wish, text)
        return self._known[text]

    # --- steps ------------------------------------------------------------------------

    def _action(self, action: Action) -> list[tuple[str, str, list[str]]]:
        """For each choice of parameters: a name, a condition, and what is true afterwards."""
        self._at = action.at
        return [self._instance(action, arguments) for arguments in arguments_of(action)]

    def _instance(self, action: Action, arguments: tuple[int, ...]) -> tuple[str, str, list[str]]:
        block, scope = self._unroller.instance(action, [exactly(each) for each in arguments])
        step = execute(self._unroller, block, scope)
        self._locals, self._scope = {}, step.scope
        wish, key = instance(action.name, arguments), (action.name, arguments)
        name, cells = self._names(("step", key), wish), dict(self._cells)
        for definition in step.definitions:
            self._definition(definition, wish)
        can = self._define(("can", key), f"can_{wish}", self._truth(step.enabled))
        self._work += [] if action.optional else [can]
        if self._fair and step.enabled != FALSE:
            self._takings.append(Taking(key, name, can, self._moves(step, can, wish)))
        if step.failure != Const(0):
            fails = self._define(("fails", key), f"fails_{wish}", self._truth(step.failure))
            self._alarms.append(fails)
        after = [
            f"next({cell}) = {value}"
            for variable, names in cells.items()
            for cell, value in zip(names, self._cells[step.final.get(variable, variable)], strict=True)
        ]
        self._cells = cells
        return name, can, after

    def _moves(self, step: Step, can: str, wish: str) -> str:
        """The condition under which a step is possible and changes something."""
        changes = Before(self._unroller, step).changes
        if changes == TRUE:
            return can
        return self._define(("moves", can), f"moves_{wish}", f"({can} & {self._truth(changes)})")

    def _definition(self, definition: Definition, wish: str) -> None:
        match definition:
            case Define(name, value):
                text, truth = self._either(value)
                self._locals[name] = self._short(f"{wish}_{name}", text), truth
            case Store(name, base, index, value):
                self._cells[name] = self._store(base, index, value, wish)
            case Merge(name, condition, then, otherwise):
                test = self._short(wish, self._truth(condition))
                pairs = zip(self._cells[then], self._cells[otherwise], strict=True)
                self._cells[name] = [
                    one if one == other else self._short(wish, SYNTAX.choice.format(test, one, other))
                    for one, other in pairs
                ]

    def _store(self, base: str, index: Expr, value: Expr, wish: str) -> list[str]:
        written, cells = self._short(wish, self._number(value)), list(self._cells[base])
        if isinstance(index, Const):
            if 0 <= index.value < len(cells):
                cells[index.value] = written
            return cells
        place = self._short(wish, self._number(index))
        low, high = self._unroller.ranges.of(index, self._scope)
        for number in range(max(low, 0), min(high + 1, len(cells))):
            chosen = SYNTAX.choice.format(f"({place} = {number})", written, cells[number])
            cells[number] = self._short(wish, chosen)
        return cells

    # --- guarantees -------------------------------------------------------------------

    def _guarantee(self, guarantee: Guarantee) -> str:
        self._at = guarantee.at
        rest = f"{self._resting} -> " if guarantee.kind == "at_rest" else ""
        text = self._condition(guarantee.condition, rest)
        prefix = {"invariant": "inv_", "at_rest": "rest_", "reaches": "reach_"}[guarantee.kind]
        name = self._names(("guarantee", guarantee.name), prefix + guarantee.name)
        if guarantee.kind == "reaches":
            return f"CTLSPEC NAME {name} := EF {text};"
        return f"INVARSPEC NAME {name} := {rest}{text};"

    def _condition(self, condition: Expr, rest: str = "") -> str:
        """That a condition has a value and is true; that it has one is part of `stays_in_range`."""
        self._scope, self._locals = {}, {}
        unrolled = self._unroller.expr(condition, Env({}, {}))
        has_value = self._defined.of(unrolled, {})
        text = self._truth(conjunction(has_value, self._defined.simplify(unrolled, {})))
        if has_value != TRUE:
            self._alarms.append(f"(!({rest}{self._truth(has_value)}))")
        return text

    def _atom(self, atom: Atom) -> str:
        return self._condition(atom.condition)

    # --- expressions ------------------------------------------------------------------

    def _truth(self, expr: Expr) -> str:
        return self._writer.truth(self._total(expr, self._scope))

    def _number(self, expr: Expr) -> str:
        return self._writer.number(self._total(expr, self._scope))

    def _either(self, expr: Expr) -> tuple[str, bool]:
        truth = is_truth(expr)
        return (self._truth if truth else self._number)(expr), truth

    def _total(self, expr: Expr, scope: Scope) -> Expr:
        """An expression that has a value everywhere, and the given one's wherever that has one."""
        low, high = self._unroller.ranges.widest(expr, scope)
        if low < INT[0] or high > INT[1]:
            what = f"a number between {low} and {high}, in 32 bits"
            raise self._unroller.refuse(what, self._at)
        return self._defined.total(expr, scope)

    def _read(self, version: str, index: Expr) -> str:
        cells = self._cells[version]
        if isinstance(index, Const) and 0 <= index.value < len(cells):
            return cells[index.value]
        place = self._short(f"{version}_index", self._writer.number(index))
        chosen = cells[-1]
        for number, cell in reversed(list(enumerate(cells[:-1]))):
            chosen = SYNTAX.choice.format(f"({place} = {number})", cell, chosen)
        return self._short(version.partition("~")[0], chosen)

    def _local(self, name: str) -> tuple[str, bool]:
        return self._locals[name]

    def _let(self, let: LetIn, write: Callable[[Expr], str]) -> str:
        truth = is_truth(let.value)
        text = (self._writer.truth if truth else self._writer.number)(let.value)
        self._locals[let.name] = self._short(let.name, text), truth
        return write(let.body)

    def _call(self, call: Call) -> tuple[str, bool]:
        """A helper with its arguments, defined once."""
        if call not in self._helpers:
            values = tuple(each.value for each in call.arguments if isinstance(each, Const))
            expr, scope = self._unroller.helper(call.helper, tuple(exactly(each) for each in values))
            simple = self._total(self._defined.simplify(expr, scope), scope)
            truth = is_truth(simple)
            text = (self._writer.truth if truth else self._writer.number)(simple)
            name = self._define(("helper", call), instance(call.helper, values), text)
            self._helpers[call] = name, truth
        return self._helpers[call]


def _none(conditions: Iterable[str]) -> str:
    """The condition under which none of some is true."""
    listed = " | ".join(conditions)
    return f"(!({listed}))" if listed else "TRUE"


def _trans(name: str, can: str, after: Sequence[str]) -> str:
    lines = [f"TRANS action = {name} -> ({can}", *(f"  & {each}" for each in after)]
    return "\n".join(lines) + ");"
