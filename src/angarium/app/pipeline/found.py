"""What a folder has that claims can be about: brokers' configuration, settings, histories, models, proofs.

What is found is recognised by its content as the verbs do it, and nothing is run. Hidden folders and those of
other tools are left out, and pipes and devices. So is what a project file cannot name or a claim would be
wrong about: files whose names are no UTF-8, and the settings of Kafka Connect and Kafka Streams, which are no
broker's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from angarium.core import files
from angarium.core.errors import UsageError

MOST = 2_000
"""Files that are looked at."""
_OTHERS = {"node_modules", "__pycache__", "venv", "build", "dist", "target"}
_OURS = re.compile(r"^(?:from|import) angarium\b", re.MULTILINE)
_MODEL = re.compile(r"^class (\w+)\((?:\w+\.)?Model\b", re.MULTILINE)
_PROOF = re.compile(r"^class \w+\((?:\w+\.)?(?:Specification|Implementation)\b", re.MULTILINE)
_KAFKA = re.compile(
    r"^[ \t]*(?:bootstrap\.servers|broker\.id|node\.id|acks|min\.insync\.replicas|group\.id|log\.dirs"
    r"|spring\.kafka\.[\w.-]+)\s*[=:]",
    re.MULTILINE,
)
_CONNECT = re.compile(
    r"^[ \t]*(?:connector\.class|(?:key|value|header)\.converter|(?:offset|config|status)\.storage\.\w+"
    r"|plugin\.path|application\.id)\b",
    re.MULTILINE,
)
_CONNECTS_NAME = re.compile(r"connect|mirror|mm2|streams", re.IGNORECASE)
_HISTORIES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".parq", ".log")
_MESHES = (".yaml", ".yml", ".conf", ".json", ".properties", ".xml", ".gml")
_SEGMENT = re.compile(r"-\d{6,}(?=\.\w)")
"""What a recorder puts into the names of the files of one history."""
_EVENT = {"op_type", "time_unix_nano"}
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
    histories: dict[str, list[str]] = field(default_factory=dict)
    """The files of each, by its name."""
    models: list[str] = field(default_factory=list)
    """Each as `check` takes it: FILE, or FILE:CLASS where a file has several."""
    proofs: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any((self.meshes, self.brokers, self.settings, self.histories, self.models, self.proofs))


def found_in(folder: Path) -> Found:
    """What is in a folder and the folders in it."""
    found = Found()
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        if _can_be_named(name):
            _note(found, path, name)
    return found


def _files(folder: Path) -> Iterator[Path]:
    seen = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in _OTHERS)
        for name in sorted(names):
            seen += 1
            if seen > MOST:
                return
            path = Path(place, name)
            if not name.startswith(".") and not files.is_strange(path):
                yield path


def _can_be_named(name: str) -> bool:
    """Whether a project file can have it: text of one line that no verb takes for an option."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return "\n" not in name and not name.startswith("-")


def _note(found: Found, path: Path, name: str) -> None:
    head = _head(path)
    if path.suffix == ".py":
        _note_python(found, head, name)
    elif _is_kafkas(path, head):
        found.settings.setdefault(Path(name).parent.as_posix(), []).append(name)
    elif _is_history(path):
        found.histories.setdefault(_SEGMENT.sub("", name), []).append(name)
    elif form := _form(path):
        _note_mesh(found, form, name)


def _head(path: Path) -> str:
    try:
        return files.head(path, _HEAD).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _note_python(found: Found, head: str, name: str) -> None:
    if not _OURS.search(head):
        return
    models = _MODEL.findall(head)
    found.models += [f"{name}:{each}" for each in models] if len(models) > 1 else [name] * len(models)
    found.proofs += [name] if _PROOF.search(head) else []


def _is_kafkas(path: Path, head: str) -> bool:
    """Whether these are settings of a broker, a topic or a client."""
    if path.suffix != ".properties" or _CONNECTS_NAME.search(path.name) or _CONNECT.search(head):
        return False
    return bool(_KAFKA.search(head)) and "->" not in head


# --- histories ---------------------------------------------------------------------------------------


def _is_history(path: Path) -> bool:
    """Whether a file has events; not if it cannot be read."""
    from angarium.history.intake.paths import File, head

    file = File(path, named=False)
    if file.ending not in _HISTORIES:
        return False
    try:
        beginning = head(file)
    except OSError:
        return False
    if beginning.kind == ".parquet":
        return _has_events(path)
    return beginning.kind in (None, file.packing) and _tell_events(beginning.lines)


def _tell_events(lines: tuple[str, ...]) -> bool:
    """Whether first lines are of a format that somebody records, or name the columns of our events."""
    from angarium.history.intake import csv, json_lines
    from angarium.history.intake.formats import TEXTS

    foreign = (each for each in TEXTS if each is not json_lines.FORMAT)
    if any(each.recognises(lines) for each in foreign):
        return True
    objects = json_lines.objects(lines)
    return any(map(_are_events, objects)) or (bool(lines) and _are_events(csv.names(lines[0])))


def _are_events(columns: Collection[str]) -> bool:
    return _EVENT.issubset(columns)


def _has_events(path: Path) -> bool:
    """Whether a Parquet file has the columns of events; not if nobody here can read it."""
    from angarium.history.intake import footers

    try:
        return _are_events([name for name, _ in footers.footer(path)])
    except (ImportError, OSError, ValueError):
        return False


# --- meshes ------------------------------------------------------------------------------------------


def _form(path: Path) -> str | None:
    """The form of a mesh that a file has, if it has one: only what is sure of itself."""
    from angarium.mesh.files.find import form_of

    try:
        return form_of(path) if path.suffix in _MESHES else None
    except UsageError:  # nobody can read it
        return None


def _note_mesh(found: Found, form: str, name: str) -> None:
    from angarium.mesh.files.find import IMPORTERS

    if form in IMPORTERS:
        found.brokers.setdefault(f"{form} in {Path(name).parent.as_posix()}", []).append(name)
    else:
        found.meshes.append(name)
