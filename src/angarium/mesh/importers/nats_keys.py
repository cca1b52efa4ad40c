"""The keys of a NATS server's file that are known here; what is not among them is listed."""

from __future__ import annotations

UNCHANGED = frozenset(
    """server_name listen host net addr port client_advertise debug trace trace_verbose logtime logtime_utc
    syslog remote_syslog log_file logfile log_size_limit log_max_num log_max_files pidfile pid_file
    ports_file_dir prof_port profile_port http https http_port https_port monitor_port
    http_base_path server_tags default_js_domain max_control_line max_payload max_pending
    max_connections max_conn max_subscriptions max_subs max_sub_tokens ping_interval ping_max
    max_traced_msg_len write_deadline lame_duck_duration lame_duck_grace_period tls allow_non_tls
    operator operators resolver resolver_tls resolver_preload resolver_pinned_accounts trusted
    trusted_keys system_account system reconnect_error_reports connect_error_reports
    disable_sublist_cache no_sublist_cache jetstream authorization no_auth_user no_system_account
    users max_traced_msg max_closed_clients default_sentinel connect_backoff""".split()
)
"""Keys of a file, or of a block in it, that do not decide where messages go."""
IN_CLUSTER = frozenset(
    """name listen host net port routes authorization tls connect_retries advertise cluster_advertise
    no_advertise pool_size accounts compression ping_interval ping_max write_deadline permissions
    connect_backoff""".split()
)
IN_GATEWAY = frozenset(
    """name listen host net port gateways authorization tls advertise connect_retries reject_unknown
    reject_unknown_cluster reject_unknown_clusters connect_backoff write_deadline""".split()
)
IN_LEAFNODES = frozenset(
    """listen host net port remotes authorization tls advertise no_advertise reconnect reconnect_interval
    min_version compression isolate isolate_leafnode_interest write_deadline""".split()
)
IN_REMOTE = frozenset(
    """url urls account local deny_import deny_imports deny_export deny_exports hub credentials creds nkey
    tls no_randomize dont_randomize compression first_info_timeout disabled
    ignore_discovered_servers isolate isolate_leafnode_interest request_isolation websocket
    ws_compression ws_no_masking proxy jetstream_cluster_migrate js_cluster_migrate connect_backoff
    seed""".split()
)
IN_ACCOUNT = frozenset(
    """users nkey nkeys exports imports jetstream limits default_permissions mappings maps msg_trace
    trace_dest cluster_traffic""".split()
)
IN_AUTHORIZATION = frozenset(
    """user username pass password token nkey users nkeys account accounts permissions permission
    default_permissions timeout""".split()
)
"""Who calls out for rights (`auth_callout`) may put users into any account, and so is not among them."""
IN_BLOCKS = {"cluster": IN_CLUSTER, "gateway": IN_GATEWAY, "leafnodes": IN_LEAFNODES, "leaf": IN_LEAFNODES}
MAPPING = ("mappings", "maps")
"""Under another name is what clients publish before anybody looks who wants it."""
LIKE_CLIENTS = {
    "mqtt": "clients that speak MQTT are taken to be clients like others",
    "websocket": "clients by WebSocket are taken to be clients like others",
}
IN_FILE = UNCHANGED | IN_BLOCKS.keys() | LIKE_CLIENTS.keys() | {"accounts", *MAPPING}
