"""Subjects that one account of a NATS server takes from another.

An account sees nothing of another one but the streams that it imports, if the other exports them. A
subscriber of the importing account is then subscribed in the exporting one as well, at the server that it is
connected to: a message travels between servers in the account in which it was published, and crosses to the
other only where it is delivered. So an import is a link within each server, and what crossed it goes on to
leaf nodes and hubs, but neither to routes nor to gateways. Imports of imports there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from angarium.mesh.importers import common
from angarium.mesh.importers.nats_links import DIALECT, IMPORT
from angarium.mesh.importers.nats_permissions import ONE, REST, covers
from angarium.mesh.importers.nats_server import Account, Server, scope_of
from angarium.mesh.importers.nats_syntax import Node
from angarium.mesh.mesh import Link, Pattern, Remark, Rename


def imports(server: Server) -> Iterator[Link | Remark]:
    """The links within a server, and what is wrong or not understood about them."""
    for account in server.accounts.values():
        for number, node in enumerate(account.imports):
            yield from _import(server, account, node, number)
        for node in (*account.exports, *account.imports):
            if "service" in node.entries:
                yield common.not_understood(
                    f"services of account {account.name} (requests and replies) are not looked at", node.place
                )


def _import(server: Server, account: Account, node: Node, number: int) -> Iterator[Link | Remark]:
    stream = node.entries.get("stream")
    if not stream:
        return
    if any(each.unknown for each in stream.entries.values()):
        yield common.not_understood(f"what account {account.name} imports here is not known", node.place)
        return
    said = {key: stream.entries[key].text for key in ("account", "subject") if key in stream.entries}
    source, subject = said.get("account", ""), said.get("subject", "")
    exporter = server.accounts.get(source)
    if exporter is None or not any(_offers(each, subject, account.name) for each in exporter.exports):
        yield common.dangling(
            f"account {account.name} imports {subject or 'nothing'} from {source or 'no account'}, which "
            "does not export it" + (" to it" if exporter else ", as there is no such account"),
            node.place,
            f"export the stream {subject} there, or remove the import",
        )
        return
    rename = _renamed(node, subject, scope_of(account.name))
    if rename is None:
        yield common.not_understood(f"how {subject} is renamed by this import", node.place)
        return
    yield Link(
        name=f"import {server.name} {source} > {account.name} #{number + 1}",
        source=server.name,
        target=server.name,
        accepts=(Pattern(subject, DIALECT, scope_of(source), node.place),),
        rename=rename,
        counts=False,
        kind=IMPORT,
        not_after=frozenset((IMPORT,)),
        buffering="lost",
        place=node.place,
    )


def _offers(export: Node, subject: str, importer: str) -> bool:
    entries = export.entries
    stream, only = entries.get("stream"), entries.get("accounts")
    named = only.items if only else ()
    allowed = only is None or any(each.unknown or each.text == importer for each in named)
    return stream is not None and allowed and (bool(stream.unknown) or covers(stream.text, subject))


def _renamed(node: Node, subject: str, scope: str) -> Rename | None:
    """What the subject is called in the importing account; None if a prefix does not say it."""
    entries = node.entries
    if "prefix" in entries:
        return Rename(add=entries["prefix"].text.rstrip(".") + ".", scope=scope)
    if "to" not in entries:
        return Rename(scope=scope)
    new, old = entries["to"].text.split("."), subject.split(".")
    while new and old and new[-1] == old[-1]:
        new.pop()
        old.pop()
    if _has_wildcards(new) or _has_wildcards(old):
        return None
    if not _has_wildcards(subject.split(".")):
        return Rename(whole=entries["to"].text, scope=scope)
    return Rename(strip=_prefix(old), add=_prefix(new), scope=scope)


def _prefix(tokens: Sequence[str]) -> str:
    return "".join(f"{token}." for token in tokens)


def _has_wildcards(tokens: Iterable[str]) -> bool:
    return any(token in (ONE, REST) or token.startswith("$") for token in tokens)
