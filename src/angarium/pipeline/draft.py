"""A first project file, from what is in a folder: brokers' configuration, settings, histories, models.

What is found is recognised by its content as the verbs do it. Nothing is run: which verdicts to expect is for
people to say, and the draft says so. Hidden folders and those of other tools are left out.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MOST = 2_000
"""Files that are looked at."""
_OTHERS = {"node_modules", "__pycache__", "venv", "build", "dist", "target"}
_OURS = re.compile(r"^(?:from|import) angarium\b", re.MULTILINE)
_MODEL = re.compile(r"^class \w+\((?:\w+\.)?Model\b", re.MULTILINE)
_PROOF = re.compile(r"^class \w+\((?:\w+\.)?(?:Specification|Implementation)\b", re.MULTILINE)
_KAFKA = re.compile(
    r"^\s*(?:bootstrap\.servers|broker\.id|node\.id|acks|min\.insync\.replicas|group\.id|log\.dirs)\s*=",
    re.MULTILINE,
)
_EVENTS = re.compile(r'"(?:op_type|time_unix_nano)"\s*:|\bop_type\b.*\btime_unix_nano\b|"resourceSpans"')
_HEAD = 1 << 16


@dataclass
class Found:
    """What a folder has, by its path from there."""

    meshes: list[str] = field(default_factory=list)
    """Each is a mesh of its own."""
    brokers: dict[str, list[str]] = field(default_factory=dict)
    """Configuration files of one form in one folder, which make one mesh, by form and folder."""
    settings: dict[str, list[str]] = field(default_factory=dict)
    """Kafka's, by folder."""
    histories: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    proofs: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any((self.meshes, self.brokers, self.settings, self.histories, self.models, self.proofs))


def found_in(folder: Path) -> Found:
    """What is in a folder and the folders in it."""
    found = Found()
    for path in _files(folder):
        _note(found, path, path.relative_to(folder).as_posix())
    return found


def _files(folder: Path) -> Iterator[Path]:
    seen = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in _OTHERS)
        for name in sorted(names):
            seen += 1
            if seen > MOST:
                return
            if not name.startswith("."):
                yield Path(place, name)


def _note(found: Found, path: Path, name: str) -> None:
    head = _head(path)
    if path.suffix == ".py" and _OURS.search(head):
        found.models += [name] if _MODEL.search(head) else []
        found.proofs += [name] if _PROOF.search(head) else []
    elif path.suffix == ".properties" and _KAFKA.search(head) and not head.count("->"):
        found.settings.setdefault(Path(name).parent.as_posix(), []).append(name)
    elif (path.suffix in (".jsonl", ".ndjson", ".csv") and _EVENTS.search(head)) or (
        path.suffix == ".parquet" and _has_events(path)
    ):
        found.histories.append(name)
    elif form := _form(path, head):
        _note_mesh(found, form, name)


def _is_history(path: Path, head: str) -> bool:
    if path.suffix == ".parquet":
        return _has_events(path)
    return path.suffix in (".jsonl", ".ndjson", ".csv") and bool(_EVENTS.search(head))


def _has_events(path: Path) -> bool:
    """Whether a Parquet file has the columns of events; not if nobody here can read it."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        return False
    try:
        return {"op_type", "time_unix_nano"} <= set(parquet.read_schema(path).names)
    except (OSError, ArrowException):
        return False


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _form(path: Path, head: str) -> str | None:
    """The form of a mesh that a file has, if it has one: only what is sure of itself."""
    from angarium.mesh.files.find import forms

    if path.suffix not in (".yaml", ".yml", ".conf", ".json", ".properties", ".xml", ".gml"):
        return None
    return next((form.name for form in forms() if form.recognises(path, head)), None)


def _note_mesh(found: Found, form: str, name: str) -> None:
    from angarium.mesh.files.find import IMPORTERS

    if form in IMPORTERS:
        found.brokers.setdefault(f"{form} in {Path(name).parent.as_posix()}", []).append(name)
    else:
        found.meshes.append(name)


# --- the file --------------------------------------------------------------------------------------

_BEGIN = """\
# What must hold here. `angarium run` checks it and writes a report.
#
# A claim says what it is about and which verdict is expected:
#   expect = "holds"      the default
#   expect = "violated"   a limit that is known
# `budget` is how long it may take. The keys of a claim are the options of its verb: `angarium VERB --help`.

[project]
name = {name}
budget = "5min"
"""
_NONE = """
# Nothing was found in this folder that a claim could be about. An example:

[[claim]]
name = "NSQ keeps what its publication claims"
check = "nsq"
"""


def draft(name: str, found: Found) -> str:
    """The text of a project file."""
    claims = list(_claims(found)) if found else [_NONE]
    return "".join([_BEGIN.format(name=_text(name)), *claims])


_REACHED = "everybody is reached, whatever single link or broker fails"
_ONE = 'failures = "one"'


def _claims(found: Found) -> Iterator[str]:
    for each in found.meshes:
        yield _claim(f"{each}: {_REACHED}", f"mesh = {_text(each)}", _ONE)
    for place, files in found.brokers.items():
        yield _claim(f"{place}: {_REACHED}", f"mesh = {_texts(files)}", _ONE)
    for place, files in found.settings.items():
        asked = ('check = "kafka"', f"config = {_texts(files)}")
        yield _claim(f"Kafka as set in {place} loses nothing when a broker crashes", *asked, *_CRASH)
    for each in found.models:
        yield _claim(f"{each}: all guarantees of the model", f"check = {_text(each)}")
    for each in found.proofs:
        yield _claim(f"{each}: proved for any size", f"prove = {_text(each)}")
    for each in found.histories:
        yield _claim(f"{each}: every message was delivered, once, in order", f"audit = {_text(each)}", _ONCE)


_ONCE = 'only = ["no-loss", "no-duplicates", "order"]'
_CRASH = ('faults = ["one-crash"]', 'only = ["no-loss"]')


def _claim(name: str, *lines: str) -> str:
    return "\n".join(["", "[[claim]]", f"name = {_text(name)}", *lines, ""])


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _texts(values: Sequence[str]) -> str:
    return _text(values[0]) if len(values) == 1 else f"[{', '.join(map(_text, values))}]"
