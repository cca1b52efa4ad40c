"""What a user of the relay is promised: a queue of two messages."""

from angarium import Index, Model, action, count, events, require, seq


class Message(Index):
    """A message."""


class QueueOfTwo(Model):
    """Up to two messages wait, and leave in the order in which they came."""

    messages = count(Message, 2)

    waiting = seq(Message, 2)

    @action
    def publish(self, message: Message) -> None:
        require(len(self.waiting) < 2)
        self.waiting.append(message)

    @action
    def deliver(self, message: Message) -> None:
        require(len(self.waiting) > 0 and self.waiting[0] == message)
        self.waiting.pop(0)

    visible = events(publish, deliver)
