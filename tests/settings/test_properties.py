"""Files of properties are read as Java reads them: compared with a second reading, character by character."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from angarium.core.errors import SettingsError
from angarium.settings.properties import LARGEST, Entry, printable, read_properties
from tests.effort import examples

BLANK = " \t\f"


def read(folder: Path, text: str | bytes) -> list[Entry]:
    path = folder / "a.properties"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return read_properties(path)


def pairs(folder: Path, text: str | bytes) -> dict[str, str]:
    return {entry.name: entry.value for entry in read(folder, text)}


# --- the second reading: the specification of java.util.Properties, as one machine over characters ----


def by_characters(text: str) -> dict[str, str]:
    result: dict[str, str] = {}
    for line in logical_lines(text.replace("\r\n", "\n").replace("\r", "\n")):
        name, value, state, at = "", "", "name", 0
        while at < len(line):
            char, width = one_character(line, at)
            escaped = width > 1
            if state == "name" and (char not in "=:" + BLANK or escaped):
                name += char
            elif state == "name" and char in "=:":
                state = "after sign"
            elif state == "name":
                state = "before sign"
            elif state == "before sign" and char in "=:" and not escaped:
                state = "after sign"
            elif state in ("before sign", "after sign") and (char not in BLANK or escaped):
                state, value = "value", char
            elif state == "value":
                value += char
            at += width
        result[name] = value
    return result


def logical_lines(text: str) -> list[str]:
    found, line, joining, at = [], "", False, 0
    lines = text.split("\n")
    while at < len(lines):
        body = lines[at].lstrip(BLANK)
        at += 1
        if not joining and (body == "" or body.startswith(("#", "!"))):
            continue
        slashes = len(body) - len(body.rstrip("\\"))
        joining = slashes % 2 == 1
        line += body[:-1] if joining else body
        if not joining or at == len(lines):
            found += [line] if line else []
            line, joining = "", False
    return found


def one_character(line: str, at: int) -> tuple[str, int]:
    if line[at] != "\\":
        return line[at], 1
    after = line[at + 1]
    if after == "u":
        return chr(int(line[at + 2 : at + 6], 16)), 6
    return {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}.get(after, after), 2


CHARACTERS = "ab.é#!=: \t\f\n\r\\"
LONGER = (
    r"\\",
    r"\u00e9",
    r"\t",
    r"\:",
    r"\=",
    r"\ ",
    "${x}",
    "\r\n",
    "\\\n",
    "\\\r\n  ",
    "x=1\n",
    "x : 2\n",
)
PIECES = st.sampled_from((*CHARACTERS, *LONGER))


def has_no_bad_escape(text: str) -> bool:
    """`\\u` only as we put it there: a backslash that happens to stand before a `u` is Java's error."""
    return "u" not in text.replace("\\u00e9", "")


@settings(max_examples=examples(600))
@given(text=st.lists(PIECES, max_size=14).map("".join).filter(has_no_bad_escape))
@example(text="a\\\n\nb=1")
@example(text="\\\n#a=1")
@example(text="a=\\\n   b\\\n  c\n!no\n")
@example(text="a\\\\=1\nb\\\\\\=2=3")
@example(text="a = = b")
@example(text="\\\\u00e9=1")
def test_reads_what_the_second_reading_reads(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert pairs(tmp_path_factory.getbasetemp(), text) == by_characters(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("acks=all", {"acks": "all"}),
        ("acks : all", {"acks": "all"}),
        ("acks all", {"acks": "all"}),
        ("acks", {"acks": ""}),
        ("  acks =  all  ", {"acks": "all  "}),
        ("# acks=0\n! acks=1\n\nacks=all", {"acks": "all"}),
        ("hosts=a,\\\n      b,\\\n      c", {"hosts": "a,b,c"}),
        ("path=c:\\\\temp", {"path": "c:\\temp"}),
        ("a\\:b\\=c\\ d=1", {"a:b=c d": "1"}),
        ("name=\\u00e9\\t!", {"name": "é\t!"}),
        ("smile=\\uD83D\\uDE00", {"smile": "\U0001f600"}),
        ("lonely=\\uD83D", {"lonely": "\ufffd"}),
        ("a=1\ra=2\r\nb=3", {"a": "2", "b": "3"}),
        ("acks=${env:ACKS}", {"acks": "${env:ACKS}"}),
        (b"name=\xe9", {"name": "é"}),
        ("name=é", {"name": "é"}),
        ("a=1\\", {"a": "1"}),
        ("", {}),
    ],
)
def test_reads_as_java_does(tmp_path: Path, text: str | bytes, expected: dict[str, str]) -> None:
    assert pairs(tmp_path, text) == expected


