"""What RabbitMQ's own settings say of links: `rabbitmq.conf`, in lines of `key = value`.

The name of the cluster is what federation knows it by. Definitions that are loaded at start must be given
themselves. Settings that may drop messages, or keep links from working, are told with what they may do;
those that say how a node runs are passed over. A key that nobody knows keeps RabbitMQ from starting.
"""

from __future__ import annotations

import re
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_definitions import Definitions, Entry
from angarium.mesh.importers.rabbitmq_effects import DROPS_ONLY
from angarium.mesh.mesh import CARRIES, DROPS, EFFECTS

_LINE = re.compile(r"\s*([A-Za-z0-9_.$\\-]+)\s*=\s*(.*?)\s*")
_INCLUDE = re.compile(r"\s*include\s+\S")
_TELLING = re.compile(
    r"(?m)^\s*(?:listeners\.(?:tcp|ssl)(?:\.[\w-]+)?\s*=|(?:cluster_formation\.|cluster_name|load_definitions|definitions\."
    r"|management\.(?:tcp|ssl|load)|default_(?:user|pass|vhost|policies|limits)|message_interceptors|loopback_users|auth_backends\."
    r"|vm_memory_high_watermark|disk_free_limit|shovel\.|federation\.)[^=\n]*=)"
)
_LIMIT = re.compile(r"connection_max|channel_max(?:_per_node)?|vhost_max|session_max_per_node")
LOADED = re.compile(
    r"(?:management\.)?load_definitions|definitions\.(?:local\.path|https\.url|import_backend|skip_.*)"
)
_UNCHANGED = re.compile(
    r"(?:listeners|ssl_options|log|management|management_agent|prometheus|cluster_formation|raft|quorum_queue"
    r"|classic_queue|stream|mqtt|stomp|web_mqtt|web_stomp|mc|metadata_store|trust_store|auth_ldap|auth_http"
    r"|auth_oauth2|auth_mechanisms|auth_cache|ldap|loopback_users|default_permissions|default_user_tags"
    r"|default_users|tcp_listen_options|sysmon_handler|runtime_params|vm_memory_.*|disk_free_limit"
    r"|collect_statistics.*|cluster_tags|node_tags|deprecated_features|config_entry_decoder|ra|osiris"
    r"|amqp1_0|peer_discovery|ssl|tracing|consistent_hash|event_exchange)(?:\..*)?"
    r"|(?:default_(?:user|pass|vhost|queue_type)|heartbeat|channel_max.*|connection_max|frame_max|initial_frame_max"
    r"|num_acceptors\..*|handshake_timeout|ssl_handshake_timeout|reverse_dns_lookups"
    r"|cluster_partition_handling.*|cluster_keepalive_interval|net_ticktime|mnesia_table_loading_.*"
    r"|queue_master_locator|queue_leader_locator|queue_index_.*|msg_store_.*|lazy_queue_.*|background_gc_.*"
    r"|consumer_timeout|total_memory_available_override_value|memory_monitor_interval|paging_ratio|password_hashing.*"
    r"|hipe_compile|max_message_size|distribution\..*|kernel\..*|erlang\..*|secret|product\..*|motd_file"
    r"|delegate_count|session_max_per_node|track_.*|socket_writer\..*|backing_queue_module|credit_flow.*"
    r"|message_interceptors\.incoming\.set_header_timestamp.*|anonymous_login_.*|vhost_max|ranch_.*)"
)
"""Settings that say how a node runs, or who may log in; `max_message_size` is told as assumed."""


def is_conf(path: Path, text: str) -> bool:
    """Whether a text is a rabbitmq.conf: all its lines are settings, and one is RabbitMQ's, none EMQX's."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        return path.name == "rabbitmq.conf"
    settings = not any(line.startswith("node.") for line in lines) and all(
        _LINE.fullmatch(line) or _INCLUDE.match(line) for line in lines
    )
    return settings and (path.name == "rabbitmq.conf" or bool(_TELLING.search(text)))


def read_conf(path: Path, text: str) -> Definitions:
    """The settings, as far as definitions could have said them, and remarks on the others."""
    found = Definitions(path)
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        said, place = _LINE.fullmatch(line), common.place(path, number, 1, line)
        if said is None:
            raise _no_setting(place, line)
        _setting(found, said[1], _unquoted(said[2]), place)
    return found


def _no_setting(place: Place, line: str) -> MeshError:
    what = "files that are included are not read" if _INCLUDE.match(line) else "this is no setting"
    return MeshError(
        "ANG121", what, possible="possible: KEY = VALUE", remedy="Mend rabbitmq.conf here.", place=place
    )


def _unquoted(value: str) -> str:
    """The value without a comment behind it and without quotes."""
    if len(value) > 1 and value[0] == "'" == value[-1]:
        return value[1:-1]
    return re.sub(r"\s+#.*", "", value)


def _setting(found: Definitions, key: str, value: str, place: Place) -> None:
    found.settings.append((key, value))
    if key == "cluster_name":
        entry = Entry({"name": "cluster_name", "value": value}, place)
        found.lists.setdefault("global_parameters", []).append(entry)
    elif LOADED.fullmatch(key):
        found.loads.setdefault(f"{key} = {value}", place)
    elif key == "max_message_size":
        what = f"no message is larger than {key} allows ({value})"
        found.remarks.append(common.assumed(what, place))
    elif _LIMIT.fullmatch(key):
        found.remarks.append(common.assumed(f"there are no more than {key} allows ({value})", place))
    elif effects := _effects(key, value):
        remedy = "RabbitMQ does not start with a key that it does not know." if effects == EFFECTS else ""
        found.remarks.append(common.not_understood(f"{key} = {value}", place, remedy, effects))


def _effects(key: str, value: str) -> frozenset[str]:
    """What a setting may do to messages."""
    if re.fullmatch(r"auth_backends(\..*)?", key):
        return frozenset() if value in ("internal", "rabbit_auth_backend_internal") else DROPS_ONLY
    if re.match(r"default_(?:policies|limits)\.", key):
        return DROPS_ONLY
    if key == "proxy_protocol":
        return DROPS_ONLY if value == "true" else frozenset()
    if key == "shovel.topology.predeclared":
        return frozenset((CARRIES, DROPS)) if value == "true" else frozenset()
    return frozenset() if _UNCHANGED.fullmatch(key) else EFFECTS
