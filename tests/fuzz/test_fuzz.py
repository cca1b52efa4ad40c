"""Whatever words and files a verb gets: exit code 0 to 3, a line that says why, and nothing is left behind.

The thorough run draws new inputs each time; a failure names the verb and the number, and
`python -m tests.fuzz 1 NUMBER VERB` tries that one again. What was found is kept, and tried in every run.
"""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from angarium.app.cli import mesh, program, record
from tests.effort import is_thorough
from tests.fuzz.inputs import argument, drawn
from tests.fuzz.verbs import COMMANDS

MANY, FEW = 60, 1
"""Inputs of each verb, in the thorough run and in the default one."""


def test_every_verb_takes_whatever_it_is_given() -> None:
    seed = random.SystemRandom().randrange(1 << 40) if is_thorough() else 0
    words = [sys.executable, "-m", "tests.fuzz", str(MANY if is_thorough() else FEW), str(seed)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_verb_is_left_out() -> None:
    tried = {(words[0], *words[1:2]) for commands in COMMANDS.values() for words in commands}
    assert {words[0] for words in tried} == set(program.VERBS)
    for group, verbs in (("mesh", mesh.VERBS), ("record", record.VERBS)):
        assert {words[1] for words in tried if words[0] == group} == set(verbs)


@pytest.mark.thorough
@pytest.mark.parametrize("verb", COMMANDS)
def test_a_program_of_its_own_does_the_same(verb: str) -> None:
    words = [argument(word) for word in drawn(verb, 1).words]
    done = subprocess.run(
        [sys.executable, "-m", "angarium", *words], capture_output=True, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode in range(4), done.stderr
    assert b"Traceback" not in done.stderr
