"""The link with heartbeats in plain Python, with the rule of `adaptive`: the same to the last number."""

from __future__ import annotations

from dataclasses import dataclass

from angarium.mesh.probability.adaptive import EARLY, Receiver, Sender

_ALL = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & _ALL
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & _ALL
    return word ^ (word >> 31)


@dataclass
class Random:
    """SplitMix64."""

    state: int

    def __post_init__(self) -> None:
        self.gamma = mix(self.state + _GOLDEN & _ALL) | 1

    def draw(self) -> int:
        self.state = self.state + self.gamma & _ALL
        return mix(self.state)

    def exponential(self, mean: int) -> int:
        whole = 0
        while True:
            first = last = self.draw()
            while True:
                following = self.draw()
                if following >= last:
                    return whole * mean + part(first >> 32, mean)
                last = self.draw()
                if last >= following:
                    break
            whole += 1


def part(share: int, amount: int) -> int:
    return (share * (amount >> 21) >> 11) + (share * (amount & 0x1FFFFF) >> 32)


@dataclass
class Link:
    """A run, from an empty queue."""

    seed: int
    stream: int
    data: int
    beat: int
    room: int
    apart: int
    burst: int
    lull: int
    base: int
    stretch: int
    dead: int
    now: int = 0
    waiting: int = 0
    served: int = 0
    since: int = 0
    alarms: int = 0
    sent: int = 0
    lost: int = 0
    area: int = 0
    gaps: int = 0

    def run(self, length: int) -> None:
        self.dead_intervals: list[int] = []
        traffic = Random(mix(mix(self.seed + _GOLDEN & _ALL) ^ mix(self.stream)))
        self.beats = Random(mix(traffic.state ^ _GOLDEN))
        self.sender, self.receiver = Sender(self.base, self.stretch), Receiver(self.base, 0)
        is_on, until = True, traffic.exponential(self.burst) if self.lull else _ALL
        next_data, next_beat = traffic.exponential(self.apart), self.base
        while self.now < length:
            when = min(until, next_beat, next_data)
            self.waiting = max(0, self.waiting - (when - self.now))
            self.now = when
            if when == until:
                is_on = not is_on
                until = when + traffic.exponential(self.burst if is_on else self.lull)
                next_data = when + traffic.exponential(self.apart) if is_on else _ALL
            elif when == next_beat:
                next_beat = when + self._send()
            else:
                next_data = when + traffic.exponential(self.apart)
                self._take(self.data)

    def _take(self, work: int) -> bool:
        if self.waiting + self.data > self.room:
            return False
        self.waiting += work
        self.served += work
        return True

    def _send(self) -> int:
        """Send a heartbeat; how long until the next."""
        self.sent += 1
        self.sender.measured(self.served - self.waiting, self.now - self.since)
        self.since, self.served = self.now, self.waiting
        interval = self.sender.interval
        early = part(self.beats.draw() >> 32, interval // EARLY)
        if self._take(self.beat):
            self._hear(self.now + self.waiting, interval)
        else:
            self.lost += 1
        return interval - early

    def _hear(self, when: int, announced: int) -> None:
        gap, dead = when - self.receiver.last, self.dead or self.receiver.dead_after
        noticed = min(gap, dead)
        self.alarms += gap > dead
        self.gaps += gap
        self.area += ((2 * dead - noticed) // 1000) * (noticed // 1000) // 2000
        self.dead_intervals.append(dead)
        self.receiver.heard(when, announced)
