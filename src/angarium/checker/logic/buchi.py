"""The automaton of a formula: it accepts the runs of which the formula is true.

A state of the automaton is a set of formulas that must all be true of the rest of the run. Each formula is
expanded into what must be true now and what is left for later: `p until q` is q, or p and later `p until
q`. Who chooses the second *owes* the q. A rule of the automaton is one way to expand all formulas of a
state: atoms that must be true, atoms that must be false, what is left, what is owed. A run is accepted if
each until is again and again not owed: that is its *mark*. So marks are on rules, and there are several of
them: a transition-based generalised Büchi automaton, after Couvreur (*On-the-fly verification of linear
temporal logic*, 1999).

A rule that asks more than another of the same state is left out: who can use it can use the other. States
from which nothing is accepted are left out, and those with the same rules are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from angarium.checker.ir.formula import Atom, Conjunction, Disjunction, Formula, Negation, Over, TimeOp, Truth
from angarium.checker.logic.normal import normal
from angarium.core.errors import LimitError

MOST_STATES = 4096
MOST_RULES, MOST_RULES_IN_ALL = 1024, 1 << 15
"""Of one state, and of all together: beyond that making the automaton would take minutes."""
WORD = MOST_UNTILS = 64


@dataclass(frozen=True)
class Automaton:
    """An automaton; its initial state is the first."""

    rows: NDArray[np.uint64]
    """Where each state's rules begin, and where the last one's end."""
    rules: NDArray[np.uint64]
    """Four words each: atoms that must be true, atoms that must be false, where it leads, its marks."""
    marks: int
    """What an accepted run sees again and again."""
    hopeful: NDArray[np.uint8]
    """Whether a state lies on a cycle that has all marks."""

    @property
    def states(self) -> int:
        return len(self.hopeful)

    @property
    def waits(self) -> bool:
        """Whether the initial state can be kept on any run, and accepts nothing as long as it is kept."""
        loops = [rule for rule in self.rules[: int(self.rows[1])].tolist() if rule[:3] == [0, 0, 0]]
        entered = bool((self.rules[int(self.rows[1]) :, 2] == 0).any())
        return bool(loops) and not entered and not self.hopeful[0]


class Rule(NamedTuple):
    """One way to go on: what must be true and false, what is left for later, and what is owed."""

    true: int
    false: int
    later: int
    owed: int


class Edge(NamedTuple):
    """A rule between numbered states."""

    true: int
    false: int
    to: int
    marks: int


Rules = list[Rule]
Edges = list[list[Edge]]
"""For each state its rules."""


def automaton(formula: Formula, position: Mapping[Atom, int]) -> Automaton:
    """The automaton of a formula of LTL; `position` says which bit of a state's atoms each atom is."""
    closure = _Closure(position)
    states = _states(closure, closure.obligations(normal(formula)))
    marks = (1 << len(closure.untils)) - 1
    return _packed(_merged(_useful(_numbered(states, marks), marks)), marks)


def _packed(edges: Edges, marks: int) -> Automaton:
    rows = np.cumsum([0, *map(len, edges)]).astype(np.uint64)
    rules = np.array([rule for each in edges for rule in each], np.uint64).reshape(-1, 4)
    hope = _hopeful(edges, marks)
    hopeful = np.array([state in hope for state in range(len(edges))], np.uint8)
    return Automaton(rows, rules, marks, hopeful)


# --- expanding formulas ---------------------------------------------------------------------------


