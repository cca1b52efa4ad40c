"""What must be proved of a specification or an implementation.

At the start every conjecture must hold. Then, from any state in which all of them hold, one call of an
operation must keep them, and everything asserted on the way must be true: by induction they hold after any
number of calls. A specification is run with any answers that its `ensure`s allow; an implementation with its
bodies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from angarium.contracts.conditions.symbolic_run import Run
from angarium.contracts.module import Conjecture, Contract, Ensure, Implementation, Require, Specification
from angarium.contracts.obligations import Lambda, Moment, Obligation, Sides
from angarium.contracts.terms import Expr, Quantified, Quantifier, Symbol
from angarium.core.errors import Place

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
