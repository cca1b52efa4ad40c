"""A link that may lose a message each time, and a producer that never tires of sending it again."""

from angarium import (
    AG,
    EF,
    Index,
    Model,
    action,
    count,
    ctl,
    eventually,
    invariant,
    leads_to,
    ltl,
    option,
    require,
    setof,
    strong,
    weak,
)


class Message(Index):
    """A message."""


class FairLoss(Model):
    """The producer sends until the message has arrived; the link holds one message and may lose it."""

    messages = count(Message, 2)

    link = option(Message)
    delivered = setof(Message)

    @action
    def send(self, message: Message) -> None:
        require(self.link is None and message not in self.delivered)
        self.link = message

    @action
    def lose(self) -> None:
        require(self.link is not None)
        self.link = None

    @action
    def deliver(self, message: Message) -> None:
        require(self.link == message)
        self.delivered.add(message)
        self.link = None

    def all_delivered(self) -> bool:
        return all(message in self.delivered for message in Message)

    @invariant
    def nothing_twice(self) -> bool:
        """What is under way has not arrived yet."""
        return all(self.link != message or message not in self.delivered for message in Message)

    @eventually(fairness=weak("instance"))
    def arrives_if_weakly_fair(self) -> bool:
        """Every message arrives, if what stays possible happens."""
        return self.all_delivered()

    @eventually(fairness=strong("instance"))
    def arrives_if_strongly_fair(self) -> bool:
        """Every message arrives, if what is possible again and again happens."""
        return self.all_delivered()

    @ltl(fairness=strong("instance", deliver))
    def sent_is_delivered(self) -> bool:
        """What is sent is delivered some day."""
        return all(leads_to(self.link == message, message in self.delivered) for message in Message)

    @ctl
    def can_always_arrive(self) -> bool:
        """Whatever has happened, everything can still arrive."""
        return AG(EF(self.all_delivered()))
