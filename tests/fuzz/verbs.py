"""What the fuzzer begins with: commands of every verb that are right, and small files of every kind.

A word that begins with `@` is the name of a file of `FILES`. Whatever takes long in a verb has a limit, and
Spark is not started: what is wrong with words and files is told before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.app.cli.running import SAC
from tests.fuzz.histories import histories

ROOT = Path(__file__).parent.parent.parent
_SMALL = ("--set", "queues=2", "--set", "apps=2", "--timeout", "2")
_QUICK = ("--timeout", "2", "-q")

_OF_BROKERS = {
    "activemq.xml": "activemq/hub.xml",
    "emqx.conf": "emqx/eu.conf",
    "hivemq.xml": "hivemq/hub.xml",
    "vernemq.conf": "vernemq/plant.conf",
    "config-maps.yaml": "kubernetes/config-maps.yaml",
    "operator.yaml": "kubernetes/operator.yaml",
    "skupper.yaml": "kubernetes/skupper.yaml",
    "nats-values.yaml": "helm/nats-values.yaml",
    "rabbitmq-values.yaml": "helm/rabbitmq-eu.yaml",
    "mosquitto-values.yaml": "helm/mosquitto-values.yaml",
    "compose.yaml": "compose/compose.yaml",
    "connectors.json": "kafka-connect/connectors.json",
    "connectors.yaml": "kafka-connect/strimzi-connectors.yaml",
    "asyncapi.yaml": "asyncapi/sensors.yaml",
    "static.conf": "rabbitmq/static-shovel/eu/rabbitmq.conf",
    "advanced.config": "rabbitmq/static-shovel/eu/advanced.config",
    "skupper.json": "dispatch/skupper.json",
    "accounts.conf": "nats/supercluster/accounts.conf",
}
"""Further files of brokers, and of what runs them."""

COMMANDS: Mapping[str, Sequence[tuple[str, ...]]] = {
    "check": (
        ("check", SAC, *_SMALL, "--only", "type-ok", "--threads", "1", "--max-states", "500"),
        ("check", "@model.py", *_QUICK, "--story", "brief", "--max-memory", "100M"),
        ("check", "kafka", "--config", "@server.properties", "--faults", "one-crash", *_QUICK),
        ("check", "overlay", "--mesh", "@mesh.yaml", *_QUICK),
        ("check", "@model.py", "--ltl", "always (n < 3)", "--fairness", "none", *_QUICK),
        ("check", "@model.py", "--engine", "gpu", "--max-memory", "100M", *_QUICK),
        ("check", SAC, *_SMALL, "--only", "type-ok", "--mutate", "-q"),
        ("check", SAC, *_SMALL, "--estimate", "-q"),
    ),
    "simulate": (
        ("simulate", SAC, *_SMALL, "--runs", "20", "--steps", "50", "--seed", "1", "--plot", "out.svg"),
        ("simulate", "@model.py", "--runs", "20", "--raw", "out.csv", *_QUICK),
        ("simulate", SAC, *_SMALL, "--runs", "9", "--compare", "queues=3", "--schedule", "uniform", "--json"),
    ),
    "export": (
        ("export", "@model.py", "--to", "promela", "--out", "out.txt"),
        ("export", SAC, "--set", "queues=2", "--to", "smv", "--json"),
    ),
    "refine": (
        ("refine", "@model.py", "@model.py", "--semantics", "traces", "--max-states", "500", *_QUICK),
    ),
    "replay": (("replay", "@model.py@000000000000::0.0", "--as", "table"),),
    "systems": (("systems", SAC, "--json"),),
    "engines": (("engines", "--json"), ("engines",)),
    "prove": (("prove", "@proof.py", "--timeout", "5", "-q"),),
    "conform": (
        ("conform", "collections:deque", "--spec", "queue", "--examples", "5", "--seed", "1", *_QUICK),
    ),
    "mesh verify": (
        ("mesh", "verify", "@mesh.yaml", "--failures", "one", "--all", *_QUICK),
        ("mesh", "verify", "@rabbitmq.json", "@mosquitto.conf", *_QUICK),
        ("mesh", "verify", "@nats.conf", "--json", *_QUICK),
        ("mesh", "verify", "@mirrors.yaml", *_QUICK),
        ("mesh", "verify", "@broker.xml", "--only", "no-loss", *_QUICK),
        *(("mesh", "verify", f"@{name}", *_QUICK) for name in _OF_BROKERS),
        ("mesh", "verify", "@static.conf", "@advanced.config", *_QUICK),
        ("mesh", "verify", "@mesh.yaml", "@asyncapi.yaml", "--broker", "b1=mesh.yaml", *_QUICK),
    ),
    "mesh convert": (
        ("mesh", "convert", "@rabbitmq.json", "--out", "out.yaml"),
        ("mesh", "convert", "@mirrors.yaml"),
        ("mesh", "convert", "@mosquitto.conf"),
        ("mesh", "convert", "@nats.conf"),
        ("mesh", "convert", "@mm2.properties"),
        ("mesh", "convert", "@router.conf"),
        ("mesh", "convert", "@broker.xml"),
        ("mesh", "convert", "@graph.gml"),
        ("mesh", "convert", "@links.txt", "@topics.txt"),
        *(("mesh", "convert", f"@{name}") for name in _OF_BROKERS),
    ),
    "mesh draw": (("mesh", "draw", "@mesh.yaml", "--as", "svg", "--title", "A mesh", "--out", "out.svg"),),
    "mesh diff": (("mesh", "diff", "@mesh.yaml", "@mirrors.yaml", "--failures", "one", "-q"),),
    "mesh export": (("mesh", "export", "@mesh.yaml", "--out", "out.txt"),),
    "mesh heartbeats": (
        ("mesh", "heartbeats", "--load", "0.5", "--duration", "1 s", "--seed", "1", *_QUICK),
    ),
    "mesh latency": (("mesh", "latency", "@mesh.yaml", "--runs", "100", "--at-most", "0.5", *_QUICK),),
    "mesh links": (("mesh", "links", "@mesh.yaml", "--json"), ("mesh", "links", "@nats.conf")),
    "mesh locate": (("mesh", "locate", "@mesh.yaml", "--json"),),
    "mesh recover": (("mesh", "recover", "@mesh.yaml", "--failures", "one", "--out", "out", *_QUICK),),
    "mesh repair": (("mesh", "repair", "@mesh.yaml", "--patch", "out.patch", *_QUICK),),
    "mesh schemes": (("mesh", "schemes", "@mesh.yaml", "--seed", "1", "--layers", "2", *_QUICK),),
    "mesh simulate": (
        ("mesh", "simulate", "@mesh.yaml", "--from", "b1", "--to", "b3", "--duration", "1 s", *_QUICK),
    ),
    "mesh trace": (("mesh", "trace", "@mesh.yaml", "--from", "b1", "--topic", "news"),),
    "mesh node": (("mesh", "node", "@mesh.yaml", "--broker", "b1", "--timeout", "0.2", "-q"),),
    "audit": (
        ("audit", "@events.jsonl", "--engine", "local", "--only", "no-loss", "-q"),
        ("audit", "@events.jsonl", "--json", "--message-timeout", "60s", "--retry-limit", "3", "-q"),
        ("audit", "@deliveries.csv", "--mapping", "@mapping.toml", "-q"),
        ("audit", "@events.csv", "@events.jsonl", "--run", "shop", "--single-active", "o*", "-q"),
        ("audit", "@events.parquet", "--json", "-q"),
        ("audit", "@events.jsonl.gz", "@events.parquet", "-q"),
        ("audit", "--follow", "FOLDER", "--checkpoint", "state", "--until-idle", "1s", "--lateness", "1s"),
        ("audit", "@otlp.json", "@events.csv", "--mapping", "@mapping.toml", "--out", "out", "-q"),
    ),
    "run": (("run", "@angarium.toml", "--out", "out", "-q"),),
    "init": (("init", "."),),
    "trend": (("trend", "@angarium.toml", "--out", "out", "--last", "3", "--json"),),
    "record": (
        ("record", "nats", "nats://127.0.0.1:1", "--out", "out", "--for", "1s", "-q"),
        ("record", "rabbitmq", "amqp://127.0.0.1:1", "--out", "out", "--events", "1", "-q"),
        ("record", "recover", "."),
    ),
    "serve": (
        ("serve", "nowhere", "--port", "0"),
        ("serve", ".", "--port", "0", "--host", "127.0.0.1", "--token", "f3b9a1c6d8e7042b", "--out", "out"),
    ),
}
"""Right commands of each verb, or nearly."""

_EXAMPLES = {
    **{name: f"meshes/{path}" for name, path in _OF_BROKERS.items()},
    "model.py": "at_least_once.py",
    "proof.py": "proofs/clock.py",
    "server.properties": "kafka/server.properties",
    "mesh.yaml": "meshes/three-brokers.yaml",
    "rabbitmq.json": "meshes/rabbitmq/triangle/one.json",
    "mosquitto.conf": "meshes/mosquitto/ring/one.conf",
    "nats.conf": "meshes/nats/twice/leaf-1.conf",
    "mirrors.yaml": "meshes/mirrormaker/strimzi-v1.yaml",
    "mm2.properties": "meshes/mirrormaker/mm2.properties",
    "router.conf": "meshes/dispatch/b.conf",
    "broker.xml": "meshes/artemis/federation/us.xml",
    "deliveries.csv": "histories/deliveries.csv",
    "mapping.toml": "histories/deliveries.toml",
    "angarium.toml": "five-works/angarium.toml",
}
FILES: Mapping[str, bytes] = {
    **{name: (ROOT / "examples" / path).read_bytes() for name, path in _EXAMPLES.items()},
    **histories((ROOT / "examples/histories/shop.jsonl").read_bytes().splitlines(keepends=True)[:60]),
    "graph.gml": b'graph [ node [ id 1 label "a" ] node [ id 2 label "b" ] edge [ source 1 target 2 ] ]\n',
    "links.txt": b"1 2\n2 3\n",
    "topics.txt": b"1 3\n",
}
"""Files that are right."""
