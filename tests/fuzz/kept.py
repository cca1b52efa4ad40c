"""Inputs that once found something, by what that was: they are tried in every run."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from tests.fuzz.inputs import Trial
from tests.fuzz.verbs import FILES

_VERSION = sha256(repr([("events.jsonl", len(FILES["events.jsonl"]))]).encode()).hexdigest()[:12]
KEPT: Mapping[str, Trial] = {
    "a pipe is read for ever": Trial("check", ("check", "PIPE")),
    "a device is read for ever": Trial("mesh verify", ("mesh", "verify", "DEVICE")),
    "a pipe in a folder is read for ever": Trial("mesh verify", ("mesh", "verify", ".")),
    "a device among the devices is read for ever": Trial("init", ("init", "/dev/fd")),
    "a first line is too long for CSV": Trial("audit", ("audit", "a.csv"), {"a.csv": b"x" * 200_000}),
    "a long first line is no project": Trial("init", ("init", "."), {"a.csv": b"x" * 200_000}),
    "mirrors without clusters make no mesh": Trial(
        "mesh convert", ("mesh", "convert", "m.yaml"), {"m.yaml": b"kind: KafkaMirrorMaker2\nspec: {}\n"}
    ),
    "mirrors without clusters are recovered": Trial(
        "mesh recover",
        ("mesh", "recover", "m.yaml", "--out", "out"),
        {"m.yaml": b"kind: KafkaMirrorMaker2\nspec: {}\n"},
    ),
    "an answer replaces a device": Trial(
        "export", ("export", "model.py", "--to", "tla", "--out", "FULL"), {"model.py": FILES["model.py"]}
    ),
    "an answer replaces a pipe": Trial(
        "export", ("export", "model.py", "--to", "tla", "--out", "PIPE"), {"model.py": FILES["model.py"]}
    ),
    "a model has too many brackets for Python": Trial(
        "prove", ("prove", "m.py"), {"m.py": b"x = 1" + b"{" * 300 + b"\n"}
    ),
    "a part of an address shows its password": Trial(
        "conform", ("conform", "nats://s3cr3t@host", "--spec", "queue")
    ),
    "a path that was an address shows its password": Trial(
        "mesh convert", ("mesh", "convert", "amqp://me:s3cr3t@host")
    ),
    "a path that was an address without a scheme shows its password": Trial(
        "mesh convert", ("mesh", "convert", "://s3cr3t@")
    ),
    "the rest of an address shows its password": Trial(
        "mesh latency",
        ("mesh", "latency", "m.yaml"),
        {"m.yaml": b"/me:s3cr3t@host {at: 1}\n/me:s3cr3t@host {at: 2}\n"},
    ),
    "a verb's name is obeyed": Trial("check", ("\x1b]0;owned\x07",)),
    "a connection that never began is closed": Trial(
        "record", ("record", "nats", "/proc/self/mem", "--out", "out", "--for", "1s")
    ),
    "the address of a story writes files": Trial(
        "replay",
        ("replay", f"history:--out+owned+events.jsonl@{_VERSION}:shop/no-loss/shop:54"),
        {"events.jsonl": FILES["events.jsonl"]},
    ),
    "a limit beyond all numbers": Trial(
        "audit",
        ("audit", "events.jsonl", "--retry-limit", "9" * 20),
        {"events.jsonl": FILES["events.jsonl"]},
    ),
    "a long value in the middle of a table": Trial(
        "audit",
        ("audit", "events.csv"),
        {"events.csv": FILES["events.csv"] + b"x" * 200_000 + b"\n"},
    ),
    "a time has more digits than there is memory for": Trial(
        "audit",
        ("audit", "deliveries.csv", "--mapping", "mapping.toml"),
        {
            "deliveries.csv": FILES["deliveries.csv"] + b"1e999999999,published,q,mail,web,99\n",
            "mapping.toml": FILES["mapping.toml"],
        },
    ),
    "a name of a column is no text": Trial(
        "audit",
        ("audit", "events.parquet", "--json"),
        {"events.parquet": FILES["events.parquet"].replace(b"seq", b"s\xb8q")},
    ),
    "a table has no event at all": Trial(
        "audit", ("audit", "events.parquet"), {"events.parquet": FILES["nothing.parquet"]}
    ),
    "an address of Kafka's shows its password": Trial(
        "audit",
        ("audit", "--follow", "kafka://me:s3cr3t@127.0.0.1:1/t", "--checkpoint", "c", "--until-idle", "1s"),
    ),
    "a page is opened on what no host is called": Trial(
        "serve", ("serve", ".", "--port", "0", "--host", "a..b", "--token", "f3b9a1c6d8e7042b")
    ),
    "a recorder asks what no host is called": Trial(
        "record", ("record", "rabbitmq", "amqp://\udc80:1", "--out", "out", "--for", "1s")
    ),
    "an address that is none shows its password": Trial(
        "record", ("record", "rabbitmq", "me:s3cr3t@host", "--out", "out")
    ),
}
