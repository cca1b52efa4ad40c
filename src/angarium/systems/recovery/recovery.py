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
  lost, and brokers take links for dead that are not, each as often as its budget allows. What is under way
  arrives in any order. Time is left out: each end of a cut or healed link notices some day.
- A statement is known by its origin and its serial, which says how many came before; what is sent is a number
  out of `numbers`, compared as in RFC 1982: of two numbers the later one is less than half of all ahead. So
  numbers may begin again, but must be more than twice as many as statements that can meet (try `numbers=4`).
  `statements` must be more than the changes that one broker can notice; else `stays-in-range` says so.
- An interface is in the state *failure* if its neighbour is in `down`, else *waiting* if something is `owed`,
  else *normal*. With `network=prompt` an acknowledgement is back in the step in which the notice arrives,
  or lost: the timer is longer than a round trip, so nobody can tell the difference, and there are far fewer
  states. `slow` and `copying` leave that out.
- Nothing more is cut and healed when the budgets are used up. Then every step that stays possible happens
  some day: that is the fairness of both guarantees over time.

Beyond the thesis, which takes the time of the flood for too short to matter: what happens to a packet while
some brokers have switched and others have not. Its next hop is that of the shortest way in a colour, by the
lowest number if there are several.
- `packets=plain`: each broker uses its own table. On a ring of four or more the broker next to a cut link
  turns a packet round, and the next one, which has not heard of it, turns it back: it goes to and fro until
  the flood has passed. A triangle has no such loop for one failure, but for two. Nothing is dropped
  meanwhile, as long as links only fail; only a limit of hops would drop it.
- `packets=coloured`: a packet is sent on by the colour that its sender knew, everywhere. The table of one
  colour has no loop. Where it leads to a link that is known to be dead the packet is dropped, also if both
  ends have noticed long ago and a way is left: it is lost because its sender had not heard yet.
- `packets=recoloured`: there it takes on everything that is dead in its own colour or known to be dead here.
  That is strictly more than before, since the link that was to be used is among it; so it happens at most as
  often as there are links, and between two times the packet follows one table: it cannot go round. With
  failures only it is not lost once they are noticed. What has healed since stays in its colour, so it may
  take a longer way, or find none.
- `switching=ordered` (as in RFC 6976): a broker waits with its new table until no neighbour with a table of
  another colour sends to it. Then those that have switched may send to those that have not, never the other
  way round, and the old table of the latter leads on without a loop. But the broker next to the cut link
  comes last, and drops everything until then.
- In all of them what is sent over a cut link before its end has noticed is lost, and where the flood is late
  to tell of a way that has healed, a packet may be dropped for want of it.

`fault` puts back what is wrong in the thesis, by the number of the contradiction, or leaves out what a
protocol must have.
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

from .kinds import Broker, Fate, Fault, Network, Packets, Serial, Shape, Switching


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
    network = param(Network.PROMPT)
    fault = param(Fault.NONE)

    failures_left = budget(failures)
    recoveries_left = budget(recoveries)
    alarms_left = budget(alarms)
    losses_left = budget(losses)

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
            return self.linked_up(b, a)
        return self.linked_up(a, b)

    def linked_up(self, a: Broker, b: Broker) -> bool:
        """By the lower end and the higher end."""
        if a + 1 == b:
            return True
        if self.shape == Shape.CHORD and a == 0 and b == 2:
            return True
        return self.shape != Shape.LINE and a == 0 and b == self.brokers - 1

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
        if self.fault == Fault.FORGETS and self.knows_failures(b):
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

    def knows_failures(self, b: Broker) -> bool:
        return any(len(self.colour[b][o]) > 0 for o in Broker)

    def later(self, s: Serial, t: Serial) -> bool:
        if self.fault == Fault.ANY_AGE:
            return s != t
        if self.fault == Fault.NUMBER_RESETS:
            return self.numbered(s) > self.numbered(t)
        return 0 < (s - t) % self.numbers < (self.numbers + 1) // 2

    def numbered(self, s: Serial) -> int:
        """Numbers are used up when the run begins: the first statement has the highest, then comes 1."""
        return s if s > 0 else self.numbers - 1

    @action
    def notice_arrives(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        """It is acknowledged, and handed on if it is later than what is known."""
        require(self.linked(a, b) and s > 0 and s in self.notices[a][b][o])
        self.hear(a, b, o, s)
        if self.network == Network.PROMPT:
            self.take_ack(b, a, o, s)
        else:
            self.acks[b][a][o].add(s)

    def hear(self, a: Broker, b: Broker, o: Broker, s: Serial) -> None:
        if self.network != Network.COPYING:
            self.notices[a][b][o].discard(s)
        if self.later(s, self.held[b][o]):
            self.held[b][o] = s
            for n in Broker:
                if n != a and self.linked(b, n) and n not in self.down[b]:
                    self.post(b, n, o, s)
            self.learn(b, o, s)

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
        require(self.network == Network.COPYING or not self.is_under_way(a, b, o, s))
        self.notices[a][b][o].add(s)

    def is_under_way(self, a: Broker, b: Broker, o: Broker, s: Serial) -> bool:
        return s in self.notices[a][b][o] or s in self.acks[b][a][o]

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

    def in_four(self, b: Broker, x: Broker) -> bool:
        return self.in_three(b, x) or any(self.open(b, x, y) and self.in_three(b, y) for y in Broker)

    def distance(self, b: Broker, x: Broker) -> int:
        """By the table of a broker, from another one to the destination; 5 if no way is known."""
        if x == self.to:
            return 0
        if self.in_two(b, x):
            return 1 if self.in_one(b, x) else 2
        if self.in_four(b, x):
            return 3 if self.in_three(b, x) else 4
        return 5

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

    def is_at(self, a: Broker) -> bool:
        return self.fate == Fate.UNDER_WAY and self.at == a

    @action
    def hop(self, a: Broker, b: Broker) -> None:
        """From one broker to the next, if the interface is up; the link may be dead all the same."""
        require(self.packets != Packets.NONE)
        require(self.is_at(a) and self.sends_to(a, b) and not self.shuns(a, b))
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
        require(self.packets == Packets.RECOLOURED and self.is_at(a) and self.is_stuck(a))
        for o in Broker:
            for n in self.colour[a][o]:
                self.carried[o].add(n)
        self.visited.clear()
        self.visited.add(a)

    @action
    def drop(self, a: Broker) -> None:
        """There is no way, or the next hop is dead to this broker."""
        require(self.packets != Packets.NONE and self.is_at(a))
        require(not any(self.sends_to(a, b) and not self.shuns(a, b) for b in Broker))
        require(self.packets != Packets.RECOLOURED or not self.is_stuck(a))
        if self.all_is_noticed() and self.together(a, self.to):
            self.wasted = True
        self.end(Fate.LOST)

    def all_is_noticed(self) -> bool:
        return all(
            (b in self.down[a]) == self.is_cut(a, b) for a in Broker for b in Broker if self.linked(a, b)
        )

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
