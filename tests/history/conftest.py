"""Spark tests share one session a process; where PySpark is not installed, they say so and are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(autouse=True)
def _spark_is_installed() -> None:
    pytest.importorskip("pyspark")


@pytest.fixture(autouse=True, scope="module")
def _plans_are_let_go() -> Iterator[None]:
    """A process of hundreds of tests is a large one."""
    from angarium.spark.bridge import let_go

    yield
    let_go()


@pytest.fixture
def spark() -> SparkSession:
    """The session that all tests share: started by the first, ended at exit.

    Their histories are small: Spark would compile programs for longer than it looks at them.
    """
    from angarium.history.workshop import INTERPRETED
    from angarium.spark.session import session
    from tests.history.histories import HERE

    running = session(HERE)
    for name, value in INTERPRETED.items():
        running.conf.set(name, value)
    return running


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A folder for what Spark writes; a test looks whether it is empty afterwards."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder
