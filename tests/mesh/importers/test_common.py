"""What all importers share."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.importers import common


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError) as error:
        common.text_of(tmp_path / "missing")

    assert error.value.code == "ANG120"
    assert "No such file" in error.value.what


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "LARGEST_FILE", 10)
    path = tmp_path / "large"
    path.write_bytes(b"x" * 11)

    with pytest.raises(MeshError) as error:
        common.text_of(path)

    assert error.value.code == "ANG125"


def test_a_byte_that_is_not_utf8_is_shown_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes(b"first\nna\xefve")

    with pytest.raises(MeshError) as error:
        common.text_of(path)

    assert error.value.place and (error.value.place.line, error.value.place.column) == (2, 3)
    assert error.value.what == "byte 0xef is not UTF-8"


def test_a_mark_of_byte_order_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "marked"
    path.write_bytes(b"\xef\xbb\xbf{}")

    assert common.text_of(path) == "{}"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/eu.json", "eu"),
        ("/srv/eu/definitions.json", "eu"),
        ("/srv/eu/rabbitmq/etc/definitions.json", "eu"),
        ("/conf/mosquitto.conf", "mosquitto"),
    ],
)
def test_a_broker_is_called_by_the_first_word_that_says_which_one_it_is(path: str, name: str) -> None:
    assert common.name_of(Path(path)) == name


def test_a_host_that_fits_two_brokers_is_told_by_its_port_or_not_at_all() -> None:
    directory = common.Directory()
    directory.add("a", ["mq"], [1])
    directory.add("b", ["mq"], [2])

    assert directory.find("mq", 2) == "b"
    assert directory.find("mq", 3) is None
    assert directory.find("mq") is None


def test_numbers_of_an_address_are_no_names() -> None:
    directory = common.Directory()
    directory.add("10", ports=[1])

    assert directory.find("10.0.0.1", 9) is None
    assert directory.find("127.0.0.1", 1) == "10"


@pytest.mark.parametrize(
    ("host", "meant"),
    [
        ("hub", common.Meant("hub")),
        ("HUB.", common.Meant("hub")),
        ("hub.mq.example", common.Meant("hub", "hub")),
        ("hub2.mq.example", common.Meant("hub", "hub")),
        ("hub-2", common.Meant("hub", "hub")),
        ("mq.hub.example", None),
        ("example.hub", None),
        ("2.example", None),
        ("stranger", common.Meant("stranger")),
        ("stranger.example", None),
        ("stranger1", None),
    ],
)
def test_a_host_is_known_as_a_whole_or_by_its_first_label(host: str, meant: common.Meant | None) -> None:
    directory = common.Directory()
    directory.add("hub")
    directory.add("stranger", by_part=False)

    assert directory.meant(host) == meant


def test_a_part_of_a_host_stands_only_for_a_broker_that_fits() -> None:
    directory = common.Directory()
    directory.add("eu/nats-0", ["nats-0"])
    directory.add("us/nats-0", ["nats-0"])

    assert directory.meant("nats-0.nats.svc") is None
    assert directory.meant("nats-0.nats.svc", fits=lambda name: name.startswith("us")) == common.Meant(
        "us/nats-0", "nats-0"
    )


def test_a_folder_is_named_by_the_first_word_that_says_which_one_it_is() -> None:
    assert common.folder_of(Path("/srv/eu/etc/nats-0.conf")) == "eu"


def test_long_lines_are_not_shown() -> None:
    assert common.place(Path("f"), 1, 1, "x" * 301).source == ""
    assert common.place(Path("f"), 1, 1, "x").source == "x"
