"""Nothing holds where something in a file may change what arrives: entries that people write, of every kind.

Each case changes one thing in files that leave nothing open. Then some guarantee is unknown, and the entry is
told with its line.

Facts of some of them. Kafka Connect with `errors.tolerance = all` acknowledges records that it could not
write, and skips them (apache/kafka, connect/runtime, AbstractWorkerSourceTask.java, counter.skipRecord; by
default none: ConnectorConfig.java and docs/connect.html). With `refresh.topics.enabled = false` MirrorMaker
looks for new topics and partitions once, at its start (connect/mirror, MirrorSourceConfig.java,
refreshTopicsInterval; MirrorSourceConnector.java, start; Scheduler.java). A partition without a committed
offset is read from where `auto.offset.reset` says (MirrorSourceTask.java, initializeConsumer); a connector
has one task at least (ConnectorConfig.java, tasks.max); with `acks = 0` nobody knows what was written
(clients, ProducerConfig.java). Artemis drops what comes to a full address with `address-full-policy` DROP, a
full disk with `disk-full-policy` DROP, or beyond the limit of pages with `page-full-policy` DROP
(apache/activemq-artemis, docs/user-manual/address-settings.adoc and paging.adoc; artemis-server,
PagingStoreImpl.java and FileConfigurationParser.java), and refuses members of a cluster that log in
otherwise (ClusterController.java). VerneMQ lets nobody in without a name unless its file says so
(apps/vmq_server/priv/vmq_server.schema, allow_anonymous).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from angarium.core.result import Verdict
from angarium.mesh.files.find import load
from angarium.mesh.mesh import Mesh
from angarium.mesh.verify.budget import read_budget
from angarium.mesh.verify.verify import verify
from tests.mesh.importers.samples import EXAMPLES

NOTHING = read_budget("none")


@dataclass(frozen=True)
class Change:
    """What is put into the place of something in a file of an example, and what is told of it."""

    sample: str
    file: str
    old: str
    new: str
    told: str

    def __str__(self) -> str:
        return f"{self.sample} {self.told}".replace(" ", "-")


def in_file(sample: str, file: str, *changes: tuple[str, str, str]) -> Iterator[Change]:
    """Changes of one file; `&` in the new text is the old one."""
    for old, new, told in changes:
        yield Change(sample, file, old, new.replace("&", old), told)


NAME = "<name>eu</name>"
SETTING = "&<address-settings><address-setting match='#'>{}</address-setting></address-settings>"
ARTEMIS = [
    *in_file(
        "artemis/federation",
        "eu.xml",
        (NAME, "&<broker-plugins/>", "broker-plugins is not looked at"),
        (NAME, "&<remoting-incoming-interceptors/>", "remoting-incoming-interceptors"),
        (NAME, "&<connector-services/>", "connector-services"),
        (NAME, "&<queues><queue name='q'/></queues>", "queues is not looked at"),
        (NAME, "&<resource-limit-settings/>", "resource-limit-settings"),
        (NAME, "&<ha-policy><shared-store><slave/></shared-store></ha-policy>", "slave of the ha-policy"),
        (NAME, "&<wildcard-addresses><enabled>false</enabled></wildcard-addresses>", "wildcards are off"),
        (NAME, SETTING.format("<expiry-delay>9</expiry-delay>"), "expiry-delay of address-setting #"),
        (NAME, SETTING.format("<default-ring-size>1</default-ring-size>"), "default-ring-size"),
        (NAME, SETTING.format("<auto-create-queues>false</auto-create-queues>"), "auto-create-queues"),
        (NAME, SETTING.format("<retroactive-message-count>1</retroactive-message-count>"), "retroactive"),
        (NAME, SETTING.format("<address-full-policy>DROP</address-full-policy>"), "address-full-policy DROP"),
        (NAME, SETTING.format("<disk-full-policy>DROP</disk-full-policy>"), "disk-full-policy of address-"),
        (NAME, SETTING.format("<page-full-policy>DROP</page-full-policy>"), "page-full-policy of address-"),
        (NAME, SETTING.format("<unheard-of>1</unheard-of>"), "unheard-of of address-setting #"),
        ('<queue name="orders"/>', '<queue name="orders"><filter string="a"/></queue>', "filter of queue"),
        ('<queue name="orders"/>', '<queue name="orders" ring-size="1"/>', "ring-size of queue orders"),
        ('<bridge name="orders-to-us">', "&<unheard-of/>", "unheard-of of bridge orders-to-us"),
        ('<divert name="archive">', "&<unheard-of/>", "unheard-of of divert archive"),
        ('<policy ref="news"/>', "&<unheard-of/>", "unheard-of of upstream us"),
        ('max-hops="1"', '& unheard-of="x"', "unheard-of of address-policy news"),
        (' enable-divert-bindings="true"', "", "pulls nothing because of divert archive"),
    ),
    *in_file(
        "artemis/federation",
        "us.xml",
        ("<amqp-connection", '& auto-start="false"', "is not started with its broker"),
        ('<include address-match="alarms"/>', "&<unheard-of/>", "unheard-of of remote-address-policy"),
        ("0.0.0.0:61616", "0.0.0.0:61617", "it listens at 61617, and not at 61616"),
        ("0.0.0.0:61616", "127.0.0.1:61616", "it listens to its own machine only"),
        ("0.0.0.0:61616", "&?sslEnabled=true", "it wants TLS"),
        ("0.0.0.0:61616", "&?protocols=MQTT", "it speaks MQTT, and not CORE"),
    ),
]
CONFIG = "        config:\n"
MIRRORS = [
    *in_file(
        "mirrormaker/mm2.properties",
        "mm2.properties",
        ("clusters =", "eu->us.consumer.interceptor.classes = x\n&", "interceptor.classes can change"),
        ("clusters =", "producer.interceptor.classes = x\n&", "interceptor.classes can change"),
        ("clusters =", "errors.tolerance = all\n&", "errors.tolerance = all can leave messages out"),
        ("clusters =", "eu->us.refresh.topics.enabled = false\n&", "can leave messages out"),
        ("clusters =", "us.producer.acks = 0\n&", "acks = 0 can leave messages out"),
        ("clusters =", "consumer.auto.offset.reset = latest\n&", "reset = latest can leave messages out"),
        ("clusters =", "tasks.max = 0\n&", "tasks.max = 0 can leave messages out"),
        ("clusters =", "unheard.of = x\n&", "unheard.of is not known here"),
    ),
    *in_file(
        "mirrormaker/strimzi-v1.yaml",
        "strimzi-v1.yaml",
        ("  replicas: 1", "  replicas: 0", "replicas is 0"),
        ("  replicas: 1", "&\n  unheardOf: 1", "unheardOf of the spec"),
        (
            "metadata:",
            "&\n  annotations: {strimzi.io/pause-reconciliation: 'true'}",
            "the operator is paused",
        ),
        (CONFIG, f"        unheardOf: 1\n{CONFIG}", "unheardOf of the sourceConnector of eu->us"),
        ("      topicsPattern", "      unheardOf: 1\n&", "unheardOf of mirror eu->us"),
        (CONFIG, f"{CONFIG}          errors.tolerance: all\n", "errors.tolerance = all can leave"),
        (CONFIG, f"{CONFIG}          unheard.of: x\n", "unheard.of is not known here"),
        ("    groupId", "    config: {producer.interceptor.classes: x}\n&", "interceptor.classes can change"),
    ),
]
RABBIT = "rabbitmq/static-shovel"
VHOSTS, LISTENER = '"vhosts": [{"name": "/"}]', "listeners.tcp.default = 5672"
RABBITS = [
    *in_file(
        RABBIT,
        "us/definitions.json",
        (VHOSTS, '"vhosts": [{"name": "/", "limits": {"max-connections": 0}}]', "max-connections of vhost /"),
        (VHOSTS, '&, "users": [{"name": "u", "limits": {"max-channels": 1}}]', "max-channels of user u"),
        (VHOSTS, '"vhosts": [{"name": "/", "tracing": true}]', "/ is traced"),
        (VHOSTS, '&, "users": [{"name": "guest"}]', "who is not among its users"),
        (VHOSTS, '&, "unheard_of": [1]', "unheard_of of us"),
    ),
    *in_file(
        RABBIT,
        "eu/advanced.config",
        ("{delivery_mode, 2}", '&, {expiration, <<"9">>}', "expiration of what static shovel"),
        ("{prefetch_count, 10}", '&, {queue_args, [{<<"x-expires">>, long, 9}]}', "queue_args of static"),
        ("{prefetch_count, 10}", "&, {unheard_of, 10}", "unheard_of in the source of static shovel"),
    ),
    *in_file(
        RABBIT,
        "eu/rabbitmq.conf",
        (LISTENER, "unheard_of = 1\n&", "unheard_of = 1"),
        (LISTENER, "proxy_protocol = true\n&", "proxy_protocol = true"),
        (LISTENER, "default_limits.vhosts.1.max_queues = 1\n&", "default_limits.vhosts.1.max_queues"),
    ),
]
ELSEWHERE = "and not at"
OTHERS = [
    *in_file(
        "vernemq",
        "plant.conf",
        ("centre:1883", "centre:1884", ELSEWHERE),
        (
            "vmq_bridge.tcp.br0 = centre:1883\nvmq_bridge.tcp.br0.topic.1",
            "vmq_bridge.ssl.br0 = centre:1883\nvmq_bridge.ssl.br0.topic.1",
            "at 1883 it has no TLS",
        ),
    ),
    *in_file(
        "vernemq",
        "centre.conf",
        ("0.0.0.0:1883", "127.0.0.1:1883", "it listens to its own machine only"),
        ("listener.tcp.default", "listener.ssl.default", "at 1883 it wants TLS"),
        ("allow_anonymous = on", "allow_anonymous = off", "it gives no username"),
        ("allow_anonymous = on", "", "it gives no username"),
        ("nodename", "listener.tcp.allowed_protocol_versions = 5\n&", "allowed_protocol_versions = 5"),
    ),
    *in_file(
        "emqx",
        "plant.conf",
        ("eu.example:1883", "eu.example:1999", ELSEWHERE),
        ('server = "eu.example:1883"', "&, ssl.enable = true", "at 1883 it has no TLS"),
    ),
    *in_file(
        "emqx",
        "us.conf",
        ("listeners.tcp.links.bind", "listeners.tcp.links.enable = false\n&", ELSEWHERE),
        ("listeners.tcp.links.bind", "listeners.ssl.links.bind", "at 11883 it wants TLS"),
    ),
    *in_file(
        "emqx",
        "eu.conf",
        (
            "listeners.tcp.default {",
            "authentication = [{mechanism = password_based}]\n&",
            "it gives no username",
        ),
        ("listeners.tcp.default {", "& enable = false,", ELSEWHERE),
        ('"0.0.0.0:1883"', '"127.0.0.1:1883"', "it listens to its own machine only"),
        (
            "listeners.tcp.default {",
            'plugins.states = [{name_vsn = "x-1", enable = true}]\n&',
            "plugins of eu",
        ),
    ),
    *in_file(
        "hivemq",
        "north.xml",
        ("<port>1883</port>\n        <mqtt>", "<port>1999</port>\n        <mqtt>", ELSEWHERE),
        ("<host>hub.example</host>", "&<tls><enabled>true</enabled></tls>", "at 1883 it has no TLS"),
    ),
    *in_file(
        "hivemq",
        "hub.xml",
        (
            "<tcp-listener><port>1883</port><bind-address>0.0.0.0</bind-address></tcp-listener>",
            "<tls-tcp-listener><port>1883</port></tls-tcp-listener>",
            "at 1883 it wants TLS",
        ),
    ),
    *in_file(
        "activemq",
        "hub.xml",
        ("tcp://north:61616", "tcp://north:61999", ELSEWHERE),
        ("tcp://north:61616", "ssl://north:61616", "at 61616 it has no TLS"),
    ),
    *in_file(
        "artemis/cluster",
        "node-1.xml",
        ("<name>node-1</name>", "&<cluster-user>me</cluster-user>", "do not say the same cluster-user"),
    ),
    *in_file(
        "artemis/cluster",
        "node-3.xml",
        ("<name>node-3</name>", "&<cluster-user>me</cluster-user>", "do not say the same cluster-user"),
    ),
    *in_file(
        "activemq",
        "north.xml",
        (
            "<transportConnectors>",
            "<plugins><simpleAuthenticationPlugin><users/></simpleAuthenticationPlugin></plugins>&",
            "it gives no userName",
        ),
        (
            "<transportConnectors>",
            "<plugins><simpleAuthenticationPlugin/></plugins>&",
            "north may refuse networkConnector north of hub",
        ),
    ),
    *in_file(
        "activemq", "north.xml", ("tcp://0.0.0.0", "tcp://127.0.0.1", "it listens to its own machine only")
    ),
]
ALL = [*ARTEMIS, *MIRRORS, *RABBITS, *OTHERS]


@pytest.mark.parametrize("change", ALL, ids=str)
def test_what_may_change_what_arrives_makes_verdicts_unknown(tmp_path: Path, change: Change) -> None:
    mesh = changed(tmp_path, change)

    (told,) = [each for each in mesh.remarks if change.told in each.what][:1]
    verdicts = {verdict for each in verify(mesh, NOTHING).guarantees for verdict in each.verdicts.values()}
    assert told.place and told.leaves_open
    assert Verdict.UNKNOWN in verdicts


@pytest.mark.parametrize("sample", sorted({each.sample for each in ALL}))
def test_the_examples_leave_nothing_open(sample: str) -> None:
    mesh = load(str(EXAMPLES / sample))

    assert not [each for each in mesh.remarks if each.leaves_open]


def changed(folder: Path, change: Change) -> Mesh:
    """The mesh of an example of which one file is changed."""
    source = EXAMPLES / change.sample
    for path in sorted(source.rglob("*.*")) if source.is_dir() else [source]:
        text, name = (
            path.read_text(encoding="utf-8"),
            path.relative_to(source if source.is_dir() else path.parent),
        )
        if str(name) == change.file:
            assert change.old in text
            text = text.replace(change.old, change.new, 1)
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return load(str(folder))
