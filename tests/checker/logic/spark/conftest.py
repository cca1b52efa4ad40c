"""One session for all tests of this folder, which are left out where PySpark is not installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

collect_ignore_glob = [] if find_spec("pyspark") else ["*.py"]


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    from angarium.spark.session import Place, session

    return session(Place("local[2]"))
