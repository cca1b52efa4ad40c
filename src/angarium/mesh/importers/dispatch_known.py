"""What may stand in a router's file, who gets in, and what of it can change which messages arrive.

Attributes are those that qpid-dispatch (qdrouter.json) and skupper-router (skrouter.json) have, or had. What
is not among them may do anything. Rules of virtual hosts say who may send and receive what; no file says who
is who, so they may drop whatever passes the router.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from angarium.mesh.importers import common
from angarium.mesh.importers.dispatch_syntax import Entity
from angarium.mesh.importers.doors import DROPS_ONLY, Door, Knock, may_refuse, refused
from angarium.mesh.mesh import DROPS, EFFECTS, RENAMES, Remark

_CONNECTION = """name host port addr protocolFamily socketAddressFamily role cost sslProfile saslMechanisms
    maxFrameSize maxSessions maxSessionFrames idleTimeoutSeconds stripAnnotations linkCapacity policyVhost
    failoverUrls logMessage messageLoggingComponents"""
_KNOWN: Mapping[str, str] = {
    "router": """name id mode helloInterval helloIntervalSeconds helloMaxAge helloMaxAgeSeconds raInterval
        raIntervalSeconds raIntervalFlux raIntervalFluxSeconds remoteLsMaxAge remoteLsMaxAgeSeconds
        workerThreads saslConfigPath saslConfigDir saslConfigName debugDump debugDumpFile
        allowUnsettledMulticast allowResumableLinkRoute defaultDistribution timestampsInUTC timestampFormat
        metadata dataConnectionCount routerId area
        mobileAddrMaxAge mobileAddrMaxAgeSeconds""",
    "listener": f"""{_CONNECTION} authenticatePeer requireEncryption requireSsl trustedCerts
        initialHandshakeTimeoutSeconds requirePeerAuth allowUnsecured allowNoSasl
        http websockets healthz metrics httpRoot httpRootDir""",
    "connector": f"""{_CONNECTION} allowRedirect verifyHostname verifyHostName saslUsername saslPassword
        verboseLogging""",
    "address": "name prefix pattern distribution priority",
    "autoLink": """name address addr direction dir externalAddress externalAddr containerId connection
        operStatus""",
    "policy": """name maxConnections enableVhostPolicy enableAccessRules enableVhostNamePatterns defaultVhost
        policyDir maxMessageSize""",
}
"""By kind: what changes nothing, or is read."""
_OFF = frozenset(("", "no", "false", "0", "off"))
_HARMS: Mapping[tuple[str, str], frozenset[str]] = {
    ("listener", "multiTenant"): frozenset((DROPS, RENAMES)),
}
"""Of what is known to do harm, unless it is off: which. A waypoint or a fallback may do anything."""


def strange(router: str, entities: Sequence[Entity]) -> Iterator[Remark]:
    """All attributes that may change what arrives, and are not in the mesh."""
    for entity in entities:
        known = _KNOWN[entity.kind].split() if entity.kind in _KNOWN else entity.attributes.keys()
        for key, value in entity.attributes.items():
            if key not in known and value.lower() not in _OFF:
                what = f"{entity.kind} of {router}: its {key} is not looked at"
                effects = _HARMS.get((entity.kind, key), EFFECTS)
                yield common.not_understood(what, entity.place, effects=effects)
    yield from _policy(router, entities)


def _policy(router: str, entities: Sequence[Entity]) -> Iterator[Remark]:
    for entity in (each for each in entities if each.kind == "policy"):
        if (entity["enableVhostPolicy"] or entity["enableAccessRules"]).lower() not in _OFF:
            what = f"rules of virtual hosts of {router}: who may send and receive what is not looked at"
            yield common.not_understood(what, entity.place, effects=DROPS_ONLY)
        for limit in ("maxConnections", "maxMessageSize"):
            if entity[limit]:
                yield common.assumed(f"{router} is within its {limit} ({entity[limit]})", entity.place)


def comes_in(
    who: str,
    router: str,
    listeners: Sequence[tuple[int, Entity]],
    connector: tuple[int, Entity],
    profiles: Sequence[Entity],
    directory: common.Directory,
) -> Iterator[Remark]:
    """Why a router may not let a connector in, the first reason; with what TLS is in the connector's file."""
    port, said = connector
    certified = any(each["name"] == said["sslProfile"] and each["certFile"] for each in profiles)
    doors = [Door(there, _host(each), _secure(each)) for there, each in listeners]
    knock = Knock(who, said["host"] or "127.0.0.1", port, bool(said["sslProfile"]))
    reasons = list(refused(doors, router, [knock], said.place, directory))
    reasons += [
        may_refuse(router, who, why, said.place)
        for there, each in listeners
        for why in _asked(each, said, certified=certified)
        if there == port
    ]
    yield from reasons[:1]


def _host(listener: Entity) -> str:
    return listener["host"] or listener["addr"]


def _secure(listener: Entity) -> bool | None:
    if not listener["sslProfile"]:
        return False
    return True if _is_on(listener, "requireSsl", "requireEncryption") else None


def _asked(listener: Entity, connector: Entity, *, certified: bool) -> Iterator[str]:
    """What a connector lacks. Who is ANONYMOUS has not said who he is, and TLS alone does not say it."""
    plain = not listener["sslProfile"] and not connector["sslProfile"]
    if plain and _is_on(listener, "requireSsl", "requireEncryption"):
        yield "it is not encrypted, which that asks for"
    known = certified or connector["saslUsername"]
    if _is_on(listener, "authenticatePeer", "requirePeerAuth") and not known:
        yield "it says no user, and has no certificate"


def _is_on(entity: Entity, *names: str) -> bool:
    return any(entity[name].lower() not in _OFF for name in names)
