"""A step in terms of the state before it: whether it is possible, and whether it changes anything.

Fairness speaks of steps that change something. Most steps are seen to do so: a process goes on to another
place, a length grows, what was required to be none is given. Where that is not seen, the condition is
written out: some cell is another number afterwards. It follows the versions that the step makes of each
variable back to the state before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from angarium.checker.export.defined import Definedness, Facts, facts_of, free, given
from angarium.checker.export.symbolic import Define, Merge, Step, Store, execute
from angarium.checker.export.unroll import Unroller
from angarium.checker.ir.fair_classes import arguments_of
from angarium.checker.ir.fold import FALSE, TRUE
from angarium.checker.ir.intervals import exactly
from angarium.checker.ir.normal_form import (
    binary,
    choose,
    conjunction,
    disjunction,
    is_truth,
    negate,
    rebuild,
    split,
    truth,
)
from angarium.checker.ir.syntax import Binary, Call, Const, Expr, IfElse, LetIn, Local, Read
from angarium.checker.ir.transition import Action
from angarium.checker.ir.traversal import parts
from angarium.core.errors import ExportError

REASONABLE = 2000
"""Parts of an expression that is still reasoned about."""
LONGEST = 20_000
"""Parts of what a cell can become, at most."""


def can_stand_still(unroller: Unroller) -> bool:
    """Whether some step is not seen to change something."""
    return any(
        not _moves_surely(unroller, action, arguments)
        for action in unroller.system.actions
        for arguments in arguments_of(action)
    )


def _moves_surely(unroller: Unroller, action: Action, arguments: tuple[int, ...]) -> bool:
    step = execute(unroller, *unroller.instance(action, [exactly(each) for each in arguments]))
    try:
        return Before(unroller, step).changes == TRUE
    except ExportError:
        return False


class Before:
    """One executed step, looked at from the state before it."""

    def __init__(self, unroller: Unroller, step: Step) -> None:
        self._unroller, self._step = unroller, step
        self._defined = Definedness(unroller)
        self._versions = {each.name: each for each in step.definitions if isinstance(each, Store | Merge)}
        self._cells: dict[tuple[str, Expr], Expr] = {}

    @property
    def moves(self) -> Expr:
        """The condition under which the step is possible and changes something, on the state alone.

        A step that fails counts as possible: where one fails, nothing is claimed of runs.
        """
        has_value = self._defined.of(self.changes, self._step.scope)
        return self.closed(conjunction(self.guard, has_value, self.changes))

    @property
    def guard(self) -> Expr:
        """What the step requires."""
        return conjunction(*(event.passed for event in self._step.until_enabled))

    def closed(self, expr: Expr) -> Expr:
        """The expression with the names that the step defines bound in it."""
        result = self._resolve(expr)
        names = free(result)
        for definition in reversed(self._step.definitions):
            if isinstance(definition, Define) and definition.name in names:
                value = self._resolve(definition.value)
                result, names = LetIn(definition.name, value, result), names | free(value)
        return result

    # --- cells afterwards -------------------------------------------------------------

    @cached_property
    def changes(self) -> Expr:
        """The condition under which the step, if it happens, changes something; it uses the step's names."""
        if self._step.enabled == FALSE:
            return TRUE
        found: list[Expr] = []
        known = self._facts
        """With what is so if all cells up to here are what they were."""
        for different in self._differences():
            plain = self._plain(different)
            left = different if plain is None else under(known, plain)
            if left == TRUE:
                return TRUE
            if left != FALSE:
                found.append(different)
                known |= facts_of(negate(left)) | {negate(left)}
        return TRUE if self._contradicts(known) else disjunction(*found)

    def _differences(self) -> Iterator[Expr]:
        """For each cell that may change, when it does."""
        for variable, version in self._step.final.items():
            for number in range(self._unroller.system.variable[variable].cells):
                different = self._differs(self._cell(version, Const(number)), Read(variable, Const(number)))
                if different != FALSE:
                    yield different

    def _contradicts(self, known: Facts) -> bool:
        """Whether the step cannot be possible where something is so."""
        plain = (self._plain(fact) for fact in self._facts)
        return any(each is not None and under(known - {each}, each) == FALSE for each in plain)

    def _plain(self, expr: Expr) -> Expr | None:
        """The expression without the step's names and without helpers; None if that is too long."""
        opened = self._opened(self.closed(expr), {})
        return None if _is_longer(opened, REASONABLE) else opened

    def _opened(self, expr: Expr, names: Mapping[str, Expr]) -> Expr:
        match expr:
            case Local(name):
                return names.get(name, expr)
            case LetIn(name, value, body):
                return self._opened(body, {**names, name: self._opened(value, names)})
            case Call():
                arguments = tuple(self._opened(each, names) for each in expr.arguments)
                inside = self._unroller.inline(Call(expr.helper, arguments), self._step.scope)
                return self._opened(inside, names)
        return _straight(rebuild(expr, lambda part: self._opened(part, names)))

    def _cell(self, version: str, index: Expr) -> Expr:
        """One cell of a version, in terms of the state before."""
        key = version, index
        if key not in self._cells:
            self._cells[key] = self._made(version, index)
            if _is_longer(self._cells[key], LONGEST):
                what = "fairness of a step whose effect is too long for one expression"
                raise self._unroller.refuse(what, remedy="do less in one step")
        return self._cells[key]

    def _made(self, version: str, index: Expr) -> Expr:
        match self._versions.get(version):
            case Store(_, base, place, value):
                here = binary("==", index, self._resolve(place))
                return _pick(here, self._resolve(value), self._cell(base, index))
            case Merge(_, condition, then, otherwise):
                return _pick(self._resolve(condition), self._cell(then, index), self._cell(otherwise, index))
        return Read(version, index)

    def _resolve(self, expr: Expr) -> Expr:
        """An expression that reads the state before instead of versions."""
        if isinstance(expr, Read):
            return self._cell(expr.variable, self._resolve(expr.index))
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
        plain = [self._plain(fact) for fact in facts]
        return facts | {inner for each in plain if each is not None for inner in facts_of(truth(each))}


def under(facts: Facts, expr: Expr) -> Expr:
    """What is left of an expression where some facts hold, however deep a condition lies in it."""
    decided = given(facts, expr)
    match decided:
        case Const():
            return decided
        case Binary("and", left, right):
            first = under(facts, left)
            second = under(facts | facts_of(first), right)
            return FALSE if second == FALSE else conjunction(first, second)
        case Binary("or", left, right):
            first = under(facts, left)
            second = under(facts | facts_of(negate(first)), right)
            return TRUE if second == TRUE else disjunction(first, second)
    made = rebuild(decided, lambda part: under(facts, part))
    return given(facts, _replaced(made, _equalities(facts)))


def _straight(expr: Expr) -> Expr:
    """A truth that is compared with 0, as a truth."""
    match expr:
        case Binary("!=" | "==" as op, inside, Const(0)) if is_truth(inside):
            return inside if op == "!=" else negate(inside)
    return expr


def _is_longer(expr: Expr, most: int) -> bool:
    """Whether an expression has more than so many parts."""
    waiting, count = [expr], 0
    while waiting and count <= most:
        waiting += parts(waiting.pop())
        count += 1
    return bool(waiting)


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
