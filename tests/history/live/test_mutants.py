"""For every rule of what a stream remembers: without it, something else is found.

A mutant is the kernel's source, or a step of a batch, with one thing changed. All that can be forgotten is
forgotten at once, and each batch goes on from what the one before has written down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from angarium.history.kernel.library import KERNEL
from angarium.history.live import batches, matters, released
from angarium.history.live.follow import follow
from angarium.history.live.gate import Gate
from angarium.history.live.progress import Progress
from angarium.native.jit import build
from angarium.native.lowlevel import constants_in, translate
from tests.history.kernel.test_mutants import source_of_kernel
from tests.history.live.streams import LIVE, PARAMETERS, Row, alerts_in, expected, lines
from tests.history.live.test_killed import stream

FILES = 12

MUTANTS = {
    "what is open is forgotten": ("if opened != 0 or is_marked", "if is_marked"),
    "what is marked is forgotten": (" or is_marked(context, known, pairs, events) != 0:", ":"),
    "what is missed is forgotten": (
        "if missed != 0 and (sends[N_CERTAIN] != 0 or sends[N_INVOKED] > sends[N_FAILED]):",
        "if 0 != 0:",
    ),
    "what is held is forgotten": ("if is_held(context, thread, known, delivery) != 0:", "if 0 != 0:"),
    "a message stays in part": (
        "for place in range(events):\n                put_byte",
        "for place in range(1):\n                put_byte",
    ),
    "the largest number is forgotten": (
        "        put_byte(kept, row_of(top), 1)\n",
        "        kept[0] = kept[0]\n",
    ),
    "who was active is forgotten": (
        "        if table[place] != 0:\n            put_byte(words(known[W_KEPT])",
        "        if 0 != 0:\n            put_byte(words(known[W_KEPT])",
    ),
    "what is young is forgotten": (
        "if event[at.AT] >= horizon or byte(kept, row_of(event)) != 0:",
        "if byte(kept, row_of(event)) != 0:",
    ),
}  # fmt: skip


def _nothing(*_: object) -> None:
    pass


def _unpinned(self: released.Released) -> Any:  # noqa: ANN401 (violations)
    found = _VIOLATIONS(self)
    self.pinned = []
    return found


_VIOLATIONS = released.Released.violations

STEPS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "what comes back is not recalled": lambda patch: patch.setattr(batches, "recall", _nothing),
    "what was proved is forgotten": lambda patch: patch.setattr(released.Released, "violations", _unpinned),
    "landmarks are forgotten": lambda patch: patch.setattr(matters._Looking, "_mark_landmarks", _nothing),
    "declarations are forgotten": lambda patch: patch.setattr(matters._Looking, "_mark_others", _nothing),
    "a repeated row counts": lambda patch: patch.setattr(
        Gate, "_repeats", staticmethod(lambda own: np.zeros(len(own), np.bool_))
    ),
}


def agrees(folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a stream ends in what the oracle finds in it: a process for each batch, as it were."""
    rows = sorted(stream(), key=lambda row: row["time_unix_nano"])
    size = -(-len(rows) // FILES)
    monkeypatch.setattr(batches, "GROWN", 1 << 30)
    (folder / "in").mkdir()
    for first in range(0, len(rows), size):
        _write(folder / "in" / f"{first:06}.jsonl", rows[first : first + size])
        follow(folder / "in", folder / "checkpoint", PARAMETERS, replace(LIVE, every=0.0), stop=_Once())
    (folder / "in" / "_END").touch()
    last: Progress = follow(folder / "in", folder / "checkpoint", PARAMETERS, LIVE)
    return last.accepted == len(rows) and alerts_in(folder / "checkpoint") == expected(stream())


def _write(path: Path, rows: list[Row]) -> None:
    """A file with its first row twice."""
    path.write_text(lines([rows[0], *rows]), "utf-8")


class _Once:
    """Lets one batch happen."""

    def __init__(self) -> None:
        self.asked = 0

    def is_set(self) -> bool:
        self.asked += 1
        return self.asked > 3

    def wait(self, _: float | None = None) -> bool:
        return False


def test_as_it_is_it_finds_what_the_oracle_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert agrees(tmp_path, monkeypatch)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", STEPS)
def test_a_step_that_is_left_out_is_noticed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    STEPS[name](monkeypatch)
    assert not agrees(tmp_path, monkeypatch)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_rule_that_is_left_out_is_noticed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = MUTANTS[name]
    source = source_of_kernel()
    assert source.count(old) == 1, f"{source.count(old)} places"
    constants = constants_in({key: value for module in KERNEL.also for key, value in vars(module).items()})
    text = translate(source.replace(old, new), dict.fromkeys(KERNEL.names, constants))
    library = build(lambda: text, KERNEL.names, made_from=source.replace(old, new))
    assert KERNEL.library
    monkeypatch.setitem(vars(KERNEL), "library", library)
    assert not agrees(tmp_path, monkeypatch)
