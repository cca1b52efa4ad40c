"""A consumer that remembers what it has seen, until it crashes."""

from angarium import (
    Index,
    Model,
    array,
    at_rest,
    budget,
    channel,
    count,
    crashes,
    either,
    integer,
    invariant,
    on_crash,
    param,
    setof,
    until,
)


class Message(Index):
    """A message."""


class ForgetfulConsumer(Model):
    """What the consumer has seen is only in its memory, and a crash takes that with it."""

    messages = count(Message, 2)
    losses = param(0, high=5)
    deaths = param(1, high=5)

    lost = budget(losses)
    deaths_left = budget(deaths)
    restarts_left = budget(deaths)
    link = channel(Message, 1, loses=lost)
    acks = channel(Message, 1, loses=lost)
    delivered = array(Message, integer(0, 2))
    seen = setof(Message)

    def quiet(self) -> bool:
        """Nothing is under way: time enough to believe that something was lost."""
        return len(self.link) == 0 and len(self.acks) == 0

    async def producer(self) -> None:
        for message in Message:
            while True:
                await self.link.send(message)
                match await either(ack=self.acks.receive(), timeout=until(self.quiet())):
                    case "ack", number:
                        if number == message:
                            break
                    case "timeout", _:
                        pass

    @crashes(deaths_left, restarts=restarts_left)
    async def consumer(self) -> None:
        while True:
            message = await self.link.receive()
            if message not in self.seen:
                self.seen.add(message)
                self.delivered[message] = min(self.delivered[message] + 1, 2)
            await self.acks.send(message)

    @on_crash(consumer)
    def forget(self) -> None:
        self.seen.clear()

    @at_rest
    def no_loss(self) -> bool:
        """When nothing more can happen, every message has been delivered."""
        return all(self.delivered[message] >= 1 for message in Message)

    @invariant
    def no_duplicates(self) -> bool:
        """No message is delivered twice."""
        return all(self.delivered[message] <= 1 for message in Message)
