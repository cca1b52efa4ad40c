"""The verdict on an obligation, by two routes that do not know of each other.

The solver looks for a proof for any size; if it finds none at once, small worlds are searched for a
counterexample, and only if there is none does the solver get more time. So `holds` always rests on a proof,
and `violated` always on a counterexample that can be looked at; anything else is `unknown` and says why.

What follows from premises that contradict each other is proved of nothing. So a proof counts only if the
premises were seen to be possible.

Proofs for any size: obligations as first-order logic over sorts of which nothing is known but axioms.

An obligation holds if its premises and the opposite of its goal cannot all be true, in any world. Z3 looks
for a world; if it proves that there is none, the obligation holds for sorts of any size, and for infinite
ones.

An **order** has axioms that say that it is total and has a first element. A **ring** is an order with a first
and a last, bent to a circle: the next of the last is the first, and of any other the one just above it.
Finite circles have more in common than first-order logic can say, so what is proved is true of them and of
some infinite ones as well.

A translated expression does not depend on where it stands: variables become constants with their name and
sort, and a quantifier binds those that are left in its body, as it does in the source. So every object is
translated once, though many obligations share it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import z3

from angarium.contracts.obligations import Counterexample, Judged, Obligation
from angarium.contracts.solve.asking import SEED, Answer, ask
from angarium.contracts.solve.smallest import is_possible, show, smallest
from angarium.contracts.terms import (
    TRUTH,
    And,
    Apply,
    Between,
    Choice,
    Equal,
    Expr,
    First,
    Kind,
    Less,
    Literal,
    Next,
    Not,
    Or,
    Quantified,
    Quantifier,
    Sort,
    Symbol,
    Variable,
)
from angarium.core.result import Verdict

QUICK, PATIENT = 300_000, 5_000_000
"""Steps of the solver: first, and when no small counterexample was found."""
LARGEST = 4
"""Elements of each sort in the largest world that is searched for a counterexample."""
LARGEST_TO_BEGIN = 3
"""The same for a world in which the premises are true."""


class Judge:
    """Decides obligations of one part, which are known to it all."""

    def __init__(self, obligations: Sequence[Obligation], deadline: float | None = None) -> None:
        self._obligations = obligations
        self._deadline = deadline
        self._unbounded = Unbounded()
        self._premises: dict[tuple[int, ...], Answer] = {}
        """By the premises' ids: obligations share them, and keep them."""

    def judge(self, obligation: Obligation) -> Judged:
        """The verdict; raises TimeoutError at the deadline."""
        begin = time.perf_counter()
        verdict, counterexample, reason = self._decide(obligation)
        return Judged(obligation, verdict, time.perf_counter() - begin, counterexample, reason)

    def _decide(self, obligation: Obligation) -> tuple[Verdict, Counterexample | None, str | None]:
        answer = self._prove(obligation, QUICK)
        if answer is not Answer.IMPOSSIBLE:
            found = self._refute(obligation)
            if found:
                return Verdict.VIOLATED, found, None
        if answer is Answer.UNDECIDED:
            answer = self._prove(obligation, PATIENT)
        reason = _NO_ANSWER[answer] if answer in _NO_ANSWER else self._why_it_says_nothing(obligation)
        return (Verdict.UNKNOWN if reason else Verdict.HOLDS), None, reason

    def _prove(self, obligation: Obligation, effort: int) -> Answer:
        claims = (*obligation.premises, Not(obligation.goal))
        return self._unbounded.ask(claims, obligation.sorts, effort, self._deadline)

    def _refute(self, obligation: Obligation) -> Counterexample | None:
        claims = (*obligation.premises, Not(obligation.goal))
        found = smallest(claims, obligation.sorts, obligation.arguments, LARGEST, self._deadline)
        return show(obligation, found) if found else None

    # --- whether something was proved of anything -----------------------------------------------

    def _why_it_says_nothing(self, obligation: Obligation) -> str | None:
        """Why a proof counts for nothing, if so."""
        match self._can_begin(obligation):
            case Answer.POSSIBLE:
                return None
            case Answer.UNDECIDED:
                return "it is proved, but whether what it assumes can be true at all was not found out"
            case Answer.IMPOSSIBLE if obligation.operation is None:
                return "what is assumed of the start contradicts itself, so nothing is said of any start"
            case Answer.IMPOSSIBLE if self._can_be_called(obligation.operation):
                return f"the run of {obligation.operation} never comes here, so nothing is said of any call"
            case Answer.IMPOSSIBLE:
                return f"{obligation.operation} can never be called: what it assumes contradicts itself"

    def _can_begin(self, obligation: Obligation) -> Answer:
        """Whether the premises can be true; many obligations share them."""
        question = tuple(map(id, obligation.premises))
        if question not in self._premises:
            self._premises[question] = self._are_possible(obligation.premises, obligation.sorts)
        return self._premises[question]

    def _are_possible(self, premises: tuple[Expr, ...], sorts: tuple[Sort, ...]) -> Answer:
        if is_possible(premises, sorts, LARGEST_TO_BEGIN, self._deadline):
            return Answer.POSSIBLE
        return self._unbounded.ask(premises, sorts, PATIENT, self._deadline)

    def _can_be_called(self, operation: str | None) -> bool:
        of_the_same = (each for each in self._obligations if each.operation == operation)
        return any(self._can_begin(each) is Answer.POSSIBLE for each in of_the_same)


