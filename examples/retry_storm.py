"""A queue that gives a message again when its consumer takes too long, and a consumer that is slow.

Redelivery is what saves messages from a crash. But a message that only waits its turn in the consumer's hands
times out as well, and comes a second time: work is done twice, the messages behind it wait longer, and more
of them time out. Nothing gets lost, and all takes longer; how much longer is a question for random walks.
"""

from angarium import (
    Index,
    Model,
    action,
    array,
    at_rest,
    budget,
    count,
    eventually,
    goal,
    integer,
    observation,
    param,
    rate,
    require,
    seq,
    spend,
    time_until,
    times,
    weak,
)


class Message(Index):
    """A message."""


class RetryStorm(Model):
    """A broker sends what is not acknowledged in time again, whether it was lost or only slow."""

    messages = count(Message, 4)
    prefetch = param(3, low=1, high=20)
    crashes = param(1, high=5)
    redelivers = param(True)
    published_a_minute = param(60, high=100_000)
    processed_a_minute = param(30, high=100_000)
    timeouts_a_minute = param(10, high=100_000)

    crashes_left = budget(crashes)
    published = integer(0, messages)
    waiting = seq(Message)
    in_hand = seq(Message, prefetch)
    owed = array(Message, bool)
    done = array(Message, bool)

    @action
    def publish(self) -> None:
        require(self.published < self.messages)
        self.waiting.append(Message(self.published))
        self.published += 1

    @action
    def deliver(self) -> None:
        require(len(self.waiting) > 0 and len(self.in_hand) < self.prefetch)
        m = self.waiting.pop(0)
        self.in_hand.append(m)
        self.owed[m] = True

    @action
    def process(self) -> None:
        """The consumer acknowledges what it has processed; a copy that waits again is then taken back."""
        require(len(self.in_hand) > 0)
        m = self.in_hand.pop(0)
        self.done[m] = True
        self.owed[m] = False
        self.waiting.discard(m)

    @action
    def time_out(self, m: Message) -> None:
        require(self.redelivers and self.owed[m])
        self.owed[m] = False
        self.waiting.append(m)

    @action
    def crash(self) -> None:
        """The consumer forgets what it has in hand, and begins anew."""
        spend(self.crashes_left)
        self.in_hand.clear()

    def all_done(self) -> bool:
        return all(self.done[m] for m in Message)

    @at_rest
    def no_loss(self) -> bool:
        """When nothing more can happen, every message has been processed."""
        return self.all_done()

    @eventually(fairness=weak("instance"))
    def finishes(self) -> bool:
        """Some day every message has been processed."""
        return self.all_done()

    # What random walks look at. A unit of time is a minute.

    @rate(publish)
    def publishing(self) -> int:
        return self.published_a_minute

    @rate(deliver)
    def network(self) -> int:
        return 6000

    @rate(process)
    def work(self) -> int:
        return self.processed_a_minute

    @rate(time_out)
    def patience(self) -> int:
        """Of each message on its own: the more are in hand, the sooner one of them times out."""
        return self.timeouts_a_minute

    @rate(crashes_left)
    def misfortune(self) -> int:
        return 1

    @goal
    def idle(self) -> bool:
        """Every message has been processed, and the consumer has nothing left to do."""
        return self.all_done() and len(self.in_hand) == 0

    @observation
    def redeliveries(self) -> int:
        """Messages given again."""
        return times(self.time_out)

    @observation
    def redeliveries_of_message(self, m: Message) -> int:
        """How often one message is given again."""
        return times(self.time_out, m=m)

    @observation
    def work_in_vain(self) -> int:
        """Messages processed that had been processed before."""
        return times(self.process) - sum(self.done[m] for m in Message)

    @observation
    def time_to_finish(self) -> int:
        """Time until every message has been processed, in millionths of a minute."""
        return time_until(self.all_done())

    @observation
    def crashed(self) -> bool:
        """Whether the consumer crashed."""
        return times(self.crashes_left) > 0
