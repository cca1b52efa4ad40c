"""What the page asks about meshes, each question a function from JSON to JSON.

    read     a file of the folder, brokers' own configuration files, a text, or a document -> the document
    verify   a document, and what may fail -> the record of `angarium mesh verify`
    fail     a document, and what is dead -> paths, tables, colours, and how the news of it spreads
    save     a document -> a mesh file in the folder
    files    what in the folder can be read

What is wrong is an InputError, as everywhere, which names files as the folder does.
Nothing here knows of HTTP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from angarium.app.web.files import MESHES, Folder
from angarium.app.web.mesh_document import Document, Json, checked, document_of, mesh_from, text_of
from angarium.core.errors import InputError, MeshError, Place, WebError
from angarium.core.files import confined
from angarium.mesh.files.nodes import Source, source_of
from angarium.mesh.mesh import Mesh, Remark

Work = TypeVar("Work")
SOURCES = (*MESHES, ".json", ".conf", ".properties", ".xml", ".gml", ".txt")
"""Endings of mesh files and of brokers' own configuration files."""
MOST_SECONDS = 10.0
MOST_VIOLATIONS = 100
"""Of one verdict; the record says how many there are."""
_GAP = 90.0
_WIDTHS, _LONGEST = (9.6, 7.3), (24, 18)
"""Of a letter of a broker's name on the page, and of its topics; and how many there is room for."""
_ROOM, _TALL, _LINE = 40.0, 44.0, 15.0
"""What a card needs besides letters, how tall it is, and each line of topics."""


# --- reading ----------------------------------------------------------------------------------------


def read(folder: Folder, asked: Mapping[str, Json]) -> Document:
    """A mesh from where the question says: `text`, `file`, `files` or `mesh`."""
    kinds: dict[str, Callable[[Json], Source]] = {
        "text": lambda given: source_of("text", _word(given, "text")),
        "file": lambda given: _imported(folder, [_word(given, "file")]),
        "files": lambda given: _imported(folder, _words(given, "files")),
        "mesh": lambda given: source_of("mesh", text_of(given, _order(asked))),
    }
    chosen = [key for key in kinds if key in asked]
    if len(chosen) != 1:
        raise _unclear(f"{len(chosen)} of its keys say which mesh", f"exactly one of {', '.join(kinds)}")
    return _within(folder, lambda: _answer(kinds[chosen[0]](asked[chosen[0]])))


def _answer(source: Source) -> Document:
    mesh = checked(source)
    return {
        "mesh": document_of(source, mesh),
        "order": [broker.name for broker in mesh.brokers],
        "text": source.text,
        "positions": _positions(mesh),
        "remarks": [_told(each) for each in sorted(mesh.remarks, key=lambda each: not each.leaves_open)],
    }


def _told(remark: Remark) -> str:
    """A remark in a line; what makes verdicts unknown says so."""
    return f"{remark.kind}: {remark.what}{' (verdicts are unknown)' if remark.leaves_open else ''}"


def _imported(folder: Folder, names: list[str]) -> Source:
    """A mesh file as it is; what else is read is written as one."""
    from angarium.mesh.files.find import load
    from angarium.mesh.files.write import written_mesh

    paths = [folder.file(name, SOURCES) for name in names]
    if len(paths) == 1 and _is_mesh_file(paths[0]):
        return source_of(names[0], folder.read(names[0]))
    with confined(folder.root):
        return source_of(" ".join(names), written_mesh(load(*map(str, paths))))


def _is_mesh_file(path: Path) -> bool:
    from angarium.mesh.files.find import MESH, form_of

    return path.suffix.lower() in MESHES and form_of(path) in (None, MESH)


def _positions(mesh: Mesh) -> Json:
    """Where the brokers stand, as the drawing of `angarium mesh draw` places them."""
    from angarium.mesh.draw.layout import places

    number = {broker.name: position for position, broker in enumerate(mesh.brokers)}
    sizes = [_size(mesh, name) for name in number]
    edges = [(number[link.source], number[link.target]) for link in mesh.links if link.source != link.target]
    points = places(sizes, edges, _GAP)
    return {name: [round(x, 1), round(y, 1)] for name, (x, y) in zip(number, points, strict=True)}


def _size(mesh: Mesh, broker: str) -> tuple[float, float]:
    """How large the page draws a broker, with what is published and wanted there."""
    lines = [
        ", ".join(pattern.text for client in clients if client.broker == broker for pattern in client.topics)
        for clients in (mesh.publishers, mesh.subscribers)
    ]
    lengths = (len(broker), max(map(len, lines)) + 2)
    wide = max(w * min(n, most) for w, n, most in zip(_WIDTHS, lengths, _LONGEST, strict=True))
    return wide + _ROOM, _TALL + _LINE * sum(map(bool, lines))


def files(folder: Folder) -> Document:
    """The files of the folder that a reader knows, with what they are."""
    from angarium.mesh.files.find import form_of

    known = ((name, form_of(folder.file(name, SOURCES))) for name in folder.names(SOURCES))
    return {"files": [{"file": name, "form": form} for name, form in known if form]}


# --- asking -----------------------------------------------------------------------------------------


