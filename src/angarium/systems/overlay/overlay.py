"""Brokers that route messages for each other, and take over each other's clients.

After Jia, "Resilient and Efficient Delivery over Message Oriented Middleware" (thesis, Queen Mary,
University of London, 2014), which models overlays of brokers in NuSMV: three brokers, of which one may fail
and come back (section 5.1), and six with routing tables (5.2). A message goes from broker to broker, each
time to the next hop that the table names for its destination. Publishers and subscribers of a dead broker
move to a substitute, and back when the broker returns. For a mesh of your own: `angarium check overlay
--mesh FILE`.

`brokers=3` is the triangle of chapter 6, in which every broker has a publisher and a subscriber of its
topic (A, B, C), as in 5.1; so that something is routed, each topic is also wanted at the next broker. The
substitute of each broker is the next one. `brokers=6` is the tree 1-2, 2-3, 2-4, 4-5, 4-6 with the topics
A: 1 to 2 and 5, B: 3 to 4, C: 5 to 1 and 6, D: 6 to 3. There the publishers of broker 1 move to 2 and its
subscribers to 3; of the others the thesis says nothing, and here it is the neighbour with the lowest
number. Four and five brokers are parts of that tree, in which some topics are wanted that nobody publishes.

What is decided here where the thesis is silent, or contradicts itself:
- What has arrived stays, and a missing entry drops the message for good: `ARRIVED` and `DROPPED` are ends.
  The thesis sends both to a location 0, so that a delivery and a black hole look alike.
- A dead broker forwards nothing. In the thesis its state and the table are not tied to each other.
- Formulas (5-1) and (5-3) have the form `G a -> X b`, which is `(G a) -> X b` and true of every broker that
  ever works. Here the claim is that the clients of a dead broker are with its substitute some day
  (`takeover`), and at home again some day after it is back (`comeback`), unless brokers change again
  before. Who can move without interruption does move: that is the fairness of both.
- One broker may fail by default, as there, and may come back or not: before the message is published, or
  when it has arrived; and it is published when everybody is where they belong. With `in_flight` brokers may
  also fail, and clients move, while the message is under way, which the thesis leaves out: then what a broker
  holds dies with it, and a message may come to where its subscriber is no more.
- With `rerouted`, tables are those of the mesh as it is (the thesis's pre-calculated tables, a colour
  each); without, those of the whole mesh are kept. In a tree there is no other way.
"""

from angarium import (
    Model,
    action,
    array,
    budget,
    count,
    divergence_free,
    events,
    initial,
    invariant,
    leads_to,
    ltl,
    option,
    param,
    require,
    setof,
    spend,
    weak,
)

from .kinds import Broker, Fate, Mistake, Topic

B1 = 0
B2 = 1
B3 = 2
B4 = 3
B5 = 4
B6 = 5


