"""What resources of Kubernetes say of brokers.

    ConfigMap, Secret       each of their keys may be the configuration of a broker, which is called after the
                            resource, unless its own configuration says otherwise
    rabbitmq.com            RabbitMQ's topology operator: Federation, Shovel, Policy, Exchange, Queue, Binding
                            and Vhost of a cluster; they become its definitions, one small file each; and
                            what a RabbitmqCluster says of the files of its nodes
    skupper.io              Skupper 2: sites with their links, listeners and connectors; see `skupper`
    List                    all that is in it

Workloads are looked at for what they may make of the files that they mount (see `workloads`). Policies of
networks may part brokers, and resources of groups that are not known here may do anything.

What a resource of the operator says is written as RabbitMQ's definitions would say it, in the line where the
resource begins. The addresses of upstreams and shovels stand in Secrets: where those are not given, they lead
to a broker outside that is called after the Secret.
"""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from angarium.core.errors import MeshError
from angarium.mesh.files import skupper
from angarium.mesh.files.documents import Part, documents, listed
from angarium.mesh.files.inside import Held
from angarium.mesh.files.workloads import Workload, has_broker, told
from angarium.mesh.mesh import CARRIES, DROPS, EFFECTS, NOT_UNDERSTOOD, Remark

_RESOURCE = re.compile(r"^(?:apiVersion|kind):|^\s*\{?\s*\"(?:apiVersion|kind)\"\s*:", re.MULTILINE)
_OPERATOR = "rabbitmq.com/"
_STRIMZI = "kafka.strimzi.io/"
_USUAL = frozenset(
    """ apps batch autoscaling policy rabbitmq.com skupper.io cert-manager.io monitoring.coreos.com
    external-secrets.io bitnami.com networking.k8s.io rbac.authorization.k8s.io storage.k8s.io
    apiextensions.k8s.io admissionregistration.k8s.io scheduling.k8s.io coordination.k8s.io discovery.k8s.io
    node.k8s.io snapshot.storage.k8s.io""".split()
) | {""}
"""Groups of resources that run brokers and care for them, and change nothing of what their files say."""
_RIGHTS = ("User", "Permission", "TopicPermission")
_CONFIGURATION = {"additionalConfig": "rabbitmq.conf", "advancedConfig": "advanced.config"}
"""What a RabbitmqCluster calls the files of a node."""
_OF_CLUSTER = frozenset(
    """replicas image imagePullSecrets persistence resources affinity tolerations service tls rabbitmq
    secretBackend terminationGracePeriodSeconds skipPostDeploySteps delayStartSeconds
    autoEnableAllFeatureFlags""".split()
)
_OF_NODES = frozenset((*_CONFIGURATION, "additionalPlugins"))
"""What a RabbitmqCluster says that is read, or changes nothing of what its nodes do with messages."""
_NUMBER = re.compile(r"-?[0-9]{1,15}")
Json = dict[str, object]

UPSTREAM = {
    "maxHops": "max-hops", "ackMode": "ack-mode", "exchange": "exchange", "queue": "queue",
    "expires": "expires", "messageTTL": "message-ttl", "reconnectDelay": "reconnect-delay",
    "prefetchCount": "prefetch-count", "trustUserId": "trust-user-id",
    "queueType": "queue-type", "consumerTag": "consumer-tag",
}  # fmt: skip
SHOVEL = {
    "srcProtocol": "src-protocol", "destProtocol": "dest-protocol", "srcQueue": "src-queue",
    "srcExchange": "src-exchange", "srcExchangeKey": "src-exchange-key", "srcAddress": "src-address",
    "destQueue": "dest-queue", "destExchange": "dest-exchange", "destExchangeKey": "dest-exchange-key",
    "destAddress": "dest-address", "ackMode": "ack-mode", "reconnectDelay": "reconnect-delay",
    "srcDeleteAfter": "src-delete-after", "deleteAfter": "delete-after", "prefetchCount": "prefetch-count",
    "srcPrefetchCount": "src-prefetch-count", "addForwardHeaders": "add-forward-headers",
    "destAddForwardHeaders": "dest-add-forward-headers",
    "destAddTimestampHeader": "dest-add-timestamp-header",
}  # fmt: skip
"""What the operator calls a setting, and what RabbitMQ does."""
_NAMES = ("name", "uriSecret", "vhost", "rabbitmqClusterReference", "deletionPolicy")


