"""What tests of the page share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.app.web.asking import WORK


@pytest.fixture(autouse=True, scope="session")
def _processes_end_with_the_tests() -> Iterator[None]:
    yield
    WORK.end()
