"""A system as a TLA+ module, for TLC or Apalache.

A variable without dimensions is an integer, any other a function on 0 .. n - 1. Helpers and actions are
operators with the parameters of the model. TLA+ has no assignments: a step is executed symbolically, and
each write is a LET that names the function after it. Truth values are kept apart from numbers, and become 0
or 1 where the model counts them.

How verdicts map: check `TypeOK`, `StaysInRange` and every `Inv_...` and `Rest_...` as an INVARIANT, with
deadlock allowed. A `Reach_...` holds if `Not_Reach_...`, checked as an INVARIANT, is violated. A step that
fails does not happen; `StaysInRange` is false in the state before it.

For each LTL guarantee there is a specification of its own: `Spec_name` is `Spec` with the runs that count,
and `Live_name` is the claim. TLC checks one with a configuration of two lines (`tlc`). Our runs go on as
long as anything can happen: that is weak fairness of `Next`. Where nothing but faults can happen they need
not: then a run either goes on for ever or stops where no `Work` is possible. A step that changes nothing is
no step in TLA+, but one of our runs may take it for ever, so where such steps cannot be ruled out `Maximal`
lets a run also stand still in a state that has one. What is owed of a class is `WF` or `SF` of its steps:
TLA+'s own notions, in which a step that changes nothing does not count, are the ones that we took over.

TLA+ has `always` and `eventually`. TLC knows neither until, weak until and release nor `next`, which would
tell a step from standing still; a formula that needs them is left out, and so is CTL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from angarium.checker.export.before import can_stand_still
from angarium.checker.export.defined import Definedness
from angarium.checker.export.render import Names, Syntax, Writer
from angarium.checker.export.symbolic import Define, Definition, Merge, Step, Store, execute, needed, used
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
from angarium.checker.ir.fair_classes import Group, arguments_of
from angarium.checker.ir.fold import FALSE, TRUE
from angarium.checker.ir.formula import Atom, TemporalGuarantee, atoms, fairness_text
from angarium.checker.ir.intervals import Interval, Scope
from angarium.checker.ir.normal_form import is_truth
from angarium.checker.ir.syntax import Call, Expr, LetIn
from angarium.checker.ir.transition import Action, Guarantee, Helper, Parameter, TransitionSystem, Variable
from angarium.core.errors import UsageError

CONSTANTS = {"TRUE": "(vars = vars)", "FALSE": "(vars # vars)"}
"""TLC says of `~<>FALSE` that it is violated; it does not look into these."""
WORDS = Words(
    true=CONSTANTS["TRUE"],
    false=CONSTANTS["FALSE"],
    negation="(~{0})",
    conjunction=" /\\ ",
    disjunction=" \\/ ",
    implication="({0} => {1})",
    over={"F": "(<>{0})", "G": "([]{0})"},
)
COMMENT = "\\* {0}"
MAXIMAL = "WF_vars(Next)"
MAXIMAL_BUT_FOR_FAULTS = "[]<><<Next>>_vars \\/ []<>(~ENABLED <<Work>>_vars)"
OR_STANDS_STILL = "[]<>(ENABLED (Next /\\ UNCHANGED vars))"


@dataclass(frozen=True)
class RunClaims:
    """The claims on runs of one module."""

    claims: Claims
    names: Names
    atom: Callable[[Atom], str]
    operator: Callable[[Action], str]
    """The name of an action's operator."""
    some: Callable[[Action], str]
    """The action with some arguments."""
    checked: dict[str, str] = field(default_factory=dict)
    """For each guarantee that was said, the configuration with which TLC checks it."""

    def text(self) -> Lines:
        """The sections of all claims."""
        said = self.claims.say(self.claims.runs, self._claim, COMMENT)
        if not said:
            return []
        return [*self._work(), f"Maximal == {self._maximal}", *map(self._condition, self._atoms), *said]

    def _condition(self, atom: Atom) -> str:
        text = self.atom(atom)
        return f"{self.name(atom)} == {CONSTANTS.get(text, text)} \\* {one_line(atom.text)}"

    @cached_property
    def _maximal(self) -> str:
        still = can_stand_still(Unroller(self.claims.system, self.claims.target))
        goes_on = MAXIMAL_BUT_FOR_FAULTS if self._faulty else MAXIMAL
        return f"{goes_on} \\/ {OR_STANDS_STILL}" if still else goes_on

    @property
    def _faulty(self) -> bool:
        return any(action.optional for action in self.claims.system.actions)

    def _work(self) -> Lines:
        """Everything but faults, if there are any."""
        steps = [f"  \\/ {self.some(action)}" for action in self.claims.system.actions if not action.optional]
        return ["\n".join(["Work ==", *steps] if steps else ["Work == FALSE"])] if self._faulty else []

    def _claim(self, guarantee: TemporalGuarantee) -> Lines:
        if guarantee.logic != "ltl" or guarantee.formula is None:
            raise CannotSayError(LOGICS[guarantee.logic])
        formula = spell(guarantee.formula, WORDS, lambda atom, _: self.name(atom))
        demands = owed(Unroller(self.claims.system, self.claims.target), guarantee.fairness)
        fair = [
            *(f"WF_vars({self._steps(group)})" for group in demands.weak),
            *(f"SF_vars({self._steps(group)})" for group in demands.strong),
        ]
        spec = self.names(("spec", guarantee.name), f"Spec_{guarantee.name}")
        live = self.names(("live", guarantee.name), f"Live_{guarantee.name}")
        self.checked[guarantee.name] = f"SPECIFICATION {spec}\nPROPERTY {live}\n"
        lines = [f"\\* {one_line(f'{guarantee.name} (fairness: {fairness_text(guarantee.fairness)})')}"]
        more = [each for each in fair if each != self._maximal]
        lines += [f"{spec} ==", "  /\\ Spec", "  /\\ Maximal", *(f"  /\\ {each}" for each in more)]
        return ["\n".join([*lines, f"{live} == {formula}"])]

    def name(self, atom: Atom) -> str:
        """The operator that an atom is."""
        return self.names(("atom", atom), f"Atom_{self.claims.number(atom)}")

    @property
    def _atoms(self) -> list[Atom]:
        formulas = [each.formula for each in self.claims.runs if each.logic == "ltl" and each.formula]
        return list(dict.fromkeys(atom for formula in formulas for atom in atoms(formula)))

    def _steps(self, group: Group) -> str:
        """The action that is any step of a class."""
        actions = self.claims.system.actions
        parts = [part for action in actions for part in self._of(action, group)]
        whole = all((action.name, each) in group for action in actions for each in arguments_of(action))
        return "Next" if whole else " \\/ ".join(parts)

    def _of(self, action: Action, group: Group) -> Lines:
        every = list(arguments_of(action))
        inside = [each for each in every if (action.name, each) in group]
        if inside == every:
            return [f"({self.some(action)})" if action.parameters else self.some(action)]
        return [f"{self.operator(action)}({', '.join(map(_number, each))})" for each in inside]


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"({value})"


