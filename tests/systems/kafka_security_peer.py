"""The same protocol once more, in plain Python: an independent peer of the model `kafka-security`.

Nothing here uses Angarium. Terms are nested tuples, what the intruder knows is a set of them, and the search
is breadth first over states that are tuples. With `tapped=True` the intruder also sits on the wires to
Kerberos, which the model leaves alone: it hears, holds back and fakes there too.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from tests.systems.kafka_security_terms import (
    BROKER,
    CONSUMER,
    INTRUDER,
    PRODUCER,
    Term,
    as_reply,
    atom,
    hello,
    knows,
    learn,
    login,
    of,
    proof,
    session,
    signed_hello,
    tgs_reply,
    tgs_request,
    ticket,
)

USERS = (PRODUCER, CONSUMER, INTRUDER)
NEW, KEPT, BOGUS = DATA = ("new", "kept", "bogus")


class Setup(NamedTuple):
    """What the model's parameters say."""

    protection: str
    moments: int = 2
    lifetime: int = 1
    skew: int = 0
    check_lifetimes: bool = True
    check_names: bool = True
    replay_cache: bool = True
    start_over: bool = True
    insider: bool = False
    acl: bool = True
    leaks: int = 0
    leak_when: str = "used"
    together: bool = False
    tapped: bool = False

    @property
    def kerberos(self) -> bool:
        return self.protection.startswith("kerberos")

    @property
    def plain(self) -> bool:
        return self.protection in ("none", "kerberos")


# --- states -----------------------------------------------------------------------------------------


class Connection(NamedTuple):
    """The broker's end of a wire."""

    open: bool = False
    peer: str = ""
    since: int = 0
    impostor: bool = False
    settled: str = ""
    replying: bool = False


class State(NamedTuple):
    side: str
    now: int
    clients: tuple[tuple[Any, ...], ...]
    connections: tuple[Connection, ...]
    authentication: tuple[Any, ...]
    granting: tuple[Any, ...]
    opened: frozenset[tuple[str, int]]
    seen: frozenset[tuple[str, int]]
    stored: frozenset[str]
    taken: str
    leaks: int
    known: frozenset[Term]

    def client(self, user: str, *at: str | int) -> State:
        clients = list(self.clients)
        clients[USERS.index(user)] = at
        return self._replace(clients=tuple(clients))

    def connection(self, wire: str, **new: object) -> State:
        connections = list(self.connections)
        connections[USERS.index(wire)] = connections[USERS.index(wire)]._replace(**new)
        return self._replace(connections=tuple(connections))

    def hears(self, *terms: Term) -> State:
        known = self.known
        for term in terms:
            known = learn(known, term)
        return self._replace(known=known)


Step = tuple[str, State]
"""Who does it, `honest` or `intruder`, and what comes of it."""


