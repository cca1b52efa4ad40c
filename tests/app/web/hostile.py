"""Requests that nobody would send by mistake, made by chance from a seed."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

PATHS = (
    *(f"/api/explore/{name}" for name in ("about", "view", "wander", "story", "check")),
    *(f"/api/mesh/{name}" for name in ("read", "verify", "tables", "save", "files")),
)
GOT = (
    "/api/explore/subjects",
    "/api/report/runs",
    "/api/report/run",
    "/api/report/claim",
    "/api/report/place",
)
KEYS = (
    *(
        "subject",
        "set",
        "path",
        "steps",
        "seed",
        "address",
        "text",
        "file",
        "files",
        "mesh",
        "order",
        "replace",
    ),
    *("failures", "failed", "before", "broker", "brokers", "links", "publishers", "subscribers", "topics"),
)
TEXTS = (
    *(
        "",
        " ",
        "queue",
        "nsq",
        "model.py",
        "model.py:A",
        "overlay:mesh.yaml",
        "mesh.yaml",
        "new.yaml",
        "a",
        "b",
    ),
    *(
        "../x.yaml",
        "/etc/passwd",
        "~",
        ".hidden.yaml",
        "a\nb.yaml",
        "\u202e.yaml",
        "\0",
        "\x1b[2J",
        "#",
        "+/#/+",
    ),
    *("links=1", "links=999999999", "brokers=1,links=1", "a - b", "a -> b", "__proto__", "{}", "[" * 500),
    *("queue@327349504ed3::0", "x" * 5000, "9" * 400, "-1", "NaN", "true", "💥", "é" * 300, "%s%n", "$(id)"),
)
SMALL = {"brokers": {"a": {}, "b": {}}, "links": [{"between": ["a", "b"]}]}
CLIENTS = {
    "publishers": {"p": {"at": "a", "topics": ["x"]}},
    "subscribers": {"s": {"at": "b", "topics": ["x"]}},
}
LIKELY = {
    "subject": "model.py",
    "set": {"messages": "2"},
    "path": [0],
    "steps": 3,
    "seed": 1,
    "address": "queue@327349504ed3:numbers=3:0",
    "mesh": {"mesh": "m", **SMALL, **CLIENTS},
    "file": "mesh.yaml",
    "failures": "links=1",
    "failed": ["a - b"],
    "order": ["b", "a"],
}
"""What a request might well have; most are these with something changed, so that they come far."""


def value(random: Random, depth: int = 0) -> object:
    """Any value of JSON, and often one that means something."""
    makers: list[Callable[[], object]] = [
        lambda: random.choice(TEXTS),
        lambda: random.choice([0, 1, -1, 2**31, 2**63, 10**30, 1.5, -0.0, 1e308]),
        lambda: random.choice([None, True, False]),
        lambda: random.choice(list(LIKELY.values())),
        lambda: [value(random, depth + 1) for _ in range(random.randrange(4))],
        lambda: {random.choice(KEYS + TEXTS): value(random, depth + 1) for _ in range(random.randrange(4))},
    ]
    return random.choice(makers if depth < 4 else makers[:4])()


def changed(random: Random, what: object) -> object:
    """The same with something somewhere in it exchanged, left out or added."""
    if random.random() < 0.3:
        return value(random)
    if isinstance(what, dict) and what:
        name = random.choice(list(what))
        rest = {key: each for key, each in what.items() if key != name}
        return rest if random.random() < 0.2 else rest | {name: changed(random, what[name])}
    if isinstance(what, list) and what:
        place = random.randrange(len(what))
        return [*what[:place], changed(random, what[place]), *what[place + 1 :]]
    return value(random)


def asked(random: Random) -> tuple[str, object]:
    """A path, and what is sent to it."""
    some = {name: each for name, each in LIKELY.items() if random.random() < 0.8}
    return random.choice(PATHS), changed(random, some) if random.random() < 0.9 else some


def bytes_of(random: Random, port: int) -> bytes:
    """A request as bytes, some of them wrong."""
    path, what = asked(random)
    content = json.dumps(what).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    whole = bytearray(f"{head}Content-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode() + content)
    for _ in range(random.randrange(1, 6)):
        place = random.randrange(len(whole))
        change = random.randrange(4)
        if change == 0:
            whole[place] = random.randrange(256)
        elif change == 1:
            del whole[place : place + random.randrange(1, 40)]
        elif change == 2:
            whole[place:place] = random.choice(
                [b"\r\n", b"\0", b"\xff" * 9, b"chunked", b"Host: x\r\n", b"9" * 99]
            )
        else:
            whole[place:place] = whole[: random.randrange(200)]
        whole = whole or bytearray(b"\r\n")
    return bytes(whole)