TARGET = "TLA+"
SYNTAX = Syntax(
    arithmetic={
        "+": "({0} + {1})",
        "-": "({0} - {1})",
        "*": "({0} * {1})",
        "//": r"({0} \div {1})",
        "%": "({0} % {1})",
    },
    comparison={
        "==": "({0} = {1})",
        "!=": "({0} # {1})",
        "<": "({0} < {1})",
        "<=": "({0} <= {1})",
        ">": "({0} > {1})",
        ">=": "({0} >= {1})",
    },
    logic={"and": r" /\ ", "or": r" \/ "},
    negation="~{0}",
    choice="(IF {0} THEN {1} ELSE {2})",
    as_number="(IF {0} THEN 1 ELSE 0)",
    as_truth="({0} # 0)",
    true="TRUE",
    false="FALSE",
)
_WORDS = """
    ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF
    DEFINE DEFS DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE Int LAMBDA
    LEMMA LET LOCAL MODULE NEW Nat OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED
    RECURSIVE SF_ STATE STRING SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION
    USE VARIABLE VARIABLES WF_ WITH WITNESS Init Maximal Next Spec StaysInRange TypeOK Work
    vars
"""
RESERVED = frozenset(_WORDS.split())


EMPTY = {"/\\": "TRUE", "\\/": "FALSE"}
"""What a list of no conjuncts, and of no disjuncts, says."""