@dataclass
class Peer:
    """The protocol under one setup."""

    setup: Setup

    # --- what is said ---

    def credentials(self, user: str, start: int, stamp: int) -> Term:
        if self.setup.protection == "tls":
            return hello(user, start)
        if self.setup.protection == "mutual-tls":
            return signed_hello(user, start)
        return login(user, start, stamp, user)

    def under(self, user: str, start: int, said: Term) -> Term:
        return said if self.setup.plain else of("cipher", session(user, start), said)

    def payload(self, user: str, start: int, datum: str) -> Term:
        said = atom("data", datum)
        if self.setup.protection == "kerberos-signed":
            said = of("signed", atom("private", PRODUCER), said)
        return self.under(user, start, said)

    def request(self, user: str, start: int) -> Term:
        return self.payload(user, start, NEW) if user == PRODUCER else self.under(user, start, atom("ask"))

    # --- where it begins ---

    def initial(self) -> State:
        setup = self.setup
        common = [*map(atom, USERS), atom(BROKER), atom("ask"), atom("ack"), atom("data", BOGUS)]
        for time in range(setup.moments):
            common += [atom(time), session(INTRUDER, time)]
        if setup.insider:
            common += [atom("private", INTRUDER), ticket(INTRUDER, 0)]
        wires = tuple(Connection(peer=user) for user in USERS)
        clients = (("absent",),) * len(USERS)
        state = State("", 0, clients, wires, (), (), *(frozenset(),) * 3, "", setup.leaks, frozenset())
        for user in (PRODUCER, CONSUMER) if setup.together else ():
            state = self.begin(state, user)
        return state.hears(*common)

    def begin(self, state: State, user: str) -> State:
        if self.setup.kerberos:
            return state.client(user, "outside")
        state = state._replace(opened=state.opened | {(user, state.now)})
        stage = "request" if self.setup.protection == "none" else "login"
        return state.client(user, "say", stage, state.now, state.now)

    # --- what can happen ---

    def steps(self, state: State) -> Iterator[Step]:
        yield from self.clock(state)
        yield from self.leak(state)
        for user in (PRODUCER, CONSUMER):
            if not self.setup.together and not state.side:
                yield "honest", self.begin(state._replace(side=user), user)
            yield from self.kerberos(state, user)
            yield from self.to_broker(state, user)
            yield from self.to_client(state, user)
        if self.setup.tapped:
            yield from self.fakes_to_kerberos(state)

    def clock(self, state: State) -> Iterator[Step]:
        setup = self.setup
        if setup.protection != "none" and state.now < setup.moments - 1:
            now = state.now + 1
            seen = frozenset(each for each in state.seen if now - each[1] <= setup.skew)
            later = state._replace(now=now, seen=seen)
            yield "honest", later.hears(ticket(INTRUDER, now)) if setup.insider else later

    def leak(self, state: State) -> Iterator[Step]:
        for user, start in product(USERS, range(self.setup.moments)):
            old_enough = self.setup.leak_when == "used" or state.now - start > self.setup.lifetime
            used = knows(state.known, ticket(user, start)) and not knows(state.known, session(user, start))
            if state.leaks and old_enough and used:
                yield "intruder", state._replace(leaks=state.leaks - 1).hears(session(user, start))

    def kerberos(self, state: State, user: str) -> Iterator[Step]:
        """The exchanges with both servers; each server has room for one question."""
        at, *rest = state.clients[USERS.index(user)]
        if at == "outside":
            asking = state.client(user, "asked", state.now)
            yield from self.ask(state, asking, "authentication", user, state.now)
        if at == "ticketed":
            asking = state.client(user, "granting", rest[0])
            yield from self.ask(state, asking, "granting", user, rest[0])
        if state.authentication and state.authentication[0] == user:
            yield from self.answer(state, user, "authentication", as_reply(*state.authentication))
        if state.granting and state.granting[0] == user:
            late = state.now - state.granting[1] > self.setup.lifetime
            yield from self.answer(
                state, user, "granting", atom("expired") if late else tgs_reply(*state.granting)
            )
        if self.setup.tapped and at in ("asked", "granting"):
            yield "honest", state.client(user, "outside")
            for reply in (as_reply(user, rest[0]), tgs_reply(user, rest[0])):
                if knows(state.known, reply):
                    yield "intruder", self.receives(state, user, reply)

    def ask(self, state: State, asking: State, server: str, user: str, start: int) -> Iterator[Step]:
        if self.setup.tapped:
            said = [atom(user), atom(start)] if server == "authentication" else [tgs_request(user, start)]
            asking = asking.hears(*said)
            yield "intruder", asking
        if not getattr(state, server):
            yield "honest", asking._replace(**{server: (user, start)})

    def answer(self, state: State, user: str, server: str, reply: Term) -> Iterator[Step]:
        free = state._replace(**{server: ()})
        if self.setup.tapped:
            yield "honest", free
            free = free.hears(reply)
            yield "intruder", free
        after = self.receives(free, user, reply)
        if after != free:
            yield "honest", after

    def receives(self, state: State, user: str, reply: Term) -> State:
        """A client takes the answer of a server that it has asked, and no other."""
        at, *rest = state.clients[USERS.index(user)]
        if at == "asked" and reply == as_reply(user, rest[0]):
            return state.client(user, "ticketed", rest[0])
        if at == "granting" and reply == tgs_reply(user, rest[0]):
            state = state._replace(opened=state.opened | {(user, state.now)})
            return state.client(user, "say", "login", rest[0], state.now)
        if at == "granting" and reply == atom("expired"):
            return state.client(user, "outside" if self.setup.start_over else "stopped")
        return state

    def fakes_to_kerberos(self, state: State) -> Iterator[Step]:
        for user, start in product({state.side} - {""}, range(self.setup.moments)):
            if not state.authentication and start == state.now:
                yield "intruder", state._replace(authentication=(user, start))
            if not state.granting and knows(state.known, tgs_request(user, start)):
                yield "intruder", state._replace(granting=(user, start))

    def to_broker(self, state: State, wire: str) -> Iterator[Step]:
        at, *rest = state.clients[USERS.index(wire)]
        listens = not state.connections[USERS.index(wire)].replying
        if at == "say":
            stage, start, stamp = rest
            said = self.credentials(wire, start, stamp) if stage == "login" else self.request(wire, start)
            sent = state.hears(said).client(wire, "wait", *rest)
            yield "intruder", sent
            if listens:
                yield "honest", self.broker_takes(sent, wire, said)
        if listens:
            for said in self.fit_for_broker(state, wire):
                if knows(state.known, said):
                    yield "intruder", self.broker_takes(state, wire, said)

    def to_client(self, state: State, wire: str) -> Iterator[Step]:
        at, *rest = state.clients[USERS.index(wire)]
        connection = state.connections[USERS.index(wire)]
        closed = {**Connection(peer=wire)._asdict()}
        if connection.replying:
            said = self.reply(connection, wire)
            keeps = {"replying": False} if not connection.settled else closed
            sent = state.hears(said).connection(wire, **keeps)
            yield "intruder", sent
            yield "honest", state.connection(wire, **closed)
            if at == "wait":
                yield "honest", self.client_takes(sent, wire, said)
        if at == "wait":
            for said in self.fit_for_client(wire, rest[1]):
                if knows(state.known, said):
                    yield "intruder", self.client_takes(state, wire, said)
            if self.setup.start_over:
                yield "honest", self.begin(state, wire)

    def fit_for_broker(self, state: State, wire: str) -> Iterable[Term]:
        times = range(self.setup.moments)
        connection = state.connections[USERS.index(wire)]
        yield from {self.credentials(u, t, s) for u, t, s in product(USERS, times, times)}
        yield from (login(INTRUDER, t, s, u) for u, t, s in product((PRODUCER, CONSUMER), times, times))
        yield from (self.payload(connection.peer, connection.since, d) for d in DATA)
        yield self.under(connection.peer, connection.since, atom("ask"))

    def fit_for_client(self, wire: str, start: int) -> Iterable[Term]:
        yield proof(wire, start)
        yield self.under(wire, start, atom("ack"))
        yield from (self.payload(wire, start, d) for d in DATA)

    # --- the broker ---

    def reply(self, connection: Connection, wire: str) -> Term:
        if not connection.settled:
            return proof(connection.peer, connection.since)
        if wire == PRODUCER:
            return self.under(connection.peer, connection.since, atom("ack"))
        return self.payload(connection.peer, connection.since, KEPT)

    def broker_takes(self, state: State, wire: str, said: Term) -> State:
        if self.setup.protection != "none":
            for user, start, stamp, claimed in self.who_says(wire, said):
                return self.opens(state, wire, user, start, stamp, claimed)
        connection = state.connections[USERS.index(wire)]
        if not connection.open and self.setup.protection != "none":
            return state
        if wire == CONSUMER and said == self.under(connection.peer, connection.since, atom("ask")):
            return self.settles(state, wire, KEPT)
        for datum in DATA if wire == PRODUCER else ():
            if said == self.payload(connection.peer, connection.since, datum):
                return self.settles(state, wire, datum)
        return state

    def who_says(self, wire: str, said: Term) -> Iterator[tuple[str, int, int, str]]:
        """Whose key, since when, at what time, and who it is taken for."""
        times = range(self.setup.moments)
        for user, start, stamp in product(USERS, times, times):
            if not self.setup.kerberos and start != stamp:
                continue
            if said == self.credentials(user, start, stamp):
                yield user, start, stamp, wire if self.setup.protection == "tls" else user
            if not self.setup.check_names and said == login(INTRUDER, start, stamp, user):
                yield INTRUDER, start, stamp, user

    def opens(self, state: State, wire: str, user: str, start: int, stamp: int, claimed: str) -> State:
        setup, mark = self.setup, (user, stamp)
        allowed = claimed == wire or not setup.acl
        fresh = state.now - start <= setup.lifetime and abs(state.now - stamp) <= setup.skew
        if not allowed or (setup.check_lifetimes and not fresh):
            return state
        if setup.replay_cache and (claimed, stamp) in state.seen:
            return state
        impostor = claimed != user or (user != INTRUDER and mark not in state.opened)
        seen = state.seen | {mark} if setup.replay_cache else state.seen
        state = state._replace(opened=state.opened - {mark}, seen=seen)
        return state.connection(
            wire, open=True, peer=user, since=start, impostor=impostor, settled="", replying=True
        )

    def settles(self, state: State, wire: str, datum: str) -> State:
        connection = state.connections[USERS.index(wire)]
        impostor = connection.impostor
        if self.setup.protection == "none":
            impostor = datum == BOGUS or (wire, 0) not in state.opened
            state = state._replace(opened=state.opened - {(wire, 0)})
        if wire == PRODUCER and (impostor or connection.peer == wire):
            state = state._replace(stored=state.stored | {datum})
        return state.connection(wire, settled=datum, impostor=impostor, replying=True)

    # --- clients ---

    def client_takes(self, state: State, user: str, said: Term) -> State:
        _, stage, start, stamp = state.clients[USERS.index(user)]
        if stage == "login":
            return state.client(user, "say", "request", start, stamp) if said == proof(user, start) else state
        if user == PRODUCER:
            return state.client(user, "done") if said == self.under(user, start, atom("ack")) else state
        for datum in DATA:
            if said == self.payload(user, start, datum):
                return state.client(user, "done")._replace(taken=datum)
        return state

    # --- what is claimed ---

    def violated_in(self, state: State) -> Iterator[str]:
        for user in (PRODUCER, CONSUMER):
            connection = state.connections[USERS.index(user)]
            if connection.settled and connection.impostor:
                yield f"no-{user}-faking"
            if knows(state.known, atom("data", NEW if user == PRODUCER else KEPT)):
                yield f"no-{user}-data-leak"
        if BOGUS in state.stored:
            yield "no-producer-tampering"
        if state.clients[1] == ("done",) and state.taken != KEPT:
            yield "no-consumer-tampering"
        if state.clients[0] == ("done",) and NEW not in state.stored:
            yield "no-false-ack"

    def in_time(self, state: State) -> bool:
        return self.setup.protection == "none" or state.now < self.setup.moments - 1


