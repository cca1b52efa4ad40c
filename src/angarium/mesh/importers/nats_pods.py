"""Which server a pod of Kubernetes is, by its host: `nats-0.nats.eu.svc.cluster.local`.

The first label is the pod, and the same in every cluster. So servers get a name of their own in front of it,
`eu-nats-0`, or the files lie in a folder for each cluster. If several servers end with the name of the pod,
what stands in front of it may be another label of the host.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

MOST_WORDS = 5
"""Of the name of a pod, its number included."""
_BETWEEN = re.compile(r"[-/]")


@dataclass(slots=True)
class Pods:
    """Servers, by the pods that they may be; with what stands in front of the name of the pod."""

    servers: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, server: str) -> None:
        words = _BETWEEN.split(server.lower())
        for length in range(2, min(len(words), MOST_WORDS) + 1):
            pod, before = "-".join(words[-length:]), "-".join(words[:-length])
            if words[-1].isdecimal():
                self.servers.setdefault(pod, {})[server] = before

    def at(self, host: str, fits: Callable[[str], bool]) -> list[str]:
        """The servers that the pod at a host may be, of those that fit."""
        pod, *labels = host.lower().split(".")
        before = {server: word for server, word in self.servers.get(pod, {}).items() if fits(server)}
        told = [server for server, word in before.items() if word in labels]
        return told if len(told) == 1 else list(before)
