"""Consumers that share a queue, written with actions."""

from angarium import (
    Index,
    Model,
    action,
    array,
    at_rest,
    budget,
    count,
    initial,
    invariant,
    option,
    param,
    require,
    seq,
    setof,
    spend,
)


class Message(Index):
    """A message; messages are published in the order of their numbers."""


class Consumer(Index, symmetric=True):
    """A consumer; which one gets a message makes no difference."""


class CompetingConsumers(Model):
    """A queue gives each message to one consumer; what a consumer held when it crashed goes back."""

    messages = count(Message, 3)
    consumers = count(Consumer, 2)
    crashes = param(1, high=5)

    crashes_left = budget(crashes)
    ready = seq(Message)
    holds = array(Consumer, option(Message))
    done = setof(Message)

    @initial
    def publish(self) -> None:
        for message in Message:
            self.ready.append(message)

    @action
    def deliver(self, c: Consumer) -> None:
        require(self.holds[c] is None and len(self.ready) > 0)
        self.holds[c] = self.ready.pop(0)

    @action
    def acknowledge(self, c: Consumer) -> None:
        message = self.holds[c]
        require(message is not None)
        self.done.add(message)
        self.holds[c] = None

    @action
    def crash(self, c: Consumer) -> None:
        message = self.holds[c]
        require(message is not None)
        spend(self.crashes_left)
        self.ready.insert(0, message)
        self.holds[c] = None

    @invariant
    def one_holder(self) -> bool:
        """No message is held by two consumers, or by one while it is ready."""
        return all(
            sum(self.holds[c] == message for c in Consumer) + (message in self.ready) <= 1
            for message in Message
        )

    @invariant
    def order(self) -> bool:
        """Messages are acknowledged in the order in which they were published."""
        return all(a in self.done or b not in self.done for a in Message for b in Message if a < b)

    @at_rest
    def no_loss(self) -> bool:
        """When nothing more can happen, every message has been acknowledged."""
        return all(message in self.done for message in Message)
