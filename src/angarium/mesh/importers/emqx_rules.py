"""What EMQX's rules and bridges carry, filter by filter.

    sql = "SELECT * FROM \\"sensors/#\\""             actions = ["mqtt:to_hub"]
    sql = "SELECT * FROM \\"$bridges/mqtt:from_hub\\""
    actions = [{function = republish, args {topic = "hub/${topic}"}}]

The first sends to another broker, the second takes from one. Conditions, fields that are chosen anew and
names that are made of other fields are told with what they may do. Actions that write into databases and the
like carry no messages of this mesh.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from angarium.core.errors import Place
from angarium.mesh.importers.hocon import Value
from angarium.mesh.mesh import CARRIES, COPIES, DROPS, EFFECTS, RENAMES, Pattern, Rename
from angarium.mesh.topics.dialects import legal

_SQL = re.compile(r"\s*SELECT\s+(.+?)\s+FROM\s+(.+?)(\s+WHERE\s+.+)?\s*;?\s*", re.IGNORECASE | re.DOTALL)
_FROM = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([^\s,"']+))\s*(?:,|$)""")
_FIELD = re.compile(r"(?i)(?:^|,)\s*(?:\*|topic)\s*(?=,|$)")
_ALIAS = re.compile(r"(?i)\bas\s+topic\b")
_SOURCE = re.compile(r"\$(?:bridges|sources)/mqtt:(.+)")
_TOPIC = "${topic}"
_SECONDS = re.compile(r"([0-9]{1,9})(ms|s|m|h|d)")
_UNITS = {"ms": "ms", "s": "s", "m": "min", "h": "h", "d": "d"}


@dataclass(frozen=True, slots=True)
class Carried:
    """What one filter takes over a connection, and under which name it arrives."""

    who: str
    connector: str
    server: Value
    is_out: bool
    taken: Pattern
    rename: Rename | None
    waits: str
    """How long messages wait while the connection is down; empty: as long as usual."""
    guarded: str
    """The setting that may keep back what comes back."""

    @property
    def place(self) -> Place:
        assert self.taken.place is not None
        return self.taken.place


@dataclass(frozen=True, slots=True)
class Rules:
    """A configuration, and where to tell what is not followed."""

    name: str
    root: Value
    tell: Callable[..., None]


def carried(rules: Rules) -> Iterator[Carried]:
    for name, bridge in rules.root["bridges.mqtt"].entries.items():
        if not bridge.is_off:
            yield from _of_bridge(rules, name, bridge)
    for name, rule in rules.root["rule_engine.rules"].entries.items():
        if not rule.is_off:
            yield from _of_rule(rules, name, rule)


def _of_bridge(rules: Rules, name: str, bridge: Value) -> Iterator[Carried]:
    """A bridge that takes and gives by itself, without a rule."""
    ingress, egress = bridge["ingress"], bridge["egress"]
    if ingress["local.topic"].text:
        yield from _in(rules, f"bridge {name}", name, bridge, ingress["remote"], ingress["local.topic"].text)
    if egress["local.topic"].text:
        taken = egress["local.topic"]
        rename = _rename(rules, f"bridge {name}", egress["remote.topic"])
        yield _out(f"bridge {name}", name, bridge, bridge, taken.text, taken.place, rename)


def _of_rule(rules: Rules, name: str, rule: Value) -> Iterator[Carried]:
    parsed = _SQL.fullmatch(rule["sql"].text)
    topics = [next(filter(None, found.groups())) for found in _FROM.finditer(parsed[2])] if parsed else []
    actions = list(_actions(rules, name, rule))
    if not actions:
        return
    if parsed is None or not topics:
        rules.tell(f"the SQL of rule {name} of {rules.name}", rule["sql"].place)
        return
    if parsed[3]:
        what = f"WHERE of rule {name} of {rules.name} lets through only what fits it"
        rules.tell(what, rule["sql"].place, frozenset((DROPS,)))
    if _ALIAS.search(parsed[1]) or not _FIELD.search(parsed[1]):
        what = f"rule {name} of {rules.name} does not select the topic as it is"
        rules.tell(what, rule["sql"].place, frozenset((RENAMES, DROPS)))
    for topic in topics:
        for action in actions:
            yield from _by_rule(rules, name, rule, topic, action)


def _actions(rules: Rules, name: str, rule: Value) -> Iterator[Value]:
    """Those that carry messages to brokers of MQTT."""
    for action in rule["actions"].items:
        kind, _, which = action.text.partition(":")
        if action["function"].text == "republish" or (kind == "mqtt" and which):
            yield action
        elif action["function"].text not in ("", "console"):
            rules.tell(f"function {action['function'].text} of rule {name} of {rules.name}", action.place)