_LOOKED = f"no counterexample with up to {LARGEST} elements of each sort was found"
_NO_ANSWER = {
    Answer.UNDECIDED: f"no proof was found within the limits, and {_LOOKED}",
    Answer.POSSIBLE: f"it does not follow from what is assumed, but {_LOOKED}",
}


# --- unbounded ------------------------------------------------------------------------------------


class Unbounded:
    """Asks whether claims can be true in a world of any size."""

    def __init__(self) -> None:
        self._translated: dict[int, tuple[Expr, z3.ExprRef]] = {}
        self._axioms: dict[Sort, list[z3.BoolRef]] = {}

    def ask(
        self, claims: Sequence[Expr], sorts: Sequence[Sort], effort: int, deadline: float | None
    ) -> Answer:
        """Whether the claims can all be true."""
        solver = z3.Solver()
        solver.set("auto_config", False)
        solver.set("random_seed", SEED)
        for sort in sorts:
            solver.add(*self._axioms_of(sort))
        solver.add(*(self.translate(claim) for claim in claims))
        return ask(solver, effort, deadline)

    def _axioms_of(self, sort: Sort) -> list[z3.BoolRef]:
        if sort not in self._axioms:
            self._axioms[sort] = _AXIOMS[sort.kind](sort)
        return self._axioms[sort]

    def translate(self, expr: Expr) -> z3.ExprRef:
        """The expression in Z3's own form."""
        known = self._translated.get(id(expr))
        if known is None:  # the expression is kept with it, so that no other object gets its id
            known = self._translated[id(expr)] = (expr, self._translate(expr))
        return known[1]

    def _translate(self, expr: Expr) -> z3.ExprRef:
        match expr:
            case Literal(value=value):
                return z3.BoolVal(value)
            case Variable():
                return _constant(expr)
            case First(sort=sort):
                return _first(sort)
            case Next(of=of):
                assert of.sort.kind is Kind.RING, "the next in an order is named by a premise"
                return _next(of.sort)(self.translate(of))
            case Apply(symbol=symbol, arguments=arguments):
                return _function(symbol)(*map(self.translate, arguments))
            case Equal(left=left, right=right):
                return self.translate(left) == self.translate(right)
            case Less(left=left, right=right):
                return _less(left.sort)(self.translate(left), self.translate(right))
            case Between(start=start, slot=slot, end=end):
                return _between(_less(slot.sort), *map(self.translate, (start, slot, end)))
            case _:
                return self._connected(expr)

    def _connected(self, expr: Expr) -> z3.ExprRef:
        """Expressions that are made of truths."""
        match expr:
            case Not(of=of):
                return z3.Not(self.translate(of))
            case And(parts=parts):
                return z3.And(*map(self.translate, parts))
            case Or(parts=parts):
                return z3.Or(*map(self.translate, parts))
            case Choice(condition=condition, then=then, otherwise=otherwise):
                return z3.If(*map(self.translate, (condition, then, otherwise)))
            case Quantified():
                return self._quantified(expr)
            case _:
                raise AssertionError(expr)

    def _quantified(self, expr: Quantified) -> z3.ExprRef:
        bound = [_constant(variable) for variable in expr.variables]
        body = self.translate(expr.body)
        inside = _function(expr.domain)(*bound) if expr.domain else z3.BoolVal(True)
        if expr.quantifier is Quantifier.ALL:
            return z3.ForAll(bound, z3.Implies(inside, body))
        return z3.Exists(bound, z3.And(inside, body))


