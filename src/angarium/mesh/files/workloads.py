"""What runs brokers: services of docker-compose, workloads of Kubernetes.

A broker is as its file says if it runs, once, reads that file, and nothing counts before it. What may be
otherwise is told: a broker without a file, options and variables that are settings, a command that names a
file which is not mounted, a workload that does not run or runs several times. Brokers that are made to run
several times with one file are those that make a cluster of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from angarium.core.errors import Place
from angarium.mesh.mesh import DROPS, EFFECTS, NOT_UNDERSTOOD, Remark

_CLUSTERED = r"rabbitmq|nats(?:-server)?|vernemq|emqx(?:-ee|-enterprise)?"
_ALONE = (
    r"eclipse-mosquitto|mosquitto|hivemq(?:\d|-ce|-edge)?|activemq(?:-artemis|-classic)?|artemis"
    r"|activemq-artemis-broker|qdrouterd|skupper-router"
)
_BROKER = re.compile(rf"(?:^|[/-])(?:{_CLUSTERED}|{_ALONE})(?:[:@]|$)")
"""Images of brokers that have files of their own."""
_OF_CLUSTERS = re.compile(rf"(?:^|[/-])(?:{_CLUSTERED})(?:[:@]|$)")
_CONFIGURES = re.compile(
    r"DOCKER_VERNEMQ_(?!ACCEPT_EULA|ALLOW_ANONYMOUS|LOG|USER_).*|EMQX_(?!NODE|LOG|DASHBOARD|ALLOW_ANONYMOUS|NAME|HOST).*"
    r"|HIVEMQ_BRIDGE.*|RABBITMQ_(?:SERVER_START_ARGS|SERVER_ADDITIONAL_ERL_ARGS|DEFINITIONS.*|LOAD_DEFINITIONS)"
)
"""Variables that are settings."""
_COMMAND = re.compile(r"(?<![\w-])--?(?:routes|cluster|cluster_name|cluster_listen|leafnodes?|gateway)\b")
"""Options of nats-server that link it to others."""
_FILE = re.compile(
    r"(?<!\S)(?:-c|--config(?:-file)?)[= ]\s*(/\S+\.(?:conf|config|cfg|json|xml|hocon|ya?ml))(?!\S)"
)
"""The file that a command names as the broker's."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What runs a broker, perhaps."""

    name: str
    """What it is called: `service hub`."""
    image: str
    place: Place
    is_read: bool
    """Whether some file that it mounts is a broker's."""
    command: str = ""
    variables: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    """Where it mounts something."""
    times: str = ""
    """How often it runs, if that is said."""
    has_members: bool = False
    """Whether those that run are told apart by names, and so may be members of a cluster."""

    @property
    def is_broker(self) -> bool:
        return self.is_read or has_broker(self.image)


def has_broker(image: str) -> bool:
    return _BROKER.search(image) is not None


def told(workload: Workload) -> Iterator[Remark]:
    """What may make a broker another one than the files say that it mounts."""

    def left_open(
        what: str, remedy: str = "Say it in its file.", effects: frozenset[str] = EFFECTS
    ) -> Remark:
        return Remark(NOT_UNDERSTOOD, what, remedy, workload.place, effects)

    name = workload.name
    if _COMMAND.search(workload.command) and (workload.is_broker or not workload.image):
        yield left_open(f"the command of {name} says how it is linked")
    if not workload.is_broker:
        return
    if not workload.is_read:
        yield left_open(
            f"{name} ({workload.image}) mounts no configuration that is known", "Give its file, too."
        )
    for key in filter(_CONFIGURES.fullmatch, workload.variables):
        yield left_open(f"{key} in the environment of {name} is a setting")
    for file in _FILE.findall(workload.command) if workload.is_read else ():
        if not file.startswith(workload.targets):
            yield left_open(
                f"the command of {name} names {file}, where it mounts nothing", "Mount its file there."
            )
    if workload.times == "0":
        yield left_open(f"{name} does not run (0 of it)", "Let it run, or leave it out.", frozenset((DROPS,)))
    elif workload.times not in ("", "1") and not _is_cluster(workload):
        what = f"{name} runs {workload.times} times, with the same file"
        yield left_open(what, "Say each as one of its own, with its file.")


def _is_cluster(workload: Workload) -> bool:
    return workload.has_members and _OF_CLUSTERS.search(workload.image) is not None
