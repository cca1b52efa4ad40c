"""Answers of earlier runs, by the hash of their inputs. An entry that is broken is no entry.

Whoever can write an entry decides what a claim's answer is. A project's folder may come from anywhere, and
its cache with it, so only entries with the seal of this user are believed; see `kept`, which also prunes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from angarium.app.pipeline.files import write_text
from angarium.core import cache as kept
from angarium.core import files

BROKEN = "a kept answer is damaged or not of this user's making, and the claim was checked again"
UNKEPT = "the answer could not be kept for the next run"


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder with a file for each answer."""

    folder: Path

    def get(self, key: str) -> tuple[dict[str, Any] | None, str | None]:
        """The answer, if there is one that is whole; and what is wrong with the entry, if something is."""
        path = self._path(key)
        try:
            if not kept.is_own(self.folder) or not path.exists():
                return None, None
            entry = json.loads(files.read_text(path))
            answer = entry["answer"]
            if kept.is_sealed(key, _told(answer), bytes.fromhex(entry["seal"])):
                kept.note_use(path)
                return answer, None
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None, BROKEN

    def put(self, key: str, answer: dict[str, Any]) -> str | None:
        """Keep an answer; what is wrong if it cannot be kept: nothing is lost by that but time."""
        sealed = kept.seal(key, _told(answer))
        if sealed is None:
            return f"{UNKEPT}: there is no place for the user's key"
        try:
            kept.make_own(self.folder)
            write_text(self._path(key), json.dumps({"seal": sealed.hex(), "answer": answer}))
        except OSError as problem:
            return f"{UNKEPT}: {problem.strerror or problem}"
        kept.prune(self.folder)
        return None

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def _told(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, sort_keys=True).encode()
