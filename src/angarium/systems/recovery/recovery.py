"""Brokers notice what has failed, tell each other, and switch to the tables that were calculated for it.

After the recovery protocol of Jia, "Resilient and Efficient Delivery over Message Oriented Middleware"
(thesis, Queen Mary, University of London, 2014, sections 6.1 and 6.2), with its faults mended as in
`angarium.mesh.protocol`, whose runs are compared with this model. Tables for every colour, which is a set of
dead links, are there before anything happens. An interface that hears nothing fails, and its broker *states*
which of its neighbours are dead to it. The statement floods the mesh: each broker acknowledges it, keeps it
if it is later than what it has of the same origin, hands it on, and sends it again as long as it is not
acknowledged. A link is dead if one of its ends says so. A neighbour that comes back is told everything.

What stands where:
- `shape` and `brokers` are the mesh: triangle, square, ring of five, a square with a diagonal (`chord`) or a
  line. Links are cut and heal, a cut link loses what is under way on it, notices and acknowledgements get
  lost, and brokers take links for dead that are not, each as often as its budget allows, and in any order.
- A statement is known by its origin and its serial, which says how many came before; what is sent is a number
  out of `numbers`, compared as in RFC 1982: of two numbers the later one is less than half of all ahead. So
  numbers may begin again, but must be more than twice as many as statements that can meet (try `numbers=4`).
  `statements` must be more than the changes that one broker can notice; else `stays-in-range` says so.
- An interface is in *failure* if its neighbour is in `down`, else *waiting* if something is `owed`, else
  *normal*. With `network=prompt` an acknowledgement is back in the step in which the notice arrives, or lost.
- Nothing more is cut and healed when the budgets are used up. Then every step that stays possible happens
  some day: that is the fairness of both guarantees over time.

Beyond the thesis: what happens to a packet while some brokers have switched and others have not, by `packets`
and `switching`; its next hop is on the shortest way in a colour, by the lowest number. And what forgers do
with a statement of any serial that its origin does not come to by itself:
- `belief=credulous`: whoever hears of it through the neighbour in whose name it came does not tell that one.
  So if it came in the name of its origin, that may never hear of it, and what it says later is taken for old.
- `belief=checked`: heartbeats tell what a neighbour holds, and those that differ tell each other everything.
  So the latest statement reaches all, its origin too, which answers with a later one. There must be one: what
  is beyond the `horizon` is not believed until forgers have gone and time has passed.

`fault` puts back what is wrong in the thesis (the number of the contradiction), or leaves something out.
"""