def test_the_last_value_counts_and_the_other_places_are_kept(tmp_path: Path) -> None:
    a, b = read(tmp_path, "a=1\nb=2\n\na=3\na=4\n")

    assert (a.name, b.name, b.value) == ("b", "a", "4")
    assert [place.line for place in b.earlier] == [1, 4]


def test_an_entry_knows_where_its_name_and_its_value_are(tmp_path: Path) -> None:
    first, second = read(tmp_path, "# top\n  acks = all\nhosts=\\\n   one\n")

    assert (first.place.line, first.place.column, first.place.source) == (2, 3, "  acks = all")
    assert (first.value_place.line, first.value_place.column) == (2, 10)
    assert (second.value_place.line, second.value_place.column) == (4, 4)


@pytest.mark.parametrize("text", ["a=\\u12", "a=\\uxyzw", "\\u=1", "a=\\\\\\u"])
def test_half_an_escape_is_an_error_that_does_not_show_the_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as error:
        read(tmp_path, f"# one\npassword=secret{text}")

    assert error.value.code == "ANG060"
    assert error.value.place and error.value.place.line == 2
    assert "secret" not in str(error.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file") as error:
        read_properties(tmp_path / "server.properties")

    assert error.value.code == "ANG060"


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="directory"):
        read_properties(tmp_path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    assert len(read(tmp_path, b"a" * LARGEST)) == 1
    with pytest.raises(SettingsError, match="more than 1,000,000 bytes"):
        read(tmp_path, b"a" * (LARGEST + 1))


def test_a_large_file_is_read_in_a_moment(tmp_path: Path) -> None:
    text = "a=\\\n" + "b\\\n" * 200_000

    assert len(pairs(tmp_path, text)["a"]) == 200_000


# --- what is no file of properties ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x7fELF\x02", "line 1 has the byte 7f"),
        (b"a=1\r\nb=2\n\x00", "line 3 has the byte 00"),
        (b"a=\x1b[31m", "line 1 has the byte 1b"),
        ("acks=1\n".encode("utf-16"), "it looks like UTF-16"),
        ("acks=1\n".encode("utf-16-be"), "has the byte 00"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    with pytest.raises(SettingsError) as error:
        read(tmp_path, data)

    assert error.value.code == "ANG060"
    assert says in error.value.what
    assert "lines name=value" in error.value.possible


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    assert pairs(tmp_path, b"\xef\xbb\xbfacks=1") == {"acks": "1"}
    assert pairs(tmp_path, b"\xef\xbb\xbfacks=\xe9") == {"acks": "é"}


@pytest.mark.parametrize(
    "text",
    [
        "---\nacks: 1",
        "---",
        "# made by hand\n\n  # again\n--- # first\nx: 1",
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka",
        "\r\nkind: Kafka",
    ],
)
def test_yaml_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="looks like YAML") as error:
        read(tmp_path, text)

    assert error.value.code == "ANG060"
    assert "`config:`" in error.value.remedy


def test_a_file_that_is_named_yaml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "application.yml"
    path.write_text("spring:\n  kafka:\n    producer:\n      acks: 1\n", encoding="utf-8")

    with pytest.raises(SettingsError, match="looks like YAML"):
        read_properties(path)


@pytest.mark.parametrize("text", ["kind=1", "acks=1\n---\n", "----=1", "kinds: 1"])
def test_what_only_resembles_yaml_is_read(tmp_path: Path, text: str) -> None:
    assert pairs(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("aé b", "aé b"), ("a\x1b", "a\\u001b"), ("\u200b", "\\u200b"), ("\U000e0001", "\\udb40\\udc01")],
)
def test_what_is_shown_can_be_printed(text: str, shown: str) -> None:
    assert printable(text) == shown
