"""Inputs that once found something, by what that was: they are tried in every run."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fuzz.inputs import Trial
from tests.fuzz.verbs import FILES

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
    "an address that is none shows its password": Trial(
        "record", ("record", "rabbitmq", "me:s3cr3t@host", "--out", "out")
    ),
}
