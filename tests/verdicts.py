"""What engines find in a model that is given as text: they must agree, or the test fails."""

from __future__ import annotations

from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from tests.models import system


def hit(body: str, **settings: object) -> set[str]:
    """The guarantees that some state hits, `stays-in-range` among them."""
    compiled = system(body, **settings)  # type: ignore[arg-type]
    expected = set(ReferenceEngine().search(compiled).runs)
    assert set(NativeEngine().search(compiled).runs) == expected
    return expected
