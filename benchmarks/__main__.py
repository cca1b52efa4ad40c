"""Run benchmarks and print what they measure, what is promised, and whether that is kept.

uv run python -m benchmarks                                    all but those that take many minutes
uv run python -m benchmarks packets meshes                     only these
uv run python -m benchmarks --tiny                             whether they run at all; nothing is judged
uv run python -m benchmarks audits --set messages=25000000     at another size
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator, Sequence

from benchmarks import ONLY_BY_NAME
from benchmarks.common.row import Row
from benchmarks.common.suite import measured, names

LINE = "{:<56} {:<34} {:<14} {}"


def main(words: Sequence[str] | None = None) -> int:
    asked = _asked(words)
    print(LINE.format("what", "measured", "promise", "kept"), flush=True)
    counts: Counter[str] = Counter()
    for row in _rows(asked):
        kept = "not judged" if asked.tiny and row.kept is not None else row.said
        counts[kept] += 1
        print(LINE.format(row.what, row.figure, row.promise, kept).rstrip(), flush=True)
    print(", ".join(f"{kept or 'no promise'}: {count}" for kept, count in counts.items()))
    return 1 if counts["NO"] else 0


def _rows(asked: Namespace) -> Iterator[Row]:
    for name in asked.names or [each for each in names() if each not in ONLY_BY_NAME]:
        yield from measured(name, tiny=asked.tiny, changes=dict(asked.set))


def _asked(words: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser("benchmarks", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names())}")
    parser.add_argument("--tiny", action="store_true", help="as little as possible, to see that all run")
    parser.add_argument(
        "--set", action="append", default=[], type=_setting, metavar="NAME=VALUE", help="a field of the size"
    )
    asked = parser.parse_args(words)
    if unknown := set(asked.names) - set(names()):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    return asked


def _setting(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


if __name__ == "__main__":
    sys.exit(main())
