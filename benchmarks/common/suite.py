"""The benchmarks that there are, and how one of them is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.common.row import Row, missing

FOLDER = Path(__file__).parents[1]


def names() -> list[str]:
    """Every module of the folder, so that none is forgotten."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("__"))


def measured(name: str, *, tiny: bool = False, changes: Mapping[str, str] | None = None) -> Iterator[Row]:
    """What a benchmark measures. That it needs a package which is not installed is a row as well."""
    try:
        benchmark = import_module(f"benchmarks.{name}")
        size = benchmark.TINY if tiny else benchmark.FULL
        yield from benchmark.rows(changed(size, changes or {}))
    except ModuleNotFoundError as problem:
        if not problem.name or problem.name.partition(".")[0] in ("angarium", "benchmarks"):
            raise
        yield missing(name, f"{problem.name} is not installed", "uv sync")


def changed(size: Any, changes: Mapping[str, str]) -> Any:  # noqa: ANN401 - each benchmark has its own
    """A size with some of its fields as a person has written them."""
    there = {each.name for each in fields(size)}
    if unknown := sorted(set(changes) - there):
        raise SystemExit(f"no field of the size is called {', '.join(unknown)}; there are {sorted(there)}")
    return replace(size, **{name: _read(text, getattr(size, name)) for name, text in changes.items()})


def _read(text: str, like: Any) -> Any:  # noqa: ANN401 - any field's value
    if isinstance(like, tuple):
        return tuple(_read(each, like[0]) for each in text.split(","))
    return type(like)(text)
