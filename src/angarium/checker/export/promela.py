"""A system as Promela, for SPIN.

There is one process with one loop, and each action with its parameters filled in is one option of
the loop, a `d_step`: so SPIN stores exactly the states that Angarium counts, and takes exactly
its steps. SPIN's "states, stored" equals our states. Its "transitions" are stored plus matched
states; the initial state is stored without a step, so that is our transitions plus one.

Cells are bytes wherever their range has at most 256 values, shifted if it does not begin at 0.
Locals of a body are `hidden`, so not part of the state. A step's guard is its `Require`
statements, moved to the front; one that reads what its own body has written cannot be moved and
is refused.

How verdicts map:

    stays-in-range violated   an assertion is violated: in a body, or in an option that only fires
                              where a guard or a guarantee cannot be evaluated
    an invariant violated     an assertion is violated, in an option that only fires there
    at_rest violated          the same; it fires where no step can happen and the claim is false
    deadlock                  never by itself an error: the loop has an end label
    reaches holds             with `reaches=NAME`, an assertion is violated where it is reached
    a claim on runs           an `ltl` formula, chosen by `spin -DLTL_name` (see `promela_ltl`)

An option that fires only where something is wrong adds neither states nor transitions as long as
nothing is wrong. SPIN stops at the first violated assertion; made to go on (`-c0`), it finishes a
step that has failed, with whatever that does to its memory, where for us the step leads nowhere.
So counts agree only for systems in which nothing is violated. Run `spin -o2 -a`, then `gcc -O2
-DSAFETY -DNOREDUCE pan.c`; without `-o2`, SPIN leaves variables that nothing reads out of the
state, and so finds fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from angarium.checker.export.before import Before
from angarium.checker.export.checked import checked, without_dead_lets
from angarium.checker.export.defined import Definedness
from angarium.checker.export.promela_ltl import PLAIN, RunClaims, Taking
from angarium.checker.export.render import Names, Syntax, Writer, instance
from angarium.checker.export.symbolic import Define, Step, execute, failure, needed, used
from angarium.checker.export.temporal import Claims, Only
from angarium.checker.export.unroll import Env, Unroller
from angarium.checker.ir.fair_classes import Instance, arguments_of
from angarium.checker.ir.formula import Atom, atoms
from angarium.checker.ir.intervals import Scope, exactly
from angarium.checker.ir.normal_form import binary, conjunction, rebuild
from angarium.checker.ir.syntax import (
    Block,
    Call,
    Check,
    Const,
    Expr,
    If,
    Let,
    LetIn,
    Local,
    Read,
    Stmt,
    Write,
)
from angarium.checker.ir.transition import Action, Guarantee, TransitionSystem, Variable
from angarium.checker.ir.traversal import parts

TARGET = "Promela"
MAX_TEXT = 2_000_000
"""Characters of one guard or guarantee, with all its macros in place."""
INT = -(2**31), 2**31 - 1

SYNTAX = Syntax(
    arithmetic={op: f"({{0}} {op[0]} {{1}})" for op in ("+", "-", "*", "//", "%")},
    comparison={op: f"({{0}} {op} {{1}})" for op in ("==", "!=", "<", "<=", ">", ">=")},
    logic={"and": " && ", "or": " || "},
    negation="!{0}",
    choice="({0} -> {1} : {2})",
    as_number="{0}",
    as_truth="({0} != 0)",
    true="true",
    false="false",
)
WIDTHS = ((0, 255, "byte"), (-(2**15), 2**15 - 1, "short"), (*INT, "int"))

_PROMELA = """
    active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan
    d_proctype d_step do else empty enabled end eval false fi for full get_priority goto hidden
    if in init inline int len local ltl mtype nempty never nfull notrace np_ od of pc_value pid
    printf priority proctype provided return run select set_priority short show skip timeout
    trace true typedef unless unsigned xr xs always eventually until weakuntil stronguntil
    release implies equivalent next accept progress BEGIN END RUNS TAKE
"""
_C = """
    auto case char const continue default double enum errno extern final float int linux long
    max maxseq min minseq mix q_sz rand register rot signed sizeof static stderr stdin stdout
    struct switch uchar uint ulong union unix ushort void volatile wasnew while
