"""Two brokers in a row: the one takes messages and passes them on, the other delivers them."""

from angarium import Index, Model, action, count, events, option, param, require


class Message(Index):
    """A message."""


class Relay(Model):
    """Each broker holds one message; the first may lose the one that it holds."""

    messages = count(Message, 2)
    loses = param(False)

    first = option(Message)
    second = option(Message)

    @action
    def publish(self, message: Message) -> None:
        require(self.first is None)
        self.first = message

    @action
    def pass_on(self) -> None:
        require(self.first is not None and self.second is None)
        self.second = self.first
        self.first = None

    @action
    def lose(self) -> None:
        require(self.loses and self.first is not None)
        self.first = None

    @action
    def deliver(self, message: Message) -> None:
        require(self.second == message)
        self.second = None

    visible = events(publish, deliver)