def _by_rule(rules: Rules, name: str, rule: Value, topic: str, action: Value) -> Iterator[Carried]:
    who, place, source = f"rule {name}", rule["sql"].place, _SOURCE.fullmatch(topic)
    if source and not action.text:
        yield from _from_source(rules, who, source[1], action["args.topic"], place)
    elif topic.startswith("$") or source:
        effects = frozenset((CARRIES, COPIES, RENAMES))
        rules.tell(f"{who} of {rules.name} publishes what comes of {topic}", place, effects)
    elif not action.text:
        effects = frozenset((CARRIES, COPIES, RENAMES))
        rules.tell(f"{who} of {rules.name} publishes again what fits {topic}", place, effects)
    else:
        yield from _to_action(rules, who, topic, action, place)


def _from_source(rules: Rules, who: str, name: str, local: Value, place: Place) -> Iterator[Carried]:
    source, bridge = (
        rules.root["sources.mqtt"].entries.get(name),
        rules.root["bridges.mqtt"].entries.get(name),
    )
    if source and not source.is_off:
        connector = source["connector"].text
        server = rules.root["connectors.mqtt"].entries.get(connector)
        if server and not server.is_off:
            yield from _in(rules, who, connector, server, source["parameters"], local.text)
            return
    elif bridge and not bridge.is_off:
        yield from _in(rules, who, name, bridge, bridge["ingress.remote"], local.text)
        return
    _nowhere(rules, who, f"source mqtt:{name}", place)


def _to_action(rules: Rules, who: str, topic: str, said: Value, place: Place) -> Iterator[Carried]:
    name = said.text.partition(":")[2]
    action, bridge = (
        rules.root["actions.mqtt"].entries.get(name),
        rules.root["bridges.mqtt"].entries.get(name),
    )
    if action and not action.is_off:
        connector = action["connector"].text
        server = rules.root["connectors.mqtt"].entries.get(connector)
        if server and not server.is_off:
            rename = _rename(rules, f"action {name}", action["parameters.topic"])
            yield _out(f"{who} to {name}", connector, server, action, topic, place, rename)
            return
    elif bridge and not bridge.is_off:
        rename = _rename(rules, f"bridge {name}", bridge["egress.remote.topic"])
        yield _out(f"{who} to {name}", name, bridge, bridge, topic, place, rename)
        return
    _nowhere(rules, who, f"action mqtt:{name}", place)


def _nowhere(rules: Rules, who: str, what: str, place: Place) -> None:
    told = f"{who} of {rules.name} names {what}, which is not there, is off, or has no connector"
    rules.tell(told, place, frozenset((CARRIES,)), "Give it, with its connector, or remove the rule.")


def _in(
    rules: Rules, who: str, connector: str, server: Value, remote: Value, local: str
) -> Iterator[Carried]:
    topic = remote["topic"]
    taken = Pattern(topic.text, "mqtt", place=topic.place)
    legal(taken)
    rename = _rename(rules, who, Value(topic.place, local))
    keeps = server["clean_start"].text == "false" and remote["qos"].text in ("1", "2")
    guarded = "no_local" if remote["no_local"].text == "true" else _guarded(server)
    waits = "kept" if keeps else "lost"
    yield Carried(who, connector, server["server"], False, taken, rename, waits, guarded)


def _out(
    who: str, connector: str, server: Value, sends: Value, topic: str, place: Place, rename: Rename | None
) -> Carried:
    taken = Pattern(topic, "mqtt", place=place)
    legal(taken)
    waits = _waits(sends["resource_opts.request_ttl"].text)
    return Carried(who, connector, server["server"], True, taken, rename, waits, _guarded(server))


def _guarded(server: Value) -> str:
    return "bridge_mode" if server["bridge_mode"].text == "true" else ""


def _waits(said: str) -> str:
    found = _SECONDS.fullmatch(said)
    return "kept" if said == "infinity" else f"{found[1]} {_UNITS[found[2]]}" if found else ""


def _rename(rules: Rules, who: str, said: Value) -> Rename | None:
    """Its own name, one behind a prefix, or one name for all."""
    if said.text == _TOPIC:
        return None
    front, topic, behind = said.text.partition(_TOPIC)
    if topic and not behind and "${" not in front:
        return Rename(add=front)
    if said.text and "${" not in said.text:
        return Rename(whole=said.text)
    rules.tell(f"topic {said.text!r} of {who} of {rules.name}", said.place, EFFECTS, f"Publish to {_TOPIC}.")
    return None