class Findings(NamedTuple):
    states: int
    depth: int
    violated: frozenset[str]
    stuck_alone: int
    """States in time from which no client finishes without the intruder's help."""


def search(setup: Setup) -> Findings:
    """Every state, breadth first, and what is violated."""
    peer = Peer(setup)
    level = {peer.initial(): 1}
    queue = deque(level)
    before: dict[str, dict[State, list[State]]] = {"all": defaultdict(list), "honest": defaultdict(list)}
    violated: set[str] = set()
    while queue:
        state = queue.popleft()
        violated |= set(peer.violated_in(state))
        for who, after in peer.steps(state):
            before["all"][after].append(state)
            if who == "honest":
                before["honest"][after].append(state)
            if after not in level:
                level[after] = level[state] + 1
                queue.append(after)
    done = [state for state in level if state.clients.count(("done",)) == 1 + setup.together]
    stuck = {how: _cannot_reach(done, level, edges, peer) for how, edges in before.items()}
    if stuck["all"]:
        violated.add("deadlock-free")
    return Findings(len(level), max(level.values()), frozenset(violated), stuck["honest"])


def _cannot_reach(
    done: list[State], states: Iterable[State], before: dict[State, list[State]], peer: Peer
) -> int:
    """How many states, of those in time, have no way to an end."""
    reached, queue = set(done), deque(done)
    while queue:
        for state in before[queue.popleft()]:
            if state not in reached:
                reached.add(state)
                queue.append(state)
    return sum(peer.in_time(state) and state not in reached for state in states)