def verify(asked: Mapping[str, Json]) -> Document:
    """The record of `angarium mesh verify`; of many findings the first."""
    from angarium import api
    from angarium.app.report.record import result_record
    from angarium.app.web.mesh_failing import is_slow
    from angarium.mesh.verify.budget import read_budget

    mesh = mesh_from(asked.get("mesh"), _order(asked))
    failures = _word(asked.get("failures", "links=1"), "failures")
    read_budget(failures, option="failures")
    if is_slow(mesh):
        raise MeshError(
            "ANG156",
            f"the mesh {mesh.name} is too large to be judged while it is edited",
            possible="links that hand on are followed from every publisher: fewer of these, or of links",
            remedy="save it, and ask angarium mesh verify, which takes its time",
        )
    record: Document = result_record(api.verify(mesh, failures=failures, timeout=MOST_SECONDS))
    verdicts = record["verdicts"]
    assert isinstance(verdicts, list)
    return record | {"verdicts": [_bounded(each) for each in verdicts]}


def _bounded(verdict: Json) -> Json:
    assert isinstance(verdict, dict)
    found = verdict["findings"]
    assert isinstance(found, list)
    return verdict | {"findings": found[:MOST_VIOLATIONS], "found": len(found)}


def fail(asked: Mapping[str, Json]) -> Document:
    """Paths, tables and colours while something is dead, and what happens until all brokers know it."""
    from angarium.app.web.mesh_failing import MOST_ROUTES, Failing, flood, is_slow
    from angarium.mesh.verify.budget import failed

    mesh = mesh_from(asked.get("mesh"), _order(asked))
    now, before = (failed(mesh, _words(asked.get(key, []), key)) for key in ("failed", "before"))
    failing = Failing(mesh, now)
    routes, broker = [] if is_slow(mesh) else failing.routes(), asked.get("broker")
    moments = flood(failing.colouring, before, now) if now != before else []
    return {
        "dead": str(now),
        "colours": len(failing.colours),
        "seen": failing.seen(),
        "tables": failing.tables(),
        "super_table": None if broker is None else failing.super_table(_word(broker, "broker")),
        "routes": [route.told() for route in routes[:MOST_ROUTES]],
        "routes_found": len(routes),
        "flood": None if moments is None else [_json(asdict(moment)) for moment in moments],
    }


def _json(value: object) -> Json:
    """Tuples are lists."""
    if isinstance(value, dict):
        return {str(key): _json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    assert value is None or isinstance(value, bool | int | str)
    return value


# --- saving -----------------------------------------------------------------------------------------


def save(folder: Folder, asked: Mapping[str, Json]) -> Document:
    """A mesh file in the folder; over one that is there only if `replace` says so, over others never."""
    name, text = _word(asked.get("file"), "file"), text_of(asked.get("mesh"), _order(asked))
    checked(source_of(name, text))
    if _is_there(folder, name):
        _may_replace(folder, name, replaces=asked.get("replace") is True)
    folder.write(name, text)
    return {"file": name, "text": text}


def _is_there(folder: Folder, name: str) -> bool:
    try:
        return folder.file(name, MESHES).is_file()
    except WebError as refused:
        if refused.status == 404:
            return False
        raise


def _may_replace(folder: Folder, name: str, *, replaces: bool) -> None:
    """Refuse what is not written as a mesh file, such as a broker's own configuration in YAML."""
    from angarium.mesh.files.yaml_file import mesh_of

    try:
        mesh_of(source_of(name, folder.read(name)))
    except MeshError:
        what = f"{name} is there already, and it is no mesh file"
        raise WebError("ANG152", what, remedy="give another name", status=403) from None
    if not replaces:
        raise WebError(
            "ANG157",
            f"{name} is a mesh file that is there already",
            possible="it can be replaced; comments in it are lost",
            remedy="say that it is to be replaced, or give another name",
            status=409,
        )


# --- what is wrong ----------------------------------------------------------------------------------


def _within(folder: Folder, work: Callable[[], Work]) -> Work:
    """What work answers; its errors name files as the folder does."""
    try:
        return work()
    except InputError as error:
        root = f"{folder.root}/"
        error.what, error.possible, error.remedy = (
            part.replace(root, "") for part in (error.what, error.possible, error.remedy)
        )
        if error.place:
            place = error.place
            error.place = Place(place.file.replace(root, ""), place.line, place.column, place.source)
        raise


def _word(given: Json, key: str) -> str:
    if not isinstance(given, str):
        raise _unclear(f"{key} is no text", f'"{key}": "…"')
    return given


def _words(given: Json, key: str) -> list[str]:
    if not isinstance(given, list) or not _all_texts(given):
        raise _unclear(f"{key} is no list of texts", f'"{key}": ["…"]')
    return [str(each) for each in given]


def _order(asked: Mapping[str, Json]) -> list[str]:
    return _words(asked.get("order", []), "order")


def _all_texts(given: Iterable[Json]) -> bool:
    return all(isinstance(each, str) for each in given)


def _unclear(why: str, possible: str) -> MeshError:
    return MeshError(
        "ANG155", f"the question cannot be understood: {why}", possible=possible, remedy="send that"
    )
