"""What members of groups were given: assignments and revocations of partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from angarium.history import schema
from angarium.history.checks.facts import WHEN, Facts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

GROUP = ("run_id", "consumer_group")


def changes(facts: Facts) -> DataFrame:
    """Every assignment (`assigned`) or revocation of a member of a group."""
    from pyspark.sql import functions as f

    names = (*schema.ASSIGNS, *schema.REVOKES)
    told = facts.events.where("op_type = 'group' AND phase <> 'fail' AND consumer_group IS NOT NULL")
    return told.where(f.col("op_name").isin(*names)).select(
        *GROUP, "consumer", f.col("op_name").isin(*schema.ASSIGNS).alias("assigned"), "partitions",
        "generation", *WHEN, "clock_domain",
    )  # fmt: skip
