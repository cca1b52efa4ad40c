"""Spark tests share one session a process; where PySpark is not installed, they say so and are skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


@pytest.fixture
def spark() -> SparkSession:
    """The session that all tests share: started by the first, ended at exit.

    Their histories are small: Spark would compile programs for longer than it looks at them.
    """
    from angarium.spark.session import session
    from tests.history.histories import HERE

    running = session(HERE)
    for name, value in _INTERPRETED.items():
        running.conf.set(name, value)
    return running
