"""Configuration that services of docker-compose mount.

A service whose mounted files, or configs, some importer knows is a broker of its name. Others reach it by
that name, by its `hostname`, its `container_name` and its aliases in networks. Variables of `.env` beside the
file are put in where it has them, as docker-compose does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from angarium import files
from angarium.errors import MeshError
from angarium.mesh.files.documents import Part, documents
from angarium.mesh.files.inside import Held

_SERVICES = re.compile(r"^services:", re.MULTILINE)
MOST_FILES = 200
"""Files that are looked at of what a service mounts."""


def inside(path: Path, text: str, held: Held) -> list[Path]:
    """The configurations of all services; nothing, if it has none or is no such file."""
    if not _SERVICES.search(text):
        return []
    try:
        (compose,) = documents(path, text)
    except (MeshError, ValueError):
        return []  # whoever reads it as something else says what is wrong with it
    found: list[Path] = []
    for name, service in compose["services"].entries:
        mounted = list(_mounted(path, name, service, compose["configs"], held))
        if mounted:
            held.brokers.setdefault(name, []).extend(mounted)
            held.hosts.update(dict.fromkeys(_hosts(name, service), name))
            found += mounted
    return found


def _mounted(path: Path, name: str, service: Part, configs: Part, held: Held) -> Iterator[Path]:
    """What some importer knows of all that a service mounts."""
    from angarium.mesh.files.find import form_of

    for source in _sources(service):
        there = path.parent / source
        for file in _files(there):
            if form_of(file) is not None:
                yield file
    for config in service["configs"].items:
        named = configs[config.text or config["source"].text]
        if named["content"].text:
            within = held.hold(
                Path(path, name, config["source"].text or config.text), named["content"].in_its_line
            )
            if form_of(within) is not None:
                yield within
        elif named["file"].text and form_of(path.parent / named["file"].text) is not None:
            yield path.parent / named["file"].text


def _sources(service: Part) -> Iterator[str]:
    """The paths on this machine that are mounted, as in `./eu.conf:/mosquitto/config/mosquitto.conf:ro`."""
    for volume in service["volumes"].items:
        source = volume.text.partition(":")[0] if volume.text else volume["source"].text
        if source.startswith((".", "/", "~")):
            yield source


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        inner = sorted(each for each in path.rglob("*") if not files.is_strange(each) and each.is_file())
        return inner[:MOST_FILES]
    return [path] if path.exists() and not files.is_strange(path) else []


def _hosts(name: str, service: Part) -> Iterator[str]:
    """All by which other services reach a service."""
    yield name
    for key in ("hostname", "container_name"):
        if service[key].text:
            yield service[key].text.lower()
    for _, network in service["networks"].entries:
        yield from (alias.text.lower() for alias in network["aliases"].items)
