"""What the values of Helm charts say of brokers: the well-known charts of RabbitMQ, NATS and Mosquitto.

    RabbitMQ (Bitnami)     configuration, extraConfiguration, advancedConfiguration, and with loadDefinition
                           the definitions in extraSecrets
    NATS (nats-io)         config.cluster, gateway, leafnodes and what is merged into them; before version 1
                           cluster, gateway and leafnodes
    Mosquitto and others   any value that is the text of a broker's configuration

A broker is called after `fullnameOverride`, or after the key of the chart within an umbrella, or after the
file without the word values. What a chart makes of other values is not known: `helm template` writes the
resources themselves, which are read, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.files.documents import Part, documents
from angarium.mesh.files.inside import Held
from angarium.mesh.mesh import DROPS, EFFECTS, NOT_UNDERSTOOD, Remark

_RABBITMQ = frozenset(
    "loadDefinition extraConfiguration advancedConfiguration extraSecrets clustering communityPlugins".split()
)
_OURS = re.compile(r"^(?:brokers|asyncapi|apiVersion|kind|services)[ \t]*:", re.MULTILINE)
_BROKER = re.compile(r"(?i)mosquitto|rabbitmq|nats|vernemq|emqx|hivemq|artemis|activemq")
_WORD = re.compile(r"[-_.]?values[-_.]?", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9]{1,15}")
_RAW = re.compile(r"<<.*>>")
_ELSEWHERE = tuple(
    """extraDeploy extraResources extraObjects extraManifests existingConfigmap existingConfigMap
    advancedConfigurationExistingSecret configurationExistingSecret extraConfigurationExistingSecret
    initScripts initScriptsCM initScriptsSecret extraEnvVars extraEnvVarsCM extraEnvVarsSecret
    command args""".split()
)
"""What may configure a broker besides."""
_SERVER = frozenset("cluster gateway leafnodes".split())
MOST_REPLICAS = 50
_DROPS = frozenset((DROPS,))


def inside(path: Path, text: str, held: Held) -> list[Path]:
    """The configurations in a file of values; nothing, if it has none or is no such file."""
    if _OURS.search(text):
        return []
    try:
        (values,) = documents(path, text)
    except (MeshError, ValueError):
        return []  # whoever reads it as something else says what is wrong with it
    return [each for name, chart in _charts(path, values) for each in _chart(path, name, chart, held)]


def _charts(path: Path, values: Part) -> list[tuple[str, Part]]:
    """The values of one chart; or those of the charts of brokers within an umbrella, by their keys."""
    within = [(key, value) for key, value in values.entries if _is_chart(key, value)]
    whole = [(_called(path), values)]
    return whole if _is_rabbitmq("", values) or _is_nats(values) or not within else within


def _is_chart(key: str, values: Part) -> bool:
    return bool(values.entries) and (
        bool(_BROKER.search(key)) or _is_rabbitmq(key, values) or _is_nats(values)
    )


def _called(path: Path) -> str:
    from angarium.mesh.importers import common  # a mesh file needs no importer

    return _WORD.sub("", path.stem) or common.folder_of(path) or path.stem


def _is_rabbitmq(key: str, chart: Part) -> bool:
    """Whether values are those of RabbitMQ's chart: two of its keys, or one if they are called so."""
    return len(_RABBITMQ & set(chart.keys)) >= (1 if "rabbitmq" in key else 2)


def _chart(path: Path, key: str, chart: Part, held: Held) -> list[Path]:
    name = chart["fullnameOverride"].text or key
    if _is_rabbitmq(key, chart):
        found = list(_rabbitmq(path, name, chart, held))
    elif _is_nats(chart):
        found = list(_nats(path, name, chart, held))
    else:
        found = list(_texts(path, name, chart, held))
    for word in _ELSEWHERE if found else ():
        if chart[word].items or chart[word].entries or chart[word].text:
            _tell(held, f"{word} of the values of {name}", chart[word].place)
    if found:
        _tell_of_reach(name, chart, held, is_cluster=_is_rabbitmq(key, chart))
    return found


def _tell_of_reach(name: str, chart: Part, held: Held, is_cluster: bool) -> None:
    """Whether it runs, once or as a cluster, and others come to it."""
    policy, times = chart["networkPolicy"], chart["replicaCount"]
    if policy["enabled"].text == "true" and policy["allowExternal"].text != "true":
        _tell(held, f"networkPolicy of {name} may keep links from being made", policy.place, _DROPS)
    if times.text == "0":
        _tell(held, f"{name} does not run (replicaCount: 0)", times.place, _DROPS)
    elif times.text not in ("", "1") and not is_cluster:
        _tell(held, f"{name} runs {times.text} times, with the same file", times.place)


def _tell(held: Held, what: str, place: Place, effects: frozenset[str] = EFFECTS) -> None:
    remedy = "Give what helm template writes instead."
    held.remarks.append(Remark(NOT_UNDERSTOOD, what, remedy, place, effects))


# --- RabbitMQ ----------------------------------------------------------------------------------------