# --- names ------------------------------------------------------------------------------------


def _sort(sort: Sort) -> z3.SortRef:
    return z3.BoolSort() if sort == TRUTH else z3.DeclareSort(sort.name)


def _constant(variable: Variable) -> z3.ExprRef:
    """A variable is told by a mark from a symbol without arguments that has its name."""
    return z3.Const(f"{variable.name}?", _sort(variable.sort))


def _function(symbol: Symbol) -> z3.FuncDeclRef:
    """What is fixed is told by a mark from state that has its name."""
    name = f"{symbol.name}!" if symbol.fixed else symbol.name
    return z3.Function(name, *map(_sort, symbol.arguments), _sort(symbol.result))


def _first(sort: Sort) -> z3.ExprRef:
    return z3.Const(f"first {sort.name}", _sort(sort))


def _less(sort: Sort) -> z3.FuncDeclRef:
    return z3.Function(f"{sort.name} <", _sort(sort), _sort(sort), z3.BoolSort())


def _next(sort: Sort) -> z3.FuncDeclRef:
    return z3.Function(f"next {sort.name}", _sort(sort), _sort(sort))


# --- axioms -----------------------------------------------------------------------------------


def _nothing(_sort: Sort) -> list[z3.BoolRef]:
    return []


def _order(sort: Sort) -> list[z3.BoolRef]:
    """A strict total order with a first element."""
    less, first = _less(sort), _first(sort)
    x, y, z = (z3.Const(f"{name} {sort.name}", _sort(sort)) for name in "xyz")
    return [
        z3.ForAll([x], z3.Not(less(x, x))),
        z3.ForAll([x, y, z], z3.Implies(z3.And(less(x, y), less(y, z)), less(x, z))),
        z3.ForAll([x, y], z3.Or(less(x, y), x == y, less(y, x))),
        z3.ForAll([x], z3.Not(less(x, first))),
    ]


def _ring(sort: Sort) -> list[z3.BoolRef]:
    """An order with a last element, and how to go round."""
    less, first, following = _less(sort), _first(sort), _next(sort)
    x, y = (z3.Const(f"{name} {sort.name}", _sort(sort)) for name in "xy")
    last = z3.Const(f"last {sort.name}", _sort(sort))
    return [
        *_order(sort),
        z3.ForAll([x], z3.Not(less(last, x))),
        following(last) == first,
        z3.ForAll([x], z3.Or(x == last, less(x, following(x)))),
        z3.ForAll([x, y], z3.Not(z3.And(less(x, y), less(y, following(x))))),
    ]


def _between(less: z3.FuncDeclRef, start: z3.ExprRef, slot: z3.ExprRef, end: z3.ExprRef) -> z3.BoolRef:
    """Without a wrap: start <= slot < end; with one: start <= slot or slot < end."""
    behind_start, before_end = z3.Not(less(slot, start)), less(slot, end)
    straight = z3.And(less(start, end), behind_start, before_end)
    wrapped = z3.And(less(end, start), z3.Or(behind_start, before_end))
    return z3.Or(straight, wrapped)


_AXIOMS: dict[Kind, Callable[[Sort], list[z3.BoolRef]]] = {
    Kind.TRUTH: _nothing,
    Kind.PLAIN: _nothing,
    Kind.ORDER: _order,
    Kind.RING: _ring,
}
