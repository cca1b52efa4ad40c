"""What would have saved it."""

from __future__ import annotations

from angarium.app.report.remedy import render


def test_every_way_is_named() -> None:
    assert (
        render([{"queue": "disk"}, {"nsqd_crash": "0"}]) == "It would hold with: queue=disk; or nsqd_crash=0."
    )
    assert render([{"queue": "disk"}]) == "It would hold with: queue=disk."
    assert render([{"queue": "disk", "sync": "true"}]) == "It would hold with: queue=disk and sync=true."


def test_nothing_is_said_where_nothing_is_known_to_help() -> None:
    assert render([]) == ""
