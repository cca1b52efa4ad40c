"""A mosquitto.conf as settings and bridges, each with its place.

A line is a word and its values, with blanks between; `#` as the first character makes a comment.
`connection` begins a bridge, and what is said about bridges belongs to the last one. `include_dir` has
further files; it is followed only within the folder that the file lies in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from angarium.core.errors import MeshError, Place, did_you_mean
from angarium.mesh.importers import common
from angarium.mesh.mesh import DROPS, EFFECTS, RENAMES, Remark

MOST_INCLUDED = 1000
EMPTY = '""'
"""How an empty value is written."""

OF_BRIDGES = frozenset(
    """address addresses topic cleansession local_cleansession try_private bridge_protocol_version round_robin
    start_type remote_clientid clientid local_clientid bridge_max_packet_size""".split()
)
OF_BRIDGES_IGNORED = frozenset(
    """bridge_attempt_unsubscribe bridge_bind_address bridge_outgoing_retain bridge_require_ocsp bridge_alpn
    bridge_cafile bridge_capath bridge_certfile bridge_identity bridge_insecure bridge_keyfile bridge_psk
    bridge_tls_version bridge_tcp_keepalive bridge_tcp_user_timeout bridge_receive_maximum
    bridge_session_expiry_interval bridge_reload_type idle_timeout keepalive_interval local_password
    local_username notifications notifications_local_only notification_topic password remote_password
    remote_username restart_timeout threshold username""".split()
)
OF_BROKERS = frozenset(
    """listener port bind_address include_dir allow_duplicate_messages queue_qos0_messages""".split()
)
IGNORED = frozenset(
    """allow_anonymous allow_zero_length_clientid auth_plugin_deny_special_chars auto_id_prefix
    autosave_interval autosave_on_changes bind_interface cafile capath certfile check_retain_source
    ciphers ciphers_tls1.3 clientid_prefixes connection_messages crlfile dhparamfile
    enable_control_api global_max_clients global_max_connections http_dir keyfile log_dest
    log_facility log_timestamp log_timestamp_format log_type max_connections max_inflight_bytes
    max_inflight_messages max_topic_alias max_topic_alias_broker password_file
    per_listener_settings persistence persistence_file persistence_location pid_file protocol
    psk_file psk_hint require_certificate retain_expiry_interval set_tcp_nodelay
    socket_domain sys_interval tls_engine tls_engine_kpass_sha1 tls_keyform tls_version
    use_identity_as_username use_subject_as_username use_username_as_clientid user
    upgrade_outgoing_qos websockets_headers_size websockets_log_level""".split()
)
"""What does not change which messages arrive where."""
ALTERING: dict[str, frozenset[str]] = {
    **dict.fromkeys("auth_plugin plugin global_plugin plugin_load plugin_use".split(), EFFECTS),
    **dict.fromkeys(
        """acl_file max_keepalive max_packet_size max_qos memory_limit message_size_limit retain_available
        bridge_max_packet_size""".split(),
        frozenset({DROPS}),
    ),
    "mount_point": frozenset({DROPS, RENAMES}),
}
"""What can change it, and is not modelled, with its effects."""
WITHOUT_LIMIT = {
    **dict.fromkeys("memory_limit message_size_limit max_packet_size bridge_max_packet_size".split(), "0"),
    "max_keepalive": "65535",
    "max_qos": "2",
    "retain_available": "true",
}
"""The values of some that change nothing: they are what Mosquitto does anyway."""
KEEPING = frozenset("max_queued_messages max_queued_bytes persistent_client_expiration".split())
"""What bounds that which waits for a bridge that is down."""
MAY_BE_EMPTY = frozenset(
    "bridge_attempt_unsubscribe log_type max_connections persistent_client_expiration protocol".split()
)
"""Of all other words, Mosquitto refuses the file if no value is behind them."""
MOST_QUEUED = "1000"
"""Messages that wait for a client at most, if the file does not say otherwise."""
PREFIXES = ("auth_opt_", "plugin_opt_")
KEYWORDS = OF_BRIDGES | OF_BRIDGES_IGNORED | OF_BROKERS | IGNORED | ALTERING.keys() | KEEPING | {"connection"}


@dataclass(frozen=True, slots=True)
class Line:
    word: str
    values: tuple[str, ...]
    place: Place

    def wrong(self, what: str, possible: str, code: str = "ANG121") -> MeshError:
        remedy = "Mosquitto would not start: mend this line."
        return MeshError(code, what, possible=possible, remedy=remedy, place=self.place)

    @property
    def is_true(self) -> bool:
        words = {"true": True, "1": True, "false": False, "0": False}
        value = self.values[0].lower() if self.values else ""
        if value not in words:
            raise self.wrong(f"{self.word} is {value or 'empty'}", "possible: true, false")
        return words[value]


@dataclass(slots=True)
class Bridge:
    """All lines from one `connection` to the next."""

    name: str
    line: Line
    lines: list[Line] = field(default_factory=list)

    def last(self, *words: str) -> Line | None:
        return next((line for line in reversed(self.lines) if line.word in words), None)

    def flag(self, word: str, default: bool) -> bool:
        line = self.last(word)
        return line.is_true if line else default


@dataclass(slots=True)
class Conf:
    """One broker's configuration."""

    name: str
    path: Path
    lines: list[Line] = field(default_factory=list)
    bridges: dict[str, Bridge] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    included: list[Path] = field(default_factory=list)
    """Files that belong to it: those of its folder are no brokers of their own."""

    def last(self, word: str) -> Line | None:
        return next((line for line in reversed(self.lines) if line.word == word), None)

    def flag(self, word: str, default: bool) -> bool:
        line = self.last(word)
        return line.is_true if line else default

    @property
    def most_queued(self) -> str:
        """How many messages wait for a bridge that is down; any number if it is 0."""
        line = self.last("max_queued_messages")
        return line.values[0] if line else MOST_QUEUED

    @property
    def ports(self) -> list[int]:
        """Where it listens; a listener on a socket of the file system has port 0."""
        lines = [line for line in self.lines if line.word in {"listener", "port"}]
        return [port for line in lines if (port := port_of(line, line.values[:1]))] or [1883]

    @property
    def hosts(self) -> list[str]:
        """Addresses that it is bound to."""
        bound = [line.values[1] for line in self.lines if line.word == "listener" and len(line.values) > 1]
        return [
            host for host in bound if host not in {"0.0.0.0", "::", "*"} and not common.HERE.fullmatch(host)
        ]


