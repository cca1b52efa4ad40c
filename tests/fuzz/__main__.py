"""`python -m tests.fuzz COUNT [SEED [VERB...]]`: try so many inputs of each verb, and say what they found.

It is a program of its own, since it forks: a process with threads, such as that of tests, had better not.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable

from tests.fuzz.inputs import Trial, drawn
from tests.fuzz.kept import KEPT
from tests.fuzz.trial import judged, warm
from tests.fuzz.verbs import COMMANDS


def main(count: int, seed: int = 0, *verbs: str) -> int:
    """Try inputs, and tell the first of each thing that was found; and how many were found."""
    warm()
    found = tried("kept", ((what, KEPT[what]) for what in KEPT)) if not verbs else 0
    numbers = range(seed, seed + count)
    return found + sum(
        tried(verb, ((number, drawn(verb, number)) for number in numbers)) for verb in verbs or COMMANDS
    )


def tried(name: str, trials: Iterable[tuple[object, Trial]]) -> int:
    begin, found, count = time.monotonic(), Counter[str](), 0
    for number, trial in trials:
        count += 1
        for wrong in judged(trial):
            if not found[wrong]:
                say(f"  {name} {number}: {wrong}\n    {list(trial.words)!r:.300}")
            found[wrong] += 1
    say(f"{name}: {count} inputs, {found.total()} found, {time.monotonic() - begin:.0f} s")
    return found.total()


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3]), *sys.argv[3:]) > 0)
