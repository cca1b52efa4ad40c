"""Bridges of Mosquitto as links.

A bridge is a client of two brokers. For `topic PATTERN out` it subscribes LOCAL-PREFIX + PATTERN here, and
publishes there with REMOTE-PREFIX in the place of LOCAL-PREFIX; `in` is the reverse, `both` is both. A
message that several lines fit crosses once, and gets its new name by the first of them that has a prefix:
so lines with prefixes come first here, and every line refuses what an earlier one takes. With MQTT 5, or
`allow_duplicate_messages`, it crosses once for every line, and still gets its name by that one: so there is a
link for each pair of a line that takes it and a line that names it. (All this is what Mosquitto 2.0.11 does.)

A bridge with several addresses is one connection: the links to each are one failover, in their order.

There is one rule against loops: a broker does not send a client what came from that client. The bridge
obeys it here, and asks for it there by MQTT 5 or `try_private`. So nothing goes back over the same bridge;
but it goes round over two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from angarium.core.errors import did_you_mean
from angarium.mesh.importers import common
from angarium.mesh.importers.mosquitto_conf import EMPTY, Bridge, Conf, Line
from angarium.mesh.mesh import Link, Pattern, Remark, Rename
from angarium.mesh.topics.dialects import legal

OUT, IN, BOTH = "out", "in", "both"
DIRECTIONS = (OUT, IN, BOTH)
QOS = ("0", "1", "2")
MOST_TOPICS = 2000
VERSIONS = ("mqttv31", "mqttv311", "mqttv50")
LIMITS = {
    "max_queued_bytes": "what waits for a bridge that is down has no more bytes than",
    "persistent_client_expiration": "a bridge that is down is back within",
}
"""What else ends the keeping of messages."""
LONGEST_PAUSE = 30
"""Seconds until a bridge tries again, if its file does not say: 5 at first, up to this."""


@dataclass(frozen=True, slots=True)
class Carried:
    """One topic line of a bridge, in one direction."""

    line: Line
    direction: str
    qos: int
    taken: str
    """The filter where the message comes from."""
    rename: Rename | None


@dataclass(frozen=True, slots=True)
class Ends:
    """A bridge with the brokers that it joins. What lies outside has no file."""

    bridge: Bridge
    local: Conf
    remote_name: str
    remote: Conf | None
    rank: int = 0
    """The place of the address among those of the bridge."""
    alone: bool = True
    """Whether it is the only one."""
    addresses: tuple[tuple[str, int], ...] = ()
    """Hosts and ports at which it finds the remote broker."""

    @property
    def name(self) -> str:
        return f"{self.bridge.name}@{self.local.name}"

    @property
    def who(self) -> str:
        return f"connection {self.bridge.name} of {self.local.name}"

    @property
    def user(self) -> str:
        """The name that it says at the other end, if any."""
        line = self.bridge.last("remote_username", "username")
        return line.values[0] if line else ""

    @property
    def client_id(self) -> str:
        """What it calls itself there, if that is said; else it is made of its host and its name."""
        line = self.bridge.last("remote_clientid", "clientid")
        return line.values[0] if line else ""

    @property
    def cable(self) -> str:
        return f"{self.name} to {self.remote_name}" if self.rank else self.name

    @property
    def takes_over(self) -> float:
        """Milliseconds: an address is tried after a pause, for which chance has a range."""
        line = self.bridge.last("restart_timeout")
        seconds = [value for value in line.values if value.isascii() and value.isdecimal()] if line else []
        return self.rank * 1000.0 * float(seconds[-1][:6] if seconds else LONGEST_PAUSE)

    @property
    def is_mqtt_5(self) -> bool:
        version = self.bridge.last("bridge_protocol_version")
        said = version.values[0] if version and version.values else VERSIONS[1]
        if version and said not in VERSIONS:
            raise version.wrong(f"bridge_protocol_version {said}", did_you_mean(said, VERSIONS))
        return said == VERSIONS[2]

    @property
    def no_echo(self) -> bool:
        """Whether the remote broker keeps from the bridge what came from it."""
        return self.is_mqtt_5 or self.bridge.flag("try_private", True)


def bridge_links(ends: Ends) -> Iterator[Link]:
    """Every line is compared with all before it, so there is a limit to them."""
    lines = [line for line in ends.bridge.lines if line.word == "topic"]
    if len(lines) > MOST_TOPICS:
        raise lines[-1].wrong(f"{len(lines)} topics of one connection", f"possible: {MOST_TOPICS}", "ANG125")
    carried = [each for line in lines for each in _carried(line)]
    cancelled = _cancelled(ends)
    carried = [each for each in carried if each.direction == OUT or each.taken not in cancelled]
    for direction in (OUT, IN):
        ordered = _in_order([each for each in carried if each.direction == direction])
        for crossing in (_copied if _doubles(ends, direction) else _once)(ordered):
            yield _link(ends, crossing)


def _cancelled(ends: Ends) -> dict[str, Line]:
    """Filters that the bridge has unsubscribed again, by the line that did so.

    When it is connected, it goes through its lines in order, and subscribes what comes in. For one that only
    goes out it unsubscribes the same filter, in case it came in before the file was changed.
    """
    last: dict[str, Line | None] = {}
    for line in ends.bridge.lines if ends.bridge.flag("bridge_attempt_unsubscribe", True) else ():
        carried = list(_carried(line)) if line.word == "topic" else []
        comes_in = next((each.taken for each in carried if each.direction == IN), None)
        if comes_in is not None:
            last[comes_in] = None
        elif carried and _renamed(carried[0]) in last:
            last[_renamed(carried[0])] = line
    return {taken: line for taken, line in last.items() if line is not None}


def _in_order(lines: list[Carried]) -> list[Carried]:
    """Lines with prefixes first; of those with the same filter, which are one subscription, the first."""
    first: dict[str, Carried] = {}
    for each in sorted(lines, key=lambda each: each.rename is None):
        first.setdefault(each.taken, each)
    return list(first.values())


@dataclass(frozen=True, slots=True)
class _Crossing:
    """What crosses because a line takes it, under the name that another one gives it, or the same."""

    by: Carried
    named: Carried
    fits: str
    """The filter of what both fit."""
    but: tuple[str, ...]
    """Filters of what an earlier line names."""


def _once(ordered: list[Carried]) -> Iterator[_Crossing]:
    for number, each in enumerate(ordered):
        yield _Crossing(each, each, each.taken, _overlapping(each.taken, ordered[:number]))


def _copied(ordered: list[Carried]) -> Iterator[_Crossing]:
    """For every line that takes a message a copy, which the first line with a prefix names."""
    naming = [each for each in ordered if each.rename]
    for by in ordered:
        for number, named in enumerate(naming):
            fits = shared(by.taken, named.taken)
            if fits is not None:
                yield _Crossing(by, named, fits, _overlapping(fits, naming[:number]))
        if not by.rename:
            yield _Crossing(by, by, by.taken, _overlapping(by.taken, naming))


def _overlapping(fits: str, others: Sequence[Carried]) -> tuple[str, ...]:
    return tuple(each.taken for each in others if shared(fits, each.taken) is not None)


def _doubles(ends: Ends, direction: str) -> bool:
    sender = ends.local if direction == OUT else ends.remote
    return ends.is_mqtt_5 or (sender is not None and sender.flag("allow_duplicate_messages", False))


def _link(ends: Ends, crossing: _Crossing) -> Link:
    """Without `no_echo`, only the bridge's own side keeps back what came over the bridge."""
    carried, here, there = crossing.by, ends.local.name, ends.remote_name
    source, target = (here, there) if carried.direction == OUT else (there, here)
    one_sided = not ends.no_echo
    coming = f"into {ends.cable}"
    named = "" if crossing.named is carried else f" named by {crossing.named.taken}"
    return Link(
        name=f"{ends.cable} {carried.direction} {carried.taken}{named}",
        source=source,
        target=target,
        cable=ends.cable,
        accepts=(Pattern(crossing.fits, "mqtt", place=carried.line.place),),
        refuses=tuple(Pattern(each, "mqtt", place=carried.line.place) for each in crossing.but),
        rename=crossing.named.rename,
        connection="" if one_sided else ends.cable,
        kind=coming if one_sided and carried.direction == IN else "bridge",
        not_after=frozenset({coming} if one_sided and carried.direction == OUT else ()),
        buffering=_buffering(ends, carried),
        failover="" if ends.alone else ends.name,
        rank=ends.rank,
        takes_over=ends.takes_over,
        place=carried.line.place,
    )


