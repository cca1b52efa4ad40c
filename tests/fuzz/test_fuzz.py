"""Whatever words and files a verb gets: exit code 0 to 3, a line that says why, and nothing is left behind.

The thorough run draws new inputs each time; a failure names the verb and the number, and
`python -m tests.fuzz 1 NUMBER VERB` tries that one again. What was found is kept in `KEPT` and tried in every run.
"""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from tests.effort import is_thorough
from tests.fuzz.inputs import Trial, argument, drawn
from tests.fuzz.trial import judged
from tests.fuzz.verbs import COMMANDS

MANY, FEW = 60, 2
"""Inputs of each verb, in the thorough run and in the default one."""


def numbers() -> range:
    """Which inputs are tried: always the same in the default run."""
    first = random.SystemRandom().randrange(1 << 40) if is_thorough() else 0
    return range(first, first + (MANY if is_thorough() else FEW))


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_verb_takes_whatever_it_is_given(verb: str) -> None:
    found = {(verb, number): judged(drawn(verb, number)) for number in numbers()}
    assert {which: wrong for which, wrong in found.items() if wrong} == {}


KEPT: dict[str, Trial] = {}
"""Inputs that once found something, by what that was."""


@pytest.mark.parametrize("what", KEPT)
def test_what_was_found_is_mended(what: str) -> None:
    assert judged(KEPT[what]) == []


@pytest.mark.thorough
@pytest.mark.parametrize("verb", COMMANDS)
def test_a_program_of_its_own_does_the_same(verb: str) -> None:
    """A sample without forking, with all that begins and ends a program."""
    words = [argument(word) for word in drawn(verb, 1).words]
    done = subprocess.run(
        [sys.executable, "-m", "angarium", *words], capture_output=True, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode in range(4), done.stderr
    assert b"Traceback" not in done.stderr