@dataclass
class _Closure:
    """The formulas inside a formula, each with a bit, and how each is expanded."""

    position: Mapping[Atom, int]
    formulas: list[Formula] = field(default_factory=list)
    """By bit."""
    bits: dict[Formula, int] = field(default_factory=dict)
    expansions: dict[Formula, Rules] = field(default_factory=dict)
    untils: dict[Formula, int] = field(default_factory=dict)

    def obligations(self, formula: Formula) -> int:
        """The bits of formulas that together say what a formula says."""
        match formula:
            case Truth(True):
                return 0
            case Conjunction(conjuncts):
                return _union(map(self.obligations, conjuncts))
            case _:
                return 1 << self._bit(formula)

    def _bit(self, formula: Formula) -> int:
        if formula not in self.bits:
            self.bits[formula] = len(self.formulas)
            self.formulas.append(formula)
        return self.bits[formula]

    def expanded(self, formula: Formula) -> Rules:
        """All ways in which a formula can be true."""
        if formula not in self.expansions:
            self.expansions[formula] = self._expanded(formula)
        return self.expansions[formula]

    def _expanded(self, formula: Formula) -> Rules:
        match formula:
            case Truth(value):
                return [Rule(0, 0, 0, 0)] if value else []
            case Atom():
                return [Rule(1 << self.position[formula], 0, 0, 0)]
            case Negation(Atom() as atom):
                return [Rule(0, 1 << self.position[atom], 0, 0)]
            case Conjunction(conjuncts):
                return _all_of(map(self.expanded, conjuncts))
            case Disjunction(disjuncts):
                return _least(rule for each in disjuncts for rule in self.expanded(each))
            case Over(op, operands):
                return self._over(op, operands, formula)
            case _:
                raise TypeError(f"not in negation normal form: {formula}")

    def _over(self, op: TimeOp, operands: tuple[Formula, ...], formula: Formula) -> Rules:
        if op == "X":
            return [Rule(0, 0, self.obligations(operands[0]), 0)]
        *first, last = map(self.expanded, operands)
        later = [Rule(0, 0, 1 << self._bit(formula), self._owed(formula) if op in ("F", "U") else 0)]
        if op in ("F", "U"):
            return _least([*last, *_all_of([*first, later])])
        return _all_of([last, _least([*later, *(rule for rules in first for rule in rules)])])

    def _owed(self, until: Formula) -> int:
        mark = 1 << self.untils.setdefault(until, len(self.untils))
        if len(self.untils) > MOST_UNTILS:
            raise _too_large(f"it has more than {MOST_UNTILS} parts that say until or eventually")
        return mark

    def of_state(self, obligations: int) -> Rules:
        """All ways to go on from a state."""
        choices = sorted((self.expanded(self.formulas[bit]) for bit in _bits(obligations)), key=len)
        return _least(rule._replace(later=self.needed(rule.later)) for rule in _all_of(choices))

    def needed(self, obligations: int) -> int:
        """Obligations without those that an `always` among them repeats anyway."""
        return obligations & ~_union(self._repeated(self.formulas[bit]) for bit in _bits(obligations))

    def _repeated(self, formula: Formula) -> int:
        if isinstance(formula, Over) and formula.op == "G":
            return self.obligations(formula.operands[0])
        return 0


def _union(masks: Iterable[int]) -> int:
    return reduce(int.__or__, masks, 0)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _all_of(choices: Iterable[Rules]) -> Rules:
    """All ways to choose a rule from each; those that contradict themselves left out."""
    found = [Rule(0, 0, 0, 0)]
    for choice in choices:
        pairs = (Rule(*map(int.__or__, one, other)) for one in found for other in choice)
        found = _least(rule for rule in pairs if not rule.true & rule.false)
    return found


def _least(rules: Iterable[Rule]) -> Rules:
    """Rules without those that ask more than another."""
    found: dict[int, Rule] = {}
    for asked, rule in sorted(((_asked(rule), rule) for rule in set(rules)), key=_by_size):
        if all(other & ~asked for other in found):
            found[asked] = rule
        if len(found) > MOST_RULES:
            raise _too_large(f"a state of it has more than {MOST_RULES:,} ways to go on")
    return list(found.values())


def _asked(rule: Rule) -> int:
    """All that a rule asks, as bits of one number."""
    return rule.true | rule.false << WORD | rule.owed << 2 * WORD | rule.later << 3 * WORD


def _by_size(asked: tuple[int, Rule]) -> tuple[int, int]:
    return asked[0].bit_count(), asked[0]


def _too_large(why: str) -> LimitError:
    return LimitError(
        "ANG052",
        f"the formula's automaton is too large: {why}",
        remedy="split the formula into several guarantees, or demand fairness instead of writing it out",
    )


# --- states ---------------------------------------------------------------------------------------


def _states(closure: _Closure, initial: int) -> dict[int, Rules]:
    """The rules of all states, in the order in which they are found."""
    found: dict[int, Rules] = {}
    queue = [closure.needed(initial)]
    known, rules = set(queue), 0
    for obligations in queue:
        found[obligations] = closure.of_state(obligations)
        fresh = dict.fromkeys(rule.later for rule in found[obligations] if rule.later not in known)
        queue += fresh
        known.update(fresh)
        if len(queue) > MOST_STATES:
            raise _too_large(f"it has more than {MOST_STATES:,} states")
        if (rules := rules + len(found[obligations])) > MOST_RULES_IN_ALL:
            raise _too_large(f"it has more than {MOST_RULES_IN_ALL:,} ways from state to state")
    return found


def _numbered(states: Mapping[int, Rules], marks: int) -> Edges:
    number = {obligations: position for position, obligations in enumerate(states)}
    return [
        [Edge(rule.true, rule.false, number[rule.later], marks & ~rule.owed) for rule in rules]
        for rules in states.values()
    ]


def _useful(edges: Edges, marks: int) -> Edges:
    """Without the states from which nothing is accepted; the initial one stays."""
    useful = _hopeful(edges, marks)
    while True:
        more = {state for state, rules in enumerate(edges) if useful & {rule.to for rule in rules}} - useful
        if not more:
            break
        useful |= more
    kept = sorted(useful | {0})
    number = {state: position for position, state in enumerate(kept)}
    return [[r._replace(to=number[r.to]) for r in edges[state] if r.to in useful] for state in kept]


def _merged(edges: Edges) -> Edges:
    """States with the same rules made one, until no two are alike."""
    block, count = [0] * len(edges), 0
    while count < len(set(block)) or not count:
        count = len(set(block))
        blocks: dict[frozenset[Edge], int] = {}
        alike = [frozenset(rule._replace(to=block[rule.to]) for rule in rules) for rules in edges]
        block = [blocks.setdefault(each, len(blocks)) for each in alike]
    return [_strongest(rules) for rules in blocks]


def _strongest(rules: Iterable[Edge]) -> list[Edge]:
    """Rules without those that another one of the same target makes needless."""
    found: list[Edge] = []
    for rule in sorted(
        rules, key=lambda r: (r.true.bit_count() + r.false.bit_count(), -r.marks.bit_count(), r)
    ):
        if not any(_serves(other, rule) for other in found):
            found.append(rule)
    return found


def _serves(one: Edge, other: Edge) -> bool:
    asks = one.true & ~other.true | one.false & ~other.false
    return one.to == other.to and not asks and not other.marks & ~one.marks


# --- cycles ---------------------------------------------------------------------------------------


def _hopeful(edges: Edges, marks: int) -> set[int]:
    """The states on cycles that have all marks."""
    home = _components(edges)
    seen: dict[int, int] = {}
    for state, rules in enumerate(edges):
        inner = [rule.marks for rule in rules if home[rule.to] == home[state]]
        if inner:
            seen[home[state]] = seen.get(home[state], 0) | _union(inner)
    return {state for state in range(len(edges)) if seen.get(home[state]) == marks}


def _components(edges: Edges) -> dict[int, int]:
    """For each state, a number of its strongly connected component (Kosaraju)."""
    forward = [[rule.to for rule in rules] for rules in edges]
    backward: list[list[int]] = [[] for _ in edges]
    for state, targets in enumerate(forward):
        for target in targets:
            backward[target].append(state)
    home: dict[int, int] = {}
    for root in reversed(_by_end(forward)):
        found = [] if root in home else [root]
        for state in found:
            home[state] = root
            fresh = {each for each in backward[state] if each not in home}
            home.update(dict.fromkeys(fresh, root))
            found += fresh
    return home


def _by_end(forward: list[list[int]]) -> list[int]:
    """The states in the order in which a depth-first search leaves them."""
    seen, ended = set[int](), list[int]()
    for root in range(len(forward)):
        stack = [(root, iter(forward[root]))] if root not in seen else []
        seen.add(root)
        while stack:
            fresh = next((each for each in stack[-1][1] if each not in seen), None)
            if fresh is None:
                ended.append(stack.pop()[0])
            else:
                seen.add(fresh)
                stack.append((fresh, iter(forward[fresh])))
    return ended