def _buffering(ends: Ends, carried: Carried) -> str:
    """Kept by the sending broker, for a client that it expects back."""
    clean = ends.bridge.flag("cleansession", False)
    if carried.direction == OUT:
        clean = ends.bridge.flag("local_cleansession", clean)
    sender = ends.local if carried.direction == OUT else ends.remote
    queued = carried.qos > 0 or (sender is not None and sender.flag("queue_qos0_messages", False))
    return "kept" if queued and not clean else "lost"


def _carried(line: Line) -> Iterator[Carried]:
    """`topic PATTERN [[[out | in | both] QOS] LOCAL-PREFIX REMOTE-PREFIX]`; a comment may end it."""
    values = (*line.values[:2], *takewhile(lambda word: not word.startswith("#"), line.values[2:]))
    if not 1 <= len(values) <= 5:
        form = "topic PATTERN [[[out | in | both] QOS] LOCAL-PREFIX REMOTE-PREFIX]"
        raise line.wrong(f"topic with {len(values)} values", f"possible: {form}")
    pattern, direction, qos, *prefixes = (*values, *(OUT, "0")[max(0, len(values) - 1) :])
    if direction.lower() not in DIRECTIONS:
        raise line.wrong(f"{direction} is no direction", did_you_mean(direction, DIRECTIONS))
    if qos not in QOS:
        raise line.wrong(f"{qos} is no quality of service", did_you_mean(qos, QOS))
    local, remote = (("" if prefix == EMPTY else prefix) for prefix in (*prefixes, EMPTY, EMPTY)[:2])
    for each in (OUT, IN) if direction.lower() == BOTH else (direction.lower(),):
        ends = (local, remote) if each == OUT else (remote, local)
        yield _one_way(line, each, int(qos), "" if pattern == EMPTY else pattern, *ends)


