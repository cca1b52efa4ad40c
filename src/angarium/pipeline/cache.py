"""Answers of earlier runs, by the hash of their inputs. An entry that is broken is no entry.

The folder is pruned; see `kept`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from angarium import files, kept
from angarium.pipeline.files import write_text

BROKEN = "an earlier answer could not be read, and the claim was checked again"
UNKEPT = "the answer could not be kept for the next run"


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder with a file for each answer."""

    folder: Path

    def get(self, key: str) -> tuple[dict[str, Any] | None, str | None]:
        """The answer, if there is one that is whole; and what is wrong with the entry, if something is."""
        path = self._path(key)
        try:
            if not path.exists():
                return None, None
            entry = json.loads(files.read_text(path))
            answer = entry["answer"]
            if entry["key"] == key and entry["sum"] == _sum(answer):
                kept.note_use(path)
                return answer, None
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None, BROKEN

    def put(self, key: str, answer: dict[str, Any]) -> str | None:
        """Keep an answer; what is wrong if it cannot be kept: nothing is lost by that but time."""
        text = json.dumps({"key": key, "sum": _sum(answer), "answer": answer})
        try:
            write_text(self._path(key), text)
        except OSError as problem:
            return f"{UNKEPT}: {problem.strerror or problem}"
        kept.prune(self.folder)
        return None

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def _sum(answer: dict[str, Any]) -> str:
    text = json.dumps(answer, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
