"""Bridges of Mosquitto as links.

A bridge is a client of two brokers. For `topic PATTERN out` it subscribes LOCAL-PREFIX + PATTERN here, and
publishes there with REMOTE-PREFIX in the place of LOCAL-PREFIX; `in` is the reverse, `both` is both. A
message that several lines fit crosses once, and gets its new name by the first of them that has a prefix:
so lines with prefixes come first here, and every line refuses what an earlier one takes. (With
`allow_duplicate_messages` it crosses once for every line. All this is what Mosquitto 2.0.11 does.)

There is one rule against loops: a broker does not send a client what came from that client. The bridge
obeys it here, and asks for it there by MQTT 5 or `try_private`. So nothing goes back over the same bridge;
but it goes round over two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from angarium.errors import did_you_mean
from angarium.mesh.importers import common
from angarium.mesh.importers.mosquitto_conf import EMPTY, Bridge, Conf, Line
from angarium.mesh.mesh import Link, Pattern, Remark, Rename
from angarium.mesh.topics.dialects import legal

OUT, IN, BOTH = "out", "in", "both"
DIRECTIONS = (OUT, IN, BOTH)
QOS = ("0", "1", "2")
MOST_TOPICS = 2000
VERSIONS = ("mqttv31", "mqttv311", "mqttv50")


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

    @property
    def cable(self) -> str:
        return f"{self.bridge.name}@{self.local.name}"

    @property
    def no_echo(self) -> bool:
        """Whether the remote broker keeps from the bridge what came from it."""
        version = self.bridge.last("bridge_protocol_version")
        said = version.values[0] if version and version.values else VERSIONS[1]
        if version and said not in VERSIONS:
            raise version.wrong(f"bridge_protocol_version {said}", did_you_mean(said, VERSIONS))
        return said == VERSIONS[2] or self.bridge.flag("try_private", True)


def bridge_links(ends: Ends) -> Iterator[Link]:
    """Every line is compared with all before it, so there is a limit to them."""
    lines = [line for line in ends.bridge.lines if line.word == "topic"]
    if len(lines) > MOST_TOPICS:
        raise lines[-1].wrong(f"{len(lines)} topics of one connection", f"possible: {MOST_TOPICS}", "ANG125")
    carried = [each for line in lines for each in _carried(line)]
    for direction in (OUT, IN):
        ordered = _in_order([each for each in carried if each.direction == direction])
        for number, each in enumerate(ordered):
            yield _link(ends, each, () if _doubles(ends, direction) else tuple(ordered[:number]))


def _in_order(lines: list[Carried]) -> list[Carried]:
    """Lines with prefixes first; of those with the same filter, which are one subscription, the first."""
    first: dict[str, Carried] = {}
    for each in sorted(lines, key=lambda each: each.rename is None):
        first.setdefault(each.taken, each)
    return list(first.values())


def _doubles(ends: Ends, direction: str) -> bool:
    sender = ends.local if direction == OUT else ends.remote
    return sender is not None and sender.flag("allow_duplicate_messages", False)


def _link(ends: Ends, carried: Carried, earlier: tuple[Carried, ...]) -> Link:
    """Without `no_echo`, only the bridge's own side keeps back what came over the bridge."""
    here, there = ends.local.name, ends.remote_name
    source, target = (here, there) if carried.direction == OUT else (there, here)
    one_sided = not ends.no_echo
    coming = f"into {ends.cable}"
    return Link(
        name=f"{ends.cable} {carried.direction} {carried.taken}",
        source=source,
        target=target,
        cable=ends.cable,
        accepts=(_pattern(carried),),
        refuses=tuple(_pattern(each) for each in earlier if overlap(each.taken, carried.taken)),
        rename=carried.rename,
        connection="" if one_sided else ends.cable,
        kind=coming if one_sided and carried.direction == IN else "bridge",
        not_after=frozenset({coming} if one_sided and carried.direction == OUT else ()),
        buffering=_buffering(ends, carried),
        place=carried.line.place,
    )


def _pattern(carried: Carried) -> Pattern:
    return Pattern(carried.taken, "mqtt", place=carried.line.place)


def _buffering(ends: Ends, carried: Carried) -> str:
    """Kept by the sending broker, for a client that it expects back."""
    clean = ends.bridge.flag("cleansession", False)
    if carried.direction == OUT:
        clean = ends.bridge.flag("local_cleansession", clean)
    sender = ends.local if carried.direction == OUT else ends.remote
    queued = carried.qos > 0 or (sender is not None and sender.flag("queue_qos0_messages", False))
    return "kept" if queued and not clean else "lost"


def _carried(line: Line) -> Iterator[Carried]:
    """`topic PATTERN [[[out | in | both] QOS] LOCAL-PREFIX REMOTE-PREFIX]`"""
    if not 1 <= len(line.values) <= 5:
        form = "topic PATTERN [[[out | in | both] QOS] LOCAL-PREFIX REMOTE-PREFIX]"
        raise line.wrong(f"topic with {len(line.values)} values", f"possible: {form}")
    pattern, direction, qos, *prefixes = (*line.values, *(OUT, "0")[max(0, len(line.values) - 1) :])
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


def overlap(one: str, other: str) -> bool:
    """Whether some topic fits both filters."""
    ones, others = one.split("/"), other.split("/")
    for left, right in zip(ones, others, strict=False):
        if "#" in (left, right):
            return True
        if left != right and "+" not in (left, right):
            return False
    shorter = min(len(ones), len(others))
    rest = ones[shorter:] + others[shorter:]
    return not rest or rest == ["#"]


def remarks(ends: Ends) -> Iterator[Remark]:
    """What a bridge says that is not followed, or does nothing."""
    bridge, who = ends.bridge, f"connection {ends.bridge.name} of {ends.local.name}"
    if bridge.last("topic") is None:
        yield common.dangling(f"{who} has no topic: it carries nothing", bridge.line.place, "Add a topic.")
    start = bridge.last("start_type")
    if start and start.values[:1] not in [(), ("automatic",)]:
        what = f"start_type {start.values[0]} of {who}"
        yield common.not_understood(what, start.place, "The bridge is taken to start, and start again.")
    if _doubles(ends, OUT) or _doubles(ends, IN):
        names = {each.rename for line in bridge.lines if line.word == "topic" for each in _carried(line)}
        if len(names) > 1:
            what = f"allow_duplicate_messages with different prefixes of {who}"
            remedy = "Where lines overlap, Mosquitto gives all copies the name of the first."
            yield common.not_understood(what, bridge.line.place, remedy)
