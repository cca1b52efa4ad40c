"""`python -m tests.fuzz COUNT [SEED [VERB...]]`: try so many inputs of each verb, and say what they found."""

from __future__ import annotations

import sys
import time
from collections import Counter

from tests.fuzz.inputs import drawn
from tests.fuzz.trial import judged, warm
from tests.fuzz.verbs import COMMANDS


def main(count: int, seed: int = 0, *verbs: str) -> None:
    """Try inputs, and tell the first of each thing that was found."""
    warm()
    for verb in verbs or COMMANDS:
        begin, found = time.monotonic(), Counter[str]()
        for number in range(seed, seed + count):
            trial = drawn(verb, number)
            for wrong in judged(trial):
                if not found[wrong]:
                    say(f"  {verb} {number}: {wrong}\n    {list(trial.words)!r:.300}")
                found[wrong] += 1
        say(f"{verb}: {count} inputs, {sum(found.values())} found, {time.monotonic() - begin:.0f} s")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
