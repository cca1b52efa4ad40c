"""Statements of a proof module: from Python's syntax tree to what contracts and bodies do.

A `return` before the end is turned into branches: what follows an `if` that returns belongs to its other
branch. So a run of a body is a walk through branches, and its answer is the value of some names at the end.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from angarium.contracts.module import (
    Branch,
    Call,
    Collect,
    Contract,
    Ensure,
    Let,
    Loop,
    Put,
    Require,
    Statement,
)
from angarium.contracts.reading.expressions import (
    read_arguments,
    read_as,
    read_condition,
    read_expression,
    read_generator,
)
from angarium.contracts.reading.scope import Scope, word_of
from angarium.contracts.terms import FALSE, TRUE, TRUTH, And, Expr, Symbol, Variable
from angarium.core.errors import did_you_mean

Claims = Mapping[str, type[Require] | type[Ensure]]
"""Which of the words `require`, `ensure` and `assert` may be said here, and what each becomes."""

BEFORE: Claims = {"require": Require}
AFTER: Claims = {"ensure": Ensure}
IN_CODE: Claims = {"assert": Ensure}
AT_THE_START: Claims = {}

MOST_PARTINGS = 100
"""How often the rest of a function may be read once more because something before it may have returned."""

PUT_OF_METHOD = {"add": TRUE, "discard": FALSE}


@dataclass(slots=True)
class Reader:
    """Reads the statements of one function."""

    claims: Claims
    answers: tuple[Variable, ...] | None = None
    """The names that hold what the function returns; None if it returns nowhere."""
    prefix: str = ""
    """Before the names of variables, so that a body's are not taken for those of its contract."""
    partings: int = 0

    def block(self, scope: Scope, nodes: Sequence[ast.stmt]) -> tuple[list[Statement], Scope]:
        """Statements in their order, and what is in sight behind them."""
        done: list[Statement] = []
        for i, node in enumerate(nodes):
            if isinstance(node, ast.Return):
                return [*done, *self._return(scope, node)], scope
            if isinstance(node, ast.If) and _returns(node):
                return [*done, self._parting(scope, node, nodes[i + 1 :])], scope
            more, scope = self._statement(scope, node)
            done += more
        return done, scope

    def _statement(self, scope: Scope, node: ast.stmt) -> tuple[list[Statement], Scope]:
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return [], scope
            case ast.Expr(value=ast.Call() as call):
                return [self._do(scope, call)], scope
            case ast.Expr(value=ast.Yield()) | ast.Assign(value=ast.Yield()):
                raise scope.error(
                    "ANG104", node, "yield stands once, at the top of a contract",
                    "possible: answer = yield, or yield alone", "say what comes before and what comes after",
                )  # fmt: skip
            case ast.Assert(test=test):
                return [self._claim(scope, node, "assert", [test])], scope
            case ast.Assign(targets=[target], value=value):
                return self._assign(scope, node, target, value)
            case ast.If():
                return self._branch(scope, node)
            case ast.While():
                return self._loop(scope, node)
        raise scope.error(
            "ANG104", node, f"this cannot be proved about: {ast.unparse(node).splitlines()[0]}",
            "possible: assignments, if, while with invariants, assert, return, calls of components",
            "see docs/reference/proofs.md",
        )  # fmt: skip

    # ── what stands alone: claims, changes of a set, calls of components ──

    def _do(self, scope: Scope, call: ast.Call) -> Statement:
        word = word_of(scope.module, call)
        if word in ("require", "ensure", "invariant"):
            return self._claim(scope.claiming(), call, word, [*call.args, *call.keywords])
        part = _component(scope, call)
        if part is not None:
            return self._call(scope, call, part, None)
        return self._change(scope, call)

    def _claim(self, scope: Scope, node: ast.AST, word: str, given: Sequence[ast.AST]) -> Statement:
        match self.claims.get(word), given:
            case type() as kind, [ast.expr() as condition]:
                return kind(read_condition(scope, condition), scope.text(condition), scope.module.place(node))
        raise scope.error(
            "ANG104", node, f"{word} cannot be said here, or not so",
            "possible: require before `yield`, ensure behind it, assert in a body, invariant in a while",
            "say one condition where it belongs",
        )  # fmt: skip

    def _change(self, scope: Scope, call: ast.Call) -> Statement:
        place = scope.module.place(call)
        match call.func, call.args:
            case ast.Attribute(value=owner, attr="add" | "discard" as method), [given]:
                symbol = self._relation(scope, owner)
                return Put(symbol, read_arguments(scope, given, symbol), PUT_OF_METHOD[method], place)
            case ast.Attribute(value=owner, attr="clear"), []:
                symbol = self._relation(scope, owner)
                return Collect(symbol, _variables(scope, symbol), symbol, FALSE, place)
        raise scope.error(
            "ANG104", call, f"this cannot be called: {ast.unparse(call)}",
            "possible: self.set.add, discard and clear, operations of components, require, ensure",
            "say it with an assignment",
        )  # fmt: skip

    def _relation(self, scope: Scope, node: ast.expr) -> Symbol:
        symbol = self._own(scope, node)
        if symbol.result != TRUTH or not symbol.arguments:
            raise scope.error("ANG106", node, f"{ast.unparse(node)} is no set", "", "assign to it instead")
        return symbol

    def _own(self, scope: Scope, node: ast.expr) -> Symbol:
        """State that may be changed here: one's own."""
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in scope.own:
                return scope.own[name]
        raise scope.error(
            "ANG105", node, f"{ast.unparse(node)} cannot be changed here", did_you_mean("", scope.own),
            "change state of the class itself; ask a component by its operations",
        )  # fmt: skip

    # ── assignments ──

    def _assign(
        self, scope: Scope, node: ast.Assign, target: ast.expr, value: ast.expr
    ) -> tuple[list[Statement], Scope]:
        place = scope.module.place(node)
        part = _component(scope, value)
        if part is not None:
            return self._named_answers(scope, target, value, part)
        match target:
            case ast.Name(id=name):
                expr = read_expression(scope, value)
                variable = Variable(self.prefix + name, expr.sort)
                return [Let(variable, expr, place)], scope.knowing({name: variable})
            case ast.Subscript(value=owner, slice=given):
                symbol = self._own(scope, owner)
                arguments = read_arguments(scope, given, symbol)
                return [Put(symbol, arguments, read_as(scope, value, symbol.result), place)], scope
            case ast.Attribute():
                return [self._replace(scope, node, self._own(scope, target), value)], scope
        raise scope.error("ANG104", target, f"cannot assign to {ast.unparse(target)}", "", "name one thing")

    def _replace(self, scope: Scope, node: ast.Assign, symbol: Symbol, value: ast.expr) -> Statement:
        place = scope.module.place(node)
        match value:
            case ast.SetComp(elt=elt, generators=[generator]) if symbol.arguments and symbol.result == TRUTH:
                return self._collect(scope, node, symbol, elt, generator)
            case _ if not symbol.arguments:
                return Put(symbol, (), read_as(scope, value, symbol.result), place)
        raise scope.error(
            "ANG104", value, f"a set or dict cannot become {ast.unparse(value)}",
            "possible: {x for x in self.set if condition}, self.set.add(x), self.dict[x] = y",
            "say how it changes",
        )  # fmt: skip

    def _collect(
        self, scope: Scope, node: ast.Assign, symbol: Symbol, elt: ast.expr, generator: ast.comprehension
    ) -> Statement:
        variables, domain, inside = read_generator(scope.within_all(), generator)
        if read_arguments(inside, elt, symbol) != variables:
            raise scope.error(
                "ANG104", elt, f"only what is gone through can be kept, not {ast.unparse(elt)}",
                "possible: {x for x in self.set if condition}", "keep the names as they are",
            )  # fmt: skip
        conditions = tuple(read_condition(inside, each) for each in generator.ifs)
        return Collect(symbol, variables, domain, And(conditions), scope.module.place(node))

    # ── calls of components ──

    def _named_answers(
        self, scope: Scope, target: ast.expr, value: ast.expr, part: str
    ) -> tuple[list[Statement], Scope]:
        assert isinstance(value, ast.Call)
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        names = [each.id for each in targets if isinstance(each, ast.Name)]
        call = self._call(scope, value, part, [self.prefix + name for name in names])
        return [call], scope.knowing(dict(zip(names, call.results, strict=True)))

    def _call(self, scope: Scope, call: ast.Call, part: str, names: list[str] | None) -> Call:
        assert isinstance(call.func, ast.Attribute)
        contract = self._contract(scope, call.func, part)
        if len(call.args) != len(contract.parameters) or call.keywords:
            wanted = ", ".join(each.name for each in contract.parameters)
            raise scope.error("ANG106", call, f"{contract.name} takes ({wanted})", "", "give them in order")
        pairs = zip(call.args, contract.parameters, strict=True)
        arguments = tuple(read_as(scope, given, wanted.sort) for given, wanted in pairs)
        names = [f"unnamed {result.name}" for result in contract.results] if names is None else names
        if len(names) != len(contract.results):
            wanted = ", ".join(each.name for each in contract.results)
            raise scope.error("ANG106", call, f"{contract.name} answers ({wanted})", "", "name each of them")
        results = tuple(Variable(n, r.sort) for n, r in zip(names, contract.results, strict=True))
        return Call(part, contract.name, arguments, results, scope.module.place(call))

    def _contract(self, scope: Scope, node: ast.Attribute, part: str) -> Contract:
        found = {contract.name: contract for contract in scope.parts[part].contracts}
        if part == scope.abstract:
            raise scope.error(
                "ANG081", node, "code cannot call its specification", "possible: operations of components",
                "do it with the implementation's own state",
            )  # fmt: skip
        if node.attr in found:
            return found[node.attr]
        raise scope.error(
            "ANG105", node, f"{part} has no operation {node.attr}", did_you_mean(node.attr, found),
            "call what its contracts name",
        )  # fmt: skip

    # ── branches, loops, answers ──

    def _branch(self, scope: Scope, node: ast.If) -> tuple[list[Statement], Scope]:
        condition = read_condition(scope, node.test)
        then, one = self.block(scope, node.body)
        otherwise, other = self.block(scope, node.orelse)
        both = {name: one.names[name] for name in one.names if other.names.get(name) == one.names[name]}
        branch = Branch(condition, tuple(then), tuple(otherwise), scope.module.place(node))
        return [branch], scope.only(both)

    def _parting(self, scope: Scope, node: ast.If, rest: Sequence[ast.stmt]) -> Statement:
        self.partings += 1
        if self.partings > MOST_PARTINGS:
            raise scope.error(
                "ANG108", node, f"there are more than {MOST_PARTINGS} ways through this function", "",
                "return in fewer places",
            )  # fmt: skip
        condition = read_condition(scope, node.test)
        then, _ = self.block(scope, [*node.body, *rest])
        otherwise, _ = self.block(scope, [*node.orelse, *rest])
        return Branch(condition, tuple(then), tuple(otherwise), scope.module.place(node))

    def _loop(self, scope: Scope, node: ast.While) -> tuple[list[Statement], Scope]:
        if node.orelse or any(isinstance(each, ast.Return) for each in ast.walk(node)):
            raise scope.error("ANG104", node, "a while has no else and no return", "", "return behind it")
        claims = [each for each in node.body if _is_invariant(scope, each)]
        rest = [each for each in node.body if each not in claims]
        invariants = tuple(_invariant(scope, each) for each in claims)
        body, behind = self.block(scope, rest)
        for name in scope.names:
            if behind.names.get(name) != scope.names[name]:
                what = f"{name} becomes something else in this loop"
                raise scope.error("ANG106", node, what, "", "give things of different sorts different names")
        condition = read_condition(scope, node.test)
        return [Loop(condition, invariants, tuple(body), scope.module.place(node))], scope

    def _return(self, scope: Scope, node: ast.Return) -> list[Statement]:
        if self.answers is None:
            raise scope.error("ANG104", node, "there is nothing to return from here", "", "use if and else")
        part = _component(scope, node.value) if node.value is not None else None
        if part is not None:
            return [self._passed_on(scope, node, part, self.answers)]
        place = scope.module.place(node)
        pairs = zip(self._returned(scope, node, self.answers), self.answers, strict=True)
        return [Let(answer, value, place) for value, answer in pairs]

    def _passed_on(self, scope: Scope, node: ast.Return, part: str, answers: tuple[Variable, ...]) -> Call:
        assert isinstance(node.value, ast.Call)
        call = self._call(scope, node.value, part, [answer.name for answer in answers])
        if call.results != answers:
            wanted = ", ".join(answer.sort.name for answer in answers) or "nothing"
            raise scope.error("ANG106", node, f"the contract wants ({wanted})", "", "return that")
        return call

    def _returned(self, scope: Scope, node: ast.Return, answers: tuple[Variable, ...]) -> list[Expr]:
        match node.value:
            case None | ast.Constant(value=None):
                given: list[ast.expr] = []
            case ast.Tuple(elts=elts):
                given = elts
            case single:
                given = [single]
        if len(given) != len(answers):
            wanted = ", ".join(answer.sort.name for answer in answers) or "nothing"
            raise scope.error("ANG106", node, f"the contract wants ({wanted})", "", "return as many things")
        pairs = zip(given, answers, strict=True)
        return [read_as(scope, each, answer.sort) for each, answer in pairs]


def _variables(scope: Scope, symbol: Symbol) -> tuple[Variable, ...]:
    return tuple(scope.bound("x", sort) for sort in symbol.arguments)


def _component(scope: Scope, node: ast.expr) -> str | None:
    """The component whose operation is called, if that is what is written."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=part))):
            return part if part in scope.parts else None
    return None


def _returns(node: ast.If) -> bool:
    return any(isinstance(each, ast.Return) for each in ast.walk(node))


def _is_invariant(scope: Scope, node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and word_of(scope.module, node.value) == "invariant"
    )


def _invariant(scope: Scope, node: ast.stmt) -> Ensure:
    assert isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if len(node.value.args) != 1 or node.value.keywords:
        raise scope.error("ANG106", node, "invariant takes one condition", "", "join several with `and`")
    condition = node.value.args[0]
    return Ensure(
        read_condition(scope.claiming(), condition), scope.text(condition), scope.module.place(node)
    )
