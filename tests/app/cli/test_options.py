"""Values of options are read as people write them."""

from __future__ import annotations

import pytest

from angarium.app.cli.options import read_settings, read_size
from angarium.core.errors import UsageError
from tests.app.cli.running import SAC, run


@pytest.mark.parametrize(
    ("text", "size"),
    [("100", 100), ("2K", 2048), ("1.5m", 3 << 19), ("2G", 2 << 30), ("2 GiB", 2 << 30), ("1TB", 1 << 40)],
)
def test_sizes(text: str, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1", "0", "two", "2X", "1e9", "9" * 30, "99999999999T"])
def test_impossible_sizes(text: str) -> None:
    with pytest.raises(UsageError):
        read_size(text)


MESH = "examples/meshes/six-brokers.yaml"


@pytest.mark.parametrize(
    "words",
    [
        *(("check", SAC, "--timeout", value) for value in ("nan", "inf", "-inf", "1e400", "1e10", "0", "-1")),
        ("check", SAC, "--max-memory", "99999999999999999999999999"),
        ("prove", "queue", "--timeout", "nan"),
        ("refine", SAC, SAC, "--timeout", "inf"),
        ("simulate", SAC, "--runs", "9" * 30),
        ("mesh", "verify", MESH, "--timeout", "inf"),
        ("mesh", "simulate", MESH, "--rate", "nan"),
        ("mesh", "latency", MESH, "--at-most", "nan"),
        ("mesh", "heartbeats", MESH, "--timeout", "nan"),
        ("trend", "--last", "1" + "0" * 20),
        ("replay", f"nsq@0123456789ab:producers=2:{'1' * 5000}"),
    ],
    ids=lambda words: " ".join(words)[:60],
)
def test_numbers_that_are_no_limits_are_refused(words: tuple[str, ...]) -> None:
    answer = run(*words)

    assert answer.exit_code == 2
    assert len(answer.stderr.splitlines()) <= 5


def test_settings() -> None:
    assert read_settings(["queues=3", " mode = random ", "text=a=b"]) == {
        "queues": "3",
        "mode": "random",
        "text": "a=b",
    }
