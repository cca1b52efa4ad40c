"""Real brokers on loopback, for tests that compare a prediction with what happens.

Each has ports of its own, keeps everything in a folder of the test, and is stopped surely, also when a test
fails. Where a broker is not installed, such tests are skipped, and say so.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import gettempdir
from threading import Event
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import paho.mqtt.client as mqtt
import pika
from pika.adapters.blocking_connection import BlockingChannel

from tests import processes
from tests.needs import RABBIT, needs, program
from tests.waiting import PATIENCE, wait_until

HOST = "127.0.0.1"
needs_mosquitto, needs_nats, needs_rabbitmq = needs("mosquitto"), needs("nats"), needs("rabbitmq")


PORTS = range(12_000, 32_000)
"""Below those that the system hands out by itself, so that no connection of somebody else takes one."""
_HELD: list[IO[bytes]] = []
"""Locks of the ports that this process was given; they end with it."""


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, all different, and given to no other process of any run of tests."""
    shuffled = Random().sample(PORTS, len(PORTS))
    return list(islice(filter(_reserved, shuffled), count))


def _reserved(port: int) -> bool:
    locks = Path(gettempdir(), "angarium-test-ports")
    locks.mkdir(exist_ok=True)
    lock = (locks / str(port)).open("wb")
    try:
        flock(lock, LOCK_EX | LOCK_NB)
        with socket.socket() as probe:
            probe.bind((HOST, port))
    except OSError:
        lock.close()
        return False
    _HELD.append(lock)
    return True


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def is_up(process: subprocess.Popen[str], port: int) -> bool:
    """Whether a program listens; one that has ended never will."""
    assert process.poll() is None, f"{process.args} has ended"
    return listens(port)


