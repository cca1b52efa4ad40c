"""Small definitions of RabbitMQ clusters, as the export of a broker has them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from angarium.mesh.importers import rabbitmq
from angarium.mesh.mesh import Mesh

Json = dict[str, Any]


def exchange(name: str, kind: str = "topic", **more: object) -> Json:
    return {
        "name": name,
        "vhost": "/",
        "type": kind,
        "durable": True,
        "auto_delete": False,
        "internal": False,
        "arguments": {},
    } | more


def queue(name: str, **more: object) -> Json:
    return {"name": name, "vhost": "/", "durable": True, "auto_delete": False, "arguments": {}} | more


def binding(source: str, target: str, key: str = "#", kind: str = "queue", **more: object) -> Json:
    return {
        "source": source,
        "vhost": "/",
        "destination": target,
        "destination_type": kind,
        "routing_key": key,
        "arguments": {},
    } | more


def parameter(component: str, name: str, value: object, vhost: str = "/") -> Json:
    return {"component": component, "name": name, "vhost": vhost, "value": value}


def upstream(name: str, uri: str | Sequence[str] | None = None, **more: object) -> Json:
    """An upstream; `max_hops=2` is `max-hops` 2."""
    values = {key.replace("_", "-"): value for key, value in more.items()}
    return parameter("federation-upstream", name, {"uri": uri or f"amqp://{name}"} | values)


def upstream_set(name: str, *members: str | Json) -> Json:
    entries = [{"upstream": each} if isinstance(each, str) else each for each in members]
    return parameter("federation-upstream-set", name, entries)


def shovel(name: str, **values: object) -> Json:
    """A shovel; `src_queue` is `src-queue`."""
    return parameter("shovel", name, {key.replace("_", "-"): value for key, value in values.items()})


def policy(
    name: str, pattern: str, priority: int = 0, apply_to: str = "exchanges", **definition: object
) -> Json:
    return {
        "name": name,
        "vhost": "/",
        "pattern": pattern,
        "apply-to": apply_to,
        "priority": priority,
        "definition": {key.replace("_", "-"): value for key, value in definition.items()},
    }


def cluster(name: str = "", **lists: Sequence[Json]) -> Json:
    """Definitions with these lists; with a `cluster_name` if one is given."""
    named = [{"name": "cluster_name", "value": name}] if name else []
    return {
        "rabbit_version": "3.10.8",
        "global_parameters": named,
        **{key: list(each) for key, each in lists.items()},
    }


def written(folder: Path, files: Mapping[str, Json]) -> list[Path]:
    paths = [folder / f"{name}.json" for name in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return paths


def read(folder: Path, **files: Json) -> Mesh:
    """The mesh of clusters, each called as its file."""
    return rabbitmq.read(written(folder, files))
