"""Random tests are the same in every run of continuous integration; elsewhere each run tries new things."""

import os

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture
def time_to_shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stories are pinned: on a slow machine, too, there is time to make them as short as they can be."""
    monkeypatch.setattr("angarium.prove.monitor.drive.SHORTENING", 300.0)
