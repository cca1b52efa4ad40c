"""Needham and Schroeder's public-key protocol, on a network that belongs to an intruder.

Alice and Bob want to be sure of each other. Each makes up a number (a nonce) that nobody else can guess:

    Alice -> Bob     Alice's nonce and name, sealed for Bob
    Bob -> Alice     both nonces, sealed for Alice            (with the fix: and Bob's name)
    Alice -> Bob     Bob's nonce, sealed for Bob

Gavin Lowe found in 1995, with a model checker, that a third person to whom Alice talks can pass for Alice.
"""

from enum import Enum

from angarium import (
    Model,
    Term,
    atom,
    channel,
    choose,
    initial,
    invariant,
    knowledge,
    option,
    param,
    reaches,
    sealed,
    until,
)


class Agent(Enum):
    """Who takes part; Mallory is an honest name in the intruder's hands."""

    ALICE = "alice"
    BOB = "bob"
    MALLORY = "mallory"


class Fact(Term):
    """What can be said, or known."""


def name(agent: Agent) -> Fact:
    return atom()


def nonce(agent: Agent) -> Fact:
    """The number that an agent has made up."""
    return atom()


def private(agent: Agent) -> Fact:
    """The key that opens what is sealed for an agent."""
    return atom()


def hello(number: Agent, sender: Agent, to: Agent) -> Fact:
    return sealed(private(to), nonce(number), name(sender))


def answer(first: Agent, second: Agent, to: Agent) -> Fact:
    return sealed(private(to), nonce(first), nonce(second))


def named_answer(first: Agent, second: Agent, sender: Agent, to: Agent) -> Fact:
    return sealed(private(to), nonce(first), nonce(second), name(sender))


def confirmation(number: Agent, to: Agent) -> Fact:
    return sealed(private(to), nonce(number))


class NeedhamSchroeder(Model):
    """Alice starts a run with Bob or with Mallory; Bob takes a run with whoever says hello."""

    fixed = param(False)  # Lowe's fix: the answer says who gives it

    knows = knowledge(Fact)
    wire = channel(Fact, intruder=knows)

    alice_runs_with = option(Agent)
    bob_runs_with = option(Agent)
    bob_is_sure: bool

    @initial
    def begin(self) -> None:
        """Mallory knows everybody's name, and has a nonce and a private key of its own."""
        for agent in Agent:
            self.knows.hear(name(agent))
        self.knows.hear(nonce(Agent.MALLORY))
        self.knows.hear(private(Agent.MALLORY))

    def answered(self, first: Agent, second: Agent, sender: Agent, to: Agent) -> Fact:
        return named_answer(first, second, sender, to) if self.fixed else answer(first, second, to)

    async def alice(self) -> None:
        await until(True)
        partner = choose(Agent.BOB, Agent.MALLORY)
        self.alice_runs_with = partner
        await self.wire.send(hello(Agent.ALICE, Agent.ALICE, partner))
        theirs: Agent | None = None
        while theirs is None:
            reply = await self.wire.receive()
            for number in Agent:
                if reply == self.answered(Agent.ALICE, number, partner, Agent.ALICE):
                    theirs = number
        await self.wire.send(confirmation(theirs, partner))

    async def bob(self) -> None:
        partner: Agent | None = None
        number: Agent = Agent.BOB
        while partner is None:
            greeting = await self.wire.receive()
            for agent in Agent:
                for made_up in Agent:
                    if greeting == hello(made_up, agent, Agent.BOB):
                        partner = agent
                        number = made_up
        self.bob_runs_with = partner
        await self.wire.send(self.answered(number, Agent.BOB, Agent.BOB, partner))
        while not self.bob_is_sure:
            last = await self.wire.receive()
            if last == confirmation(Agent.BOB, Agent.BOB):
                self.bob_is_sure = True

    @reaches
    def can_succeed(self) -> bool:
        """Alice and Bob can come to the end with each other: who never talks is safe, but of no use."""
        both = self.alice_runs_with == Agent.BOB and self.bob_runs_with == Agent.ALICE
        return both and self.bob_is_sure

    @invariant
    def no_impersonation(self) -> bool:
        """If Bob is sure that he talks to Alice, Alice talks to Bob."""
        sure = self.bob_is_sure and self.bob_runs_with == Agent.ALICE
        return not sure or self.alice_runs_with == Agent.BOB

    @invariant
    def no_leak(self) -> bool:
        """Mallory learns Bob's nonce only if Bob means to talk to Mallory."""
        return nonce(Agent.BOB) not in self.knows or self.bob_runs_with == Agent.MALLORY
