"""Configuration that services of docker-compose mount.

A service whose mounted files, or configs, some importer knows is a broker of its name. Others reach it by
that name, by its `hostname`, its `container_name` and its aliases in networks. Variables of `.env` beside the
file are put in where it has them, as docker-compose does; those of a service (`environment`, `env_file`)
where the files have them that it mounts. A broker whose configuration is in its command or its environment,
or nowhere that is looked at, is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from angarium.core import files
from angarium.core.errors import MeshError
from angarium.mesh.files.documents import Part, documents
from angarium.mesh.files.inside import Held, filled_in, variables_of
from angarium.mesh.mesh import ASSUMED, EFFECTS, NOT_UNDERSTOOD, Remark

_SERVICES = re.compile(r"^services:", re.MULTILINE)
MOST_FILES = 200
"""Files that are looked at of what a service mounts."""
_BROKER = re.compile(
    r"(?:^|[/-])(?:rabbitmq|eclipse-mosquitto|mosquitto|nats|vernemq|emqx|hivemq\d?|hivemq-edge|activemq(?:-artemis|-classic)?"
    r"|artemis|qdrouterd|skupper-router)(?:[:@]|$)"
)
"""Images of brokers that have files of their own."""
_CONFIGURES = re.compile(
    r"DOCKER_VERNEMQ_(?!ACCEPT_EULA|ALLOW_ANONYMOUS|LOG|USER_).*|EMQX_(?!NODE|LOG|DASHBOARD|ALLOW_ANONYMOUS|NAME|HOST).*"
    r"|HIVEMQ_BRIDGE.*|RABBITMQ_(?:SERVER_START_ARGS|SERVER_ADDITIONAL_ERL_ARGS|DEFINITIONS.*|LOAD_DEFINITIONS)"
)
"""Variables that are settings."""
COMMAND = re.compile(r"(?<![\w-])--?(?:routes|cluster|cluster_name|cluster_listen|leafnodes?|gateway)\b")
"""Options of nats-server that link it to others."""


@dataclass(frozen=True, slots=True)
class _Project:
    """A file of docker-compose, and what its services have mounted so far."""

    path: Path
    configs: Part
    held: Held
    mounted: dict[Path, str]


def inside(path: Path, text: str, held: Held) -> list[Path]:
    """The configurations of all services; nothing, if it has none or is no such file."""
    if not _SERVICES.search(text):
        return []
    try:
        (compose,) = documents(path, filled_in(text, _of_folder(path)))
    except (MeshError, ValueError):
        return []  # whoever reads it as something else says what is wrong with it
    project = _Project(path, compose["configs"], held, {})
    found: list[Path] = []
    for name, service in compose["services"].entries:
        mounted = list(_mounted(project, name, service))
        held.remarks += _told(name, service, bool(mounted))
        if mounted:
            held.brokers.setdefault(name, []).extend(mounted)
            held.hosts.update(dict.fromkeys(_hosts(name, service), name))
            found += mounted
    return found


def _of_folder(path: Path) -> Mapping[str, str]:
    env = path.parent / ".env"
    return variables_of(env) if env.is_file() and not files.is_strange(env) else {}


def _mounted(project: _Project, name: str, service: Part) -> Iterator[Path]:
    """What some importer knows of all that a service mounts, with its variables put in."""
    from angarium.mesh.files.find import form_of

    variables = _variables(project.path, service)
    for file in _all_mounted(project, name, service):
        own = _its_own(project, name, file)
        used = [each for each in variables if each in _text(own, project.held)]
        if used:
            project.held.of_file[own] = variables
        if form_of(own) is None:
            project.held.of_file.pop(own, None)
            continue
        if used:
            what = f"variables of service {name} are put in where its files have them: {', '.join(used)}"
            project.held.remarks.append(Remark(ASSUMED, what, place=service.place))
        yield own


def _all_mounted(project: _Project, name: str, service: Part) -> Iterator[Path]:
    for source in _sources(service):
        yield from _files(project.path.parent / source)
    for config in service["configs"].items:
        called = config.text or config["source"].text
        named = project.configs[called]
        if named["content"].text:
            yield project.held.hold(Path(project.path, name, called), named["content"].in_its_line)
        elif named["file"].text:
            yield from _files(project.path.parent / named["file"].text)


def _its_own(project: _Project, name: str, file: Path) -> Path:
    """The file; of one that another service mounts, too, a copy: its variables may be others."""
    if project.mounted.setdefault(file, name) == name:
        return file
    return project.held.hold(Path(project.path, name, file.name), _text(file, project.held))


def _text(file: Path, held: Held) -> str:
    try:
        data = held.texts[file] if file in held.texts else files.read_bytes(file)
    except (OSError, files.TooLargeError):
        return ""
    return data.decode("utf-8", "replace")


def _variables(path: Path, service: Part) -> dict[str, str]:
    found: dict[str, str] = {}
    said = service["env_file"]
    for part in said.items or [said]:
        name = part.text or part["path"].text
        if name and (path.parent / name).is_file():
            found |= variables_of(path.parent / name)
    for item in service["environment"].items:
        key, _, value = item.text.partition("=")
        found[key] = value
    return found | {key: value.text for key, value in service["environment"].entries}


def _told(name: str, service: Part, is_read: bool) -> Iterator[Remark]:
    """What configures a broker elsewhere than in the files that it mounts."""
    if not is_read and not _BROKER.search(service["image"].text):
        return
    if not is_read:
        what = f"service {name} ({service['image'].text}) mounts no configuration that is known"
        remedy = "Give its file, too."
        yield Remark(NOT_UNDERSTOOD, what, remedy, service.place, EFFECTS)
    command = service["command"]
    said = " ".join([command.text, *(each.text for each in command.items)])
    if COMMAND.search(said):
        what = f"the command of service {name} says how it is linked"
        yield Remark(NOT_UNDERSTOOD, what, "Say it in its file.", command.place, EFFECTS)
    items = [each.text.partition("=")[0] for each in service["environment"].items]
    for key in filter(_CONFIGURES.fullmatch, [*items, *service["environment"].keys]):
        what = f"{key} in the environment of service {name} is a setting"
        yield Remark(NOT_UNDERSTOOD, what, "Say it in its file.", service["environment"].place, EFFECTS)


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
