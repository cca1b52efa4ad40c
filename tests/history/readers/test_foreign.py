"""What all readers of foreign records have in common."""

from __future__ import annotations

import pytest

from angarium.history.intake.foreign import nanoseconds
from angarium.history.intake.formats import TEXTS
from tests.history.readers.foreign import first_lines

FILES = {
    "spans.jsonl": "otlp",
    "jepsen-log.jsonl": "jepsen",
    "jepsen-queue.jsonl": "jepsen",
    "rabbitmq.jsonl": "rabbitmq",
    "nats.jsonl": "nats",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_known_by_its_first_lines(name: str) -> None:
    found = [reader.name for reader in TEXTS if reader.recognises(first_lines(name))]
    assert found == [FILES[name], "json-lines"]


def test_events_of_the_schema_and_broken_lines_are_not_taken_for_foreign_records() -> None:
    event = '{"recorder":"c","time_unix_nano":1,"op_type":"send","phase":"ok","seq":1,"type":"x"}'
    found = [reader.name for reader in TEXTS if reader.recognises([event, "{", "[1]", "no"])]
    assert found == ["json-lines"]


TIMES = {
    "2026-11-15T05:02:34.75705226Z": 1_794_718_954_757_052_260,
    "2026-11-15T05:02:34.757052269999Z": 1_794_718_954_757_052_269,
    "2026-11-15T05:02:34Z": 1_794_718_954_000_000_000,
    "2026-11-15T06:32:34.1+01:30": 1_794_718_954_100_000_000,
    "1970-01-01T00:00:00.000000001Z": 1,
    "2026-11-15T05:02:34": None,
    "2026-13-15T05:02:34Z": None,
    "9999-01-01T00:00:00Z": None,
    "yesterday": None,
}


@pytest.mark.parametrize("text", TIMES)
def test_times_are_exact_to_the_nanosecond(text: str) -> None:
    assert nanoseconds(text) == TIMES[text]
