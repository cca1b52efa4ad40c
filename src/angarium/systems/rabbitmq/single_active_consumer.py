"""Apps that balance queues by themselves, each queue with a single active consumer.

After Jack Vanlightly's TLA+ specification of consumer groups on RabbitMQ. Every app subscribes to every queue
of the group; a queue makes its first subscriber active and lets the others wait. An app that is active on
more queues than its fair share releases one, and subscribes again at the tail. No app talks to another: the
claim is that following this rule alone they come to rest with everything subscribed and balanced.

What is taken from where: `sequential` is NextSequential (an app subscribes to one queue at a time),
`random` is NextRandom (to all that it misses at once); `restarts` is RESTART_LIMIT. As in the specification,
Stop is possible while fewer than apps + restarts ids have been given out, so also when restarts is 0; with
`stops=false` no app ever stops. The specification's two statistics counters are switched on by `stats`
(they count up to `release_limit`): they are no part of the state by default, because releases can go on for
ever and the states with them.

Beyond the specification: two guarantees over time hold in random mode only. In sequential mode an app that
releases a queue may subscribe to it again before anybody else does, and be made active again, for ever: weak
fairness of Next as a whole, which is what the specification assumes, permits it. With `rule=poorer` an app
releases a queue only where an app waits that has at least two active queues fewer. Every release then makes
the distribution more even, so that releases come to an end, and both guarantees hold. With `rule=nearest` it
releases, of these queues, only one where the fewest apps wait in front of the poorer one: both hold as well,
and far fewer releases lead to balance, because fewer of them go to an app that has enough.

Where an app's fair share is not a whole number, `position` decides who gets one more. The specification
counts apps with at least as many active queues, and its tie-break by id can never matter behind that; it is
left out.
"""

from enum import Enum

from angarium import (
    Index,
    Model,
    action,
    array,
    at_rest,
    count,
    eventually,
    goal,
    integer,
    invariant,
    leads_to,
    ltl,
    observation,
    option,
    param,
    require,
    seq,
    steps,
    steps_until,
    times,
    weak,
)


class Queue(Index, symmetric=True):
    """A queue of the group."""


class App(Index, symmetric=True):
    """An app that consumes from the group's queues."""


class Mode(Enum):
    """How an app subscribes: to one queue at a time, or to all that it misses at once."""

    SEQUENTIAL = "sequential"
    RANDOM = "random"


class Rule(Enum):
    """Which queues an app with too much may release: any, or only those for which a poorer app waits, or of
    these only those where the fewest others wait in front of it."""

    ALWAYS = "always"
    POORER = "poorer"
    NEAREST = "nearest"


