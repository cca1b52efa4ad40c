"""Under `spark-submit` there is a Java already, made for this program: it is used, and not ended.

`spark-submit` starts Java first, and Java starts the program, which it tells a port and a secret. Where
Spark runs and how much memory it has was then said to `spark-submit`, and what we are told about it does
not count.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from angarium.spark.machine import new_folder, remove

_PORT, _SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"


@dataclass(frozen=True, slots=True)
class Submitted:
    """The Java that started us, as far as it is ours: a folder to write to."""

    port: int
    secret: str
    folder: Path

    @property
    def alive(self) -> bool:
        """It lives longer than we do."""
        return True

    def said(self) -> str:
        """What it says goes where `spark-submit` says."""
        return ""

    def stop(self) -> None:
        """Remove what we have written; Java ends when we do."""
        remove(self.folder)


def submitted(scratch: Path | None) -> Submitted | None:
    """The Java that has started this program, if one has."""
    if _PORT not in os.environ or _SECRET not in os.environ:
        return None
    return Submitted(int(os.environ[_PORT]), os.environ[_SECRET], new_folder("angarium-spark-", scratch))


def settings_of_queries(settings: dict[str, str]) -> dict[str, str]:
    """What we may still say: how queries are run, but not where."""
    return {name: value for name, value in settings.items() if name.startswith("spark.sql.")}