def inside(path: Path, text: str, held: Held) -> list[Path]:
    """The configurations in a file of resources; nothing, if it has none or is no such file."""
    if not _RESOURCE.search(text):
        return []
    try:
        resources = [each for document in documents(path, text) for each in listed(document)]
    except MeshError:
        return []  # whoever reads it as something else says what is wrong with it
    secrets = {each["metadata"]["name"].text: each for each in resources if each["kind"].text == "Secret"}
    of_skupper = [each for each in resources if each["apiVersion"].text.startswith(skupper.GROUP)]
    found = list(skupper.sites(path, of_skupper, held))
    held.resources.update((each["kind"].text, each["metadata"]["name"].text) for each in of_skupper)
    for resource in resources:
        if resource["apiVersion"].text.startswith(_OPERATOR):
            found += _of_operator(path, resource, secrets, held)
        elif resource["kind"].text in ("ConfigMap", "Secret"):
            found += _configurations(path, resource, held)
    strimzi = any(each["apiVersion"].text.startswith(_STRIMZI) for each in resources)
    if found or not strimzi:  # what stands beside resources of Strimzi alone, their importer tells
        held.afterwards.append(lambda: held.remarks.extend(_beside(resources, bool(found), held)))
    return found


def _beside(resources: Sequence[Part], is_opened: bool, held: Held) -> Iterator[Remark]:
    """What else may link brokers, or part them; where no broker is in resources, what parts them only."""
    for resource in resources:
        kind, name = resource["kind"].text, resource["metadata"]["name"].text
        group = resource["apiVersion"].text.rpartition("/")[0]
        what, remedy, effects = f"{kind} {name}", "", EFFECTS
        if kind.endswith("NetworkPolicy"):
            what, effects = f"{what} may keep links from being made", frozenset((DROPS,))
        elif not held.resources:
            continue
        elif group == _STRIMZI.rstrip("/"):
            what = f"{what} stands in a file with other brokers, and is not looked at"
            remedy = "Give it in a file of its own."
        elif group in _USUAL:
            yield from _running(resource, held)
            continue
        else:
            what = f"{what} ({group}) is not looked at"
        yield Remark(NOT_UNDERSTOOD, what, remedy, resource.place, effects)


def _running(resource: Part, held: Held) -> Iterator[Remark]:
    """What a workload, if it is one, may make of the configuration that it mounts."""
    spec, kind = resource["spec"], resource["kind"].text
    pod = spec if kind == "Pod" else spec["template"]["spec"]
    mounted = [each for volume in pod["volumes"].items for each in _sources(volume)]
    containers = pod["containers"].items
    is_known = any(has_broker(each["image"].text) for each in containers)
    for container in containers:
        is_it = has_broker(container["image"].text) or not is_known  # others of a pod help it
        said = (each.text for key in ("command", "args") for each in container[key].items)
        places = container["volumeMounts"].items
        workload = Workload(
            name=f"{kind} {resource['metadata']['name'].text}",
            image=container["image"].text,
            place=container.place,
            is_read=is_it and not held.resources.isdisjoint(mounted),
            command=" ".join(said),
            variables=tuple(each["name"].text for each in container["env"].items),
            targets=tuple(each["mountPath"].text for each in places),
            times=spec["replicas"].text,
            has_members=kind == "StatefulSet",
        )
        yield from told(workload)


def _sources(volume: Part) -> Iterator[tuple[str, str]]:
    """The ConfigMaps and Secrets of a volume."""
    for part in (volume, *volume["projected"]["sources"].items):
        yield "ConfigMap", part["configMap"]["name"].text
        yield "Secret", part["secret"].first("secretName", "name").text