class Overlay(Model):
    """Every message reaches every subscriber, and every client a broker that works."""

    brokers = count(Broker, 3, low=3, high=6)  # 3: a triangle; 6: a tree; 4 and 5: parts of it
    broker_failures = param(1, high=6)  # so often a broker dies
    link_failures = param(0, high=6)  # so often a link is cut
    returns = param(1, high=12)  # so often one of them comes back
    rerouted = param(True)  # tables are those of the mesh as it is
    in_flight = param(False)  # things may fail and clients may move while a message is under way
    mistake = param(Mistake.NONE)  # in the table of the fourth of six brokers

    broker_failures_left = budget(broker_failures)
    link_failures_left = budget(link_failures)
    returns_left = budget(returns)

    dead = setof(Broker)
    cut = array(Broker, setof(Broker))  # by the end with the lower number
    publisher_at = array(Topic, option(Broker))
    subscriber_at = array(Topic, array(Broker, option(Broker)))  # by where the subscriber is at home

    topic: Topic
    reader: Broker  # where the subscriber for whom the message is under way is at home
    at = option(Broker)
    to = option(Broker)
    fate: Fate

    # --- the mesh -----------------------------------------------------------------------------------

    def linked(self, a: Broker, b: Broker) -> bool:
        """Whether there is a link, by its lower end and its higher end."""
        if self.brokers == 3:
            return a < b
        return (a == B1 and b == B2) or (a == B2 and b in (B3, B4)) or (a == B4 and b in (B5, B6))

    def published_at(self, t: Topic, b: Broker) -> bool:
        """Whether the publisher of a topic is at home at a broker."""
        if self.brokers == 3:
            return (t == Topic.A and b == B1) or (t == Topic.B and b == B2) or (t == Topic.C and b == B3)
        return (
            (t == Topic.A and b == B1)
            or (t == Topic.B and b == B3)
            or (t == Topic.C and b == B5)
            or (t == Topic.D and b == B6)
        )

    def is_published(self, t: Topic) -> bool:
        return any(self.published_at(t, b) for b in Broker)

    def wanted_at(self, t: Topic, b: Broker) -> bool:
        """Whether a subscriber of a topic is at home at a broker."""
        if self.brokers == 3:
            return any(self.published_at(t, p) and b in (p, (p + 1) % 3) for p in Broker)
        return (
            (t == Topic.A and b in (B2, B5))
            or (t == Topic.B and b == B4)
            or (t == Topic.C and b in (B1, B6))
            or (t == Topic.D and b == B3)
        )

    @initial
    def begin(self) -> None:
        """Everybody is at home."""
        for t in Topic:
            for b in Broker:
                if self.published_at(t, b):
                    self.publisher_at[t] = b
                if self.wanted_at(t, b):
                    self.subscriber_at[t][b] = b

    # --- what fails and comes back ------------------------------------------------------------------

    def may_change(self) -> bool:
        return self.in_flight or self.fate != Fate.UNDER_WAY

    @action
    def fail_broker(self, b: Broker) -> None:
        """A broker dies, and with it the message that it holds."""
        require(self.may_change() and b not in self.dead)
        spend(self.broker_failures_left)
        self.dead.add(b)
        if self.fate == Fate.UNDER_WAY and self.at == b:
            self.fate = Fate.DROPPED

    @action
    def broker_returns(self, b: Broker) -> None:
        require(self.may_change() and b in self.dead)
        spend(self.returns_left)
        self.dead.discard(b)

    @action
    def fail_link(self, a: Broker, b: Broker) -> None:
        require(self.may_change() and self.linked(a, b) and b not in self.cut[a])
        spend(self.link_failures_left)
        self.cut[a].add(b)

    @action
    def link_returns(self, a: Broker, b: Broker) -> None:
        require(self.may_change() and b in self.cut[a])
        spend(self.returns_left)
        self.cut[a].discard(b)

    # --- clients ------------------------------------------------------------------------------------

    def substitute(self, b: Broker) -> Broker:
        """Who takes over the clients of a broker."""
        if self.brokers == 3:
            return Broker((b + 1) % 3)
        if b in (B1, B3, B4):
            return Broker(B2)
        return Broker(B1) if b == B2 else Broker(B4)

    def subscribers_substitute(self, b: Broker) -> Broker:
        return Broker(B3) if self.brokers > 3 and b == B1 else self.substitute(b)

    def place(self, b: Broker, first: Broker) -> Broker:
        """Where clients of a broker belong now: at home, with the first substitute, or with the next one."""
        if b not in self.dead:
            return b
        return first if first not in self.dead else self.substitute(first)

    def publishers_place(self, b: Broker) -> Broker:
        return self.place(b, self.substitute(b))

    def subscribers_place(self, b: Broker) -> Broker:
        return self.place(b, self.subscribers_substitute(b))

    @action
    def move_publisher(self, t: Topic, home: Broker) -> None:
        """A publisher links to the broker where it belongs now."""
        place = self.publishers_place(home)
        require(self.may_change() and self.published_at(t, home))
        require(place not in self.dead and self.publisher_at[t] != place)
        self.publisher_at[t] = place

    @action
    def move_subscriber(self, t: Topic, home: Broker) -> None:
        """A subscriber links to the broker where it belongs now."""
        place = self.subscribers_place(home)
        require(self.may_change() and self.wanted_at(t, home))
        require(place not in self.dead and self.subscriber_at[t][home] != place)
        self.subscriber_at[t][home] = place

    def is_served(self, home: Broker) -> bool:
        """Whether all clients of a broker are where they belong, if anybody is left to take them."""
        return all(
            self.is_in_place(self.published_at(t, home), self.publisher_at[t], self.publishers_place(home))
            and self.is_in_place(
                self.wanted_at(t, home), self.subscriber_at[t][home], self.subscribers_place(home)
            )
            for t in Topic
        )

    def is_in_place(self, is_client: bool, at: Broker | None, place: Broker) -> bool:
        return not is_client or at == place or any(b == place for b in self.dead)

    # --- the message --------------------------------------------------------------------------------

    def joined(self, a: Broker, b: Broker) -> bool:
        """Whether a link that works leads from one broker to another that works."""
        if b in self.dead:
            return False
        if a < b:
            return self.linked(a, b) and b not in self.cut[a]
        return self.linked(b, a) and a not in self.cut[b]

    def next_hop(self, a: Broker, to: Broker) -> int:
        """What the table of a broker says of a destination; -1 if nothing."""
        if self.brokers == 3:
            return self.around(a, to) if self.rerouted and not self.joined(a, to) else to
        if a == B4 and self.mistake != Mistake.NONE and self.brokers == 6:
            return self.mistaken(to)
        return self.in_the_tree(a, to)

    def around(self, a: Broker, to: Broker) -> int:
        """The other way in the triangle, if there is one."""
        return sum(c for c in Broker if c not in (a, to)) if self.joins_both(a, to) else -1

    def joins_both(self, a: Broker, to: Broker) -> bool:
        return any(c not in (a, to) and self.joined(a, c) and self.joined(c, to) for c in Broker)

    def in_the_tree(self, a: Broker, to: Broker) -> int:
        if a in (B1, B3):
            return B2
        if a in (B5, B6):
            return B4
        if a == B2:
            return to if to in (B1, B3) else B4
        return to if to in (B5, B6) else B2

    def mistaken(self, to: Broker) -> int:
        """The table of the fourth broker with the mistake in it."""
        if self.mistake == Mistake.ALL_ENTRIES:
            return B6
        if to == B5:
            return B6 if self.mistake == Mistake.ONE_ENTRY else -1
        return self.in_the_tree(Broker(B4), to)

    @action
    def publish(self, t: Topic, home: Broker) -> None:
        """A message of a topic, for the subscriber that is at home at a broker."""
        require(self.fate == Fate.UNPUBLISHED and self.is_published(t) and self.wanted_at(t, home))
        require(all(self.publisher_at[t] != b and self.subscriber_at[t][home] != b for b in self.dead))
        require(self.in_flight or all(self.is_served(b) for b in Broker))
        self.topic = t
        self.reader = home
        self.at = self.publisher_at[t]
        self.to = self.subscriber_at[t][home]
        self.fate = Fate.ARRIVED if self.at == self.to else Fate.UNDER_WAY

    def sends_to(self, a: Broker, b: Broker) -> bool:
        """Whether the message is at a broker whose table names another for its destination."""
        return any(self.to == to and self.next_hop(a, to) == b for to in Broker) and self.at == a

    @action
    def hop(self, a: Broker, b: Broker) -> None:
        """From one broker to the next; who is at the destination takes what is for it."""
        require(self.fate == Fate.UNDER_WAY and self.sends_to(a, b) and self.joined(a, b))
        self.at = b
        if self.to == b:
            self.fate = Fate.ARRIVED if self.subscriber_at[self.topic][self.reader] == b else Fate.DROPPED

    @action
    def drop(self, a: Broker) -> None:
        """There is no entry, or no way to where it leads."""
        require(self.fate == Fate.UNDER_WAY and self.at == a)
        require(not any(self.sends_to(a, b) and self.joined(a, b) for b in Broker))
        self.fate = Fate.DROPPED

    visible = events(publish)

    # --- guarantees ---------------------------------------------------------------------------------

    @ltl
    def reachability(self) -> bool:
        """What is published arrives at the subscriber."""
        return leads_to(self.fate == Fate.UNDER_WAY, self.fate == Fate.ARRIVED)

    @divergence_free
    def loop_free(self) -> None:
        """No message goes round for ever."""

    @invariant
    def no_black_hole(self) -> bool:
        """No broker takes a message and hands it to nobody."""
        return self.fate != Fate.DROPPED

    @invariant
    def publishers_have_subscribers(self) -> bool:
        """Every topic that is published is wanted somewhere."""
        return all(not self.is_published(t) or any(self.wanted_at(t, b) for b in Broker) for t in Topic)

    @invariant
    def subscribers_have_publishers(self) -> bool:
        """Every topic that is wanted is published somewhere."""
        return all(self.is_published(t) or not any(self.wanted_at(t, b) for b in Broker) for t in Topic)

    @ltl(fairness=weak(move_publisher, move_subscriber))
    def takeover(self) -> bool:
        """Clients of a dead broker are with its substitute some day, if brokers stay as they are."""
        require(self.broker_failures > 0)
        return all(leads_to(b in self.dead, b not in self.dead or self.is_served(b)) for b in Broker)

    @ltl(fairness=weak(move_publisher, move_subscriber))
    def comeback(self) -> bool:
        """Clients of a broker that is back are at home again some day, if it stays."""
        require(self.broker_failures > 0)
        require(self.returns > 0)
        return all(leads_to(b not in self.dead, b in self.dead or self.is_served(b)) for b in Broker)
