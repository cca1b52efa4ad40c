"""RabbitMQ's `advanced.config`: static shovels, and what they declare at both of their ends.

A static shovel is read as a dynamic one that does the same: its queue is where it takes from, and what it
says of `publish_fields` is where it publishes to. `declarations` are exchanges, queues and bindings that it
declares at an end before it begins. Those are added to the cluster that its address leads to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from angarium.core.errors import Place
from angarium.mesh.importers import common
from angarium.mesh.importers.erlang_terms import Term, read_terms, wrong
from angarium.mesh.importers.rabbitmq_definitions import Declared, Definitions, Entry
from angarium.mesh.importers.rabbitmq_effects import DROPS_ONLY
from angarium.mesh.mesh import EFFECTS, Remark

_TELLING = re.compile(r"\{\s*'?rabbit(?:mq_\w+)?'?\s*,")
_RUNNING = re.compile(
    r"kernel|ssl|sasl|mnesia|os_mon|lager|ra|osiris|aten|cuttlefish"
    r"|rabbitmq_(?:management\w*|prometheus|stream\w*|web_\w+|peer_discovery_\w+|trust_store|mqtt|stomp|amqp1_0)"
)
"""Applications that say how a node runs, and not where messages go."""
_RIGHTS = re.compile(r"rabbitmq_auth_\w+|oauth2_client|rabbit_auth_\w+")
_HARMLESS = frozenset(
    """tcp_listeners ssl_listeners ssl_options tcp_listen_options num_tcp_acceptors num_ssl_acceptors log
    log_levels vm_memory_high_watermark disk_free_limit heartbeat frame_max channel_max default_user
    default_pass default_vhost default_permissions default_user_tags loopback_users
    collect_statistics collect_statistics_interval cluster_partition_handling cluster_keepalive_interval
    cluster_formation cluster_nodes consumer_timeout auth_mechanisms password_hashing_module
    ssl_handshake_timeout handshake_timeout hipe_compile mnesia_table_loading_retry_timeout
    mnesia_table_loading_retry_limit queue_index_embed_msgs_below queue_master_locator
    reverse_dns_lookups delegate_count background_gc_enabled msg_store_file_size_limit
    credit_flow_default_credit quorum_cluster_size quorum_commands_soft_limit""".split()
)
_OF_SHOVEL = frozenset("source destination ack_mode reconnect_delay".split())
_OF_END = frozenset(
    """protocol uris uri declarations queue prefetch_count publish_fields publish_properties
    add_forward_headers add_timestamp_header consumer_args queue_args""".split()
)
_IGNORED = frozenset("durable auto_delete exclusive passive nowait no_wait internal".split())
_FIELDS = {
    "exchange.declare": ("exchanges", {"exchange": "name", "type": "type"}),
    "queue.declare": ("queues", {"queue": "name"}),
    "queue.bind": ("bindings", {"exchange": "source", "queue": "destination", "routing_key": "routing_key"}),
    "exchange.bind": (
        "bindings",
        {"source": "source", "destination": "destination", "routing_key": "routing_key"},
    ),
}
"""Of each method: the list of definitions that it adds to, and what its fields are called there."""


def is_advanced(text: str) -> bool:
    bare = re.sub(r"(?m)^\s*%.*$", "", text).strip()
    return bare.startswith("[") and bare.endswith(".") and bool(_TELLING.search(bare))


def read_advanced(path: Path, text: str) -> Definitions:
    """The static shovels as definitions, and remarks on what else may change where messages go."""
    found = Definitions(path)
    for application, said in read_terms(path, text).options().items():
        if application == "rabbitmq_shovel":
            _shovels(found, said)
        elif application == "rabbit":
            _rabbit(found, said)
        elif not _RUNNING.fullmatch(application):
            effects = DROPS_ONLY if _RIGHTS.fullmatch(application) else EFFECTS
            found.remarks.append(
                common.not_understood(f"{application} in advanced.config", said.place, "", effects)
            )
    return found


def _rabbit(found: Definitions, said: Term) -> None:
    for key, value in said.options().items():
        if key == "cluster_name":
            entry = Entry({"name": "cluster_name", "value": value.text}, value.place)
            found.lists.setdefault("global_parameters", []).append(entry)
        elif key == "load_definitions":
            found.loads.setdefault(f"{key} {value.text}", value.place)
        elif key == "loopback_users":
            found.settings += _loopback_users(value)
        elif key not in _HARMLESS:
            found.remarks.append(common.not_understood(f"{key} of rabbit in advanced.config", value.place))


def _loopback_users(value: Term) -> Iterator[tuple[str, str]]:
    """The list as rabbitmq.conf says it."""
    yield "loopback_users", "none"
    yield from ((f"loopback_users.{each.text}", "true") for each in value.parts)


def _shovels(found: Definitions, said: Term) -> None:
    options = said.options()
    for name, shovel in options["shovels"].options().items() if "shovels" in options else ():
        parts = shovel.options()
        if unknown := sorted(parts.keys() - _OF_SHOVEL):
            what = f"{', '.join(unknown)} of static shovel {name}: it is left out"
            remedy = "Write it with source and destination." if "sources" in unknown else ""
            found.remarks.append(common.not_understood(what, parts[unknown[0]].place, remedy))
            continue
        for key in ("source", "destination"):
            if key not in parts:
                raise wrong(shovel.place, f"static shovel {name} has no {key}", f"{{{key}, […]}}")
        source, target = parts["source"].options(), parts["destination"].options()
        value = _value(found, name, source, target)
        if value is None:
            continue
        found.remarks += [*_arguments(name, source), *_arguments(name, target)]
        if "ack_mode" in parts:
            value["ack-mode"] = parts["ack_mode"].text.replace("_", "-")
        entry = Entry({"component": "shovel", "name": name, "vhost": "/", "value": value}, shovel.place)
        found.lists.setdefault("parameters", []).append(entry)


def _arguments(name: str, end: dict[str, Term]) -> Iterator[Remark]:
    """What a shovel says of its queue, and of how long what it publishes is kept."""
    queue_args = end.get("queue_args")
    if queue_args and queue_args.parts:
        what = f"queue_args of static shovel {name}"
        yield common.not_understood(what, queue_args.place, effects=DROPS_ONLY)
    published = end.get("publish_properties")
    if published and "expiration" in published.options():
        what = f"expiration of what static shovel {name} publishes"
        yield common.not_understood(what, published.place, effects=DROPS_ONLY)


def _value(
    found: Definitions, name: str, source: dict[str, Term], target: dict[str, Term]
) -> dict[str, Any] | None:
    """What a dynamic shovel would say; None if something in it is not known here."""
    ends = {"source": source, "destination": target}
    for end, parts in ends.items():
        for key in sorted(parts.keys() - _OF_END):
            what = f"{key} in the {end} of static shovel {name}: it is left out"
            found.remarks.append(common.not_understood(what, parts[key].place))
            return None
    fields = target["publish_fields"].options() if "publish_fields" in target else {}
    value: dict[str, Any] = {
        "src-protocol": _text(source, "protocol", "amqp091"),
        "dest-protocol": _text(target, "protocol", "amqp091"),
        "src-uri": _uris(source),
        "dest-uri": _uris(target),
    }
    if "queue" in source:
        value["src-queue"] = source["queue"].text
    words = {"exchange": "dest-exchange", "routing_key": "dest-exchange-key"}
    value |= {words[key]: each.text for key, each in fields.items() if key in words}
    for parts in ends.values():
        found.declared += _declared(found, name, tuple(_uris(parts)), parts)
    return value


def _text(parts: dict[str, Term], key: str, otherwise: str) -> str:
    return parts[key].text if key in parts else otherwise


def _uris(parts: dict[str, Term]) -> list[str]:
    said = [each for key in ("uri", "uris") if key in parts for each in parts[key].parts or (parts[key],)]
    return [each.text for each in said]


def _declared(
    found: Definitions, name: str, uris: tuple[str, ...], end: dict[str, Term]
) -> Iterator[Declared]:
    """What is declared there; a queue without a name is the last that was declared, as AMQP has it."""
    last = ""
    for each in end["declarations"].parts if "declarations" in end else ():
        method, arguments = (each.text, {}) if each.kind == "atom" else _method(each)
        if method not in _FIELDS:
            what = f"{method} in the declarations of static shovel {name}"
            found.remarks.append(common.not_understood(what, each.place))
            continue
        kind, words = _FIELDS[method]
        values: dict[str, Any] = {
            word: arguments[key].text for key, word in words.items() if key in arguments
        }
        if kind == "queues":
            last = values.setdefault("name", f"(a queue of shovel {name})")
        if kind == "bindings":
            values |= {"destination_type": method.partition(".")[0]}
            values.setdefault("destination", last)
            values.setdefault("source", "")
        found.remarks += _unknown_arguments(method, name, arguments, words, each.place)
        yield Declared(uris, kind, Entry(values, each.place))


def _method(term: Term) -> tuple[str, dict[str, Term]]:
    if term.kind != "tuple" or len(term.parts) != 2:
        raise wrong(term.place, "this declares nothing", "{'queue.declare', [{queue, <<\"name\">>}]}")
    return term.parts[0].text, term.parts[1].options()


def _unknown_arguments(
    method: str, name: str, arguments: dict[str, Term], words: dict[str, str], place: Place
) -> Iterator[Remark]:
    for key in sorted(arguments.keys() - words.keys() - _IGNORED):
        if arguments[key].parts or arguments[key].kind != "list":
            what = f"{key} of {method} in the declarations of static shovel {name}"
            yield common.not_understood(what, place)
