"""Lines that the kernel reads, and lines that it leaves to the careful reader: the same rows of both."""

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from angarium.history.intake import json_lines
from angarium.history.intake.flat import FlatLines
from angarium.history.intake.text import Lines
from tests.effort import seeds

NAMES = (
    "run_id", "recorder", "seq", "time_unix_nano", "system", "op_type", "phase", "message_id", "destination",
    "partition_id", "offset", "client_id", "redelivered", "delivery_count", "settle_multiple", "isr",
    "ack_wait_s", "max_deliver", "arguments", "nobody's",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 7, -7, 1 << 31, (1 << 31) - 1, -(1 << 31), (1 << 63) - 1, 1 << 63, 1.5, 1e3, "",
    "a", "a much longer name than eight bytes", "ä€😀", 'quoted "so"', "back\\slash", "12", "-12", "012",
    " 12 ",    "1.0", "true", "null", [], ["a", "b"], {"a": 1}, "\ud800",
)  # fmt: skip
ODD = (
    b"", b"   ", b"\t", b"\x0b", b"\xef\xbb\xbf", b"{}", b"[]", b"null", b"{", b'{"seq":01}', b'{"seq":-}',
    b'{"seq":-0}', b'{"partition_id":-0}', b'{"partition_id":12345678901234567890123}', b'{"seq":1,}',
    b'{"seq":1}}', b'{"seq":1} {"seq":2}', b'{"seq":1 "a":2}', b'{"seq":truex}', b'{"seq":nul}', b'{"a":tru}',
    b'{"seq":1,"seq":null}', b'{"seq":null,"seq":3}', b'{"run_id":"a","run_id":"b","run_id":"c"}',
    b'{"a":"\xff"}', b'{"run_id":"\xc3\xa4"}', b'{"run_id":"a\x01"}', b'\xef\xbb\xbf{"seq":1}',
    b' \t{ "seq" : 1 , "run_id"\t:"x" } \t', b'{"seq":1e3}', b'{"a":1.5}', b'{"redelivered":"true"}',
    b'{"seq":9223372036854775807}', b'{"seq":9223372036854775808}', b'{"seq":"9223372036854775808"}',
    b'{"seq"', b'{"seq":', b'{"seq":1', b'{"run_id":"', b'{"run_id":"x"', b'{"run_id":"x",',
    b'{"isr":null,"seq":1}',
)  # fmt: skip


def lines(random: Random) -> bytes:
    """Lines of all kinds, some of them damaged, with all ends of lines."""
    found = b""
    for _ in range(random.randint(1, 60)):
        each = random.choice(ODD)
        if random.random() < 0.8:
            chosen = random.sample(NAMES, random.randint(1, 8))
            event = {name: random.choice(VALUES) for name in chosen}
            plain, tight = random.random() < 0.5, random.choice(((",", ":"), None))
            text = json.dumps(event, ensure_ascii=plain, separators=tight)
            each = text.encode(errors="surrogatepass")
        if random.random() < 0.1 and each:
            place = random.randrange(len(each))
            each = each[:place] + bytes([random.randrange(256)]) + each[place + random.randrange(2) :]
        found += each + random.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r"))
    return found if random.random() < 0.5 else found[:-1]


def rows_of(given: Lines) -> tuple[list[dict[str, Any]], list[Any]]:
    """All rows, and what is in quarantine by row."""
    rows, refused = [], []
    for batch, problems in given.batches():
        assert batch.first == len(rows)
        refused += [(batch.first + place, each) for place, each in problems]
        rows += [batch.row(place) for place in range(batch.count)]
    return rows, refused


@pytest.mark.parametrize("seed", seeds(2000, 60))
def test_both_readers_give_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    random = Random(seed)
    monkeypatch.setattr("angarium.history.intake.text.ROWS", random.choice((1, 2, 5, 1000)))
    monkeypatch.setattr("angarium.history.intake.text._PIECE", random.choice((1, 100, 1 << 20)))
    path, text = tmp_path / "a.jsonl", lines(random)
    if random.random() < 0.3:
        path, text = tmp_path / "a.jsonl.gz", gzip.compress(text)[: random.choice((None, -3))]
    path.write_bytes(text)
    given = path, 3, 0, json_lines.row_of
    assert rows_of(FlatLines(*given)) == rows_of(Lines(*given))


def test_a_line_may_say_a_column_more_often_than_there_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{" + ",".join(f'"run_id":"{number}"' for number in range(5000)) + "}\n")
    given = path, 0, 0, json_lines.row_of
    assert rows_of(FlatLines(*given)) == rows_of(Lines(*given)) == ([{"run_id": "4999"}], [])


def test_a_column_may_have_a_name_for_every_row(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"message_id":"m{number}","seq":{number}}}\n' for number in range(5000)))
    rows, _ = rows_of(FlatLines(path, 0, 0, json_lines.row_of))
    assert rows == [{"seq": number, "message_id": f"m{number}"} for number in range(5000)]