from angarium import (
    Model,
    action,
    always,
    array,
    budget,
    choose,
    count,
    eventually,
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

from .kinds import Belief, Broker, Fate, Fault, Network, Packets, Serial, Shape, Switching, linked_up


class Recovery(Model):
    """Brokers of a component come to use the table of what has really failed, and packets do not go round."""

    brokers = count(Broker, 4, low=3, high=5)
    packets = param(Packets.PLAIN)
    destination = param(1, high=5)  # to which broker a packet goes; 0: to any, which is chosen at the start
    switching = param(Switching.FREE)
    shape = param(Shape.RING)
    failures = param(1, high=16)  # so often a link is cut
    recoveries = param(0, high=16)  # so often one heals
    alarms = param(0, high=16)  # so often a broker takes a link for dead that is not
    losses = param(0, high=16)  # so many notices and acknowledgements get lost
    statements = count(Serial, 3, low=2, high=16)  # so many a broker can make, the first included
    numbers = param(32, low=3, high=32)  # so many there are for statements; then they begin again
    forgeries = param(0, high=3)  # so many statements are forged
    belief = param(Belief.CREDULOUS)
    horizon = param(16, high=16)  # serials beyond it are not believed as long as there may be forgers
    network = param(Network.PROMPT)
    fault = param(Fault.NONE)

    failures_left = budget(failures)
    recoveries_left = budget(recoveries)
    alarms_left = budget(alarms)
    losses_left = budget(losses)
    forgeries_left = budget(forgeries)
    is_late: bool  # so late that every number that there is can be believed

    cut = array(Broker, setof(Broker))  # by the end with the lower number

    down = array(Broker, setof(Broker))  # the neighbours to which the interface of a broker has failed
    said = array(Broker, array(Serial, setof(Broker)))  # the dead neighbours that each statement names
    held = array(Broker, array(Broker, Serial))  # the latest statement of each that a broker has
    owed = array(Broker, array(Broker, array(Broker, option(Serial))))  # to whom, whose; not acknowledged
    colour = array(Broker, array(Broker, setof(Broker)))  # dead neighbours of each in the table it uses

    notices = array(Broker, array(Broker, array(Broker, setof(Serial))))  # under way: from, to, whose
    acks = array(Broker, array(Broker, array(Broker, setof(Serial))))

    to: Broker
    at: Broker
    fate: Fate
    carried = array(Broker, setof(Broker))  # the colour of the packet
    visited = setof(Broker)  # where it has been in this colour
    looped: bool
    wasted: bool

    @initial
    def begin(self) -> None:
        """All is well, and everybody knows it."""
        if self.destination == 0:
            self.to = choose(Broker)
        else:
            self.to = Broker(self.destination - 1)

    # --- the mesh -----------------------------------------------------------------------------------

    def linked(self, a: Broker, b: Broker) -> bool:
        if a > b:
            return linked_up(self.shape, self.brokers, b, a)
        return linked_up(self.shape, self.brokers, a, b)

    def is_cut(self, a: Broker, b: Broker) -> bool:
        return b in self.cut[a] if a < b else a in self.cut[b]

    def joined(self, a: Broker, b: Broker) -> bool:
        return a == b or (self.linked(a, b) and not self.is_cut(a, b))

    def near(self, a: Broker, b: Broker) -> bool:
        return any(self.joined(a, c) and self.joined(c, b) for c in Broker)

    def together(self, a: Broker, b: Broker) -> bool:
        """Whether a way leads from one to the other: four hops are enough for five brokers."""
        return any(self.near(a, c) and self.near(c, b) for c in Broker)

    @action
    def cut_link(self, a: Broker, b: Broker) -> None:
        """A link dies, and with it what is under way on it."""
        require(a < b and self.linked(a, b) and b not in self.cut[a])
        spend(self.failures_left)
        self.cut[a].add(b)
        for o in Broker:
            self.notices[a][b][o].clear()
            self.notices[b][a][o].clear()
            self.acks[a][b][o].clear()
            self.acks[b][a][o].clear()

    @action
    def heal_link(self, a: Broker, b: Broker) -> None:
        require(a < b and self.linked(a, b) and b in self.cut[a])
        spend(self.recoveries_left)
        self.cut[a].discard(b)

    # --- interfaces ---------------------------------------------------------------------------------

    @action
    def notice_failure(self, b: Broker, n: Broker) -> None:
        """Nothing has been heard of a neighbour for too long."""
        require(self.linked(b, n) and self.is_cut(b, n) and n not in self.down[b])
        self.fail(b, n)

    @action
    def false_alarm(self, b: Broker, n: Broker) -> None:
        """The same, but only signs of life got lost."""
        require(self.linked(b, n) and not self.is_cut(b, n) and n not in self.down[b])
        spend(self.alarms_left)
        self.fail(b, n)

    def fail(self, b: Broker, n: Broker) -> None:
        if self.fault == Fault.FORGETS and any(len(self.colour[b][o]) > 0 for o in Broker):
            for o in Broker:
                self.colour[b][o].clear()
        for o in Broker:
            self.owed[b][n][o] = None
        self.down[b].add(n)
        self.state(b)

    @action
    def notice_recovery(self, b: Broker, n: Broker) -> None:
        """A neighbour has answered tests. It may have missed anything, so it is told everything."""
        require(self.linked(b, n) and n in self.down[b] and not self.is_cut(b, n))
        self.down[b].discard(n)
        if self.fault != Fault.NO_EXCHANGE:
            for o in Broker:
                if o != b and self.held[b][o] > 0:
                    self.post(b, n, o, self.held[b][o])
        self.state(b)

    # --- statements ---------------------------------------------------------------------------------

    def state(self, b: Broker) -> None:
        """Say anew which neighbours are dead, to all that are not."""
        s = Serial(self.held[b][b] + 1)
        self.held[b][b] = s
        if self.fault == Fault.FLOODS_OLD:
            self.said[b][s] = self.colour[b][b]
        else:
            self.said[b][s] = self.down[b]
        for n in Broker:
            if self.linked(b, n) and n not in self.down[b]:
                self.post(b, n, b, s)
        self.learn(b, b, s)
        if self.fault == Fault.FLOODS_OLD:
            self.colour[b][b] = self.down[b]

    def post(self, b: Broker, n: Broker, o: Broker, s: Serial) -> None:
        """Tell a neighbour what somebody has said, until it is acknowledged."""
        self.owed[b][n][o] = s
        if not self.is_cut(b, n):
            self.notices[b][n][o].add(s)

    def learn(self, b: Broker, o: Broker, s: Serial) -> None:
        if self.switching == Switching.FREE:
            if self.fault == Fault.UNION:
                for n in self.said[o][s]:
                    self.colour[b][o].add(n)
            else:
                self.colour[b][o] = self.said[o][s]
            self.begin_round()

    def begin_round(self) -> None:
        """Tables have changed. If a plain packet goes round from now on, that is another round."""
        if self.packets == Packets.PLAIN and self.fate == Fate.UNDER_WAY:
            self.visited.clear()
            self.visited.add(self.at)

    def later(self, s: Serial, t: Serial) -> bool:
        if self.belief == Belief.CHECKED:
            return s > t
        if self.fault == Fault.ANY_AGE:
            return s != t
        if self.fault == Fault.NUMBER_RESETS:  # the first statement has the highest number, then comes 1
            return (s if s > 0 else self.numbers - 1) > (t if t > 0 else self.numbers - 1)
        return 0 < (s - t) % self.numbers < (self.numbers + 1) // 2

    @action
    def notice_arrives(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        """It is acknowledged, and handed on if it is later than what is known."""
        require(self.linked(a, b) and s > 0 and s in self.notices[a][b][o])
        self.hear(a, b, o, s)
        self.acknowledge(a, b, o, s)

    def acknowledge(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        if self.is_believable(s) and self.network == Network.PROMPT:
            self.take_ack(b, a, o, s)
        elif self.is_believable(s):
            self.acks[b][a][o].add(s)

    def is_believable(self, s: Serial) -> bool:
        blindly = self.belief == Belief.CREDULOUS or self.fault == Fault.ANY_NUMBER
        return blindly or self.is_late or s <= self.horizon

    def hear(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        if self.network != Network.COPYING:
            self.notices[a][b][o].discard(s)
        if self.later(s, self.held[b][o]) and self.is_believable(s):
            self.believe(a, b, o, s)

    def believe(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        """Hold a statement and hand it on, or, if it is said in one's own name, answer with a later one."""
        if o != b:
            self.held[b][o] = s
            for n in Broker:
                if n != a and self.linked(b, n) and n not in self.down[b]:
                    self.post(b, n, o, s)
            self.learn(b, o, s)
        elif self.fault != Fault.NO_ANSWER and s + 1 < self.statements:
            self.held[b][b] = s
            self.state(b)

    @action
    def ack_arrives(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        require(self.network != Network.PROMPT and self.linked(a, b) and s > 0 and s in self.acks[a][b][o])
        if self.network != Network.COPYING:
            self.acks[a][b][o].discard(s)
        self.take_ack(a, b, o, s)

    def take_ack(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        """A neighbour has this statement; what is owed to it may be a later one."""
        if not any(self.owed[b][a][o] == t and self.later(t, s) for t in Serial):
            self.owed[b][a][o] = None

    @action
    def retransmit(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        """What is owed; unless copies are made anyway, the timer is longer than a round trip."""
        require(self.fault != Fault.NO_RETRANSMISSION and self.linked(a, b))
        require(self.owed[a][b][o] == s and not self.is_cut(a, b))
        is_under_way = s in self.notices[a][b][o] or s in self.acks[b][a][o]
        require(self.network == Network.COPYING or not is_under_way)
        self.notices[a][b][o].add(s)

    @action
    def lose_notice(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        require(self.linked(a, b) and s > 0 and s in self.notices[a][b][o])
        spend(self.losses_left)
        self.notices[a][b][o].discard(s)

    @action
    def lose_ack(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        """On its way, or as soon as it is sent if it would come back at once."""
        require(self.linked(a, b) and s > 0)
        require(s in (self.notices[b][a][o] if self.network == Network.PROMPT else self.acks[a][b][o]))
        spend(self.losses_left)
        if self.network == Network.PROMPT:
            self.hear(b, a, o, s)
        else:
            self.acks[a][b][o].discard(s)

    # --- forgers ------------------------------------------------------------------------------------

    @action
    def forge(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        """Somebody tells b in the name of its neighbour a that all neighbours of o are dead to o."""
        require(a != b and self.joined(a, b) and not self.is_late)
        require(s > self.held[o][o] + self.failures + self.recoveries + 2 * self.alarms)
        require(not any(t > self.held[o][o] and len(self.said[o][t]) > 0 for t in Serial))
        spend(self.forgeries_left)
        for n in Broker:
            if self.linked(o, n):
                self.said[o][s].add(n)
        self.hear(a, b, o, s)
        self.acknowledge(a, b, o, s)

    @action
    def time_passes(self) -> None:
        """Forgers have gone, and what was far ahead of the clocks is so no longer."""
        require(self.belief == Belief.CHECKED and self.forgeries > 0 and not self.is_late)
        self.is_late = True

    @action
    def compare(self, b: Broker, n: Broker) -> None:
        """A neighbour that is owed nothing holds something else, by its heartbeats: it is told everything."""
        require(self.belief == Belief.CHECKED and self.fault != Fault.NO_COMPARISON)
        require(b != n and self.joined(b, n) and n not in self.down[b] and b not in self.down[n])
        require(not any(self.owed[b][n][o] is not None for o in Broker))
        require(self.network == Network.COPYING or any(self.held[b][o] > self.held[n][o] for o in Broker))
        for o in Broker:
            if self.held[b][o] > 0:
                self.post(b, n, o, self.held[b][o])

    # --- tables -------------------------------------------------------------------------------------

    def knows_dead(self, b: Broker, x: Broker, y: Broker) -> bool:
        """Whether, of all that a broker holds, one end of a link calls it dead."""
        return y in self.said[x][self.held[b][x]] or x in self.said[y][self.held[b][y]]

    def leaves_out(self, b: Broker, x: Broker, y: Broker) -> bool:
        """Whether the table that a broker uses was calculated without a link."""
        return y in self.colour[b][x] or x in self.colour[b][y]

    def open(self, b: Broker, x: Broker, y: Broker) -> bool:
        """Whether the table by which a broker sends the packet on has this link in it."""
        if self.packets in (Packets.COLOURED, Packets.RECOLOURED):
            return self.linked(x, y) and y not in self.carried[x] and x not in self.carried[y]
        return self.linked(x, y) and not self.leaves_out(b, x, y)

    def in_one(self, b: Broker, x: Broker) -> bool:
        return x == self.to or self.open(b, x, self.to)

    def in_two(self, b: Broker, x: Broker) -> bool:
        return self.in_one(b, x) or any(self.open(b, x, y) and self.in_one(b, y) for y in Broker)

    def in_three(self, b: Broker, x: Broker) -> bool:
        return self.in_two(b, x) or any(self.open(b, x, y) and self.in_two(b, y) for y in Broker)

    def distance(self, b: Broker, x: Broker) -> int:
        """By the table of a broker, from another one to the destination; 5 if no way is known."""
        if x == self.to:
            return 0
        if self.in_two(b, x):
            return 1 if self.in_one(b, x) else 2
        if self.in_three(b, x):
            return 3
        return 4 if any(self.open(b, x, y) and self.in_three(b, y) for y in Broker) else 5

    def is_nearer(self, b: Broker, n: Broker) -> bool:
        return self.open(b, b, n) and self.distance(b, n) < self.distance(b, b)

    def sends_to(self, b: Broker, n: Broker) -> bool:
        """Whether the next hop is this neighbour: of those that are nearer, the first."""
        return self.is_nearer(b, n) and not any(m < n and self.is_nearer(b, m) for m in Broker)

    def agrees(self, c: Broker, b: Broker) -> bool:
        """Whether the table that one uses is of the colour that another knows."""
        return all(
            self.leaves_out(c, x, y) == self.knows_dead(b, x, y)
            for x in Broker for y in Broker if x < y
        )  # fmt: skip

    @action
    def switch(self, b: Broker) -> None:
        """Use the table of what is known; before that, those switch that send to here by another one."""
        require(self.switching == Switching.ORDERED and not self.agrees(b, b))
        require(not any(self.sends_to(n, b) and not self.agrees(n, b) for n in Broker if n != b))
        for o in Broker:
            self.colour[b][o] = self.said[o][self.held[b][o]]
        self.begin_round()

    # --- the packet ---------------------------------------------------------------------------------

    @action
    def send(self, a: Broker) -> None:
        require(self.packets != Packets.NONE and self.fate == Fate.UNSENT and a != self.to)
        self.fate = Fate.UNDER_WAY
        self.at = a
        self.visited.add(a)
        if self.packets != Packets.PLAIN:
            for o in Broker:
                self.carried[o] = self.colour[a][o]

    @action
    def hop(self, a: Broker, b: Broker) -> None:
        """From one broker to the next, if the interface is up; the link may be dead all the same."""
        require(self.packets != Packets.NONE and self.fate == Fate.UNDER_WAY and self.at == a)
        require(self.sends_to(a, b) and not self.shuns(a, b))
        if self.is_cut(a, b):
            self.end(Fate.LOST)
        elif self.to == b:
            self.end(Fate.ARRIVED)
        else:
            if b in self.visited:
                self.looped = True
            self.at = b
            self.visited.add(b)

    def end(self, fate: Fate) -> None:
        self.fate = fate
        self.at = self.to
        self.visited.clear()
        for o in Broker:
            self.carried[o].clear()

    def shuns(self, a: Broker, b: Broker) -> bool:
        """Whether a broker knows that the link to a neighbour is dead."""
        return b in self.down[a] or self.leaves_out(a, a, b)

    def is_stuck(self, a: Broker) -> bool:
        """Whether the next hop is one that this broker shuns."""
        return any(self.sends_to(a, b) and self.shuns(a, b) for b in Broker)

    @action
    def recolour(self, a: Broker) -> None:
        """The packet takes on the failures that are known here: more than it had, for good."""
        require(self.packets == Packets.RECOLOURED and self.fate == Fate.UNDER_WAY and self.at == a)
        require(self.is_stuck(a))
        for o in Broker:
            for n in self.colour[a][o]:
                self.carried[o].add(n)
        self.visited.clear()
        self.visited.add(a)

    @action
    def drop(self, a: Broker) -> None:
        """There is no way, or the next hop is dead to this broker."""
        require(self.packets != Packets.NONE and self.fate == Fate.UNDER_WAY and self.at == a)
        require(not any(self.sends_to(a, b) and not self.shuns(a, b) for b in Broker))
        require(self.packets != Packets.RECOLOURED or not self.is_stuck(a))
        noticed = all(
            (y in self.down[x]) == self.is_cut(x, y) for x in Broker for y in Broker if self.linked(x, y)
        )
        if noticed and self.together(a, self.to):
            self.wasted = True
        self.end(Fate.LOST)

    # --- guarantees ---------------------------------------------------------------------------------

    @invariant
    def acknowledged_is_held(self) -> bool:
        """A neighbour that owes no acknowledgement holds what this broker holds, or something later."""
        return all(
            self.owed[a][b][o] is not None or self.held[b][o] >= self.held[a][o]
            for a in Broker for b in Broker if self.linked(a, b) and b not in self.down[a] for o in Broker
        )  # fmt: skip

    def is_right(self, b: Broker) -> bool:
        return all(
            self.leaves_out(b, x, y) == self.is_cut(x, y)
            for x in Broker for y in Broker if self.linked(x, y) and self.together(b, x)
        )  # fmt: skip

    @ltl(fairness=weak("action"))
    def right_colour(self) -> bool:
        """Some day every broker uses the table of what is dead in its component, and keeps to it."""
        return eventually(always(all(self.is_right(b) for b in Broker)))

    @invariant
    def no_transient_loop(self) -> bool:
        """No packet comes back to a broker while tables, or its own colour, stay as they are."""
        require(self.packets != Packets.NONE)
        return not self.looped

    @invariant
    def no_loss_once_noticed(self) -> bool:
        """When both ends of each cut link know of it, no broker drops a packet to whose end a way leads."""
        require(self.packets != Packets.NONE)
        return not self.wasted

    @ltl(fairness=weak("action"))
    def no_loop_for_ever(self) -> bool:
        """A packet arrives some day, or gets lost."""
        require(self.packets != Packets.NONE)
        return leads_to(self.fate == Fate.UNDER_WAY, self.fate != Fate.UNDER_WAY)
