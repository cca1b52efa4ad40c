"""Spark tests share one session a process; where PySpark is not installed, they say so and are skipped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(autouse=True)
def _spark_is_installed() -> None:
    pytest.importorskip("pyspark")


@pytest.fixture
def spark() -> SparkSession:
    """The session that all tests share: started by the first, ended at exit."""
    from angarium.spark.session import Place, session

    return session(Place("local[2]"))


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A folder for what Spark writes; a test looks whether it is empty afterwards."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder
