"""The recovery protocol once more, in Python that shares nothing with the model: how many states it has.

States are records of frozen sets, shortest ways are searched for link by link, and every step is a function
from a state to the next one. It is slow, and short enough to be compared with the thesis line by line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

Pair = tuple[int, int]
Pairs = frozenset[Pair]
Statement = tuple[int, int]
"""Whose, and how many of his came before it."""
Letter = tuple[int, int, int, int]
"""From, to, and the statement."""


@dataclass(frozen=True)
class Rules:
    """The scenario."""

    brokers: int = 4
    shape: str = "ring"
    failures: int = 1
    recoveries: int = 0
    alarms: int = 0
    losses: int = 0
    slow: bool = False
    packets: str = "none"
    ordered: bool = False
    destination: int = 0
    forgeries: int = 0
    checked: bool = False
    statements: int = 3
    numbers: int = 32
    horizon: int = 16

    def later(self, one: int, other: int) -> bool:
        """Whether a statement is taken to be later than another one."""
        if self.checked:
            return one > other
        return 0 < (one - other) % self.numbers < (self.numbers + 1) // 2

    @property
    def links(self) -> list[Pair]:
        found = [(a, a + 1) for a in range(self.brokers - 1)]
        if self.shape != "line":
            found.append((0, self.brokers - 1))
        return found + [(0, 2)] * (self.shape == "chord")

    @property
    def ways(self) -> list[Pair]:
        return self.links + [(b, a) for a, b in self.links]


@dataclass(frozen=True)
class State:
    """Everything there is at one time."""

    budgets: tuple[int, int, int, int, int]
    """Failures, recoveries, false alarms, losses and forgeries that are left."""
    late: bool = False
    """Whether forgers have gone, and time has passed."""
    cut: Pairs = frozenset()
    down: Pairs = frozenset()
    """Who has given up which neighbour."""
    said: frozenset[tuple[Statement, int]] = frozenset()
    """A statement, and a neighbour that it calls dead."""
    held: frozenset[tuple[int, Statement]] = frozenset()
    """By whom; the first statement of a broker is left out."""
    owed: frozenset[Letter] = frozenset()
    notices: frozenset[Letter] = frozenset()
    acks: frozenset[Letter] = frozenset()
    colour: frozenset[tuple[int, Pair]] = frozenset()
    """By whom: an origin, and a neighbour that is dead to it."""
    fate: str = "unsent"
    at: int = 0
    carried: Pairs = frozenset()
    visited: frozenset[int] = frozenset()
    looped: bool = False
    wasted: bool = False

    def serial(self, broker: int, origin: int) -> int:
        return max((s for b, (o, s) in self.held if (b, o) == (broker, origin)), default=0)

    def dead(self, statement: Statement) -> set[int]:
        return {n for each, n in self.said if each == statement}

    def uses(self, broker: int) -> Pairs:
        return frozenset(pair for b, pair in self.colour if b == broker)

    def knows(self, broker: int) -> Pairs:
        held = [statement for b, statement in self.held if b == broker]
        return frozenset((o, n) for o, s in held for n in self.dead((o, s)))

    def spend(self, which: int) -> State:
        left = tuple(number - (place == which) for place, number in enumerate(self.budgets))
        return replace(self, budgets=left)  # type: ignore[arg-type]


def link(a: int, b: int) -> Pair:
    return min(a, b), max(a, b)


def count(rules: Rules) -> tuple[int, int, int]:
    """States, transitions and levels."""
    first = State((rules.failures, rules.recoveries, rules.alarms, rules.losses, rules.forgeries))
    depth, waiting, transitions = {first: 0}, deque([first]), 0
    while waiting:
        state = waiting.popleft()
        for after in steps(rules, state):
            transitions += 1
            if after not in depth:
                depth[after] = depth[state] + 1
                waiting.append(after)
    return len(depth), transitions, max(depth.values()) + 1


def steps(rules: Rules, state: State) -> Iterator[State]:
    """What can happen next."""
    yield from _mesh(rules, state)
    yield from _letters(rules, state)
    yield from _forgers(rules, state)
    if rules.ordered:
        yield from _switches(rules, state)
    if rules.packets != "none":
        yield from _packet(rules, state)


# --- links and interfaces -----------------------------------------------------------------------------


def _mesh(rules: Rules, state: State) -> Iterator[State]:
    for pair in rules.links:
        if pair not in state.cut and state.budgets[0]:
            notices, acks = (frozenset(x for x in bag if link(*x[:2]) != pair) for bag in _bags(state))
            yield replace(state.spend(0), cut=state.cut | {pair}, notices=notices, acks=acks)
        if pair in state.cut and state.budgets[1]:
            yield replace(state.spend(1), cut=state.cut - {pair})
    for b, n in rules.ways:
        is_cut, is_down = link(b, n) in state.cut, (b, n) in state.down
        if not is_down and (is_cut or state.budgets[2]):
            spent = state if is_cut else state.spend(2)
            owed = frozenset(each for each in state.owed if each[:2] != (b, n))
            yield _stated(rules, replace(spent, down=state.down | {(b, n)}, owed=owed), b)
        if is_down and not is_cut:
            back = replace(state, down=state.down - {(b, n)})
            for o, s in sorted(each for who, each in state.held if who == b):
                back = _told(back, b, n, (o, s)) if o != b else back
            yield _stated(rules, back, b)


def _bags(state: State) -> tuple[frozenset[Letter], frozenset[Letter]]:
    return state.notices, state.acks


def _stated(rules: Rules, state: State, b: int) -> State:
    statement = b, state.serial(b, b) + 1
    before = frozenset(each for each in state.said if each[0] != statement)
    said = before | {(statement, n) for who, n in state.down if who == b}
    return _kept(rules, replace(state, said=said), b, statement, source=None)


def _told(state: State, b: int, n: int, statement: Statement) -> State:
    letter = (b, n, *statement)
    owed = frozenset(each for each in state.owed if each[:3] != letter[:3]) | {letter}
    reached = set() if link(b, n) in state.cut else {letter}
    return replace(state, owed=owed, notices=state.notices | reached)


def _kept(rules: Rules, state: State, b: int, statement: Statement, source: int | None) -> State:
    """A broker holds a statement from now on, and tells everybody but the one that it has it from."""
    others = frozenset(each for each in state.held if (each[0], each[1][0]) != (b, statement[0]))
    state = replace(state, held=others | {(b, statement)})
    for who, n in rules.ways:
        if who == b and n != source and (b, n) not in state.down:
            state = _told(state, b, n, statement)
    return state if rules.ordered else _switched(rules, state, b)


# --- statements under way -----------------------------------------------------------------------------


def _letters(rules: Rules, state: State) -> Iterator[State]:
    for letter in state.notices:
        gone = replace(state, notices=state.notices - {letter})
        yield from _arrivals(rules, gone, letter)
        if state.budgets[3]:
            yield gone.spend(3)
    for letter in state.acks:
        gone = replace(state, acks=state.acks - {letter})
        yield _acknowledged(rules, gone, letter)
        if state.budgets[3]:
            yield gone.spend(3)
    for letter in state.owed - state.notices - state.acks:
        if link(*letter[:2]) not in state.cut:
            yield replace(state, notices=state.notices | {letter})


def _arrivals(rules: Rules, state: State, letter: Letter) -> Iterator[State]:
    heard = _heard(rules, state, letter)
    yield _answered(rules, heard, letter)
    if state.budgets[3] and not rules.slow:
        yield heard.spend(3)


def _heard(rules: Rules, state: State, letter: Letter) -> State:
    a, b, o, s = letter
    if not (rules.later(s, state.serial(b, o)) and _is_believable(rules, state, s)):
        return state
    if o != b:
        return _kept(rules, state, b, (o, s), a)
    if s + 1 == rules.statements:
        return state
    others = frozenset(each for each in state.held if each[0] != b or each[1][0] != b)
    return _stated(rules, replace(state, held=others | {(b, (b, s))}), b)


def _is_believable(rules: Rules, state: State, s: int) -> bool:
    return not rules.checked or state.late or s <= rules.horizon


def _answered(rules: Rules, state: State, letter: Letter) -> State:
    if not _is_believable(rules, state, letter[3]):
        return state
    return replace(state, acks=state.acks | {letter}) if rules.slow else _acknowledged(rules, state, letter)


def _acknowledged(rules: Rules, state: State, letter: Letter) -> State:
    left = (x for x in state.owed if x[:3] != letter[:3] or rules.later(x[3], letter[3]))
    return replace(state, owed=frozenset(left))


# --- forgers ------------------------------------------------------------------------------------------


def _forgers(rules: Rules, state: State) -> Iterator[State]:
    living = [way for way in rules.ways if link(*way) not in state.cut]
    if state.budgets[4] and not state.late:
        for a, b in living:
            for o, s in _free(rules, state):
                dead = {((o, s), n) for who, n in rules.ways if who == o}
                forged, letter = replace(state.spend(4), said=state.said | dead), (a, b, o, s)
                yield _answered(rules, _heard(rules, forged, letter), letter)
    if rules.checked and rules.forgeries and not state.late:
        yield replace(state, late=True)
    if rules.checked:
        yield from _comparisons(rules, state, living)


def _free(rules: Rules, state: State) -> Iterator[Statement]:
    """What can be forged in whose name, without being what somebody else has said or will say."""
    own = rules.failures + rules.recoveries + 2 * rules.alarms
    for o in range(rules.brokers):
        made = state.serial(o, o)
        if not any(who == o and t > made for (who, t), _ in state.said):
            yield from ((o, s) for s in range(made + own + 1, rules.statements))


def _comparisons(rules: Rules, state: State, living: list[Pair]) -> Iterator[State]:
    for b, n in living:
        held = sorted(statement for who, statement in state.held if who == b)
        is_used = not {(b, n), (n, b)} & state.down and not any(each[:2] == (b, n) for each in state.owed)
        if is_used and any(s > state.serial(n, o) for o, s in held):
            told = state
            for statement in held:
                told = _told(told, b, n, statement)
            yield told


# --- tables and the packet ----------------------------------------------------------------------------


def _dead_links(pairs: Pairs) -> Pairs:
    return frozenset(link(*pair) for pair in pairs)


def next_hop(rules: Rules, at: int, dead: Pairs) -> int | None:
    """On the shortest way without dead links, by the lowest number."""
    living = [way for way in rules.ways if link(*way) not in dead]
    far = {rules.destination: 0}
    waiting = deque(far)
    while waiting:
        here = waiting.popleft()
        for a, b in living:
            if b == here and a not in far:
                far[a] = far[here] + 1
                waiting.append(a)
    nearer = [b for a, b in living if a == at and at in far and far[b] < far[at]]
    return min(nearer, default=None)


def _switched(rules: Rules, state: State, b: int) -> State:
    colour = frozenset(each for each in state.colour if each[0] != b) | {(b, p) for p in state.knows(b)}
    on_its_way = state.fate == "under way" and rules.packets == "plain"
    return replace(state, colour=colour, visited=frozenset({state.at}) if on_its_way else state.visited)


def _switches(rules: Rules, state: State) -> Iterator[State]:
    for b in range(rules.brokers):
        known = _dead_links(state.knows(b))
        senders = [n for n in range(rules.brokers) if n != b and _next(rules, state, n) == b]
        others = [n for n in (*senders, b) if _dead_links(state.uses(n)) != known]
        if others == [b]:
            yield _switched(rules, state, b)


def _next(rules: Rules, state: State, at: int) -> int | None:
    own = rules.packets in ("plain", "none")
    return next_hop(rules, at, _dead_links(state.uses(at) if own else state.carried))


def _packet(rules: Rules, state: State) -> Iterator[State]:
    if state.fate == "unsent":
        for a in set(range(rules.brokers)) - {rules.destination}:
            carried = frozenset() if rules.packets == "plain" else state.uses(a)
            yield replace(state, fate="under way", at=a, carried=carried, visited=frozenset({a}))
    if state.fate == "under way":
        yield _moved(rules, state)


def _moved(rules: Rules, state: State) -> State:
    a, b = state.at, _next(rules, state, state.at)
    ended = replace(state, at=rules.destination, carried=frozenset(), visited=frozenset())
    shunned = b is not None and ((a, b) in state.down or link(a, b) in _dead_links(state.uses(a)))
    if shunned and rules.packets == "recoloured":
        return replace(state, carried=state.carried | state.uses(a), visited=frozenset({a}))
    if b is None or shunned:
        noticed = state.down == {way for way in rules.ways if link(*way) in state.cut}
        left = next_hop(rules, a, state.cut) is not None
        return replace(ended, fate="lost", wasted=state.wasted or (noticed and left))
    if link(a, b) in state.cut or b == rules.destination:
        return replace(ended, fate="lost" if link(a, b) in state.cut else "arrived")
    return replace(state, at=b, visited=state.visited | {b}, looped=state.looped or b in state.visited)
