"""A queue that sends every message once and hopes for the best."""

from angarium import Index, Model, array, at_rest, budget, channel, count, integer, invariant, param


class Message(Index):
    """A message."""


class AtMostOnce(Model):
    """A producer sends each message once, over a link that may lose some."""

    messages = count(Message, 2)
    losses = param(1, high=5)

    lost = budget(losses)
    link = channel(Message, 1, loses=lost)
    delivered = array(Message, integer(0, 2))

    async def producer(self) -> None:
        for message in Message:
            await self.link.send(message)

    async def consumer(self) -> None:
        while True:
            message = await self.link.receive()
            self.delivered[message] += 1

    @at_rest
    def no_loss(self) -> bool:
        """When nothing more can happen, every message has been delivered."""
        return all(self.delivered[message] >= 1 for message in Message)

    @invariant
    def no_duplicates(self) -> bool:
        """No message is delivered twice."""
        return all(self.delivered[message] <= 1 for message in Message)