def _one_way(line: Line, direction: str, qos: int, pattern: str, strip: str, add: str) -> Carried:
    if not pattern and not (strip and add):
        raise line.wrong(
            "a topic without a pattern needs both prefixes", 'possible: topic "" out 0 here/a there/b'
        )
    for prefix in (strip, add):
        if set(prefix) & {"+", "#"}:
            raise line.wrong(
                f"prefix {prefix} has a wildcard", "possible: a prefix without + and #", "ANG124"
            )
        legal(Pattern(prefix + pattern, "mqtt", place=line.place))
    rename = Rename(strip, add) if pattern else Rename(whole=add)
    return Carried(line, direction, qos, strip + pattern, rename if strip or add else None)


def shared(one: str, other: str) -> str | None:
    """The filter of the topics that fit two filters; None if there are none."""
    ones, others = one.split("/"), other.split("/")
    joined: list[str] = []
    for left, right in zip(ones, others, strict=False):
        if left == "#" or right == "#":
            return "/".join(joined + (others if left == "#" else ones)[len(joined) :])
        if left != right and "+" not in (left, right):
            return None
        joined.append(right if left == "+" else left)
    rest = ones[len(joined) :] + others[len(joined) :]
    return "/".join(joined) if not rest or rest == ["#"] else None


def remarks(ends: Ends) -> Iterator[Remark]:
    """What a bridge says that is not followed, or does nothing."""
    bridge, who = ends.bridge, ends.who
    if bridge.last("topic") is None:
        yield common.dangling(f"{who} has no topic: it carries nothing", bridge.line.place, "Add a topic.")
    start = bridge.last("start_type")
    if start and start.values[:1] not in [(), ("automatic",)]:
        what = f"start_type {start.values[0]} of {who}"
        yield common.not_understood(what, start.place, "The bridge is taken to start, and start again.")
    for line in bridge.lines:
        if line.word == "topic" and line.values[0].startswith("$share/"):
            what = (
                f"{who} shares the subscription {line.values[0]} with others: who gets a message is not known"
            )
            yield common.not_understood(what, line.place)
    for taken, line in _cancelled(ends).items():
        what = f"{who} subscribes {taken} at {ends.remote_name}, and unsubscribes it again by this line"
        yield common.dangling(
            what, line.place, "Put it before the line that subscribes, or join them by both."
        )
    yield from _assumed(ends, who)


def _assumed(ends: Ends, who: str) -> Iterator[Remark]:
    """What holds only if something that no file says is so."""
    place = ends.bridge.line.place
    if ends.remote is None and not ends.is_mqtt_5 and ends.no_echo and _may_echo(ends):
        what = f"{ends.remote_name} obeys try_private, which {who} asks for: brokers that are not"
        yield common.assumed(f"{what} Mosquitto refuse it, and send back what comes from the bridge", place)
    for link in bridge_links(ends):
        if link.buffering == "kept":
            yield from _kept_up_to(ends.local if link.source == ends.local.name else ends.remote)
    if ends.bridge.last("round_robin") and not ends.alone and ends.bridge.flag("round_robin", False):
        what = f"{who} is at its first address while that lives; round_robin leaves it where it is"
        yield common.assumed(what, place)


def _kept_up_to(sender: Conf | None) -> Iterator[Remark]:
    """That what is kept for a bridge which is down has a limit."""
    if sender is not None and sender.most_queued != "0":
        what = f"messages have QoS 1 or more, and no more than {sender.most_queued} wait for a bridge that is"
        what = f"{what} down (max_queued_messages): others are lost then"
        yield common.assumed(what, common.place(sender.path, 1))
    for word, what in LIMITS.items():
        line = sender.last(word) if sender else None
        if line and line.values[:1] not in ((), ("0",)):
            yield common.assumed(f"{what} {line.values[0]} ({word}): others are lost then", line.place)


def _may_echo(ends: Ends) -> bool:
    """Whether some topic would come back by what goes out."""
    lines = [each for line in ends.bridge.lines if line.word == "topic" for each in _carried(line)]
    gone = [_renamed(each) for each in lines if each.direction == OUT]
    return any(
        shared(each, line.taken) is not None for line in lines if line.direction == IN for each in gone
    )


def _renamed(carried: Carried) -> str:
    """The filter of what a line has renamed."""
    rename = carried.rename
    if rename is None:
        return carried.taken
    return rename.whole if rename.whole is not None else rename.add + carried.taken[len(rename.strip) :]