def port_of(line: Line, values: tuple[str, ...]) -> int:
    text = values[0] if values else ""
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) < 65_536):
        raise line.wrong(f"{line.word} {text or 'without a port'}", "possible: a port, 0 to 65535")
    return int(text)


def read(name: str, paths: Sequence[Path]) -> Conf:
    """One broker's configuration, from its files one after the other."""
    conf = Conf(name, paths[0])
    for path in paths:
        for line in _lines(path, conf):
            _take(conf, line)
    return conf


def _lines(path: Path, conf: Conf, main: bool = True) -> Iterator[Line]:
    """Lines of a file, each included file in the place of its line."""
    for number, text in enumerate(common.text_of(path).splitlines(), 1):
        if text.startswith("#") or not text.strip():
            continue
        words = text.split()
        column = text.index(words[0]) + 1
        line = Line(words[0], tuple(words[1:]), common.place(path, number, column, text))
        if line.word == "include_dir" and main:
            for file in _included(line, conf):
                conf.included.append(file.resolve())
                yield from _lines(file, conf, main=False)
        else:
            yield line


def _included(line: Line, conf: Conf) -> list[Path]:
    """The files of a folder, if it lies beside or below the main file; its last name is enough."""
    if not line.values:
        raise line.wrong("include_dir without a folder", "possible: include_dir FOLDER")
    root = conf.path.absolute().parent.resolve()
    asked = Path(line.values[0])
    for folder in (root / asked, root / asked.name):
        if (
            asked.name
            and folder.is_dir()
            and folder.resolve().is_relative_to(root)
            and folder.resolve() != root
        ):
            files = sorted((file for file in folder.glob("*.conf")), key=_in_order)
            kept = [file for file in files if file.is_file() and file.resolve().is_relative_to(root)]
            if len(kept) > MOST_INCLUDED:
                raise line.wrong(
                    f"more than {MOST_INCLUDED} files in {asked}", "possible: fewer files", "ANG125"
                )
            return kept
    what = f"include_dir {asked} of {conf.name}: there is no such folder beside {conf.path.name}"
    remedy = "Copy the folder to where the file lies."
    conf.remarks.append(common.unread(what, line.place, remedy, [conf.name]))
    return []


def _in_order(file: Path) -> list[tuple[str, str]]:
    """As Mosquitto reads them: by letters, large before small ones."""
    return [(letter.lower(), letter) for letter in file.name]


def _take(conf: Conf, line: Line) -> None:
    if line.word == "connection":
        _begin(conf, line)
    elif line.word in OF_BRIDGES | OF_BRIDGES_IGNORED:
        _of_last_bridge(conf, line)
    else:
        conf.lines.append(line)
    if line.word in KEYWORDS - MAY_BE_EMPTY and not line.values:
        raise line.wrong(f"{line.word} is empty", "possible: a value behind it")
    if line.word in ALTERING and line.values != (WITHOUT_LIMIT.get(line.word),):
        what, effects = f"{line.word} of {conf.name}", ALTERING[line.word]
        conf.remarks.append(common.not_understood(what, line.place, effects=effects))
    elif line.word not in KEYWORDS and not line.word.startswith(PREFIXES):
        hint = did_you_mean(line.word, [], KEYWORDS).partition(" possible:")[0]
        conf.remarks.append(
            common.not_understood(f"{line.word} of {conf.name}", line.place, hint if "?" in hint else "")
        )


def _begin(conf: Conf, line: Line) -> None:
    if not line.values:
        raise line.wrong("connection without a name", "possible: connection NAME")
    name = line.values[0]
    if name in conf.bridges:
        raise line.wrong(f"connection {name} is given twice", "each has a name of its own", "ANG122")
    conf.bridges[name] = Bridge(name, line)


def _of_last_bridge(conf: Conf, line: Line) -> None:
    if not conf.bridges:
        raise line.wrong(
            f"{line.word} belongs to a bridge, and there is none yet", "possible: connection NAME before"
        )
    list(conf.bridges.values())[-1].lines.append(line)
