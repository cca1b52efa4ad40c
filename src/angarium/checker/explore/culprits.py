"""For whom a condition is false: in `all(m in self.delivered for m in Message)`, the messages that are not.

A story that says which message is gone is understood at once. A condition is followed from its top down to
the comprehension that makes it false: through `and`, `not`, `if` and helpers, each time into the part that
decides. There the values for which the body is wrong are the culprits, and what makes the body wrong is
looked for in turn, so that a culprit may be a pair: `(m1, c2)`.

A comprehension binds numbers. What they stand for is told by the first place where they select a cell of
the state, or are given to a helper; where nothing tells it, they are not named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod

from angarium.checker.explore.evaluate import EvaluationError, evaluate
from angarium.checker.ir.labels import Labels
from angarium.checker.ir.syntax import Binary, Call, Expr, IfElse, LetIn, Local, Not, Read, Reduce
from angarium.checker.ir.transition import Cells, TransitionSystem, Variable
from angarium.checker.ir.traversal import expressions, selects

Culprit = tuple[str, ...]
"""Labels of the values for which something is false, from the outermost comprehension to the innermost."""
_MANY = 4
"""How many culprits a sentence names."""


def blamed(system: TransitionSystem, condition: Expr, cells: Cells) -> str:
    """` for m1 and m3`, behind the sentence that a condition is false; empty if nobody can be named."""
    return named(culprits(system, condition, cells))


def blamed_throughout(system: TransitionSystem, condition: Expr, states: Sequence[Cells]) -> str:
    """The same for those for whom a condition is false in each of some states."""
    first, *rest = (culprits(system, condition, cells) for cells in states)
    return named(tuple(each for each in first if all(each in others for others in rest)))


def named(found: tuple[Culprit, ...]) -> str:
    """Culprits as the end of a sentence."""
    words = [each[0] if len(each) == 1 else f"({', '.join(each)})" for each in found[:_MANY]]
    words += [f"{len(found) - _MANY} more"] if len(found) > _MANY else []
    *first, last = words or [""]
    return f" for {', '.join(first)}{' and ' if first else ''}{last}" if last else ""


def culprits(system: TransitionSystem, condition: Expr, cells: Cells) -> tuple[Culprit, ...]:
    """Those for whom a condition that should be true is false in a state."""
    search = _Search(system, Labels(system), cells)
    try:
        found = () if search.value(condition, {}) else search.blame(condition, True, {})
        return tuple(dict.fromkeys(each for each in found if each))
    except EvaluationError:
        return ()  # where a guarantee cannot be evaluated, that is what the story is about


@dataclass(frozen=True, slots=True)
class _Search:
    system: TransitionSystem
    labels: Labels
    cells: Cells

    def value(self, expr: Expr, local: Mapping[str, int]) -> int:
        return evaluate(self.system, expr, self.cells, local)

    def blame(self, expr: Expr, wanted: bool, local: Mapping[str, int]) -> Iterator[Culprit]:
        """Why an expression is not as wanted; an empty culprit where it is so for nobody in particular."""
        match expr:
            case Not(operand):
                yield from self.blame(operand, not wanted, local)
            case Binary("and" | "or" as op, left, right) if (op == "and") == wanted:
                first = bool(self.value(left, local)) == wanted
                yield from self.blame(right if first else left, wanted, local)
            case IfElse(condition, then, otherwise):
                branch = then if self.value(condition, local) else otherwise
                yield from self.blame(branch, wanted, local)
            case LetIn(name, value, body):
                yield from self.blame(body, wanted, {**local, name: self.value(value, local)})
            case Call(helper, arguments):
                yield from self.blame_helper(helper, [self.value(each, local) for each in arguments], wanted)
            case Reduce("all" | "any" as op) if (op == "all") == wanted:
                yield from self.blame_members(expr, wanted, local)
            case _:
                yield ()

    def blame_helper(self, name: str, arguments: list[int], wanted: bool) -> Iterator[Culprit]:
        helper = self.system.helper[name]
        names = (parameter.name for parameter in helper.parameters)
        yield from self.blame(helper.body, wanted, dict(zip(names, arguments, strict=True)))

    def blame_members(self, reduce: Reduce, wanted: bool, local: Mapping[str, int]) -> Iterator[Culprit]:
        for number in range(self.value(reduce.low, local), self.value(reduce.high, local)):
            inner = {**local, reduce.name: number}
            if self.value(reduce.where, inner) and bool(self.value(reduce.body, inner)) != wanted:
                own = tuple(self.label(reduce, inner))
                yield from (own + rest for rest in self.blame(reduce.body, wanted, inner))

    # --- what a number stands for -----------------------------------------------------------

    def label(self, reduce: Reduce, local: Mapping[str, int]) -> Iterator[str]:
        """What people call the number that a comprehension's name has; nothing if that cannot be known."""
        inside = (*expressions(reduce.body), *expressions(reduce.where))
        found = (label for each in inside for label in self.told_by(each, reduce, local))
        yield from islice(found, 1)

    def told_by(self, expr: Expr, reduce: Reduce, local: Mapping[str, int]) -> Iterator[str]:
        match expr:
            case Read(variable, index) if selects(index, reduce.name):
                yield from self.key(self.system.variable[variable], index, reduce, local)
            case Call(helper, arguments):
                parameters = self.system.helper[helper].parameters
                for parameter, argument in zip(parameters, arguments, strict=True):
                    if argument == Local(reduce.name):
                        yield self.labels.text(parameter.type, local[reduce.name])

    def key(self, variable: Variable, index: Expr, reduce: Reduce, local: Mapping[str, int]) -> Iterator[str]:
        """The label of the dimension along which a name moves the index."""
        known = defaultdict(int, local)  # names that are bound further inside do not matter here
        here = self.value(index, known)
        known[reduce.name] += 1
        stride = self.value(index, known) - here
        dimensions = zip(variable.dims, variable.keys, _strides(variable.dims), strict=True)
        along = [(size, key) for size, key, step in dimensions if step == stride]
        if len(along) > 1:  # a dimension of one place has the stride of the next
            count = self.value(reduce.high, local) - self.value(reduce.low, local)
            along = [(size, key) for size, key in along if size == count]
        if len(along) == 1 and (key := along[0][1]) is not None:
            yield self.labels.text(key, key.low + here // stride % along[0][0])


def _strides(dims: tuple[int, ...]) -> list[int]:
    """How far apart the cells are that are neighbours along each dimension."""
    return [prod(dims[number + 1 :]) for number in range(len(dims))]
