"""How the files of a folder of recovery tables are called.

A broker may be called anything: `New York`, `../etc`, `B1` beside `b1`. So its file begins with its place in
the mesh, from 1, which is enough to tell it from all others; what follows is for people.
"""

from __future__ import annotations

import re

COLOURS_FILE = "colours.json"
BINARY, JSON = ".tables", ".json"
_STRANGE = re.compile(r"[^A-Za-z0-9._-]+")
_OURS = re.compile(r"\d{1,4}-[A-Za-z0-9._-]{1,40}\.(?:tables|json)", re.ASCII)
LONGEST = 40


def file_name(number: int, broker: str, suffix: str = "") -> str:
    """The file of a broker, by its position from 0 and its name."""
    return f"{number + 1}-{_STRANGE.sub('_', broker)[:LONGEST]}{suffix}"


def is_ours(name: str) -> bool:
    """Whether a file is called as one of ours."""
    return name == COLOURS_FILE or _OURS.fullmatch(name) is not None
