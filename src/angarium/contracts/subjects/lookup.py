"""Finding what is to be driven: a queue that comes with Angarium, or a class of the user's.

A subject is `memory`, `sqlite`, `redis-stream`, `redis-list`, or `my_module:Class`, or
`path/to/file.py:Class`; behind a file, the class may be left out if only one has the operations. A user's
file is run: unlike models and proof modules, which are only read, a real queue has to be called.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module, util
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from angarium.contracts.module import Specification
from angarium.contracts.monitor.watched import demand_operations
from angarium.contracts.subjects.memory import OrderedMapQueue
from angarium.core.errors import ConformError, UsageError, did_you_mean

Make: TypeAlias = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that can be driven."""

    name: str
    description: str
    opened: Callable[[], AbstractContextManager[Make]]
    """What it needs as long as it is driven, such as a server, and how a fresh one is made meanwhile."""


def find_subject(name: str, specification: Specification) -> Subject:
    """What a name stands for."""
    if name in BUNDLED:
        return BUNDLED[name]
    if ":" not in name and not name.endswith(".py"):
        raise UsageError(
            "ANG092",
            f"there is no queue named {name!r}",
            possible=did_you_mean(name, BUNDLED),
            remedy="give one of these names, or path/to/file.py:Class, or module:Class",
        )
    kind = _class(name, specification)
    return Subject(name, _first_line(kind), lambda: nullcontext(partial(_made, name, kind)))


# --- what comes with Angarium -------------------------------------------------------------------


@contextmanager
def _sqlite() -> Iterator[Make]:
    from angarium.contracts.subjects.sqlite import SqliteQueue

    with tempfile.TemporaryDirectory(prefix="angarium-sqlite-") as folder:
        numbers = count()
        yield lambda: SqliteQueue(Path(folder) / f"{next(numbers)}.db")


@contextmanager
def _redis(kind: str) -> Iterator[Make]:
    from angarium.contracts.subjects import redis
    from angarium.contracts.subjects.redis import server

    with server() as path:
        yield partial(getattr(redis, kind), path)


BUNDLED = {
    each.name: each
    for each in (
        Subject("memory", "an ordered map in memory", lambda: nullcontext(OrderedMapQueue)),
        Subject("sqlite", "a table of SQLite, whose file is opened for every call", _sqlite),
        Subject("redis-stream", "a stream of a real Redis server", lambda: _redis("RedisStreamQueue")),
        Subject("redis-list", "a list of a real Redis server", lambda: _redis("RedisListQueue")),
    )
}
"""The queues that come with Angarium."""


# --- a user's own -------------------------------------------------------------------------------


def _class(name: str, specification: Specification) -> type:
    where, _, wanted = name.rpartition(":") if not name.endswith(".py") else (name, "", "")
    module = _loaded(where)
    if wanted:
        kind = getattr(module, wanted, None)
        if not isinstance(kind, type):
            raise _unsuitable(f"{where} has no class named {wanted!r}", _candidates(module, specification))
        demand_operations(kind, specification)
        return kind
    candidates = _candidates(module, specification)
    if len(candidates) != 1:
        many = "several classes" if candidates else "no class"
        raise _unsuitable(f"{where} has {many} with the operations of {specification.name}", candidates)
    return candidates[0]


def _candidates(module: ModuleType, specification: Specification) -> list[type]:
    """The classes of a module that have all operations."""
    names = [each.name for each in specification.contracts]
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    own = [each for each in classes if each.__module__ == module.__name__]
    return [each for each in own if all(callable(getattr(each, name, None)) for name in names)]


def _unsuitable(what: str, candidates: Sequence[type]) -> ConformError:
    names = ", ".join(each.__name__ for each in candidates) or "none"
    return ConformError(
        "ANG092", what, possible=f"possible: {names}", remedy="name a class: path/to/file.py:Class"
    )


def _loaded(where: str) -> ModuleType:
    """Run a file, or import a module, as if from the current folder."""
    path = Path(where)
    if where.endswith(".py") and not path.is_file():
        raise UsageError("ANG010", f"there is no file {where}", remedy="give the path of a Python file")
    sys.path.insert(0, str(path.resolve().parent if where.endswith(".py") else Path.cwd()))
    try:
        return _run(path) if where.endswith(".py") else import_module(where)
    except (Exception, SystemExit) as problem:
        raise ConformError(
            "ANG092",
            f"{where} cannot be loaded: {type(problem).__name__}: {problem}",
            possible="a file that can be run, or a module that can be imported from the current folder",
            remedy=f"try it alone: python {where}" if where.endswith(".py") else f"try: python -m {where}",
        ) from problem


def _run(path: Path) -> ModuleType:
    spec = util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses and pickle look their module up
    spec.loader.exec_module(module)
    return module


def _made(name: str, kind: type) -> object:
    try:
        return kind()
    except (Exception, SystemExit) as problem:
        raise ConformError(
            "ANG092",
            f"{name} cannot be made: {kind.__name__}() raises {type(problem).__name__}: {problem}",
            possible="a class that can be called without arguments and gives an empty queue every time",
            remedy="derive a class from it whose __init__ needs no arguments, and give that",
        ) from problem


def _first_line(kind: type) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0]
