"""Words of others are shown and not obeyed, and no password is in them."""

from __future__ import annotations

import json
import tomllib
import unicodedata

import pytest

from angarium.core.errors import MeshError, Place
from angarium.core.escaping import json_text, plain, shown, toml_text, without_passwords

OBEYED = {"Cc", "Cf", "Zl", "Zp", "Cs"}
"""Control characters, formats, ends of lines and of paragraphs, halves of characters."""


def test_everything_that_would_be_obeyed_is_an_escape() -> None:
    every = "".join(chr(number) for number in range(0x110000))
    told = shown(every)
    assert {letter for letter in told if unicodedata.category(letter) in OBEYED} == {"\n", "\t"}
    assert shown("\x1b[2J\x9b\u202e\ud800\U000e0041") == "\\x1b[2J\\x9b\\u202e\\ud800\\U000e0041"


def test_toml_reads_the_same_text_again() -> None:
    every = "".join(chr(number) for number in range(0x110000) if not 0xD800 <= number < 0xE000)
    told = toml_text(every)
    assert {letter for letter in told if unicodedata.category(letter) in OBEYED} == set()
    assert tomllib.loads(f"a = {told}") == {"a": every}


def test_usual_letters_stay_as_they_are() -> None:
    text = "Grüße, 你好, 🐇 — “straight” b1→b2\n\tindented"
    assert shown(text) == text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("amqp://me:s3cr3t@host:5672/vhost", "amqp://***@host:5672/vhost"),
        ("nats://s3cr3t@host", "nats://***@host"),
        ("nats://a:s3cr3t@h1,nats://c:s3cr3t@h2", "nats://***@h1,nats://***@h2"),
        ("amqp://me:s3/cr3t@host", "amqp://***@host"),
        ("amqp://me:s3@cr3t@host", "amqp://***@host"),
        ("tcp://host:61616?user=me;password=s3cr3t", "tcp://host:61616?user=me;password=***"),
        ("https://host/?apiKey=s3cr3t&x=1", "https://host/?apiKey=***&x=1"),
        ("'amqp://me:s3cr3t@host', of me@example.org", "'amqp://***@host', of me@example.org"),
        ("amqp:/me:s3cr3t@host", "amqp:/***@host"),
        ("there is no file :/s3cr3t@", "there is no file :/***@"),
        ("m.yaml:2:1: /me:s3cr3t@host {at", "m.yaml:2:1: /***@host {at"),
        ("C:/users/me@work and amqp://user:password@host", "C:/users/me@work and amqp://user:password@host"),
        ("https://host:8080/packages/thing@v1", "https://host:8080/packages/thing@v1"),
        ("https://example.org/thing@v1 is me@example.org", "https://example.org/thing@v1 is me@example.org"),
    ],
)
def test_passwords_in_addresses_are_left_out(given: str, told: str) -> None:
    assert without_passwords(given) == told


def test_a_record_is_read_as_it_was_and_has_no_passwords() -> None:
    record = {"name": "a\x1b\x9b\u202e\ud800é", "of": [1, None, {"url": "amqp://me:s3cr3t@host"}]}
    text = json_text(record)
    assert text == plain(text)
    assert json.loads(text) == record | {"of": [1, None, {"url": "amqp://***@host"}]}
    assert json_text(record, ascii_only=True).isascii()


def test_an_error_shows_no_password_and_obeys_no_excerpt() -> None:
    line = "address amqp://me:s3cr3t@host \x1b[2J"
    error = MeshError("ANG120", "no amqp://me:s3cr3t@host", remedy="\x1b", place=Place("f", 1, 3, line))
    assert "s3cr3t" not in f"{error} {error.what} {error!r}"
    assert "address amqp://***@host \\x1b[2J" in str(error)
