"""Values of options are read as people write them."""

from __future__ import annotations

import pytest

from angarium.cli.options import read_settings, read_size
from angarium.errors import UsageError


@pytest.mark.parametrize(
    ("text", "size"),
    [("100", 100), ("2K", 2048), ("1.5m", 3 << 19), ("2G", 2 << 30), ("2 GiB", 2 << 30), ("1TB", 1 << 40)],
)
def test_sizes(text: str, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1", "0", "two", "2X", "1e9"])
def test_impossible_sizes(text: str) -> None:
    with pytest.raises(UsageError):
        read_size(text)


def test_settings() -> None:
    assert read_settings(["queues=3", " mode = random ", "text=a=b"]) == {
        "queues": "3",
        "mode": "random",
        "text": "a=b",
    }
