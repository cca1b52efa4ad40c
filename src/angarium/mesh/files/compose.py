"""Configuration that services of docker-compose mount.

A service whose mounted files, or configs, some importer knows is a broker of its name. Others reach it by
that name, by its `hostname`, its `container_name` and its aliases in networks. Variables of `.env` beside the
file are put in where it has them, as docker-compose does; those of a service (`environment`, `env_file`)
where the files have them that it mounts. What may be otherwise than these files say is told: see `workloads`;
what docker-compose reads besides, services that start only on request, other addresses for others, and
brokers of which one calls another with whom it shares no network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from angarium.core import files
from angarium.core.errors import MeshError
from angarium.mesh.files.documents import Part, documents
from angarium.mesh.files.inside import LARGEST, Held, content, filled_in, variables_of
from angarium.mesh.files.workloads import Workload, told
from angarium.mesh.mesh import ASSUMED, DROPS, EFFECTS, NOT_UNDERSTOOD, Remark

_SERVICES = re.compile(r"^services:", re.MULTILINE)
MOST_FILES = 200
"""Files that are looked at of what a service mounts."""
CONFIG = "docker-compose config"
"""The command that writes all files of docker-compose as one, with their variables."""
OVERRIDES = ("compose.override", "docker-compose.override")
"""What docker-compose reads behind its own file, if it lies beside that."""
_SAYS_WHO = ("extra_hosts", "external_links", "dns")
"""What of a service says who is at an address."""


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
    mounted: dict[str, list[Path]] = {}
    for name, service in compose["services"].entries:
        files_ = list(_mounted(project, name, service))
        held.remarks += _told(project, name, service, bool(files_))
        if files_:
            mounted[name] = files_
            held.brokers.setdefault(name, []).extend(files_)
            held.hosts.update(dict.fromkeys(_hosts(name, service), name))
    if mounted:
        held.remarks += [*_elsewhere(path, compose), *_apart(project, compose["services"], mounted)]
    return [file for each in mounted.values() for file in each]


def _of_folder(path: Path) -> Mapping[str, str]:
    env = path.parent / ".env"
    return variables_of(env) if env.is_file() and not files.is_strange(env) else {}


def _mounted(project: _Project, name: str, service: Part) -> Iterator[Path]:
    """What some importer knows of all that a service mounts, with its variables put in."""
    from angarium.mesh.files.find import form_of, may_configure

    variables = _variables(project.path, service)
    for file in _all_mounted(project, name, service):
        own = _its_own(project, name, file)
        used = [each for each in variables if each in _text(own, project.held)]
        if used:
            project.held.of_file[own] = variables
        if form_of(own) is None:
            if may_configure(own):
                what = f"{file.name}, which service {name} mounts, speaks of links, and is not understood"
                project.held.remarks.append(_open(what, service["volumes"], "Mend it, or leave it out."))
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
    return project.held.hold(
        project.held.free(Path(project.path, name, file.name)), _text(file, project.held)
    )


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


def _told(project: _Project, name: str, service: Part, is_read: bool) -> Iterator[Remark]:
    """What may be otherwise than the files that a service mounts say."""
    built = service["build"].text or service["build"]["context"].text
    items = [each.text.partition("=")[0] for each in service["environment"].items]
    said = [service[key] for key in ("entrypoint", "command")]
    workload = Workload(
        name=f"service {name}",
        image=service["image"].text or (name if built in (".", "./") else built),
        place=service.place,
        is_read=is_read,
        command=" ".join(each.text for part in said for each in (part, *part.items)),
        variables=(*items, *service["environment"].keys),
        targets=tuple(_targets(project, service)),
        times=service["scale"].text or service["deploy"]["replicas"].text,
    )
    yield from told(workload)
    if not workload.is_broker and (workload.image or not service["extends"].node):
        return
    if service["profiles"].items:
        profiles = ", ".join(each.text for each in service["profiles"].items)
        what = f"service {name} runs only with profile {profiles}"
        yield _open(
            what, service["profiles"], "Leave it out, or take the profiles away.", frozenset((DROPS,))
        )
    if service["extends"].node:
        yield _open(f"service {name} extends another one, which is not looked at", service["extends"])
    renaming = [each for each in service["links"].items if ":" in each.text]
    for part in (*renaming, *(service[key] for key in _SAYS_WHO if service[key].node)):
        yield _open(f"service {name} has addresses of its own for others", part)


def _open(what: str, part: Part, remedy: str = "", effects: frozenset[str] = EFFECTS) -> Remark:
    return Remark(NOT_UNDERSTOOD, what, remedy or f"Give what {CONFIG} writes.", part.place, effects)


def _elsewhere(path: Path, compose: Part) -> Iterator[Remark]:
    """What else docker-compose reads."""
    if compose["include"].node:
        yield _open("include of other files of docker-compose is not followed", compose["include"])
    for name in (f"{stem}{end}" for stem in OVERRIDES for end in (".yaml", ".yml")):
        if path.name != name and (path.parent / name).exists():
            yield _open(f"{name} lies beside {path.name}, and changes what that says", compose)


def _apart(project: _Project, services: Part, mounted: Mapping[str, Sequence[Path]]) -> Iterator[Remark]:
    """Brokers of which one calls another with whom it has no network."""
    networks = {name: _networks(service) for name, service in services.entries if name in mounted}
    for name, files_ in mounted.items():
        texts = " ".join(content(file, LARGEST).decode("utf-8", "replace") for file in files_)
        for other in (each for each in mounted if networks[name].isdisjoint(networks[each])):
            hosts = "|".join(map(re.escape, _hosts(other, services[other])))
            if re.search(rf"(?<![\w.-])(?:{hosts})(?![\w-])", texts):
                what = f"services {name} and {other} are in no network together"
                effects = frozenset((DROPS,))
                yield _open(what, services[name], "Put both into one.", effects)


def _networks(service: Part) -> frozenset[str]:
    """By their names; a mode is one of its own."""
    mode = service["network_mode"].text
    if mode and mode != "bridge":
        return frozenset((f"mode {mode}",))
    named = [each.text for each in service["networks"].items] + service["networks"].keys
    return frozenset(named or ["default"])


def _targets(project: _Project, service: Part) -> Iterator[str]:
    """Where a service mounts something."""
    for volume in service["volumes"].items:
        parts = volume.text.split(":")
        yield volume["target"].text or (parts[1] if len(parts) > 1 else parts[0])
    for key in ("configs", "secrets"):
        for part in service[key].items:
            yield part["target"].text or f"/{part.text or part['source'].text}"


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
