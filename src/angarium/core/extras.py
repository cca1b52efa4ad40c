"""Packages that only some verbs need, and the extra of the installation that brings each.

The base installation checks models and verifies meshes, and is small. What needs more calls `demand` before
it imports anything of it: the error names the verb, the package and the command that installs it. Nothing is
loaded to find that out. The extras are those of pyproject.toml.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from angarium.core.errors import HistoryError, InputError, SparkError, UsageError, WebError


@dataclass(frozen=True, slots=True)
class Need:
    """What a part of Angarium needs beside the base installation."""

    who: str
    """The verb or the part, as its users know it."""
    extra: str
    packages: Mapping[str, str]
    """The names of modules, each with the name under which it is installed."""
    code: str = "ANG018"
    error: type[InputError] = UsageError


NEEDS = {
    "prove": Need("`angarium prove`", "prove", {"z3": "z3-solver"}),
    "conform": Need("`angarium conform`", "conform", {"hypothesis": "hypothesis"}),
    "state_machine": Need("`angarium.state_machine`", "conform", {"hypothesis": "hypothesis"}),
    "nats": Need("`angarium record nats`", "record", {"nats": "nats-py"}, "ANG133", HistoryError),
    "rabbitmq": Need("`angarium record rabbitmq`", "record", {"pika": "pika"}, "ANG133", HistoryError),
    "parquet": Need("a Parquet file", "audit", {"pyarrow": "pyarrow"}),
    "tables": Need("`angarium audit --out`", "audit", {"pyarrow": "pyarrow"}),
    "follow": Need("`angarium audit --follow`", "audit", {"pyarrow": "pyarrow"}),
    "kafka": Need(
        "`angarium audit --follow kafka://…`",
        "kafka",
        {"confluent_kafka": "confluent-kafka"},
        "ANG133",
        HistoryError,
    ),
    "spark": Need(
        "what runs on Spark (`angarium run`, `--engine spark`)",
        "spark",
        {"pyspark": "pyspark", "pyarrow": "pyarrow", "pandas": "pandas"},
        "ANG070",
        SparkError,
    ),
    "serve": Need(
        "`angarium serve`", "web", {"starlette": "starlette", "uvicorn": "uvicorn"}, "ANG150", WebError
    ),
}


def install(extra: str) -> str:
    """The command that installs an extra."""
    return f"pip install 'angarium[{extra}]'"


def demand(name: str, possible: str = "all that needs no extra works without") -> None:
    """Refuse to go on without the packages of a need; `possible` is what can be done instead."""
    need = NEEDS[name]
    missing = [package for module, package in need.packages.items() if find_spec(module) is None]
    if not missing:
        return
    are, them = ("is", "it") if len(missing) == 1 else ("are", "them")
    *first, last = missing
    names = f"{', '.join(first)} and {last}" if first else last
    raise need.error(
        need.code,
        f"{names} {are} not installed for {sys.executable}, and {need.who} needs {them}",
        possible=possible,
        remedy=f"install {them} with: {install(need.extra)}",
    )
