"""`angarium engines`: what is here, what is not and why."""

from __future__ import annotations

import pytest

from angarium.checker.explore.available import GOOD_FOR
from angarium.native import card_driver, cuda
from tests.app.cli.running import record, run


def test_all_engines_are_told_with_what_they_are_good_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANGARIUM_GPU", "emulated")
    told = {each["name"]: each for each in record("engines")["engines"]}
    assert {name: each["good_for"] for name, each in told.items()} == GOOD_FOR
    (card,) = told["gpu"]["has"]
    assert (card["name"], told["gpu"]["usable"]) == ("an emulated grid", True)
    assert card["bytes"] > 2**20
    assert told["local"]["has"][0]["bytes"] > 2**20


def test_what_is_missing_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANGARIUM_GPU", raising=False)
    monkeypatch.setattr(card_driver, "LIBRARIES", ("libnowhere.so",))
    cuda._driver.cache_clear()
    text = " ".join(run("engines").stdout.split())
    assert "gpu not here: no driver of a graphics card is installed here (libcuda.so.1) install" in text


def test_a_card_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANGARIUM_GPU", raising=False)
    old = cuda.Found(0, "Tesla P100", (6, 0), 16 << 30, 56 * 2048)
    monkeypatch.setattr(cuda, "found", lambda: [old])
    gpu = next(each for each in record("engines")["engines"] if each["name"] == "gpu")
    assert (gpu["usable"], gpu["has"]) == (False, [])
    assert "there is Tesla P100 (6.0)" in gpu["missing"]
