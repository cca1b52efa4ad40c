"""What else a reader of an audit should know: columns that were not understood, clocks that went back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from angarium.history.intake.paths import folders
from angarium.history.profile import Profile
from angarium.history.recorders.journals import abandoned

MOST_JUMPS = 3
"""Clocks that were set back and are named."""


def jump(run_id: str, recorder: str, seq: int, back_by: int) -> str:
    """A clock that was set back."""
    return (
        f"The clock of recorder {recorder} of {run_id} was set back by "
        f"{back_by / 1e9:.3g} s before event {seq}: until it has caught up, its "
        "events count as of its latest time."
    )


def remarks(
    paths: Sequence[Path], strange: Sequence[str], ignored: Sequence[str], profiles: Iterable[Profile]
) -> Iterator[str]:
    """What was not read, and what cannot be followed."""
    if strange:
        yield f"Columns that are not of the schema, and were not read: {_listed(strange)}."
    if ignored:
        yield f"Files that are no events, and were not read: {_listed(ignored)}."
    yield from _left_behind(paths)
    if nameless := sum(profile.nameless for profile in profiles):
        yield (
            f"Events of messages without message_id, which nobody can follow: {nameless:,}. "
            "Set message_id in the producer."
        )


def unfinished(paths: Sequence[Path]) -> int:
    """How many files recorders that died have left unfinished."""
    return sum(len(abandoned(folder)) for folder in folders(paths))


def _left_behind(paths: Sequence[Path]) -> Iterator[str]:
    """What recorders that died have left unfinished, and how it is finished."""
    for folder in folders(paths):
        if left := [path.name for path in abandoned(folder)]:
            yield (
                f"Recorders died, and what they wrote last was not read: {_listed(left)}. "
                f"`angarium record recover {folder}` finishes it."
            )


def _listed(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
