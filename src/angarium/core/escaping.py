"""Words of others, as they may be shown: nothing in them is obeyed, and no password is in them.

A name, a docstring or a line of a file may have what a terminal obeys (`ESC [ 2 J` clears it), what turns
writing round so that one thing looks like another, or half of a character. `shown` writes all that as Python
would: `\\x1b`. Where words leave the program, they go through it: at standard output and standard error, in
reports and on the page. In JSON (`json_text`) and TOML (`toml_text`) the same characters are escapes of
these, and nothing is lost.

An address such as `amqp://user:password@host` is `amqp://***@host` in every error, note and record:
`without_passwords`. The user goes with the password, for in some addresses (NATS) a token stands there.
"""

from __future__ import annotations

import json
import re

_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but for tab and line feed
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f"  # what formats text, and what ends lines or paragraphs
    "\ud800-\udfff"  # halves of characters, as which Python reads bytes that are no UTF-8
)
_OBEYED = re.compile(f"[{_UNSEEN}]")
_USER = re.compile(
    r"(//|\b[a-z][a-z\d+.-]+:/|(?<!\w):/)(?!(?:user:password|guest:guest)@)[^\s/:\"'<>`,]*(?::(?!\d{1,5}/)[^\s\"'<>`,]*)?@",
    re.IGNORECASE,
)
"""Of amqp://me:secret@ and nats://token@; a password may have any mark, but a port is none. In examples of
ours, these two words stand for themselves. A path that an address was taken for has one slash (amqp:/)."""
_REST = re.compile(r"(?<![\w./~:-])/[^\s/:@\"'<>`,]+:[^\s/@\"'<>`,]+@")
"""Of /me:secret@host, which is left where the beginning of an address is missing."""
_PARAMETER = re.compile(
    r"(?<=[?&;])([\w.-]*(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key)=)[^&;,\s\"'<>`]+", re.IGNORECASE
)
"""Of tcp://host?user=me;password=secret."""


def shown(text: str) -> str:
    """The text with what would be obeyed written as escapes."""
    return _OBEYED.sub(_escape, text)


def without_passwords(text: str) -> str:
    """The text without what stands before the host in an address, and without passwords behind it."""
    if "/" not in text:
        return text
    return _PARAMETER.sub(r"\1***", _REST.sub("/***@", _USER.sub(r"\1***@", text)))


def plain(text: str) -> str:
    """Words of others as they are shown: nothing in them is obeyed, and no password is in them."""
    return shown(without_passwords(text))


def json_text(record: object, *, indent: int | None = None, ascii_only: bool = False) -> str:
    """A record as JSON without passwords, in which nothing would be obeyed; it is read as the same record."""
    text = json.dumps(record, indent=indent, ensure_ascii=ascii_only)
    if "/" in text and (safe := record_without_passwords(record)) != record:
        text = json.dumps(safe, indent=indent, ensure_ascii=ascii_only)
    return _OBEYED.sub(lambda found: json.dumps(found[0])[1:-1], text)


def toml_text(text: str) -> str:
    """A text as TOML writes it, in which nothing would be obeyed; it is read as the same text."""
    return _OBEYED.sub(_in_toml, json.dumps(text, ensure_ascii=False))


def _in_toml(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def record_without_passwords(value: object) -> object:
    """A record, or a part of one, whose texts have no passwords."""
    match value:
        case str():
            return without_passwords(value)
        case dict():
            return {
                record_without_passwords(key): record_without_passwords(each) for key, each in value.items()
            }
        case list() | tuple():
            return [record_without_passwords(each) for each in value]
        case _:
            return value


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
