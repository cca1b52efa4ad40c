"""Models that were damaged by chance: whatever they have become, `check` ends in time with an answer.

Bundled systems and examples are changed at a few places: numbers become enormous, lines are left out,
repeated or put elsewhere, operators are exchanged, expressions chained. Each is checked by a process of its
own, a copy of this one, so that what hangs or dies is found, and costs no start.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import pytest

from angarium.app.cli import main
from tests.effort import examples

SOURCES = [
    file
    for file in sorted([*Path("examples").glob("*.py"), *Path("src/angarium/systems").rglob("*.py")])
    if "(Model)" in file.read_text(encoding="utf-8")
]
HANGS = 120
"""Seconds after which something hangs that has 2, on a machine however busy."""
NUMBERS = ("0", "-1", "7", "1000", "65536", "10**9", "1000000000", "2**63", "9" * 30, "9" * 5000)
OPERATORS = (" + ", " - ", " * ", " // ", " % ", " <= ", " < ", " == ", " != ", " and ", " or ")

Mutation = Callable[[random.Random, str], str]


def number(dice: random.Random, text: str) -> str:
    found = list(re.finditer(r"\b\d+\b", text))
    if not found:
        return text
    chosen = dice.choice(found)
    return text[: chosen.start()] + dice.choice(NUMBERS) + text[chosen.end() :]


def operator(dice: random.Random, text: str) -> str:
    found = list(re.finditer("|".join(map(re.escape, OPERATORS)), text))
    if not found:
        return text
    chosen = dice.choice(found)
    return text[: chosen.start()] + dice.choice(OPERATORS) + text[chosen.end() :]


def chain(dice: random.Random, text: str) -> str:
    """`a + b` becomes `a + b + b + b ...`."""
    found = list(re.finditer(r"( [+*-] | and | or | <= )([\w.\[\]]+)", text))
    if not found:
        return text
    chosen = dice.choice(found)
    return text[: chosen.end()] + chosen[0] * dice.choice((3, 50, 500, 5000)) + text[chosen.end() :]


def line(dice: random.Random, text: str) -> str:
    """A line is left out, repeated, or put elsewhere."""
    lines = text.splitlines(keepends=True)
    at = dice.randrange(len(lines))
    taken = lines.pop(at) if dice.random() < 0.6 else lines[at]
    if dice.random() < 0.6:
        lines.insert(dice.randrange(len(lines) + 1), taken * dice.choice((1, 2, 300)))
    return "".join(lines)


def loop(dice: random.Random, text: str) -> str:
    """A line is done very often."""
    lines = text.splitlines(keepends=True)
    inside = [at for at, each in enumerate(lines) if each.startswith("        ") and each.strip()]
    if not inside:
        return text
    at = dice.choice(inside)
    margin = re.match(" *", lines[at])
    assert margin
    depth, body = dice.choice((1, 2, 6)), lines[at].lstrip()
    heads = [
        f"{margin[0]}{'    ' * n}for _{n} in range({dice.choice(('3', '1000', '10000000'))}):\n"
        for n in range(depth)
    ]
    return "".join([*lines[:at], *heads, f"{margin[0]}{'    ' * depth}{body}", *lines[at + 1 :]])


def word(dice: random.Random, text: str) -> str:
    """A name becomes another one of the file."""
    found = list(re.finditer(r"\b[A-Za-z_]\w*\b", text))
    chosen, other = dice.choice(found), dice.choice(found)
    return text[: chosen.start()] + other[0] + text[chosen.end() :]


MUTATIONS: tuple[Mutation, ...] = (number, number, operator, chain, line, loop, loop, word)


def mutated(seed: int) -> str:
    dice = random.Random(seed)
    text = dice.choice(SOURCES).read_text(encoding="utf-8")
    for _ in range(dice.choice((1, 1, 2, 4))):
        text = dice.choice(MUTATIONS)(dice, text)
    return text


def outcome(file: Path, log: Path) -> int:
    """The exit code of a check with a limit of 2 seconds, or minus the signal that has ended it."""
    child = os.fork()
    if child == 0:
        _check(file, log)
    alarm = Timer(HANGS, os.kill, (child, signal.SIGKILL))
    alarm.start()
    try:
        _, status = os.waitpid(child, 0)
    finally:
        alarm.cancel()
    return os.waitstatus_to_exitcode(status)


def _check(file: Path, log: Path) -> None:
    """In a copy of this process, which ends here."""
    code, output = 99, io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            main(["check", str(file), "--timeout", "2", "--max-memory", "500M", "--threads", "1"])
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        log.write_text(output.getvalue(), encoding="utf-8")
        sys.stderr.flush()
        os._exit(code)


@pytest.mark.thorough
def test_whatever_a_model_has_become_it_is_answered_in_time(tmp_path: Path) -> None:
    file, log = tmp_path / "model.py", tmp_path / "log"
    for seed in range(examples(400)):
        file.write_text(mutated(seed), encoding="utf-8")
        code = outcome(file, log)
        assert code in (0, 1, 2, 3), (
            f"seed {seed}: exit code {code}\n{log.read_text(encoding='utf-8')[-2000:]}"
        )