def tla(system: TransitionSystem, initial: Sequence[tuple[int, ...]], *, only: Only = None) -> str:
    """The system as a TLA+ module, from all its initial states, with all its guarantees or only some."""
    return _Module(Claims(system, TARGET, only), initial).text()


def tlc(system: TransitionSystem, initial: Sequence[tuple[int, ...]], *, only: Only = None) -> str:
    """What TLC is to be told: to check the claims on states, or the one claim on runs that is asked for."""
    claims = Claims(system, TARGET, only)
    module = _Module(claims, initial)
    module.text()
    runs = [each.name for each in claims.runs] if only else []
    if not runs:
        return module.on_states()
    if len(runs) > 1 or claims.states:
        asked = ", ".join([*(each.name for each in claims.states), *runs])
        what = f"one configuration of TLC cannot be about all of these: {asked}"
        raise UsageError("ANG013", what, remedy="ask for each guarantee over time by itself: --only NAME")
    return module.on_runs[runs[0]]


class _Module:
    def __init__(self, claims: Claims, initial: Sequence[tuple[int, ...]]) -> None:
        system = claims.system
        self._system, self._claims, self._initial = system, claims, initial
        self._unroller = Unroller(system, TARGET, keep=self._fits)
        self._defined = Definedness(self._unroller)
        self._names = Names(RESERVED)
        self._variables = [each for each in system.variables if each.cells]
        self._truths: set[str] = set()
        self._writer = Writer(SYNTAX, self._read, self._local, self._call, self._let)
        self._alarms: list[str] = []
        self._runs = RunClaims(claims, self._names, self._atom, self._operator, self._some)

    def text(self) -> str:
        if not self._initial:
            raise self._unroller.refuse("a system without initial states")
        names = ", ".join(self._variable(each.name) for each in self._variables)
        title = f"---- MODULE {Names().fresh(self._system.name)} ----"
        head = [title, "EXTENDS Integers", f"VARIABLES {names}", f"vars == << {names} >>"]
        helpers = [self._helper(each) for each in self._system.helpers]
        actions = [self._action(each) for each in self._system.actions]
        guarantees = [self._guarantee(each) for each in self._claims.states] + self._runs.text()
        sections = [
            "\n".join(head),
            _block("TypeOK ==", "/\\", [self._type(each) for each in self._variables]),
            _block("Init ==", "\\/", [self._state(cells) for cells in self._initial]),
            *helpers,
            *actions,
            _block("Next ==", "\\/", [self._some(each) for each in self._system.actions]),
            "Spec == Init /\\ [][Next]_vars",
            _block("StaysInRange ==", "/\\", self._alarms),
            *guarantees,
        ]
        return "\n\n".join([*sections, "====\n"])

    def on_states(self) -> str:
        """What TLC is to be told to check what is claimed of states."""
        names = [self._names(("guarantee", each.name), "") for each in self._claims.states]
        invariants = [
            "TypeOK",
            "StaysInRange",
            *(each for each in names if each.startswith(("Inv_", "Rest_"))),
        ]
        return "\n".join(["SPECIFICATION Spec", *(f"INVARIANT {each}" for each in invariants), ""])

    @property
    def on_runs(self) -> Mapping[str, str]:
        """What TLC is to be told to check what is claimed of runs, for each guarantee."""
        return self._runs.checked

    # --- declarations -----------------------------------------------------------------

    def _variable(self, name: str) -> str:
        return self._names(("variable", name), name.replace("~", "_"))

    def _type(self, variable: Variable) -> str:
        values = _span(variable.low, variable.high)
        if variable.dims:
            values = f"[0..{variable.cells - 1} -> {values}]"
        return f"{self._variable(variable.name)} \\in {values}"

    def _state(self, cells: tuple[int, ...]) -> str:
        parts = []
        for variable in self._variables:
            start = self._system.offset[variable.name]
            value = self._initial_value(variable, cells[start : start + variable.cells])
            parts.append(f"{self._variable(variable.name)} = {value}")
        return "(" + " /\\ ".join(parts) + ")"

    def _initial_value(self, variable: Variable, cells: tuple[int, ...]) -> str:
        if not variable.dims:
            return str(cells[0])
        bound = self._names("cell", "cell")
        same = len(set(cells)) == 1
        value = str(cells[0]) if same else f"<< {', '.join(map(str, cells))} >>[{bound} + 1]"
        return f"[{bound} \\in 0..{len(cells) - 1} |-> {value}]"

    def _quantified(self, quantifier: str, parameters: Iterable[Parameter], text: str) -> str:
        bounds = "".join(
            f"\\{quantifier} {self._name(each.name)} \\in {_span(each.type.low, each.type.high)} : "
            for each in parameters
        )
        return f"{bounds}{text}"

    def _applied(self, thing: Action | Helper, kind: str = "") -> str:
        name = self._names((type(thing).__name__, kind, thing.name), f"{kind}{thing.name}")
        names = ", ".join(self._name(each.name) for each in thing.parameters)
        return f"{name}({names})" if names else name

    def _operator(self, action: Action) -> str:
        return self._applied(action).partition("(")[0]

    def _some(self, action: Action) -> str:
        return self._quantified("E", action.parameters, self._applied(action))

    def _name(self, local: str) -> str:
        return self._names(("local", local), local)

    # --- helpers and actions ----------------------------------------------------------

    def _fits(self, call: Call, scope: Scope) -> bool:
        """Whether the arguments of a call are in the ranges for which the helper is defined."""
        parameters = self._system.helper[call.helper].parameters
        intervals = [self._unroller.ranges.of(each, scope) for each in call.arguments]
        return all(
            p.type.low <= low and high <= p.type.high
            for p, (low, high) in zip(parameters, intervals, strict=True)
        )

    def _helper(self, helper: Helper) -> str:
        expr, scope = self._unroller.helper(helper.name, _ranges(helper.parameters))
        return f"{self._applied(helper)} == {self._either(self._defined.simplify(expr, scope))[0]}"

    def _action(self, action: Action) -> str:
        block, scope = self._unroller.instance(action, _ranges(action.parameters))
        step = execute(self._unroller, block, scope)
        fails = step.failure
        if fails != FALSE:
            kept = needed(step.definitions, used(fails))
            lines = _lets(self._definition(each) for each in kept)
            lines.append(f"  {self._writer.truth(fails)}")
            alarm = self._applied(action, "Fails_")
            self._alarms.append(self._quantified("A", action.parameters, f"~{alarm}"))
            failing = [f"{alarm} ==", *lines, ""]
        else:
            failing = []
        lines = _lets(self._definition(each) for each in step.definitions)
        return "\n".join([*failing, f"{self._applied(action)} ==", *lines, *self._effect(step)])

    def _effect(self, step: Step) -> list[str]:
        lines = [self._writer.truth(event.passed) for event in step.events]
        for variable, version in step.final.items():
            lines.append(f"{self._variable(variable)}' = {self._variable(version)}")
        same = [self._variable(v.name) for v in self._variables if v.name not in step.final]
        if same:
            lines.append(f"UNCHANGED << {', '.join(same)} >>")
        return [f"  /\\ {line}" for line in lines]

    def _definition(self, definition: Definition) -> str:
        match definition:
            case Define(name, value):
                text, truth = self._either(value)
                # The same name may stand for a number in another step.
                (self._truths.add if truth else self._truths.discard)(name)
                return f"{self._name(name)} == {text}"
            case Store(name, base, index, value):
                written = self._writer.number(value)
                if self._is_function(base):
                    place = self._writer.number(index)
                    written = f"[{self._variable(base)} EXCEPT ![{place}] = {written}]"
                return f"{self._variable(name)} == {written}"
            case Merge(name, condition, then, otherwise):
                parts = self._variable(then), self._variable(otherwise)
                chosen = SYNTAX.choice.format(self._writer.truth(condition), *parts)
                return f"{self._variable(name)} == {chosen}"

    # --- guarantees -------------------------------------------------------------------

    def _guarantee(self, guarantee: Guarantee) -> str:
        rest = "(~ENABLED Next) => " if guarantee.kind == "at_rest" else ""
        text = self._condition(guarantee.condition, rest)
        prefix = {"invariant": "Inv_", "at_rest": "Rest_", "reaches": "Reach_"}[guarantee.kind]
        name = self._names(("guarantee", guarantee.name), prefix + guarantee.name)
        opposite = f"\n\nNot_{name} == ~{name}" if guarantee.kind == "reaches" else ""
        return f"{name} == {rest}{text}{opposite}"

    def _condition(self, condition: Expr, rest: str = "") -> str:
        """A condition, of which `StaysInRange` says that it has a value where it is asked."""
        unrolled = self._unroller.expr(condition, Env({}, {}))
        has_value = self._defined.of(unrolled, {})
        if has_value != TRUE:
            self._alarms.append(f"({rest}{self._writer.truth(has_value)})")
        return self._writer.truth(self._defined.simplify(unrolled, {}))

    def _atom(self, atom: Atom) -> str:
        return self._condition(atom.condition)

    # --- expressions ------------------------------------------------------------------

    def _either(self, expr: Expr) -> tuple[str, bool]:
        """An expression as what it is by its form: the text, and whether it is a truth."""
        truth = is_truth(expr)
        return (self._writer.truth if truth else self._writer.number)(expr), truth

    def _is_function(self, version: str) -> bool:
        return bool(self._system.variable[version.partition("~")[0]].dims)

    def _read(self, version: str, index: Expr) -> str:
        name = self._variable(version)
        return f"{name}[{self._writer.number(index)}]" if self._is_function(version) else name

    def _local(self, name: str) -> tuple[str, bool]:
        return self._name(name), name in self._truths

    def _let(self, let: LetIn, write: Callable[[Expr], str]) -> str:
        definition = self._definition(Define(let.name, let.value))
        return f"(LET {definition} IN {write(let.body)})"

    def _call(self, call: Call) -> tuple[str, bool]:
        helper = self._system.helper[call.helper]
        name = self._applied(helper).partition("(")[0]
        arguments = ", ".join(self._writer.number(each) for each in call.arguments)
        expr, scope = self._unroller.helper(helper.name, _ranges(helper.parameters))
        truth = is_truth(self._defined.simplify(expr, scope))
        return (f"{name}({arguments})" if arguments else name), truth


def _span(low: int, high: int) -> str:
    return f"{low}..{high}" if low >= 0 else f"({low})..({high})"


def _ranges(parameters: Iterable[Parameter]) -> tuple[Interval, ...]:
    return tuple(Interval(each.type.low, each.type.high) for each in parameters)


def _block(head: str, bullet: str, lines: Sequence[str]) -> str:
    """A definition as a list of conjuncts or disjuncts, of which there may be none."""
    if not lines:
        return f"{head} {EMPTY[bullet]}"
    return "\n".join([head, *(f"  {bullet} {line}" for line in lines)])


def _lets(definitions: Iterable[str]) -> list[str]:
    lines = [f"      {definition}" for definition in definitions]
    return ["  LET", *lines, "  IN"] if lines else []
