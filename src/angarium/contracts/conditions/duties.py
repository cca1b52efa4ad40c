"""What must be proved of a specification or an implementation.

At the start every conjecture must hold. Then, from any state in which all of them hold, one call of an
operation must keep them, and everything asserted on the way must be true: by induction they hold after any
number of calls. A specification is run with any answers that its `ensure`s allow; an implementation with its
bodies.

Running statements on symbols instead of values, and writing down what must be proved on the way.

A run keeps what every symbol and name stands for, over the state at the start, and the premises under which
this point is reached. A branch is run both ways and the two are merged, so no path is lost and none is
counted twice. A loop is cut by its invariants: they must hold when it is reached, and one round from any
state in which they hold must keep them; behind it nothing else is known of what the loop changes.

After some statements every symbol is a **lambda** over the symbols at the start. An expression in the middle
of a run is brought back to the start by putting these lambdas in the place of symbols. Bound variables get
new names each time, so that nothing that is put in can be caught by a quantifier around it.

What is claimed is somebody's duty: `duties` says for each kind of claim whether it is a premise here or must
be proved. A claim that was proved, or could not be, is no premise for those behind it: each stands alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from angarium.contracts.module import (
    Branch,
    Call,
    Collect,
    Conjecture,
    Contract,
    Ensure,
    Implementation,
    Let,
    Loop,
    Put,
    Require,
    Specification,
    Statement,
)
from angarium.contracts.obligations import Lambda, Moment, Obligation, Sides
from angarium.contracts.terms import (
    And,
    Apply,
    Choice,
    Equal,
    Expr,
    Kind,
    Less,
    Next,
    Not,
    Quantified,
    Quantifier,
    Sort,
    Symbol,
    Variable,
    implies,
    parts_of,
    with_parts,
)
from angarium.core.errors import LimitError, Place

KIND_OF_HEADING: Mapping[str, Sides] = {
    "starts with": "initial",
    "keeps": "preserved",
    "ensures": "ensured",
    "asserts": "ensured",
    "reaches its loop with": "kept",
    "keeps in its loop": "kept",
}
"""Every other heading is about calling a component."""


def obligations_of(part: Specification | Implementation) -> tuple[Obligation, ...]:
    """Everything that must be proved of a part, for it to be right."""
    proof = _Proof(part)
    proof.start()
    for contract in _specification(part).contracts:
        proof.operation(contract)
    return _numbered(proof.found)


def _specification(part: Specification | Implementation) -> Specification:
    return part if isinstance(part, Specification) else part.specification


def _numbered(obligations: Sequence[Obligation]) -> tuple[Obligation, ...]:
    """Give a number to those that would have the same name."""
    total, seen = Counter(each.name for each in obligations), Counter[str]()
    named = []
    for each in obligations:
        seen[each.name] += 1
        number = f" ({seen[each.name]})" if total[each.name] > 1 else ""
        named.append(replace(each, name=each.name + number))
    return tuple(named)


@dataclass(slots=True)
class _Proof:
    """The obligations of one part, as they are found."""

    part: Specification | Implementation
    found: list[Obligation] = field(default_factory=list)
    contract: Contract | None = None

    @property
    def components(self) -> Mapping[str, Specification]:
        return {} if isinstance(self.part, Specification) else dict(self.part.components)

    @property
    def state(self) -> tuple[Symbol, ...]:
        """The abstract state first, then that of components, then one's own."""
        if isinstance(self.part, Specification):
            return self.part.state
        below = [symbol for each in self.components.values() for symbol in each.state]
        return (*self.part.specification.state, *below, *self.part.state)

    @property
    def grounds(self) -> tuple[Specification, ...]:
        """The specifications whose conjectures are known to hold: each is a proof of its own."""
        if isinstance(self.part, Specification):
            return ()
        return (self.part.specification, *self.components.values())

    def _run(self) -> Run:
        return Run(self.components, self._record, [])

    def start(self) -> None:
        """Every conjecture holds before the first call."""
        run = self._run()
        for each in self.grounds:
            run.do(each.initially, {})
        run.do(self.part.initially, {Ensure: "asserts", Require: "may call"})
        self._conclude(run, "starts with")

    def operation(self, contract: Contract) -> None:
        """One call keeps every conjecture, and what it asserts is true."""
        self.contract = contract
        known = [each for ground in self.grounds for each in ground.conjectures]
        run = self._run()
        run.premises += [run.value(closed(each)) for each in (*known, *self.part.conjectures)]
        run.names = {each: each for each in contract.parameters}
        run.do(contract.before, {})
        if isinstance(self.part, Specification):
            run.names |= {each: run.fresh.variable(each.name, each.sort) for each in contract.results}
            run.do(contract.after, {})
        else:
            self._implemented(run, contract, self.part)
        self._conclude(run, "keeps")

    def _implemented(self, run: Run, contract: Contract, part: Implementation) -> None:
        body, names = part.body(contract.name), run.names
        run.names = dict(names)
        run.do(body.statements, {Ensure: "asserts"})
        answers = [run.value(each) for each in body.results]
        run.names = names | dict(zip(contract.results, answers, strict=True))
        run.do(contract.after, {Ensure: "ensures"})

    def _conclude(self, run: Run, heading: str) -> None:
        for each in self.part.conjectures:
            self._record(run, heading, run.value(closed(each)), each.text, each.place, each.name)

    def _record(self, run: Run, heading: str, goal: Expr, text: str, place: Place, of: str = "") -> None:
        operation = self.contract.name if self.contract else None
        self.found.append(
            Obligation(
                name=" ".join(word for word in (operation or self.part.name, heading, of) if word),
                kind=KIND_OF_HEADING.get(heading, "required"),
                operation=operation,
                text=text,
                premises=tuple(run.premises),
                goal=goal,
                sorts=self.part.sorts,
                arguments=self.contract.parameters if self.contract else (),
                results=self._results(run),
                moments=tuple(self._moments(run)),
                place=place,
                conjecture=of or None,
            )
        )

    def _results(self, run: Run) -> tuple[tuple[str, Expr], ...]:
        results = self.contract.results if self.contract else ()
        return tuple((each.name, run.names[each]) for each in results if each in run.names)

    def _moments(self, run: Run) -> Iterable[Moment]:
        if self.contract is None:
            return [Moment("at the start", self._all(run, run.store))]
        moments = [Moment("before", self._all(run, {})), Moment("after", self._all(run, run.store))]
        if run.middle is not None:
            moments.insert(1, Moment("in the loop", self._all(run, run.middle)))
        return moments

    def _all(self, run: Run, store: Mapping[Symbol, Lambda]) -> Mapping[Symbol, Lambda]:
        view = replace(run, store=dict(store))
        return {symbol: view.lambda_of(symbol) for symbol in self.state}


