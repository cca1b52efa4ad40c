"""The files of RabbitMQ clusters: which kind each is, and which of them are of one cluster.

    definitions     `definitions_`, JSON           rabbitmq.conf     `conf`, lines of key = value
    advanced.config `advanced`, terms of Erlang

`rabbitmq.conf` and `advanced.config` are of the cluster whose definitions lie in the same folder, or else of
one that is called as their folder is. Without its definitions a cluster has nothing that is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.files.inside import BEGINNING, beginning
from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_advanced import is_advanced, read_advanced
from angarium.mesh.importers.rabbitmq_cluster import HARMLESS, Cluster, declare
from angarium.mesh.importers.rabbitmq_conf import is_conf, read_conf
from angarium.mesh.importers.rabbitmq_definitions import LISTS, Definitions, read_definitions
from angarium.mesh.importers.rabbitmq_neighbours import Neighbours
from angarium.mesh.mesh import Remark

TELLING = frozenset(
    """rabbit_version rabbitmq_version rabbitmq_definition_format exchanges queues bindings vhosts policies
    topic_permissions global_parameters parameters""".split()
)
KEYS = re.compile(rf'"(?:{"|".join(sorted(TELLING - {"parameters", "policies"}))})"\s*:')
DECLARING = frozenset("exchanges queues bindings vhosts users".split())
"""Lists of which an export has all, be they empty."""
ENTRIES = re.compile(r'"component"\s*:\s*"(?:federation-upstream|shovel|operator_policy)|"apply-to"\s*:')
"""In a file of nothing but parameters and policies, which others have, too."""
KNOWN = TELLING | frozenset(LISTS) | HARMLESS
_INCLUDED = "conf.d"
_SETTINGS = (".conf", ".config")


def recognises(path: Path, text: str) -> bool:
    """Whether a text is definitions: an object of JSON with their keys and hardly others; or settings."""
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _is_definitions(text)
    if path.suffix not in (*_SETTINGS, "") or len(text) > common.PARSED:
        return False
    return is_advanced(text) or is_conf(path, text)


def _is_definitions(text: str) -> bool:
    start = text[: common.PARSED]
    if not KEYS.search(start) and not ENTRIES.search(start):
        return False
    keys = common.keys_of_json(text)
    return keys is None or bool(keys & TELLING and len(keys & KNOWN) > len(keys - KNOWN))


def _is_settings(path: Path) -> bool:
    if path.suffix in _SETTINGS:
        return True
    start = beginning(path, BEGINNING).decode("utf-8-sig", "replace") if path.suffix == "" else "{"
    return not start.lstrip().startswith("{")


def grouped(paths: Sequence[Path], hand: common.ByHand) -> Iterator[common.Files]:
    """The files of each cluster, its definitions first."""
    settings = {path for path in paths if _is_settings(path)}
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        if path in settings and path not in hand.names:
            folders.setdefault(_folder(path), []).append(path)
    for files in hand.grouped([path for path in paths if path not in settings or path in hand.names]):
        own = sorted(files.paths, key=lambda path: path in settings)
        if settings.isdisjoint(own) and not _shares_folder(files, paths, settings):
            own += folders.pop(_folder(own[0]), [])
        yield replace(files, paths=tuple(own))
    for more in folders.values():
        _refuse_several(more[0], [path for path in paths if path not in settings])
        yield common.Files(tuple(more))


def _folder(path: Path) -> Path:
    folder = path.absolute().parent
    return folder.parent if folder.name == _INCLUDED else folder


def _shares_folder(files: common.Files, paths: Sequence[Path], settings: set[Path]) -> bool:
    """Whether the definitions of another cluster lie beside these."""
    beside = [path for path in paths if path not in settings and path not in files.paths]
    return any(_folder(path) == _folder(files.paths[0]) for path in beside)


def _refuse_several(path: Path, definitions: Sequence[Path]) -> None:
    beside = [each for each in definitions if _folder(each) == _folder(path)]
    if beside:
        raise MeshError(
            "ANG127",
            f"{path} may be of any cluster whose definitions lie beside it",
            possible=f"{beside[0].name}, {beside[-1].name}",
            remedy=f"say whose it is: --broker NAME={beside[0]},{path}",
            place=Place(str(path), 1, 1),
        )


def read_all(paths: Sequence[Path]) -> Definitions:
    """What several files define of one cluster; an entry that two of them have alike is one."""
    first, *others = [_read(path) for path in paths]
    for more in others:
        for key, entries in more.lists.items():
            had = first.lists.setdefault(key, [])
            known = {json.dumps(each.values, sort_keys=True) for each in had}
            had += [each for each in entries if json.dumps(each.values, sort_keys=True) not in known]
        first.others = more.others | first.others
        first.places = more.places | first.places
        first.declared += more.declared
        first.loads |= more.loads
        first.settings += more.settings
        first.remarks += more.remarks
    first.remarks += _names(first)
    if all(_is_settings(path) for path in paths):
        first.remarks.append(_without_definitions(paths[0], first))
    elif first.lists and DECLARING.isdisjoint(first.lists):
        what = f"{paths[0]} declares nothing: it may be a part of a cluster's definitions"
        remedy = f"Name all parts of the cluster: --broker NAME=FILE,{paths[0]}."
        first.remarks.append(common.unread(what, Place(str(paths[0]), 1, 1), remedy))
    return first


def _read(path: Path) -> Definitions:
    text = common.text_of(path, common.LARGEST_DEFINITIONS)
    if not _is_settings(path):
        return read_definitions(path, text)
    return (
        read_advanced(path, text) if is_advanced(text) or path.suffix == ".config" else read_conf(path, text)
    )


def _names(found: Definitions) -> Iterator[Remark]:
    """Two names of one cluster: which of them federation knows it by."""
    named = [each for each in found.entries("global_parameters") if each.values.get("name") == "cluster_name"]
    for one, other in pairwise(named):
        if one.values.get("value") != other.values.get("value"):
            what = f"the cluster_name is {one.values.get('value')} in {one.place}, and here another"
            yield common.not_understood(what, other.place, "Say the same in both.")


def _without_definitions(path: Path, found: Definitions) -> Remark:
    said, place = next(iter(found.loads.items()), ("", None))
    what = f"{said}: these definitions were not given" if said else f"no definitions were given beside {path}"
    remedy = "Give them, too: rabbitmqctl export_definitions FILE."
    return common.unread(
        f"{what}, so what the cluster declares is not known", place or Place(str(path), 1, 1), remedy
    )


def declare_for_shovels(clusters: Sequence[Cluster], neighbours: Neighbours) -> None:
    """Add what static shovels declare to the clusters at their ends."""
    for cluster in clusters:
        for each in cluster.declared:
            broker, vhost = neighbours.at(cluster, list(each.uris), each.entry.place, "/")
            if there := neighbours.clusters.get(broker):
                declare(there, each.kind, vhost, each.entry)
