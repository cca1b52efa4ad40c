"""What would have saved it."""

from __future__ import annotations

from angarium.app.report.text import remedies_text


def test_every_way_is_named() -> None:
    assert (
        remedies_text([{"queue": "disk"}, {"nsqd_crash": "0"}])
        == "It would hold with: queue=disk; or nsqd_crash=0."
    )
    assert remedies_text([{"queue": "disk"}]) == "It would hold with: queue=disk."
    assert (
        remedies_text([{"queue": "disk", "sync": "true"}]) == "It would hold with: queue=disk and sync=true."
    )


def test_nothing_is_said_where_nothing_is_known_to_help() -> None:
    assert remedies_text([]) == ""
