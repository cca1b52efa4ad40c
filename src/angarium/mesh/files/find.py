"""Which reader reads these files? Their content and their names tell.

A form knows its files by their name and their beginning. All files of one call make one mesh, so they must
be of one form: two brokers' configurations can be joined, a configuration and a mesh file cannot.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from angarium.errors import MeshError, Place, UsageError
from angarium.files import head, is_strange
from angarium.mesh.mesh import Mesh

IMPORTERS = ("rabbitmq", "mosquitto", "nats", "mirrormaker", "dispatch", "artemis")
"""Modules of `angarium.mesh.importers`: each has NAME, `recognises` and `read`."""
HEAD = 4096
"""Characters of a file by which its form is recognised."""
MOST_FILES = 10_000
_YAML = (".yaml", ".yml")
_ROW = re.compile(r"[\d,;\s]+|\s*\S+\s+\S+(?:\s+\S+)?\s*")
"""A line of a table: numbers, or two or three words."""
_GRAPH = re.compile(r"\s*(?:#[^\n]*\n\s*)*graph\s*\[")
_MESH = re.compile(r"^(?:brokers|mesh|links)[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write a mesh down."""

    name: str
    recognises: Callable[[Path, str], bool]
    read: Callable[[Sequence[Path]], Mesh]


def load(*paths: str) -> Mesh:
    """The mesh that files, or the files in folders, describe together."""
    given = [Path(path) for path in paths]
    found = [path for each in given for path in _files(each)]
    formed = [(path, _form(path, _head(path), path in given)) for path in dict.fromkeys(found)]
    known = [(path, form) for path, form in formed if form is not None]
    strange = [path for path, form in formed if form is None and path in given]
    if strange or not known:
        _check_json(strange)
        raise _not_recognised(strange or given)
    mesh = _one_form(known).read([path for path, _ in known])
    if not mesh.brokers:
        raise _empty([path for path, _ in known])
    return mesh


def forms() -> Iterator[Form]:
    """All forms in the order in which they are asked; importers are loaded only when it is their turn."""
    yield from _OWN
    yield from map(_importer, IMPORTERS)


def _files(path: Path) -> list[Path]:
    """The files that a path stands for: itself, or those in the folder that it is, no hidden ones."""
    if not path.exists():
        raise UsageError(
            "ANG010", f"there is no file {path}", remedy="give mesh files, or brokers' configuration files"
        )
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        seen = (Path(folder, name) for name in sorted(names) if not name.startswith("."))
        found += [path for path in seen if not is_strange(path)]
        if len(found) > MOST_FILES:
            what = f"{path} has more than {MOST_FILES:,} files"
            raise MeshError("ANG125", what, remedy="name the folder of the configuration itself")
    return found


def _head(path: Path) -> str:
    try:
        return head(path, HEAD).decode("utf-8-sig", "replace")
    except OSError as error:
        what = f"cannot read {path}: {error.strerror}"
        raise UsageError("ANG010", what, remedy="give files that can be read") from None


def _form(path: Path, head: str, is_named: bool) -> Form | None:
    """What a file is. YAML that was named is meant to be a mesh; what else lies in a folder need not be."""
    otherwise = _OWN[0] if is_named and path.suffix.lower() in _YAML else None
    return next((form for form in forms() if form.recognises(path, head)), otherwise)


def _importer(name: str) -> Form:
    module = import_module(f"angarium.mesh.importers.{name}")
    return Form(module.NAME, module.recognises, module.read)


def _one_form(known: list[tuple[Path, Form]]) -> Form:
    first = known[0][1]
    for path, form in known:
        if form.name != first.name:
            raise MeshError(
                "ANG126",
                f"{known[0][0]} is a file of {first.name}, and {path} of {form.name}",
                possible="files of one kind make one mesh",
                remedy="convert each to a mesh file (angarium mesh convert), and join these by hand",
            )
    return first


