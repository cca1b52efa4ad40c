"""Values as YAML in one line: texts with quotes where they need them, lists and tables in brackets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_PLAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_./+*@>-]|(?<=[^ ]) (?=[^ #]))*", re.ASCII)
"""Texts that need no quotes: no character in them means anything to YAML where it stands."""
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_ESCAPES = ((0x100, "\\x{:02x}"), (0x10000, "\\u{:04x}"), (0x110000, "\\U{:08x}"))


def written(value: object) -> str:
    """A value as YAML's flow style, in one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case Mapping():
            return "{" + ", ".join(f"{quoted(key)}: {written(each)}" for key, each in value.items()) + "}"
        case str():
            return quoted(value)
        case Sequence():
            return "[" + ", ".join(map(written, value)) + "]"
        case _:
            raise TypeError(value)


def quoted(text: str) -> str:
    """A text, in quotes if it needs them."""
    return text if _PLAIN.fullmatch(text) else '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if character.isprintable():
        return character
    return next(form for limit, form in _ESCAPES if ord(character) < limit).format(ord(character))