def closed(conjecture: Conjecture) -> Expr:
    """A conjecture of all values of its parameters."""
    if not conjecture.parameters:
        return conjecture.condition
    return Quantified(Quantifier.ALL, conjecture.parameters, None, conjecture.condition)


# --- symbolic run ---------------------------------------------------------------------------------


LONGEST = 2_000_000
"""Parts of all formulas of one operation."""

Store = Mapping[Symbol, Lambda]
Names = Mapping[Variable, Expr]


@dataclass(slots=True)
class Fresh:
    """Names that nothing else has."""

    _numbers: count[int] = field(default_factory=count)
    _spent: int = 0

    def spend(self) -> None:
        """Count a step of writing formulas out: a few lines of code can double them again and again."""
        self._spent += 1
        if self._spent > LONGEST:
            raise LimitError(
                "ANG055",
                f"the formulas for one operation have more than {LONGEST:,} parts",
                possible="each use of a changed set or dict writes out all its changes",
                remedy="do less in one operation, or give intermediate results names",
            )

    def variable(self, name: str, sort: Sort) -> Variable:
        return Variable(f"{name.partition('#')[0]}#{next(self._numbers)}", sort)

    def symbol(self, like: Symbol) -> Symbol:
        return Symbol(f"{like.name}#{next(self._numbers)}", like.arguments, like.result)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One moment of a run: what symbols and names stand for."""

    store: Store
    names: Names
    fresh: Fresh
    next_of: Callable[[Expr], Expr] | None = None
    """What the next element of an order is; None where code has no business to ask."""

    def of(self, expr: Expr) -> Expr:
        self.fresh.spend()
        match expr:
            case Variable():
                return self.names.get(expr, expr)
            case Next(of=of):
                return self._next(self.of(of))
            case Apply(symbol=symbol, arguments=arguments):
                return self._applied(symbol, tuple(self.of(each) for each in arguments))
            case Quantified():
                return self._quantified(expr)
        return with_parts(expr, tuple(self.of(each) for each in parts_of(expr)))

    def _next(self, of: Expr) -> Expr:
        if of.sort.kind is Kind.ORDER and self.next_of is not None:
            return self.next_of(of)
        return Next(of)

    def _applied(self, symbol: Symbol, arguments: tuple[Expr, ...]) -> Expr:
        found = self.store.get(symbol)
        if found is None:
            return Apply(symbol, arguments)
        return at(found, arguments, self.fresh)

    def _quantified(self, expr: Quantified) -> Expr:
        variables = tuple(self.fresh.variable(each.name, each.sort) for each in expr.variables)
        names = {**self.names, **dict(zip(expr.variables, variables, strict=True))}
        inside = Evaluation(self.store, names, self.fresh, self.next_of)
        body = inside.of(expr.body)
        if expr.domain is not None:
            member = inside.of(expr.domain(*expr.variables))
            is_all = expr.quantifier is Quantifier.ALL
            body = implies(member, body) if is_all else And((member, body))
        return Quantified(expr.quantifier, variables, None, body)


def at(value: Lambda, arguments: tuple[Expr, ...], fresh: Fresh) -> Expr:
    """A lambda at its arguments; without any it is shared, not copied."""
    if not arguments:
        return value.value
    return Evaluation({}, dict(zip(value.parameters, arguments, strict=True)), fresh).of(value.value)


def unchanged(symbol: Symbol, fresh: Fresh) -> Lambda:
    """A symbol as it was at the start."""
    parameters = tuple(fresh.variable("x", sort) for sort in symbol.arguments)
    return Lambda(parameters, symbol(*parameters))


Record = Callable[["Run", str, Expr, str, Place], None]
"""Writes down what must be true: at which point of the run, under which heading, as written where."""

Duties = Mapping[type[Require] | type[Ensure], str]
"""For each kind of claim the heading under which it must be proved; a kind that is missing is a premise."""


@dataclass(slots=True)
class Run:
    """A point in a run, with everything that led to it."""

    components: Mapping[str, Specification]
    record: Record
    premises: list[Expr]
    store: dict[Symbol, Lambda] = field(default_factory=dict)
    names: dict[Variable, Expr] = field(default_factory=dict)
    fresh: Fresh = field(default_factory=Fresh)
    middle: dict[Symbol, Lambda] | None = None
    """The state in which the round of a loop begins that is being run."""

    def copy(self, *premises: Expr) -> Run:
        return replace(
            self, premises=[*self.premises, *premises], store=dict(self.store), names=dict(self.names)
        )

    def value(self, expr: Expr) -> Expr:
        """An expression at this point, over the state at the start."""
        return Evaluation(self.store, self.names, self.fresh, self._next_of).of(expr)

    def _next_of(self, element: Expr) -> Expr:
        """The next element of an order: above this one, and nothing is in between."""
        found, other = self.fresh.variable("next", element.sort), self.fresh.variable("x", element.sort)
        gap = And((Less(element, other), Less(other, found)))
        self.premises += [Less(element, found), Quantified(Quantifier.ALL, (other,), None, Not(gap))]
        return found

    def do(self, statements: Iterable[Statement], duties: Duties) -> None:
        for each in statements:
            self._step(each, duties)

    def _step(self, statement: Statement, duties: Duties) -> None:
        match statement:
            case Require() | Ensure():
                self._claim(statement, duties)
            case Let(variable=variable, value=value):
                self.names[variable] = self.value(value)
            case Put():
                self._put(statement)
            case Collect():
                self._collect(statement)
            case Branch():
                self._branch(statement, duties)
            case Loop():
                self._loop(statement, duties)
            case Call():
                self._call(statement)

    def _claim(self, claim: Require | Ensure, duties: Duties) -> None:
        condition = self.value(claim.condition)
        heading = duties.get(type(claim))
        if heading is None:
            self.premises.append(condition)
        else:
            self.record(self, heading, condition, claim.text, claim.place)

    # ── changes of state ──

    def lambda_of(self, symbol: Symbol) -> Lambda:
        """What a symbol is at this point."""
        return self.store.get(symbol) or unchanged(symbol, self.fresh)

    def _put(self, put: Put) -> None:
        old = self.lambda_of(put.symbol)
        arguments = [self.value(each) for each in put.arguments]
        here = And(tuple(Equal(p, a) for p, a in zip(old.parameters, arguments, strict=True)))
        value = self.value(put.value)
        changed = Choice(here, value, old.value) if arguments else value
        self.store[put.symbol] = Lambda(old.parameters, changed)

    def _collect(self, collect: Collect) -> None:
        parameters = tuple(self.fresh.variable(each.name, each.sort) for each in collect.variables)
        inside = self.copy()
        inside.names |= dict(zip(collect.variables, parameters, strict=True))
        member = () if collect.domain is None else (collect.domain(*collect.variables),)
        self.store[collect.symbol] = Lambda(parameters, inside.value(And((*member, collect.condition))))

    # ── branches, loops, calls ──

    def _branch(self, branch: Branch, duties: Duties) -> None:
        condition = self.value(branch.condition)
        then, otherwise = self.copy(condition), self.copy(Not(condition))
        then.do(branch.then, duties)
        otherwise.do(branch.otherwise, duties)
        known = len(self.premises)
        self.premises += [implies(condition, each) for each in then.premises[known + 1 :]]
        self.premises += [implies(Not(condition), each) for each in otherwise.premises[known + 1 :]]
        self._merge(condition, then, otherwise)

    def _merge(self, condition: Expr, then: Run, otherwise: Run) -> None:
        for symbol in {**then.store, **otherwise.store}:
            one, other = then.lambda_of(symbol), otherwise.lambda_of(symbol)
            again = at(other, one.parameters, self.fresh)
            self.store[symbol] = Lambda(one.parameters, Choice(condition, one.value, again))
        self.names = {
            name: _either(condition, then.names[name], otherwise.names[name])
            for name in then.names
            if name in otherwise.names
        }

    def _loop(self, loop: Loop, duties: Duties) -> None:
        self.do(loop.invariants, {Ensure: "reaches its loop with"})
        self._forget(loop)
        self.do(loop.invariants, {})
        inside = self.copy(self.value(loop.condition))
        inside.middle = dict(self.store)
        inside.do(loop.body, duties)
        inside.do(loop.invariants, {Ensure: "keeps in its loop"})
        self.premises.append(Not(self.value(loop.condition)))

    def _forget(self, loop: Loop) -> None:
        """Whatever the loop changes may be anything from here on."""
        for symbol in _changed(loop.body, self.components):
            anything = self.fresh.symbol(symbol)
            parameters = self.lambda_of(symbol).parameters
            self.store[symbol] = Lambda(parameters, anything(*parameters))
        for name in _named(loop.body):
            self.names[name] = self.fresh.variable(name.name, name.sort)

    def _call(self, call: Call) -> None:
        contract = self.components[call.component].contract(call.operation)
        answers = [self.fresh.variable(f"{call.operation} {each.name}", each.sort) for each in call.results]
        given = [self.value(each) for each in call.arguments]
        inside = self.copy()
        inside.names = dict(zip(contract.parameters, given, strict=True))
        inside.do(contract.before, {Require: f"may call {call.component}.{call.operation} with"})
        inside.names |= dict(zip(contract.results, answers, strict=True))
        inside.do(contract.after, {})
        self.premises, self.store = inside.premises, inside.store
        self.names |= dict(zip(call.results, answers, strict=True))


def _either(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    return then if then is otherwise else Choice(condition, then, otherwise)


def _changed(statements: Iterable[Statement], components: Mapping[str, Specification]) -> list[Symbol]:
    """The symbols that statements may change."""
    found: dict[Symbol, None] = {}
    for each in _all(statements):
        match each:
            case Put(symbol=symbol) | Collect(symbol=symbol):
                found[symbol] = None
            case Call(component=component):
                found |= dict.fromkeys(components[component].state)
    return list(found)


def _named(statements: Iterable[Statement]) -> list[Variable]:
    """The names to which statements may give other values."""
    found: dict[Variable, None] = {}
    for each in _all(statements):
        match each:
            case Let(variable=variable):
                found[variable] = None
            case Call(results=results):
                found |= dict.fromkeys(results)
    return list(found)


def _all(statements: Iterable[Statement]) -> Iterable[Statement]:
    for each in statements:
        yield each
        match each:
            case Branch(then=then, otherwise=otherwise):
                yield from _all((*then, *otherwise))
            case Loop(body=body):
                yield from _all(body)
