"""Spark is told how to divide its work, and told again how it was before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from angarium.history.workshop import Workshop, read_evenly

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTS = "spark.sql.shuffle.partitions"
BYTES = "spark.sql.files.maxPartitionBytes"


@pytest.mark.parametrize(("events", "parts"), [(10, 2), (2_000_000, 2), (2_000_001, 4), (10_050_180, 12)])
def test_all_cores_have_as_many_parts(spark: SparkSession, events: int, parts: int) -> None:
    before = spark.conf.get(PARTS)
    work = Workshop(spark, None, events, None)
    assert spark.conf.get(PARTS) == str(parts)
    with work.suiting(10):
        assert spark.conf.get(PARTS) == "2"
    assert spark.conf.get(PARTS) == str(parts)
    work.release()
    assert spark.conf.get(PARTS) == before


@pytest.mark.parametrize(("size", "piece"), [(0, 1 << 20), (80 << 20, 10 << 20), (1 << 40, 128 << 20)])
def test_files_are_read_in_pieces_for_all_cores(spark: SparkSession, size: int, piece: int) -> None:
    before = spark.conf.get(BYTES)
    with read_evenly(spark, size):
        assert spark.conf.get(BYTES) == str(piece)
    assert spark.conf.get(BYTES) == before