# --- configuration in resources ----------------------------------------------------------------------


def _configurations(path: Path, resource: Part, held: Held) -> Iterator[Path]:
    """The values that some importer knows."""
    from angarium.mesh.files.find import form_of, may_configure

    name = resource["metadata"]["name"].text
    for key, part in _values(resource):
        namespace = resource["metadata"]["namespace"].text
        within = held.hold(held.free(Path(path, namespace, name, key)), part)
        if form_of(within) is not None:
            held.resources.add((resource["kind"].text, name))
            yield within
            continue
        if may_configure(within):
            what = f"{key} of {resource['kind'].text} {name} speaks of links, and is not understood"
            held.remarks.append(Remark(NOT_UNDERSTOOD, what, place=resource.place, effects=EFFECTS))
        del held.texts[within]


def _values(resource: Part) -> Iterator[tuple[str, str]]:
    encoded = resource["kind"].text == "Secret"
    for key, value in resource["stringData" if encoded else "data"].entries:
        yield key, _in_its_line(value)
    for key, value in resource["data" if encoded else "binaryData"].entries:
        yield key, _decoded(value.text)


def _in_its_line(value: Part) -> str:
    """XML must begin at once; anything else keeps the numbers of its lines."""
    return value.text if value.text.lstrip().startswith("<?xml") else value.in_its_line


def _decoded(text: str) -> str:
    try:
        return b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


# --- RabbitMQ's topology operator --------------------------------------------------------------------


def _of_operator(path: Path, resource: Part, secrets: Mapping[str, Part], held: Held) -> Iterator[Path]:
    kind, own = resource["kind"].text, resource["metadata"]["name"].text
    cluster = own if kind == "RabbitmqCluster" else resource["spec"]["rabbitmqClusterReference"]["name"].text
    said = _definitions(kind, resource["spec"], secrets)
    if said is None or not cluster:
        what = f"{kind} {own} of RabbitMQ's operator is not looked at"
        effects = frozenset((CARRIES, DROPS)) if kind in _RIGHTS else EFFECTS
        held.remarks.append(Remark(NOT_UNDERSTOOD, what, place=resource.place, effects=effects))
        return
    if kind == "RabbitmqCluster":
        held.remarks += _of_cluster(own, resource["spec"])
    for key, name in _CONFIGURATION.items() if kind == "RabbitmqCluster" else ():
        if resource["spec"]["rabbitmq"][key].text.strip():
            text = resource["spec"]["rabbitmq"][key].in_its_line
            yield held.hold(held.free(Path(path, cluster, name)), text, cluster)
    held.resources.add((kind, own))
    namespace = resource["spec"]["rabbitmqClusterReference"].first("namespace").text
    namespace = namespace or resource["metadata"]["namespace"].text
    first = held.namespaces.setdefault(cluster, namespace)
    if namespace != first:
        what = f"{cluster} of namespace {namespace or 'none'} is taken to be that of {first or 'none'}"
        remedy = "If they are two, give the resources of one namespace."
        held.remarks.append(Remark(NOT_UNDERSTOOD, what, remedy, resource.place, EFFECTS))
    text = _beginning_at(resource.place.line, {"rabbitmq_definition_format": "cluster", **said})
    yield held.hold(held.free(Path(path, cluster, f"{kind}-{own}.json")), text, cluster)


def _of_cluster(name: str, spec: Part) -> Iterator[Remark]:
    """What may make the nodes of a cluster others than its definitions say, or keep others from them."""
    drops = frozenset((DROPS,))
    found = [(f"{key} of {name}", part, EFFECTS) for key, part in spec.entries if key not in _OF_CLUSTER]
    nodes = spec["rabbitmq"].entries
    found += [(f"{key} of {name}", part, EFFECTS) for key, part in nodes if key not in _OF_NODES]
    if spec["replicas"].text == "0":
        found.append((f"{name} does not run (replicas: 0)", spec["replicas"], drops))
    if spec["tls"]["disableNonTLSListeners"].text == "true":
        found.append((f"{name} lets in who speaks TLS only", spec["tls"], drops))
    yield from (Remark(NOT_UNDERSTOOD, what, "", part.place, effects) for what, part, effects in found)


