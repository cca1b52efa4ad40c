"""A step in terms of the state before it: whether it is possible, and whether it changes anything.

Fairness speaks of steps that change something. Most steps are seen to do so: a process goes on to another
place, a length grows, what was required to be none is given. Where that is not seen, the condition is
written out: some cell is another number afterwards. It follows the versions that the step makes of each
variable back to the state before.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from angarium.export.defined import Definedness, free
from angarium.export.facts import Facts, facts_of, given
from angarium.export.fold import (
    FALSE,
    TRUE,
    binary,
    choose,
    conjunction,
    disjunction,
    negate,
    rebuild,
    split,
    truth,
)
from angarium.export.owed import arguments_of
from angarium.export.symbolic import Define, Merge, Step, Store, execute
from angarium.export.unroll import Unroller
from angarium.model.transition import Binary, Call, Const, Expr, IfElse, LetIn, Local, Not, Read


def can_stand_still(unroller: Unroller) -> bool:
    """Whether some step is not seen to change something."""
    return any(
        Before(unroller, execute(unroller, *unroller.instance(action, [(n, n) for n in arguments]))).changes
        != TRUE
        for action in unroller.system.actions
        for arguments in arguments_of(action)
    )


class Before:
    """One executed step, looked at from the state before it."""

    def __init__(self, unroller: Unroller, step: Step) -> None:
        self._unroller, self._step = unroller, step
        self._defined = Definedness(unroller)
        self._versions = {each.name: each for each in step.definitions if isinstance(each, Store | Merge)}
        self._cells: dict[tuple[str, int], Expr] = {}

    @property
    def moves(self) -> Expr:
        """The condition under which the step is possible and changes something, on the state alone."""
        return self.closed(conjunction(self._step.enabled, self.changes))

    def closed(self, expr: Expr) -> Expr:
        """The expression with the names that the step defines bound in it."""
        result = self._resolve(expr)
        for definition in reversed(self._step.definitions):
            if isinstance(definition, Define) and definition.name in free(result):
                result = LetIn(definition.name, self._resolve(definition.value), result)
        return result

    # --- cells afterwards -------------------------------------------------------------

    @cached_property
    def changes(self) -> Expr:
        """The condition under which the step, if it happens, changes something; it uses the step's names."""
        if self._step.enabled == FALSE:
            return TRUE
        found: list[Expr] = []
        for variable, version in self._step.final.items():
            for number in range(self._unroller.system.variable[variable].cells):
                before = Read(variable, Const(number))
                found.append(self._differs(self._cell(version, number), before))
                if found[-1] == TRUE:
                    return TRUE
        return disjunction(*(each for each in found if each != FALSE))

    def _cell(self, version: str, number: int) -> Expr:
        """One cell of a version, in terms of the state before."""
        key = version, number
        if key not in self._cells:
            self._cells[key] = self._made(version, Const(number))
        return self._cells[key]

    def _made(self, version: str, index: Expr) -> Expr:
        match self._versions.get(version):
            case Store(_, base, place, value):
                here = binary("==", index, self._resolve(place))
                return _pick(here, self._resolve(value), self._at(base, index))
            case Merge(_, condition, then, otherwise):
                return _pick(self._resolve(condition), self._at(then, index), self._at(otherwise, index))
        return Read(version, index)

    def _at(self, version: str, index: Expr) -> Expr:
        return self._cell(version, index.value) if isinstance(index, Const) else self._made(version, index)

    def _resolve(self, expr: Expr) -> Expr:
        """An expression that reads the state before instead of versions."""
        if isinstance(expr, Read):
            return self._at(expr.variable, self._resolve(expr.index))
        return rebuild(expr, self._resolve)

    # --- what differs -----------------------------------------------------------------

    def _differs(self, after: Expr, before: Expr) -> Expr:
        match after:
            case IfElse(condition, then, otherwise):
                return _either(condition, self._differs(then, before), self._differs(otherwise, before))
        (one, plus), (other, more) = split(after), split(before)
        if one == other:
            return TRUE if plus != more else FALSE
        different = self._simple(binary("!=", after, before))
        return self._simple(_replaced(different, _equalities(self._facts)))

    def _simple(self, expr: Expr) -> Expr:
        return given(self._facts, self._defined.simplify(expr, self._step.scope))

    @cached_property
    def _facts(self) -> Facts:
        """What is so wherever the step is possible; helpers are looked into."""
        facts = facts_of(self._resolve(self._step.enabled))
        return facts | {inner for fact in facts for inner in facts_of(self._opened(fact))}

    def _opened(self, fact: Expr) -> Expr:
        match fact:
            case Call():
                return self._unroller.inline(fact, self._step.scope)
            case Not(operand):
                return negate(self._opened(operand))
            case Binary("==" | "!=" as op, Call() as call, Const(0)):
                inside = truth(self._opened(call))
                return inside if op == "!=" else negate(inside)
        return fact


def _equalities(facts: Facts) -> Mapping[Expr, Expr]:
    """What can stand for what."""
    known: dict[Expr, Expr] = {}
    for fact in facts:
        match fact:
            case Binary("==", expr, Const() | Local() as value) if not isinstance(expr, Const):
                known[expr] = value
    return known


def _replaced(expr: Expr, values: Mapping[Expr, Expr]) -> Expr:
    return values[expr] if expr in values else rebuild(expr, lambda part: _replaced(part, values))


def _pick(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """One of two, with what both lead to written once."""
    if then == otherwise:
        return then
    match then:
        case IfElse(inner, value, rest) if rest == otherwise:
            return choose(conjunction(condition, inner), value, otherwise)
    return choose(condition, then, otherwise)


def _either(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """A choice between two truths."""
    if then == otherwise:
        return then
    if otherwise == FALSE:
        return conjunction(condition, then)
    if then == FALSE:
        return conjunction(negate(condition), otherwise)
    return disjunction(condition, otherwise) if then == TRUE else choose(condition, then, otherwise)