@contextmanager
def running(
    command: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A program that writes to a file, and is killed in the end: nothing is to be kept."""
    with log.open("ab") as output, processes.running(command, stdout=output, stderr=output, env=env) as it:
        yield it


@contextmanager
def mosquittos(files: Mapping[Path, int]) -> Iterator[None]:
    """A Mosquitto for every configuration file, which says the port that it is given with."""
    with ExitStack() as brokers:
        for file in files:
            command = [str(program("mosquitto")), "-v", "-c", str(file)]
            brokers.enter_context(running(command, file.with_suffix(".log")))
        for file, port in files.items():
            wait_until(f"{file.name} listens", partial(listens, port))
        yield


@dataclass(frozen=True, slots=True)
class Rabbit:
    """A RabbitMQ node: a cluster of one."""

    name: str
    port: int
    management: int

    def asked(self, path: str) -> Any:  # noqa: ANN401
        """What its management answers."""
        return json.loads(self.told("GET", path))

    def told(self, method: str, path: str, body: object = None) -> bytes:
        """The same, of any request."""
        data = None if body is None else json.dumps(body).encode()
        url = f"http://{HOST}:{self.management}/api/{path}"
        request = Request(url, data, {"Content-Type": "application/json"}, method=method)
        request.add_header("Authorization", "Basic " + b64encode(b"guest:guest").decode())
        with urlopen(request, timeout=60) as answer:
            found: bytes = answer.read()
            return found

    @property
    def links(self) -> list[str]:
        """The states of the links that pull into it, and of its shovels.

        None is known while a node starts: its management answers before it has loaded its users (401), and
        fails when it looks for a link that is not there yet (500).
        """
        try:
            return [each["status"] for each in self.asked("federation-links")]
        except HTTPError:
            return []

    @property
    def bindings(self) -> list[tuple[str, str, str]]:
        return sorted(
            (each["source"], each["destination"], str(each["arguments"])) for each in self.asked("bindings")
        )

    @contextmanager
    def channel(self, vhost: str = "/") -> Iterator[BlockingChannel]:
        connection = pika.BlockingConnection(pika.ConnectionParameters(HOST, self.port, vhost))
        try:
            yield connection.channel()
        finally:
            connection.close()


def rabbit_ports(names: Sequence[str]) -> dict[str, Rabbit]:
    """Where nodes of these names are to listen."""
    ports = free_ports(2 * len(names))
    return {name: Rabbit(name, *ports[2 * at : 2 * at + 2]) for at, name in enumerate(names)}


@contextmanager
def rabbits(
    folder: Path, nodes: Mapping[str, Rabbit], definitions: Mapping[str, Path]
) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """A RabbitMQ with federation and shovels for every file of definitions, started side by side.

    They find each other by their names, which only they know; none is left in the machine's own tables.
    """
    epmd, *distribution = free_ports(1 + len(nodes))
    common = _of_all(folder, nodes, epmd)
    with ExitStack() as processes:
        processes.enter_context(running(["epmd"], folder / "epmd.log", common))
        wait_until("epmd listens", lambda: listens(epmd))
        started = {}
        for (name, node), port in zip(nodes.items(), distribution, strict=True):
            env = common | _of_node(folder / name, node, port, definitions[name])
            server = running([RABBIT / "rabbitmq-server"], folder / f"{name}.log", env)
            started[name] = processes.enter_context(server)
        for node in nodes.values():
            wait_until(f"{node.name} is up", partial(listens, node.management))
        yield started


@contextmanager
def evented_rabbit(folder: Path, node: Rabbit) -> Iterator[Callable[..., None]]:
    """A RabbitMQ with its event exchange, and a second virtual host, `other`; and its `rabbitmqctl`.

    It keeps what is durable in the folder, and goes on with it when it is started there again.
    """
    folder.mkdir(exist_ok=True)
    epmd, distribution = free_ports(2)
    conf, definitions = folder / "rabbitmq.conf", folder / "definitions.json"
    conf.write_text(f"loopback_users = none\nload_definitions = {definitions}\n", encoding="utf-8")
    definitions.write_text(json.dumps(_two_hosts()), encoding="utf-8")
    (folder / "plugins").write_text("[rabbitmq_event_exchange].", encoding="utf-8")
    common = _of_all(folder, [node.name], epmd)
    env = common | _named(folder, node, distribution)

    def control(*words: str) -> None:
        command = [str(RABBIT / "rabbitmqctl"), "-n", env["RABBITMQ_NODENAME"], *words]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    with running(["epmd"], folder / "epmd.log", common):
        wait_until("epmd listens", lambda: listens(epmd))
        with running([RABBIT / "rabbitmq-server"], folder / "server.log", env):
            wait_until(f"{node.name} is up", partial(listens, node.port))
            yield control


def _two_hosts() -> dict[str, Any]:
    everything = {"configure": ".*", "write": ".*", "read": ".*"}
    vhosts = ("/", "other")
    return {
        "users": [{"name": "guest", "password": "guest", "tags": "administrator"}],
        "vhosts": [{"name": vhost} for vhost in vhosts],
        "permissions": [{"user": "guest", "vhost": vhost, **everything} for vhost in vhosts],
    }


def _of_all(folder: Path, names: Iterable[str], epmd: int) -> dict[str, str]:
    hosts = folder / "hosts"
    named = ", ".join(f'"{name}"' for name in names)
    hosts.write_text(f"{{host, {{127,0,0,1}}, [{named}]}}.\n{{lookup, [file, native]}}.\n", encoding="utf-8")
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "ERL_EPMD_PORT": str(epmd),
        "ERL_EPMD_ADDRESS": HOST,
        "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),
        "ERL_INETRC": str(hosts),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none",
    }


def _of_node(folder: Path, node: Rabbit, distribution: int, definitions: Path) -> dict[str, str]:
    folder.mkdir()
    plugins, conf = folder / "plugins", folder / "rabbitmq.conf"
    plugins.write_text("[rabbitmq_federation_management,rabbitmq_shovel_management].", encoding="utf-8")
    conf.write_text(
        f"load_definitions = {definitions}\nmanagement.tcp.ip = {HOST}\n"
        f"management.tcp.port = {node.management}\nloopback_users = none\nlog.file.level = info\n",
        encoding="utf-8",
    )
    return _named(folder, node, distribution)


def _named(folder: Path, node: Rabbit, distribution: int) -> dict[str, str]:
    """What tells a node from others, and where it keeps everything."""
    return {
        "RABBITMQ_NODENAME": f"{node.name}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": HOST,
        "RABBITMQ_NODE_PORT": str(node.port),
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "generated"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
    }


@contextmanager
def nats_server(folder: Path, port: int) -> Iterator[None]:
    """A NATS server with JetStream; it keeps its streams in the folder."""
    command = [str(program("nats-server")), "-a", HOST, "-p", str(port), "-js", "-sd", str(folder)]
    with running(command, folder.with_suffix(".log")):
        wait_until("the NATS server listens", partial(listens, port))
        yield


class Listener:
    """A client that wants everything at an MQTT broker, and counts it."""

    def __init__(self, port: int) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        """By what a message says, which is the topic that it was published to, and its topic here."""
        self.states: dict[str, bytes] = {}
        """Of each bridge of the broker by its client id, whether it is connected."""
        self._subscribed = Event()
        self._client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self._client.on_message = self._on_message
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        self._client.connect(HOST, port)
        self._client.subscribe([("#", 1), ("$SYS/broker/connection/+/state", 1)])
        self._client.loop_start()
        assert self._subscribed.wait(PATIENCE)

    def _on_message(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        if message.topic.startswith("$SYS/"):
            self.states[message.topic.split("/")[-2]] = message.payload
        else:
            self.counts[message.payload.decode(), message.topic] += 1

    def publish(self, topic: str, says: str = "") -> None:
        """Publish what says its topic, or something else."""
        self._client.publish(topic, (says or topic).encode(), qos=1).wait_for_publish(PATIENCE)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@contextmanager
def listeners(ports: Mapping[str, int]) -> Iterator[dict[str, Listener]]:
    """One for every broker."""
    with ExitStack() as open_:
        found = {name: Listener(port) for name, port in ports.items()}
        for each in found.values():
            open_.callback(each.close)
        yield found


def settled(look: Callable[[], object], seconds: float = 4) -> Callable[[], bool]:
    """Whether what is seen is something, and has been the same for a while."""
    last: object = None
    since = time.monotonic()

    def is_so() -> bool:
        nonlocal last, since
        now = look()
        if not now or now != last:
            last, since = now, time.monotonic()
        return time.monotonic() - since > seconds

    return is_so
