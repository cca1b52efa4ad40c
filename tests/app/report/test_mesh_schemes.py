"""Shares are told as they are."""

from __future__ import annotations

import pytest

from angarium.app.report.mesh_schemes import share


@pytest.mark.parametrize(
    ("part", "whole", "told"),
    [
        (174_568, 369_063, "47.3 %"),
        (68, 110, "61.8 %"),
        (99_999, 100_000, "99.9 %"),
        (1, 100_000, "0.1 %"),
        (7, 7, "100.0 %"),
        (0, 7, "0.0 %"),
        (0, 0, "none"),
    ],
)
def test_only_all_is_100_per_cent(part: int, whole: int, told: str) -> None:
    assert share(part, whole) == told