class SingleActiveConsumer(Model):
    """Apps balance queues by releasing what they have too much of."""

    queues = count(Queue, 3, high=20)
    apps = count(App, 3, high=20)
    restarts = param(0, high=10)
    mode = param(Mode.SEQUENTIAL)
    stops = param(True)
    rule = param(Rule.ALWAYS)
    stats = param(False)
    release_limit = param(15, low=1, high=1000)

    waiting = array(Queue, seq(App))
    active = array(Queue, option(App))
    ident = array(App, integer(0, 2 * apps + restarts))
    next_id = integer(1, 2 * apps + restarts + 1)
    releases = array(Queue, integer(0, release_limit if stats else 0))
    total_releases = integer(0, release_limit if stats else 0)

    def started(self, a: App) -> bool:
        return self.ident[a] != 0

    def subscribed(self, a: App, q: Queue) -> bool:
        return self.active[q] == a or a in self.waiting[q]

    def active_count(self, a: App) -> int:
        return sum(self.active[q] == a for q in Queue)

    def subscribed_apps(self) -> int:
        return sum(any(self.subscribed(a, q) for q in Queue) for a in App)

    def position(self, a: App) -> int:
        """How many started apps are ahead of this one in claiming a queue more than the others."""
        if self.active_count(a) == 0:
            return -1
        return sum(
            b != a and self.started(b) and self.active_count(b) > 0
            and self.active_count(b) >= self.active_count(a)
            for b in App
        )  # fmt: skip

    def ideal(self, a: App) -> int:
        """How many queues this app should be active on."""
        share = self.queues // self.subscribed_apps()
        left_over = self.queues % self.subscribed_apps()
        return share + 1 if left_over > 0 and left_over >= self.position(a) + 1 else share

    def is_poorer(self, b: App, a: App) -> bool:
        """Whether a queue less for a and one more for b would bring them nearer to each other."""
        return self.active_count(b) + 1 < self.active_count(a)

    def poorer_waits(self, a: App, q: Queue) -> bool:
        return any(self.is_poorer(b, a) for b in self.waiting[q])

    def ahead_of_poorer(self, a: App, q: Queue) -> int:
        """How many apps wait in front of the first that is poorer."""
        waiting = len(self.waiting[q])
        return sum(
            all(not self.is_poorer(self.waiting[q][j], a) for j in range(i + 1)) for i in range(waiting)
        )

    def is_nearest(self, a: App, q: Queue) -> bool:
        """Whether at no other queue of this app a poorer one is nearer to the head."""
        return all(
            self.active[r] != a or not self.poorer_waits(a, r)
            or self.ahead_of_poorer(a, q) <= self.ahead_of_poorer(a, r)
            for r in Queue
        )  # fmt: skip

    @action
    def start(self, a: App) -> None:
        require(not self.started(a))
        self.ident[a] = self.next_id
        self.next_id += 1

    @action
    def subscribe(self, a: App, q: Queue) -> None:
        require(self.mode == Mode.SEQUENTIAL)
        require(self.started(a) and not self.subscribed(a, q))
        self.waiting[q].append(a)

    @action
    def subscribe_to_all(self, a: App) -> None:
        require(self.mode == Mode.RANDOM)
        require(self.started(a) and any(not self.subscribed(a, q) for q in Queue))
        for q in Queue:
            if a not in self.waiting[q]:
                self.waiting[q].append(a)

    @action
    def release(self, a: App, q: Queue) -> None:
        require(self.active[q] == a and self.active_count(a) > self.ideal(a))
        require(self.rule == Rule.ALWAYS or self.poorer_waits(a, q))
        require(self.rule != Rule.NEAREST or self.is_nearest(a, q))
        self.waiting[q].discard(a)
        self.active[q] = None
        if self.stats:
            self.releases[q] = min(self.releases[q] + 1, self.release_limit)
            self.total_releases = min(self.total_releases + 1, self.release_limit)

    @action
    def make_active(self, q: Queue) -> None:
        require(self.active[q] is None and len(self.waiting[q]) > 0)
        self.active[q] = self.waiting[q].pop(0)

    @action
    def stop(self, a: App) -> None:
        require(self.stops and self.next_id < self.apps + self.restarts and self.started(a))
        for q in Queue:
            self.waiting[q].discard(a)
            if self.active[q] == a:
                self.active[q] = None
        self.ident[a] = 0

    def all_subscribed(self) -> bool:
        return all(self.subscribed(a, q) for a in App for q in Queue)

    def balanced(self) -> bool:
        return all(self.active[q] is not None for q in Queue) and all(
            self.started(a) and self.active_count(a) <= self.ideal(a) for a in App
        )

    @invariant
    def type_ok(self) -> bool:
        """Only started apps are active or waiting, no app waits twice in a queue, and ids are distinct."""
        return (
            all(self.started(a) or not self.subscribed(a, q) for a in App for q in Queue)
            and all(sum(w == a for w in self.waiting[q]) <= 1 for a in App for q in Queue)
            and all(a == b or not self.started(a) or self.ident[a] != self.ident[b] for a in App for b in App)
        )

    @at_rest
    def sequential_safety(self) -> bool:
        """When nothing more can happen, every app is subscribed everywhere and the queues are balanced."""
        require(self.mode == Mode.SEQUENTIAL)
        return self.all_subscribed() and self.balanced()

    @at_rest
    def random_safety(self) -> bool:
        """When nothing more can happen, every app is subscribed everywhere and the queues are balanced."""
        require(self.mode == Mode.RANDOM)
        return self.all_subscribed() and self.balanced()

    @eventually(fairness=weak("all"))
    def eventually_all_subscribed(self) -> bool:
        """Some day every app is subscribed to every queue."""
        return self.all_subscribed()

    @ltl(fairness=weak("all"))
    def eventually_balanced(self) -> bool:
        """Once every app is subscribed to every queue, the queues are balanced some day."""
        return leads_to(self.all_subscribed(), self.balanced())

    @goal
    def settled(self) -> bool:
        """Every app is subscribed to every queue, and the queues are balanced."""
        return self.all_subscribed() and self.balanced()

    @observation
    def releases_to_balance(self) -> int:
        """Releases until balance."""
        return times(self.release)

    @observation
    def releases_per_queue(self, q: Queue) -> int:
        """Releases of one queue until balance."""
        return times(self.release, q=q)

    @observation
    def steps_to_balance(self) -> int:
        """Steps until balance."""
        return steps()

    @observation
    def steps_to_subscribe(self) -> int:
        """Steps until every app is subscribed to every queue for the first time."""
        return steps_until(self.all_subscribed())
