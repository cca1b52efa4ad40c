"""Files of a results folder: written whole or not at all, and never over what is somebody else's."""

from __future__ import annotations

from pathlib import Path

from angarium.core.errors import PipelineError
from angarium.core.files import write

MARK = ".angarium-results"
"""A file that says that a folder is ours."""
_WORDS = "Results of `angarium run`. Nobody else keeps anything in this folder.\n"


def claim_folder(out: Path) -> None:
    """Make the folder, or see that it is ours. PipelineError if it belongs to something else."""
    try:
        _refuse_strange(out)
        out.mkdir(parents=True, exist_ok=True)
        (out / MARK).write_text(_WORDS, encoding="utf-8")
    except OSError as problem:
        raise cannot_write(out, problem.strerror or str(problem)) from None


def _refuse_strange(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise cannot_write(out, "it is a file")
    if out.is_dir() and not (out / MARK).exists() and any(out.iterdir()):
        raise cannot_write(out, f"it has files of something else ({sorted(out.iterdir())[0].name})")


def is_ours(out: Path) -> bool:
    return (out / MARK).is_file()


def cannot_write(out: Path, why: str) -> PipelineError:
    """The error of a folder that takes no results."""
    return PipelineError(
        "ANG144",
        f"results cannot be written to {out}: {why}",
        possible="possible: a new folder, an empty one, or one that `angarium run` has made",
        remedy="give another folder with --out",
    )


def write_text(path: Path, text: str) -> None:
    """Write a file whole, or leave what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, text)
