"""Inputs of the fuzzer: right commands with words and files that a number of mutations have made wrong."""

from __future__ import annotations

import os
import random
import re
from dataclasses import dataclass, field

from tests.fuzz.verbs import COMMANDS, FILES

STRANGE_PATHS = (
    "PIPE", "DEVICE", "FULL", "FOLDER", "NOWHERE", "LINK", "/dev/stdin", "/dev/null", "/proc/self/mem", "-",
    "", ".", "/", "x" * 300, "x/" * 3000, "a\nb", "\x1b[2J", "\udcff", "--", "/dev/fd/0", "NOWHERE/deeper",
)  # fmt: skip
"""Words that are paths; those in capital letters are made in the folder of a trial."""
NUMBERS = (
    "0", "-1", "1", "nan", "inf", "-inf", "1e309", "1e-320", "9" * 19, "9" * 5000, "1e20", "0x10", "1_000",
    "²", "٣", " 1", "1.5", "", "2**63", str(2**63), str(2**64), "-0", "1s", "99999999999 h", "1e400 s",
    "1/0",
)  # fmt: skip
TEXTS = (
    "\x1b]0;owned\x07", "\u202e", "\udc80", "a" * 10_000, "=", "==", "a=b=c", "a=", "%s%n", "{0}", "$(x)",
    "; ls", "amqp://me:s3cr3t@host", "nats://s3cr3t@host", "://s3cr3t@", "é", "\n", "\t", "[" * 500,
    "(" * 500, "*", "#", "a->b=c", "b1->b2", "b1@1s", "b1@nan", "12x30", "3x2", "1x0", "one", "none", "two",
    "true", "null", "'", '"', "127.0.0.1:0", "[::1]:1", ":1", "host:99999", "b2=127.0.0.1:1", "*:1",
    "local[0]", "local[*]", "spark://",
)  # fmt: skip
PIECES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\x1b[2J", b"\xe2\x80\xae", b"\xc2\x85",
    b"\x80", b"9" * 400, b"1e999", b"-1", b"NaN", b"Infinity", b"[" * 300, b"{" * 300, b"}" * 3,
    b"a" * 3000, b"'" * 3, b'"', b"\\u0000", b"\\ud800", b"&a *a", b"<<: *x", b"!!python/object:os.system",
    b"<!DOCTYPE x>", b"&x;", b"%s", b"${HOME}", b"$x", b"include PIPE\n", b"include nowhere.conf\n", b"#",
    b"//", b"/*", b": ", b"- ", b"null", b"true", b",", b";", b"  ", b"\t", b"amqp://me:s3cr3t@host",
    b"- - - - -", b"?", b"|", b">", b"0",
)  # fmt: skip
EXTREMES = (
    b"0", b"-1", b"16777216", b"2147483647", b"-2147483648", b"4294967296", b"9223372036854775807",
    b"-9223372036854775808", b"18446744073709551616", b"1e308", b"0.1", b"9" * 30,
)  # fmt: skip
"""What a number in a file becomes."""
_NUMBER = re.compile(rb"\d+")
LARGEST = 1 << 20
"""Bytes of a file: lines that are said often twice would be more than there is memory for."""


@dataclass(frozen=True)
class Trial:
    """A command, and the files of its folder."""

    verb: str
    words: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict, repr=False)


def drawn(verb: str, seed: int) -> Trial:
    """A trial of a verb; the same for the same seed."""
    chance = random.Random(f"{verb} {seed}")
    words = list(chance.choice(COMMANDS[verb]))
    given = {word.lstrip("@").partition("@")[0] for word in words if word.startswith("@")}
    files = {name: FILES[name] for name in given}
    how = chance.random()
    if how < 0.6:
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            words = _other_words(chance, words)
    if how > 0.45 and files:
        name = chance.choice(sorted(files))
        for _ in range(chance.choice((1, 1, 2, 5, 20))):
            files[name] = other_content(chance, files[name])[:LARGEST]
    return Trial(verb, tuple(word.removeprefix("@") for word in words), files)


def _other_words(chance: random.Random, words: list[str]) -> list[str]:
    """One word more, less, or another one; the verb stays."""
    first = 2 if words[0] in ("mesh", "record") else 1
    at = chance.randrange(first, len(words) + 1)
    new = _word(chance)
    match chance.randrange(5):
        case 0:
            return [*words[:at], new, *words[at:]]
        case 1 if at < len(words):
            return [*words[:at], *words[at + 1 :]]
        case 2:
            return [*words, *words[first:]]
        case _:
            return [*words[:at], new, *words[at + 1 :]]


def _word(chance: random.Random) -> str:
    word = chance.choice(chance.choice((STRANGE_PATHS, NUMBERS, TEXTS)))
    return f"{chance.choice(('queues', 'n', 'a', 'mode'))}={word}" if chance.random() < 0.1 else word


def other_content(chance: random.Random, content: bytes) -> bytes:
    """A file with something put in, taken out, changed or said twice."""
    at, end = (chance.randrange(len(content) + 1) for _ in range(2))
    at, end = min(at, end), min(max(at, end), min(at, end) + 200)
    lines = content.splitlines(keepends=True)
    match chance.randrange(9):
        case 0:
            return content[:at] + chance.choice(PIECES) + content[at:]
        case 1:
            return content[:at] + content[end:]
        case 2:
            return content[:at]
        case 3 if at < len(content):
            return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
        case 4 if lines:
            line = chance.choice(lines)
            return content + line * chance.choice((1, 2, 50))
        case 5 if lines:
            chance.shuffle(lines)
            return b"".join(lines)
        case 6 | 7 if numbers := list(_NUMBER.finditer(content)):
            number = chance.choice(numbers)
            return content[: number.start()] + chance.choice(EXTREMES) + content[number.end() :]
        case _:
            return content[:at] + chance.choice(PIECES) + content[end:]


def argument(word: str) -> bytes:
    """A word as a process gets it: bytes without NUL, and no longer than the system takes."""
    return os.fsencode(word.replace("\0", ""))[:100_000]
