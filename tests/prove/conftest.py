"""What tests of proofs and contracts share."""

from __future__ import annotations

import pytest

from angarium.prove.monitor import drive


@pytest.fixture(autouse=True)
def _time_to_shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stories are pinned: on a slow machine, too, there is time to make them as short as they can be."""
    monkeypatch.setattr(drive, "SHORTENING", 300.0)
