"""Files that an answer goes to: where they may be, and what is said of them."""

from __future__ import annotations

from pathlib import Path

from angarium.app.cli.output import note, say_document
from angarium.core import files
from angarium.core.errors import UsageError

PICTURES, FIGURES = (".svg",), (".csv", ".parquet")
"""How the names of their files end."""


def write(path: Path, text: str) -> None:
    """Write a text file; one that is there already is replaced only by a whole new one."""
    try:
        files.write(path, text)
    except OSError as problem:
        raise UsageError(
            "ANG014",
            f"cannot write {path}: {problem.strerror}",
            remedy="give a file in a folder that exists and that you may write to",
        ) from None


def check(plot: Path | None, raw: Path | None = None) -> None:
    """Say that a picture, or the figures behind it, cannot be written before anything takes time."""
    for option, path, endings in (("--plot", plot, PICTURES), ("--raw", raw, FIGURES)):
        if path is not None:
            _check(option, path, endings)


def _check(option: str, path: Path, endings: tuple[str, ...]) -> None:
    if path.suffix.lower() not in endings:
        raise UsageError(
            "ANG013",
            f"{option} cannot write {path.name!r}",
            possible=f"possible: a file whose name ends in {' or '.join(endings)}",
            remedy=f"for example {option} figures{endings[0]}",
        )
    if not path.parent.is_dir():
        raise UsageError(
            "ANG014",
            f"cannot write {path}: there is no folder {path.parent}",
            possible="a file in a folder that exists",
            remedy="make the folder, or give another file",
        )


def hand_over(text: str, out: Path | None) -> None:
    """Write a text to a file, and say so; or to standard output if there is none."""
    if out is None:
        say_document(text)
        return
    write(out, text)
    note(f"wrote {out}")
