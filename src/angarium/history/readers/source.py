"""Lines or rows of any shape, as texts that can be asked for by name: what a mapping turns into fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Source:
    """A table, and how to get a text out of it."""

    frame: DataFrame
    """With file, line and raw; `broken` is the reason why a row has no values, or null."""
    get: Callable[[str], Column | None]
    """The text at a dotted path; None if no row has one."""
