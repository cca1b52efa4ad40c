"""From what is asked to what is told: looked at here, and audited by the host that fits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from angarium.core.extras import demand
from angarium.history import written
from angarium.history.asked import Asked, Conducted
from angarium.history.automaton.projection import lives_of
from angarium.history.hosts.conducting import conduct_on_spark
from angarium.history.hosts.local import conduct_locally, is_local
from angarium.history.intake.files import NoRoomError
from angarium.history.intake.formats import looked
from angarium.history.intake.mapping import load
from angarium.history.needs import chosen
from angarium.spark.place import Place
from angarium.spark.session import session

LARGE = 32 << 20
"""Bytes of histories for which it pays that Java takes its time to optimise."""


def conduct(asked: Asked, place: Place, tell: Callable[[str], None] | None = None) -> Conducted:
    """Audit files in the process, or at a place of Spark's, telling what is being done.

    What is wrong with an audit's words is said before anything takes time.
    """
    begin, say = time.monotonic(), tell or (lambda text: None)
    chosen(asked.only)
    if asked.out:
        demand("tables")
        written.check(asked.out)
    if asked.model:
        lives_of(asked.model)
    mapping = load(asked.mapping) if asked.mapping else None
    say("looking at files")
    here = asked.paths or not (asked.uris or asked.tables)
    files = looked(asked.paths, asked.kind, mapped=mapping is not None) if here else []
    if is_local(asked, files, place.memory):
        with suppress(NoRoomError):
            found = conduct_locally(asked, files, mapping, place, say, begin)
            return replace(found, engine="local")
    say("starting Spark")
    spark = session(replace(place, long=_size(asked.paths) >= LARGE))
    return conduct_on_spark(spark, asked, files, mapping, say, begin)


def _size(paths: Sequence[Path]) -> int:
    """Bytes of all files."""
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file())
