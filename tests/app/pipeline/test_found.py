"""What is found in a folder, and what is left out because a claim about it would be wrong."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest

from angarium.app.pipeline.found import found_in

EXAMPLES = Path(__file__).parents[3] / "examples"
SHOP = EXAMPLES / "histories" / "shop.jsonl"
EVENT = {"op_type": "send", "time_unix_nano": 1, "recorder": "r", "phase": "ok"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "kafka/server.properties",
        "meshes/triangle.yaml",
        "histories/shop.jsonl",
        "at_least_once.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        shutil.copy(EXAMPLES / name, path)
    shutil.copytree(EXAMPLES / "meshes" / "mosquitto", tmp_path / "mosquitto")
    (tmp_path / "node_modules").mkdir()
    shutil.copy(EXAMPLES / "at_least_once.py", tmp_path / "node_modules" / "other.py")
    (tmp_path / "django.py").write_text("class Order(models.Model): ...\n", encoding="utf-8")
    (tmp_path / "other.parquet").write_bytes(b"PAR1")
    (tmp_path / "notes.yaml").write_text("shopping: [milk]\n", encoding="utf-8")
    return tmp_path


def test_what_is_in_a_folder_is_found(folder: Path) -> None:
    found = found_in(folder)

    assert found.meshes == ["meshes/triangle.yaml"]
    assert found.settings == {"kafka": ["kafka/server.properties"]}
    assert found.histories == {"histories/shop.jsonl": ["histories/shop.jsonl"]}
    assert found.models == ["at_least_once.py"]
    assert [*found.brokers] == ["mosquitto in mosquitto/ring", "mosquitto in mosquitto/sites"]
    assert all(path.endswith(".conf") for files in found.brokers.values() for path in files)


@pytest.mark.parametrize("name", [b"caf\xe9.py", b"two\nlines.py", b"-option.py"])
def test_names_that_a_project_file_cannot_have_are_passed_over(tmp_path: Path, name: bytes) -> None:
    shutil.copy(EXAMPLES / "at_least_once.py", os.fsencode(tmp_path) + b"/" + name)

    assert not found_in(tmp_path)


def test_several_models_of_one_file_are_found_by_their_names(tmp_path: Path) -> None:
    models = "from angarium import Model\n\nclass One(Model): ...\n\nclass Two(Model): ...\n"
    (tmp_path / "both.py").write_text(models, encoding="utf-8")

    assert found_in(tmp_path).models == ["both.py:One", "both.py:Two"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("worker.properties", "bootstrap.servers=a:9092\ngroup.id=c\nkey.converter=JsonConverter\n"),
        ("connect-distributed.properties", "bootstrap.servers=a:9092\ngroup.id=connect\n"),
        ("sink.properties", "connector.class=FileStreamSink\ngroup.id=sink\n"),
        ("app.properties", "application.id=totals\nbootstrap.servers=a:9092\n"),
    ],
)
def test_settings_of_connect_and_streams_are_not_kafkas(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")

    assert not found_in(tmp_path)


def test_clients_settings_in_springs_words_are_found(tmp_path: Path) -> None:
    (tmp_path / "application.properties").write_text("spring.kafka.producer.acks=1\n", encoding="utf-8")

    assert found_in(tmp_path).settings == {".": ["application.properties"]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("events.ndjson", json.dumps(EVENT)),
        ("events.csv", ",".join(EVENT)),
        ("events.tsv", "\t".join(EVENT)),
        ("spans.json", json.dumps({"resourceSpans": []})),
        ("jepsen.jsonl", json.dumps({"type": "ok", "f": "enqueue", "process": 1})),
        ("firehose.log", json.dumps({"exchange": "amq.rabbitmq.trace"})),
    ],
)
def test_histories_are_found_in_every_form_that_the_audit_reads(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode() + b"\n"))
    (tmp_path / "settings.json").write_text('{"queue": "orders"}\n', encoding="utf-8")

    assert [*found_in(tmp_path).histories] == [name, f"{name}.gz"]


def test_the_files_of_a_recorder_are_one_history(tmp_path: Path) -> None:
    for number in (1, 2):
        shutil.copy(SHOP, tmp_path / f"shop-00000{number}.jsonl")

    assert found_in(tmp_path).histories == {"shop.jsonl": ["shop-000001.jsonl", "shop-000002.jsonl"]}
