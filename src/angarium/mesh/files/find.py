"""Which reader reads these files? What they contain tells, as a whole; what it does not, `--format` says.

A form knows its files by their text: by all keys of a map, by the outermost element, by most of the lines.
All files of one call make one mesh, so they must be of one form: two brokers' configurations can be joined, a
configuration and a mesh file cannot.

A file that its reader refuses does not stop the others, if there are others: see `broken`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.core.errors import MeshError, Place, UsageError, did_you_mean
from angarium.core.files import head, is_strange
from angarium.mesh.files import inside
from angarium.mesh.files.given import NOTHING_SAID, Given
from angarium.mesh.mesh import Mesh, Remark

if TYPE_CHECKING:
    from angarium.mesh.importers.common import ByHand

IMPORTERS = tuple("rabbitmq mosquitto nats mirrormaker dispatch artemis activemq vernemq emqx hivemq".split())
"""Modules of `angarium.mesh.importers`: each has NAME, `recognises` and `read`, and perhaps TEMPLATES."""
ALSO = {"mm2": "mirrormaker", "strimzi": "mirrormaker", "skupper": "dispatch"}
"""Other names that `--format` has for some of them."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a file that are looked at to know what it is."""
LOOK = 4096
"""Bytes among which a file that is no text has a zero."""
MOST_FILES = 10_000
MOST_TOLD = 5
MESH = "a mesh file (YAML)"
_NAMING = ("mirrormaker",)
"""Forms of brokers' files that name all brokers themselves, so that nobody else may."""
_YAML = (".yaml", ".yml")
_ROW = re.compile(r"[\d,;\s]+|\s*\S+\s+\S+(?:\s+\S+)?\s*")
"""A line of a table: numbers, or two or three words."""
_GRAPH = re.compile(r"\s*(?:#[^\n]*\n\s*)*graph\s*\[")
_KEY = re.compile(r"^([A-Za-z][\w\-]*)[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write a mesh down."""

    name: str
    recognises: Callable[[Path, str], bool]
    read: Callable[..., Mesh]
    """From paths; of brokers' own files also from what is said by hand."""
    templates: re.Pattern[str] | None = None
    """What looks as if somebody had to fill it in, and is the broker's to fill in."""


def load(*paths: str, given: Given = NOTHING_SAID) -> Mesh:
    """The mesh that files, or the files in folders, describe together."""
    (mesh,) = given.taken(read(*paths, given=given))
    return mesh


def load_both(old: str, new: str, given: Given = NOTHING_SAID) -> tuple[Mesh, Mesh]:
    """Two meshes; what is assumed is about either of them."""
    before, after = given.taken(read(old, given=given), read(new, given=given))
    return before, after


def read(*paths: str, given: Given = NOTHING_SAID) -> Mesh:
    """The mesh as the files tell it."""
    with inside.holding(given.env_files) as held:
        named = [path for word in paths for path in inside.unpacked(word, held, _files)]
        by_hand = {
            name: [path for word in words for path in inside.unpacked(word, held, _files)]
            for name, words in given.brokers.items()
        }
        for finish in held.afterwards:
            finish()
        hosts = {**held.hosts_known(), **given.hosts}
        mesh = _joined(named, {**held.brokers, **by_hand}, replace(given, hosts=hosts))
        return replace(mesh, remarks=(*mesh.remarks, *dict.fromkeys(held.remarks)))


def _joined(named: list[Path], of_brokers: dict[str, list[Path]], given: Given) -> Mesh:
    """One mesh of all files, which are of one form; documents of AsyncAPI add clients to it."""
    named = list(dict.fromkeys([*named, *(path for files in of_brokers.values() for path in files)]))
    found = list(dict.fromkeys(_all_files(named)))
    applications = _applications(found)
    if not applications:
        return _of_one_form(named, found, of_brokers, given)
    from angarium.mesh.files import asyncapi

    rest = [path for path in found if path not in applications]
    if not rest:
        _refuse_hand(given)
        return _not_empty(asyncapi.alone(applications), applications)
    named = [path for path in named if path not in applications]
    mesh = _of_one_form(named, rest, of_brokers, given, has_applications=True)
    return asyncapi.with_clients(mesh, applications, given.hosts)


def _applications(found: Sequence[Path]) -> list[Path]:
    """Documents of AsyncAPI; what reads them is loaded only if there may be some."""
    documents = [path for path in found if path.suffix.lower() in (*_YAML, ".json", "")]
    texts = {path: text for path in documents if "asyncapi" in (text := _text(path) or "")}
    if not texts:
        return []
    from angarium.mesh.files.asyncapi import recognises

    return [path for path, text in texts.items() if recognises(text)]


def _of_one_form(
    named: list[Path],
    found: list[Path],
    of_brokers: dict[str, list[Path]],
    given: Given,
    has_applications: bool = False,
) -> Mesh:
    form, files, passed = _formed(named, found, given.form)
    if has_applications and form.name in (MESH, *_NAMING):
        given = replace(given, hosts={})  # they are about where the applications are
    if form in _OWN.values():
        _refuse_hand(given)
        return _not_empty(form.read(files), files)
    from angarium.mesh.files.broken import read_what_can_be

    hand = _by_hand(given, {name: _all_files(files) for name, files in of_brokers.items()})
    mesh = read_what_can_be(form.read, files, hand, form.templates)
    _check_hosts(mesh, given)
    told = (*mesh.remarks, *_passed_over(form, passed))
    mesh = replace(mesh, remarks=tuple(_somewhere(each, mesh) for each in told), form=form.name)
    return _not_empty(mesh, files)


def _somewhere(remark: Remark, mesh: Mesh) -> Remark:
    """The remark about brokers of the mesh; if some of its brokers are none, it acts anywhere."""
    known = {broker.name for broker in mesh.brokers}
    return remark if known.issuperset(remark.brokers) else replace(remark, brokers=())


def form_of(path: Path) -> str | None:
    """The name of the form that knows a file, if one does."""
    text = _text(path)
    return next((form.name for form in forms() if text is not None and form.recognises(path, text)), None)


def forms() -> Iterator[Form]:
    """All forms in the order in which they are asked; importers are loaded only when it is their turn."""
    yield from _OWN.values()
    yield from map(_importer, IMPORTERS)


# --- which files ------------------------------------------------------------------------------------


def _formed(named: list[Path], found: list[Path], said: str | None) -> tuple[Form, list[Path], list[Path]]:
    """The form of all files, the files that are of it, and those that are called so and are not.

    All that were named must be of it; of a folder's files, others are passed over.
    """
    if not named:
        remedy = "give mesh files, or brokers' configuration files"
        raise UsageError("ANG010", "no files are given", remedy=remedy)
    if said:
        form = _said(said)
        of_it = [path for path in found if path in named or _recognises(form, path)]
        if of_it:
            others = (path for path in found if path not in of_it)
            return form, of_it, _unknown([path for path in others if form_of(path) is None], of_it)
    formed = _without_tables([(path, _form(path, path in named)) for path in found], named)
    known = [(path, form) for path, form in formed if form is not None]
    strange = [path for path, form in formed if form is None and path in named]
    if strange or not known or said:
        _check_json(strange)
        raise _not_recognised(strange or named)
    files = [path for path, _ in known]
    return _one_form(known), files, _unknown([path for path, form in formed if form is None], files)


def _unknown(strange: Sequence[Path], known: Sequence[Path]) -> list[Path]:
    """Of files that no form knows, those that are called as known ones are, or speak of links."""
    endings = {path.suffix for path in known}
    return [path for path in strange if path.suffix in endings or may_configure(path)]


def _without_tables(
    formed: list[tuple[Path, Form | None]], named: list[Path]
) -> list[tuple[Path, Form | None]]:
    """In a folder with files of brokers, lines of two or three words are something else, such as rights."""
    tables = _OWN["tables"]
    if all(form in (None, tables) for _, form in formed):
        return formed
    return [(path, form if path in named or form is not tables else None) for path, form in formed]


def may_configure(path: Path) -> bool:
    """Whether a file that no importer knows speaks of links: a script, or settings of another suffix."""
    return path.suffix.lower() in _CONFIGURING and bool(_LINKING.search(_text(path) or ""))


def _passed_over(form: Form, passed: Sequence[Path]) -> Iterator[Remark]:
    """Files that are called as those of brokers are; what speaks of links may be a part that nobody knew."""
    from angarium.mesh.importers.common import note, unread

    linking = [path for path in passed if may_configure(path)]
    remedy = f"If they are, say so: --format {form.name}, with their names."
    for files in filter(None, (linking, [path for path in passed if path not in linking])):
        some = ", ".join(map(str, files[:MOST_TOLD])) + (" …" if len(files) > MOST_TOLD else "")
        what = f"no files of {form.name}, and passed over: {some}"
        yield (
            unread(f"{what}; they speak of links", None, remedy)
            if files is linking
            else note(what, None, remedy)
        )


def _all_files(paths: Sequence[Path]) -> list[Path]:
    return [path for each in paths for path in _files(each)]


def _files(path: Path) -> list[Path]:
    """The files that a path stands for: itself, or those in the folder that it is, no hidden ones."""
    if inside.is_held(path):
        return [path]
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


def _text(path: Path) -> str | None:
    """What a file contains, as far as it is looked at; None if it is no text."""
    try:
        if not inside.is_held(path) and b"\0" in head(path, LOOK):
            return None
        data = inside.beginning(path, LARGEST)
    except OSError as error:
        what = f"cannot read {path}: {error.strerror}"
        raise UsageError("ANG010", what, remedy="give files that can be read") from None
    return data.decode("utf-8-sig", "replace")


def _recognises(form: Form, path: Path) -> bool:
    text = _text(path)
    return text is not None and form.recognises(path, text)


def _form(path: Path, is_named: bool) -> Form | None:
    """What a file is. YAML that was named is meant to be a mesh; what else lies in a folder need not be."""
    text = _text(path)
    if text is None:
        return None
    own = next((form for form in _OWN.values() if form.recognises(path, text)), None)
    if own and own is not _OWN["tables"]:  # lines of two or three words may be anything
        return own
    found = [form for form in map(_importer, IMPORTERS) if form.recognises(path, text)]
    if len(found) > 1:
        raise _ambiguous(path, found)
    otherwise = _OWN["mesh"] if is_named and path.suffix.lower() in _YAML else None
    return found[0] if found else own or otherwise


def _importer(name: str) -> Form:
    module = import_module(f"angarium.mesh.importers.{name}")
    return Form(module.NAME, module.recognises, module.read, getattr(module, "TEMPLATES", None))


def _said(name: str) -> Form:
    """The form that `--format` names."""
    return _OWN.get(name) or _importer(ALSO.get(name, name))


def _one_form(known: list[tuple[Path, Form]]) -> Form:
    first = known[0][1]
    for path, form in known:
        if form.name != first.name:
            raise MeshError(
                "ANG126",
                f"{known[0][0]} is a file of {first.name}, and {path} of {form.name}",
                possible="files of one kind make one mesh; --format says which of a folder are meant",
                remedy="convert each to a mesh file (angarium mesh convert), and join these by hand",
            )
    return first


# --- what is said by hand ---------------------------------------------------------------------------


def _by_hand(given: Given, files: dict[str, list[Path]]) -> ByHand:
    from angarium.mesh.importers.common import ByHand

    names: dict[Path, str] = {}
    for name, paths in files.items():
        for path in paths:
            if names.setdefault(path, name) != name:
                what = f"--broker says that {path} is of {names[path]} and of {name}"
                raise MeshError("ANG127", what, remedy="name each file once")
    return ByHand(names, given.hosts)


def _check_hosts(mesh: Mesh, given: Given) -> None:
    names = [broker.name for broker in mesh.brokers]
    for host, name in given.hosts.items():
        if name not in names:
            raise MeshError(
                "ANG127",
                f"--host {host}={name}: there is no broker {name}",
                possible=did_you_mean(name, names),
                remedy="give the name of one that is there",
            )


def _refuse_hand(given: Given) -> None:
    """Mesh files name their brokers themselves."""
    if given.brokers or given.hosts:
        raise MeshError(
            "ANG127",
            "--broker and --host are about brokers' own configuration, and this is a mesh of its own",
            remedy="leave them out, or change the names in the file",
        )


# --- what is refused --------------------------------------------------------------------------------


def _check_json(paths: list[Path]) -> None:
    """Refuse what is called JSON and is none, with its place: this may be why nobody knows it."""
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


def _not_empty(mesh: Mesh, paths: Sequence[Path]) -> Mesh:
    if mesh.brokers:
        return mesh
    raise MeshError(
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
        remedy="give one of these, or write a mesh file (docs/reference/mesh-file.md); if it is one of these"
        " all the same, say so: --format",
    )


def _ambiguous(path: Path, found: Sequence[Form]) -> MeshError:
    names = [form.name for form in found]
    return MeshError(
        "ANG126",
        f"{path} may be a file of {' or of '.join(names)}",
        possible=f"possible: --format {', '.join(names)}",
        remedy="say which it is",
    )


# --- our own forms ----------------------------------------------------------------------------------


def _is_mesh_file(path: Path, text: str) -> bool:
    """A table with brokers, most of whose keys are those of mesh files."""
    from angarium.mesh.files.yaml_file import KEYS

    keys = set(_KEY.findall(text))
    return "brokers" in keys and len(keys - set(KEYS)) < len(keys & set(KEYS))


def _read_mesh_file(paths: Sequence[Path]) -> Mesh:
    from angarium.mesh.files.yaml_file import read_mesh

    return read_mesh(str(_single(paths)))


def _is_graph(path: Path, text: str) -> bool:
    return path.suffix.lower() == ".gml" or bool(_GRAPH.match(text))


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


def _is_table(path: Path, text: str) -> bool:
    said = [row for line in text.splitlines() if (row := line.split("#")[0]).strip()]
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


_LINKING = re.compile(
    r"(?im)(?:amqp|mqtt|nats|nats-leaf|nats-route|tls)s?://|federation|shovel|leafnodes|bootstrap\.servers|inter-router"
    r"|networkConnector|static-connectors|vmq_bridge|mqtt-bridge|bridge\.mqtt\.|^\s*(?:connection|address)\s+\S"
)
"""What is only said of links between brokers, or hardly of anything else."""
_CONFIGURING = frozenset(".sh .conf .config .cfg .json .xml .properties .toml .ini".split())
"""What may be a script or settings. Resources in YAML are opened before, and told of there."""
_ROLES = (("topic", 1), ("link", 0), ("neighbour", 0), ("neighbor", 0), ("rout", 2))


def _role(name: str, position: int) -> int:
    return next((role for word, role in _ROLES if word in name.lower()), position)


_OWN = {
    "mesh": Form(MESH, _is_mesh_file, _read_mesh_file),
    "gml": Form("a graph (GML)", _is_graph, _read_graph),
    "tables": Form("tables of links and topics (.txt)", _is_table, _read_tables),
}
"""By their names in `--format`."""
