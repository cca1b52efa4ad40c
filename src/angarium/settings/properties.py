r"""Java's .properties files, read as `java.util.Properties` reads them.

A file is a sequence of lines; one that ends in an odd number of backslashes goes on with the next, whose
first blanks do not count. Lines of blanks, and those that begin with `#` or `!`, say nothing. In the others
the name goes up to the first `=`, `:` or blank that has no backslash before it; the rest is the value. `\t`,
`\n`, `\r`, `\f` and `\u00e9` stand for one character; a backslash before another character is dropped.

Nothing is ever executed or filled in: `${...}` is text. Files are Latin-1, as Java has it, or UTF-8, as
people write them. Of a name that is given twice the last value counts, and the entry knows the other places.

Java takes any bytes for properties. What is plainly something else, a program, UTF-16 or YAML, is refused:
nothing of it would be found, and an empty answer looks like a good one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from angarium.core import files
from angarium.core.errors import Place, SettingsError

LARGEST = 1_000_000
"""Bytes. The files of real brokers have a few thousand."""

_BLANKS = " \t\f"
_END_OF_LINE = re.compile(r"\r\n|\r|\n")
_NAME = re.compile(r"(?:\\.|[^\\=: \t\f])*", re.S)
_SEPARATOR = re.compile(r"[ \t\f]*(?:[=:][ \t\f]*)?")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_BAD_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?![0-9a-fA-F]{4})")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_YAML = re.compile(r"(?:[ \t]*(?:#.*)?(?:\r\n|\r|\n))*(?:---[ \t]*(?:[\r\n#]|\Z)|apiVersion:|kind:)")
_YAML_FILES = (".yaml", ".yml")
_STANDS_FOR = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A name and its value."""

    name: str
    value: str
    place: Place
    value_place: Place
    earlier: tuple[Place, ...] = ()
    """Where the same name had been given before, in the same file: what was said there does not count."""


@dataclass(frozen=True, slots=True)
class _Line:
    """What one or more lines of the file say together: its text, and where each piece of it begins."""

    text: str
    pieces: tuple[tuple[int, int, int], ...]
    """Offset in the text, line and column in the file."""

    def position(self, offset: int) -> tuple[int, int]:
        start, line, column = self.pieces[bisect_right(self.pieces, (offset, 1 << 62, 0)) - 1]
        return line, column + offset - start


def read_properties(path: Path) -> list[Entry]:
    """The entries of a file, in the order in which their last values are given."""
    text = _text(path)
    _refuse_yaml(path, text)
    lines = _END_OF_LINE.split(text)
    entries: dict[str, Entry] = {}
    for line in _logical(lines):
        entry = _entry(str(path), line, lines)
        before = entries.pop(entry.name, None)
        if before:
            entry = replace(entry, earlier=(*before.earlier, before.place))
        entries[entry.name] = entry
    return list(entries.values())


def printable(text: str) -> str:
    """A text that can be shown: whatever a terminal might obey is written as a file has it, `\\u001b`."""
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _text(path: Path) -> str:
    data = _bytes(path).removeprefix(BOM_UTF8)
    _refuse_control(path, data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _bytes(path: Path) -> bytes:
    try:
        return files.read_bytes(path, LARGEST)
    except files.TooLargeError:
        raise SettingsError(
            "ANG060",
            f"{path} has more than {LARGEST:,} bytes, which no file of settings has",
            possible=f"a file of properties of at most {LARGEST:,} bytes",
            remedy="look whether this is the right file",
        ) from None
    except OSError as error:
        raise SettingsError(
            "ANG060",
            f"{path} cannot be read: {error.strerror or error}",
            possible="a file of properties, such as server.properties, that you may read",
            remedy="look whether the path is right, and whether you may read the file",
        ) from error


def _refuse_control(path: Path, data: bytes) -> None:
    found = _CONTROL.search(data)
    if not found:
        return
    line = len(re.findall(rb"\r\n|\r|\n", data[: found.start()])) + 1
    utf_16 = ": it looks like UTF-16" if data.startswith(_UTF_16) else ""
    raise SettingsError(
        "ANG060",
        f"{path} is no file of properties{utf_16}: line {line} has the byte {found[0].hex()}, as no text has",
        possible="a text of lines name=value, such as server.properties, in UTF-8 or Latin-1",
        remedy="save the file as UTF-8" if utf_16 else "look whether this is the right file",
    )


def _refuse_yaml(path: Path, text: str) -> None:
    if _YAML.match(text) or path.suffix.lower() in _YAML_FILES:
        raise SettingsError(
            "ANG060",
            f"{path} looks like YAML, which is not read here",
            possible="a text of lines name=value, such as server.properties",
            remedy="write what is under `config:` there as lines name=value into a file of its own, such as "
            "server.properties",
        )


def _logical(lines: Sequence[str]) -> Iterator[_Line]:
    """The lines that say something, those that go on joined with what they go on with."""
    rest = iter(enumerate(lines, 1))
    for number, line in rest:
        text = line.lstrip(_BLANKS)
        if not text or text[0] in "#!":
            continue
        texts, pieces, offset = [text], [(0, number, len(line) - len(text) + 1)], 0
        while _goes_on(texts[-1]):
            texts[-1] = texts[-1][:-1]
            offset += len(texts[-1])
            number, line = next(rest, (number, ""))
            texts.append(line.lstrip(_BLANKS))
            pieces.append((offset, number, len(line) - len(texts[-1]) + 1))
        if any(texts):
            yield _Line("".join(texts), tuple(pieces))


def _goes_on(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _entry(file: str, line: _Line, lines: Sequence[str]) -> Entry:
    end = _matched(_NAME, line.text, 0)
    start = _matched(_SEPARATOR, line.text, end)

    def place(offset: int) -> Place:
        number, column = line.position(offset)
        return Place(file, number, column, lines[number - 1])

    bad = _BAD_ESCAPE.search(line.text)
    if bad:
        raise SettingsError(
            "ANG060",
            "\\u is not followed by four hexadecimal digits, and Kafka would not start with such a file",
            possible="\\u00e9, for example, stands for é",
            remedy="write \\\\u for a backslash and a u",
            place=replace(place(bad.end() - 2), source=""),  # it may be a password
        )
    return Entry(_plain(line.text[:end]), _plain(line.text[start:]), place(0), place(start))


def _matched(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start


def _plain(text: str) -> str:
    """Without escapes. Java's characters have 16 bits: two of them may be one of ours."""

    def character(found: re.Match[str]) -> str:
        return chr(int(found[1], 16)) if found[1] else _STANDS_FOR.get(found[2], found[2])

    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(character, text)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