def _check_json(paths: list[Path]) -> None:
    """Refuses what is called JSON and is none, with its place: this may be why nobody knows it."""
    from angarium.mesh.importers import common

    for path in paths:
        text = common.text_of(path) if path.suffix.lower() == ".json" else "{}"
        try:
            json.loads(text)
        except (RecursionError, ValueError) as error:
            raise _not_json(path, text, error) from None


def _not_json(path: Path, text: str, error: RecursionError | ValueError) -> MeshError:
    at = error.pos if isinstance(error, json.JSONDecodeError) else 0
    line, start = text.count("\n", 0, at) + 1, text.rfind("\n", 0, at) + 1
    why = {"Extra data": "a second document begins here"}
    told = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return MeshError(
        "ANG120",
        f"not JSON: {why.get(told, told)}",
        possible="possible: one object { … } or list [ … ]",
        remedy="mend the file here; give several documents as several files",
        place=Place(str(path), line, at - start + 1),
    )


def _empty(paths: list[Path]) -> MeshError:
    return MeshError(
        "ANG121",
        f"{', '.join(map(str, paths[:5]))}: there is no broker, so there is no mesh to ask about",
        possible="files that name at least one broker",
        remedy="give the files of the brokers, too",
    )


def _not_recognised(paths: list[Path]) -> MeshError:
    return MeshError(
        "ANG120",
        f"{', '.join(map(str, paths[:5])) or 'an empty folder'} is no mesh that can be read",
        possible=f"possible: {', '.join(form.name for form in forms())}",
        remedy="give one of these, or write a mesh file (docs/reference/mesh-file.md)",
    )


def _is_mesh_file(path: Path, head: str) -> bool:
    return path.suffix.lower() in ("", *_YAML) and bool(_MESH.search(head))


def _read_mesh_file(paths: Sequence[Path]) -> Mesh:
    from angarium.mesh.files.yaml_file import read_mesh

    return read_mesh(str(_single(paths)))


def _is_graph(path: Path, head: str) -> bool:
    return path.suffix.lower() == ".gml" or bool(_GRAPH.match(head))


def _read_graph(paths: Sequence[Path]) -> Mesh:
    from angarium.mesh.files.gml import read_gml

    return read_gml(str(_single(paths)))


def _single(paths: Sequence[Path]) -> Path:
    if len(paths) > 1:
        raise MeshError(
            "ANG126",
            f"{paths[0]} is a mesh of its own, and so is {paths[1]}",
            remedy="give one of them; angarium mesh diff compares two",
        )
    return paths[0]


def _is_table(path: Path, head: str) -> bool:
    rows = [line.split("#")[0] for line in head.splitlines()]
    said = [row for row in (rows[:-1] if len(head) == HEAD else rows) if row.strip()]
    return path.suffix.lower() == ".txt" and bool(said) and all(map(_ROW.fullmatch, said))


def _read_tables(paths: Sequence[Path]) -> Mesh:
    """By their names a link table, a topic table and a routing table; by their order if names do not tell."""
    from angarium.mesh.files.thesis_tables import read_tables

    if not 2 <= len(paths) <= 3:
        raise MeshError(
            "ANG126",
            f"{len(paths)} text {'file' if len(paths) == 1 else 'files'} cannot be a mesh of tables",
            possible="a link table and a topic table, and if you like a routing table",
            remedy="give these two or three files",
        )
    links, topics, *routes = map(str, sorted(paths, key=lambda path: _role(path.name, paths.index(path))))
    return read_tables(links, topics, *routes)


_ROLES = (("topic", 1), ("link", 0), ("neighbour", 0), ("neighbor", 0), ("rout", 2))


def _role(name: str, position: int) -> int:
    return next((role for word, role in _ROLES if word in name.lower()), position)


_OWN = (
    Form("a mesh file (YAML)", _is_mesh_file, _read_mesh_file),
    Form("a graph (GML)", _is_graph, _read_graph),
    Form("tables of links and topics (.txt)", _is_table, _read_tables),
)