def _beginning_at(line: int, definitions: Json) -> str:
    """JSON whose only entry begins in a line, if there is one before it for what is around it."""
    text = json.dumps(definitions)
    entry = text.index("[{") + 1
    return "\n" * (line - 2) + f"{text[:entry]}\n{text[entry:]}" if line > 1 else text


def _definitions(kind: str, spec: Part, secrets: Mapping[str, Part]) -> Json | None:
    """What a resource says, in the words of definitions; None for what is not known here."""
    named = {"name": spec["name"].text, "vhost": spec["vhost"].text or "/"}
    match kind:
        case "RabbitmqCluster":
            return {"vhosts": [{"name": "/"}]}
        case "Vhost":
            return {"vhosts": [{"name": spec["name"].text}]}
        case "Exchange":
            usual: Json = {"type": "direct", "durable": False, "auto_delete": False, "internal": False}
            return {
                "exchanges": [{**usual, **named, **_told(spec), "arguments": _value(spec["arguments"], {})}]
            }
        case "Queue":
            usual = {"durable": False, "auto_delete": False}
            return {"queues": [{**usual, **named, **_told(spec), "arguments": _value(spec["arguments"], {})}]}
        case "Binding":
            return {"bindings": [_binding(spec)]}
        case "Policy":
            return {"policies": [_policy(spec, named)]}
        case "Federation":
            value = {"uri": _uri(spec, secrets, "uri"), **_renamed(spec, UPSTREAM)}
            return {"parameters": [{"component": "federation-upstream", **named, "value": value}]}
        case "Shovel":
            ends = {f"{end}-uri": _uri(spec, secrets, f"{end}Uri") for end in ("src", "dest")}
            return {
                "parameters": [{"component": "shovel", **named, "value": {**ends, **_renamed(spec, SHOVEL)}}]
            }
        case _:
            return None


def _told(spec: Part) -> Json:
    words = {"type": "type", "durable": "durable", "autoDelete": "auto_delete"}
    return {word: _value(spec[key], "") for key, word in words.items() if spec[key].node}


def _binding(spec: Part) -> Json:
    return {
        "source": spec["source"].text,
        "vhost": spec["vhost"].text or "/",
        "destination": spec["destination"].text,
        "destination_type": spec["destinationType"].text,
        "routing_key": spec["routingKey"].text,
        "arguments": _value(spec["arguments"], {}),
    }


def _policy(spec: Part, named: Mapping[str, str]) -> Json:
    return {
        **named,
        "pattern": spec["pattern"].text,
        "apply-to": spec["applyTo"].text or "all",
        "priority": _value(spec["priority"], 0),
        "definition": _value(spec["definition"], {}),
    }


def _renamed(spec: Part, words: Mapping[str, str]) -> Json:
    """Settings by RabbitMQ's names; what is not known keeps its own, so that the importer remarks it."""
    return {words.get(key, key): _value(part, "") for key, part in spec.entries if key not in _NAMES}


def _uri(spec: Part, secrets: Mapping[str, Part], key: str) -> object:
    """The addresses in the Secret that is named; of one that is not given, its name for a host."""
    name = spec["uriSecret"]["name"].text
    secret = secrets.get(name)
    values = dict(_values(secret)) if secret else {}
    addresses = [each.strip() for each in values.get(key, "").split(",") if each.strip()]
    return (addresses[0] if len(addresses) == 1 else addresses) or f"amqp://{name or 'unknown'}"


def _value(part: Part, otherwise: object) -> object:
    """A value of JSON: what YAML would read a text that is not quoted as."""
    if part.entries:
        return {key: _value(value, "") for key, value in part.entries}
    if part.items:
        return [_value(item, "") for item in part.items]
    if not part.text:
        return otherwise
    if part.text in ("true", "false"):
        return part.text == "true"
    return int(part.text) if _NUMBER.fullmatch(part.text) else part.text