def _rabbitmq(path: Path, name: str, chart: Part, held: Held) -> Iterator[Path]:
    said = [chart[key] for key in ("configuration", "extraConfiguration") if chart[key].text.strip()]
    folder = Path(path, name)
    if not said:
        yield held.hold(
            Path(folder, "rabbitmq.conf"), "cluster_formation.peer_discovery_backend = k8s\n", name
        )
    for number, part in enumerate(said, 1):
        yield held.hold(Path(folder, f"rabbitmq-{number}.conf"), part.in_its_line, name)
    if chart["advancedConfiguration"].text.strip():
        text = chart["advancedConfiguration"].in_its_line
        yield held.hold(Path(folder, "advanced.config"), text, name)
    if chart["loadDefinition"]["enabled"].text == "true":
        for secret, values in chart["extraSecrets"].entries:
            for key, value in values.entries:
                if key.endswith(".json"):
                    yield held.hold(Path(folder, secret, key), value.in_its_line, name)


# --- NATS --------------------------------------------------------------------------------------------


def _is_nats(chart: Part) -> bool:
    config = chart["config"] if chart["config"].entries else chart
    blocks = [config[key] for key in _SERVER & set(config.keys)]
    return any(each["enabled"].text in ("true", "false") for each in blocks)


def _nats(path: Path, name: str, chart: Part, held: Held) -> Iterator[Path]:
    """One file for each server."""
    config = chart["config"] if chart["config"].entries else chart
    cluster = config["cluster"]
    replicas = cluster["replicas"].text if cluster["enabled"].text == "true" else "1"
    count = int(replicas or 3) if _NUMBER.fullmatch(replicas or "3") else 0
    if not 1 <= count <= MOST_REPLICAS:
        _tell(held, f"{replicas} replicas of {name}", cluster["replicas"].place)
        count = 1
    for key in ("patch", "auth", "resolver"):
        if config[key].items or config[key]["enabled"].text == "true" or config[key]["basic"].entries:
            _tell(held, f"{key} of the values of {name}", config[key].place)
    names = [f"{name}-{number}" for number in range(count)] if count > 1 else [name]
    for own in names:
        lines = sorted(_blocks(config, name, own, names, held), key=lambda each: each[0])
        yield held.hold(Path(path, own, "nats.conf"), _in_lines(lines), own)


def _blocks(
    config: Part, name: str, own: str, names: list[str], held: Held
) -> Iterator[tuple[int, str, object]]:
    """Lines of the values, with the blocks of a nats.conf that they make."""
    first = config.place.line
    yield first, "server_name", own
    port = _value(config["nats"]["port"], held) or 4222
    yield first, "listen", f"0.0.0.0:{port}"
    for key, value in config["merge"].entries:
        yield value.place.line, key, _value(value, held)
    for key, usual in (("cluster", 6222), ("gateway", 7222), ("leafnodes", 7422)):
        block = config[key]
        if block["enabled"].text != "true":
            continue
        said: dict[str, object] = {"listen": f"0.0.0.0:{block['port'].text or usual}"}
        said |= {key: _value(block[key], held) for key in ("name", "gateways", "remotes") if block[key].node}
        if key == "cluster":
            routes: list[object] = [
                f"nats://{each}:{block['port'].text or usual}" for each in names if each != own
            ]
            more = [_value(each, held) for each in block["extraRoutes"].items]
            said |= {"name": block["name"].text or name, "routes": routes + more}
        merged = {word: _value(value, held) for word, value in block["merge"].entries}
        yield block.place.line, key, _plural(said | merged)
        if block["patch"].items:
            _tell(held, f"patch of {key} of the values of {name}", block["patch"].place)


def _plural(block: dict[str, object]) -> dict[str, object]:
    """The one `url` of a remote or gateway, as the chart wrote it before version 1, as a list."""
    for key in ("remotes", "gateways"):
        said = block.get(key)
        for each in said if isinstance(said, list) else ():
            if isinstance(each, dict) and "url" in each:
                each.setdefault("urls", [each.pop("url")])
    return block


def _in_lines(blocks: list[tuple[int, str, object]]) -> str:
    text, line = "", 1
    for at, key, value in blocks:
        text += "\n" * max(0, at - line) + f"{key}: {json.dumps(value)}, "
        line = max(line, at)
    return text + "\n"


def _value(part: Part, held: Held) -> object:
    if part.entries:
        return {key: _value(value, held) for key, value in part.entries}
    if part.items:
        return [_value(item, held) for item in part.items]
    if _RAW.search(part.text):
        _tell(held, f"{part.text} of the values is put in as it is", part.place)
    if part.text in ("true", "false"):
        return part.text == "true"
    return int(part.text) if _NUMBER.fullmatch(part.text) else part.text


# --- others ------------------------------------------------------------------------------------------


def _texts(path: Path, name: str, chart: Part, held: Held) -> Iterator[Path]:
    """All values that some importer knows."""
    from angarium.mesh.files.find import form_of

    for way, part in _ways(chart):
        if "\n" not in part.text.strip():
            continue
        within = held.hold(Path(path, name, *way), part.in_its_line)
        if form_of(within) is None:
            del held.texts[within]
        else:
            held.brokers.setdefault(name, []).append(within)
            yield within


def _ways(part: Part) -> Iterator[tuple[tuple[str, ...], Part]]:
    """All texts below a part, with the keys that lead there."""
    for key, value in part.entries:
        if value.text:
            yield (key,), value
        for way, each in _ways(value):
            yield (key, *way), each