"""
RESERVED = frozenset(f"{_PROMELA} {_C}".split())
"""Words of Promela and of the C program that SPIN makes, in which variables keep their names."""


def promela(
    system: TransitionSystem,
    initial: Sequence[tuple[int, ...]],
    *,
    reaches: str | None = None,
    only: Only = None,
) -> str:
    """The system as Promela, from its only initial state, with all its guarantees or only some.

    With `reaches`, where the guarantee of that name is reached, an assertion is violated.
    """
    return _Program(Claims(system, TARGET, only), initial, reaches).text()


class _Program:
    def __init__(self, claims: Claims, initial: Sequence[tuple[int, ...]], reaches: str | None) -> None:
        self._system, self._claims = claims.system, claims
        self._initial, self._reaches = initial, reaches
        system = claims.system
        self._ltl = [each for each in claims.runs if each.logic == "ltl"]
        self._fair = any(each.fairness for each in self._ltl)
        self._unroller = Unroller(system, TARGET)
        self._defined = Definedness(self._unroller)
        self._names = Names(RESERVED)
        self._offset = {each.name: _offset(each) for each in system.variables}
        self._texts: dict[str, str] = {}
        self._hidden: dict[str, None] = {}
        self._macros: list[str] = []
        self._steps: list[Taking] = []
        """The steps that can ever happen."""
        self._atoms: dict[Atom, tuple[Expr, str]] = {}
        self._alarms: list[str] = []
        """The options that fire where a condition of a formula over time has no value."""
        self._helpers: dict[Call, str] = {}
        self._at = 0
        self._writer = Writer(SYNTAX, self._read, self._local_or_text, self._call, self._let)

    def text(self) -> str:
        declarations = [self._declare(each) for each in self._system.variables if each.cells]
        options = [option for action in self._system.actions for option in self._action(action)]
        runs = RunClaims(self._claims, self._unroller, self._names, self._atom, self._start)
        over_time = runs.text(self._steps)
        nothing = [] if self._steps else ["  :: false -> skip"]
        options += [*nothing, *self._alarms, *self._claims_on_states()]
        loop = ["  BEGIN", *options, "  END"] if self._ltl else ["  do", *options, "  od"]
        return "\n".join(
            [
                f"/* {self._system.name} {self._system.hash}, exported by Angarium */",
                *declarations,
                *(f"hidden int {name};" for name in self._hidden),
                "",
                *self._macros,
                "",
                *over_time,
                *(PLAIN if self._ltl else ()),
                *([""] if over_time else ()),
                "active proctype steps() {",
                "end_loop:",
                *loop,
                "}",
                "",
            ]
        )

    # --- declarations -----------------------------------------------------------------

    def _declare(self, variable: Variable) -> str:
        low, high = (end - _offset(variable) for end in (variable.low, variable.high))
        fitting = [name for least, most, name in WIDTHS if least <= low and high <= most]
        if not fitting:
            raise self._refuse(f"the range {variable.low} .. {variable.high} of {variable.name}")
        name = self._variable(variable.name)
        start = self._system.offset[variable.name]
        cells = [cell - _offset(variable) for cell in self._start[start : start + variable.cells]]
        if not variable.dims:
            return f"{fitting[0]} {name} = {cells[0]};"
        same = len(set(cells)) == 1
        values = str(cells[0]) if same else f"{{{', '.join(map(str, cells))}}}"
        return f"{fitting[0]} {name}[{len(cells)}] = {values};"

    @property
    def _start(self) -> tuple[int, ...]:
        if len(self._initial) != 1:
            what = f"{len(self._initial)} initial states"
            remedy = "give the setup's parameters one value each, so that there is one"
            raise self._unroller.refuse(what, remedy=remedy)
        return self._initial[0]

    def _variable(self, name: str) -> str:
        return self._names(("variable", name), name if name == name.lower() else f"v_{name}")

    def _define(self, key: object, wish: str, text: str) -> str:
        name = self._names(("macro", key), wish)
        self._macros.append(f"#define {name} ({text})")
        return name

    def _refuse(self, construct: str, remedy: str = "") -> Exception:
        return self._unroller.refuse(construct, self._at, remedy)

    # --- steps ------------------------------------------------------------------------

    def _action(self, action: Action) -> list[str]:
        self._at = action.at
        return [option for arguments in arguments_of(action) for option in self._instance(action, arguments)]

    def _instance(self, action: Action, arguments: tuple[int, ...]) -> list[str]:
        block, scope = self._unroller.instance(action, [exactly(each) for each in arguments])
        step = execute(self._unroller, block, scope)
        guard = conjunction(*(event.passed for event in step.until_enabled))
        fails = failure(step.until_enabled)
        wish = instance(action.name, arguments)
        options = []
        if guard != Const(0):
            taken = self._taking(action, arguments, guard, step)
            body = "; ".join(self._body(block, scope)) or "skip"
            taking = f"TAKE({taken.taken}) " if self._fair else ""
            options.append(f"  :: d_step {{ {taken.can} -> {taking}{body} }}")
        if fails != Const(0):
            options.append(self._alarm(f"fails_{wish}", self._guard(fails, step)))
        return options

    def _taking(self, action: Action, arguments: tuple[int, ...], guard: Expr, step: Step) -> Taking:
        key: Instance = action.name, arguments
        wish, before = instance(*key), Before(self._unroller, step)
        can = self._define(key, f"can_{wish}", self._guard(guard, step))
        moves = can
        if self._fair and before.changes != Const(1):
            text = self._write(before.moves, step.scope, truth=True)
            moves = self._define(("moves", key), f"moves_{wish}", text)
        taking = Taking(key, len(self._steps), can, before.closed(guard), moves, action.optional)
        self._steps.append(taking)
        return taking

    def _guard(self, expr: Expr, step: Step) -> str:
        """A condition on the state before the step; its locals stand for their expressions."""
        if any(not isinstance(each, Define) for each in needed(step.definitions, used(expr))):
            what = "a require that reads what its own step has written before"
            raise self._refuse(what, "move the require before the first assignment")
        return self._write(Before(self._unroller, step).closed(expr), step.scope, truth=True)

    def _alarm(self, wish: str, text: str) -> str:
        name = self._define(wish, wish, text)
        return f"  :: d_step {{ {name} -> assert(false) }}"

    def _body(self, block: Block, scope: Scope) -> list[str]:
        body, after = checked(self._unroller, block, scope)
        self._texts = {}
        return self._block(without_dead_lets(body), after)

    def _block(self, block: Block, scope: Scope) -> list[str]:
        return [self._statement(statement, scope) for statement in block]

    def _statement(self, statement: Stmt, scope: Scope) -> str:
        match statement:
            case Let(name, value):
                return f"{self._local(name)} = {self._write(value, scope)}"
            case Write(variable, index, value):
                self._check_width(value, scope)
                stored = binary("-", self._shift(value), Const(self._offset[variable]))
                before, cell = self._written_cell(variable, self._shift(index))
                return f"{before}{cell} = {self._writer.number(stored)}"
            case Check(condition):
                return f"assert({self._write(condition, scope, truth=True)})"
            case If(condition, then, otherwise):
                test = self._write(condition, scope, truth=True)
                first, second = (self._block(each, scope) for each in (then, otherwise))
                rest = f"-> {'; '.join(second)} " if second else ""
                return f"if :: {test} -> {'; '.join(first) or 'skip'} :: else {rest}fi"
        raise TypeError(f"{statement} has no place in a body")

    # --- guarantees -------------------------------------------------------------------

    def _claims_on_states(self) -> list[str]:
        """The options that fire where a guarantee on states is hit; none of them while runs are looked at."""
        guarantees = self._claims.states
        if any(each.kind == "at_rest" for each in guarantees):
            steps = " || ".join(each.can for each in self._steps) or "false"
            self._define("at_rest", "at_rest", f"!({steps})")
        options = [option for each in guarantees for option in self._guarantee(each)]
        return ["#ifndef RUNS", *options, "#endif"] if self._ltl and options else options

    def _guarantee(self, guarantee: Guarantee) -> list[str]:
        """The option that fires where the guarantee is hit, or cannot be evaluated."""
        self._at = guarantee.at
        has_value, whole = self._with_value(guarantee.condition)
        prefix = {"invariant": "inv", "at_rest": "rest", "reaches": "reach"}[guarantee.kind]
        text = self._write(whole, {}, truth=True)
        name = self._define(("guarantee", guarantee.name), f"{prefix}_{guarantee.name}", text)
        if guarantee.kind == "reaches":
            return self._reach(guarantee, name, has_value)
        quiet = "at_rest && " if guarantee.kind == "at_rest" else ""
        return [f"  :: d_step {{ {quiet}!{name} -> assert(false) }}"] if whole != Const(1) else []

    def _with_value(self, condition: Expr) -> tuple[Expr, Expr]:
        """When a condition has a value, and that it has one and is true."""
        unrolled = self._unroller.expr(condition, Env({}, {}))
        has_value = self._defined.of(unrolled, {})
        return has_value, conjunction(has_value, self._defined.simplify(unrolled, {}))

    def _atom(self, atom: Atom) -> tuple[Expr, str]:
        """A condition of a formula over time, and its text; an option fires where it cannot be evaluated."""
        if atom not in self._atoms:
            self._at = next(each.at for each in self._ltl if each.formula and atom in atoms(each.formula))
            has_value, whole = self._with_value(atom.condition)
            if has_value != Const(1):
                text = f"!{self._write(has_value, {}, truth=True)}"
                self._alarms.append(self._alarm(f"fails_atom_{self._claims.number(atom)}", text))
            self._atoms[atom] = whole, self._write(whole, {}, truth=True)
        return self._atoms[atom]

    def _reach(self, guarantee: Guarantee, name: str, has_value: Expr) -> list[str]:
        options = []
        if has_value != Const(1):
            text = f"!{self._write(has_value, {}, truth=True)}"
            options.append(self._alarm(f"fails_{guarantee.name}", text))
        if guarantee.name == self._reaches:
            options.append(f"  :: d_step {{ {name} -> assert(false) }}")
        return options

    # --- expressions ------------------------------------------------------------------

    def _write(self, expr: Expr, scope: Scope, *, truth: bool = False) -> str:
        self._check_width(expr, scope)
        write: Callable[[Expr], str] = self._writer.truth if truth else self._writer.number
        text = write(self._shift(expr))
        if len(text) > MAX_TEXT:
            raise self._refuse(f"an expression of {len(text)} characters")
        return text

    def _check_width(self, expr: Expr, scope: Scope) -> None:
        """Promela's numbers have 32 bits; where ours might need more, the result would be wrong."""
        low, high = self._unroller.ranges.widest(expr, scope)
        if low < INT[0] or high > INT[1]:
            raise self._refuse(f"a number between {low} and {high}, in 32 bits")

    def _shift(self, expr: Expr) -> Expr:
        """The expression on cells as they are stored."""
        changed = rebuild(expr, self._shift)
        if isinstance(expr, Read):
            return binary("+", changed, Const(self._offset[expr.variable]))
        return changed

    def _read(self, variable: str, index: Expr) -> str:
        """A cell, its index already shifted."""
        if not self._system.variable[variable].dims:
            return self._variable(variable)
        # SPIN refuses a variable as its own index, `a[a[0]]`, but not what is computed from it.
        itself = " + 0" if isinstance(index, Read) and index.variable == variable else ""
        return f"{self._variable(variable)}[{self._writer.number(index)}{itself}]"

    def _written_cell(self, variable: str, index: Expr) -> tuple[str, str]:
        """A cell to write to, and what comes before: no variable may be looked at to find its own cell."""
        if not _may_read(index, variable):
            return "", self._read(variable, index)
        pinned = self._local("index")
        return f"{pinned} = {self._writer.number(index)}; ", self._read(variable, Local("index"))

    def _local_or_text(self, name: str) -> tuple[str, bool]:
        return self._texts.get(name) or self._local(name), False

    def _local(self, name: str) -> str:
        hidden = self._names(("local", name), f"local_{name}")
        self._hidden[hidden] = None
        return hidden

    def _let(self, let: LetIn, write: Callable[[Expr], str]) -> str:
        self._texts[let.name] = self._writer.number(let.value)
        return write(let.body)

    def _call(self, call: Call) -> tuple[str, bool]:
        """A helper with its arguments, as a macro."""
        if call not in self._helpers:
            values = tuple(each.value for each in call.arguments if isinstance(each, Const))
            expr, scope = self._unroller.helper(call.helper, tuple(exactly(each) for each in values))
            text = self._write(self._defined.simplify(expr, scope), scope)
            self._helpers[call] = self._define(call, instance(call.helper, values), text)
        return self._helpers[call], False


def _may_read(expr: Expr, variable: str) -> bool:
    """Whether an expression looks at a variable, or at what a helper looks at."""
    if isinstance(expr, Call) or (isinstance(expr, Read) and expr.variable == variable):
        return True
    return any(_may_read(each, variable) for each in parts(expr))


def _offset(variable: Variable) -> int:
    """What is taken from a cell's value to store it."""
    moved = variable.low < 0 or variable.high > 255
    return variable.low if moved and variable.high - variable.low <= 255 else 0
