"""NATS: how much servers take, and what they rename, as real servers do."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.mesh.importers import nats
from angarium.mesh.importers.nats_limits import payload_of
from angarium.mesh.importers.nats_syntax import read_file
from angarium.mesh.mesh import DROPS, EFFECTS, Remark
from tests.brokers import needs_nats
from tests.mesh.importers.samples import written
from tests.mesh.real.nats_net import servers
from tests.waiting import wait_until

HUB = "leafnodes {{ listen: {hub} }}\n"
LEAF = 'leafnodes {{ reconnect: 1, remotes: [{{url: "{scheme}://{hub}"}}] }}\n'


def read(
    folder: Path, hub: str, leaf: str = "", at: str = "hub:7422", scheme: str = "nats-leaf"
) -> list[Remark]:
    texts = {
        "hub_conf": f"server_name: hub\n{HUB.format(hub='0.0.0.0:7422')}{hub}",
        "leaf_conf": f"server_name: leaf\n{LEAF.format(scheme=scheme, hub=at)}{leaf}",
    }
    return list(nats.read(written(folder, **texts)).remarks)


@pytest.mark.parametrize(
    ("hub", "told"),
    [
        ("accounts { A { limits: {max_leafnodes: 0} } }", "max_leafnodes of account A may keep leaf nodes"),
        ("max_payload: 1KB", "hub takes messages of 1,024 bytes at most"),
        ("max_payload: 1000", "hub takes messages of 1,000 bytes at most"),
        ("max_payload: 8MB", "leaf takes messages of 1,048,576 bytes at most"),
    ],
)
def test_what_is_too_much_may_be_dropped(tmp_path: Path, hub: str, told: str) -> None:
    (remark,) = [each for each in read(tmp_path, hub) if told in each.what]

    assert remark.effects == {DROPS}


@pytest.mark.parametrize(
    "hub", ["max_payload: 1MB", "max_payload: 1048576", "accounts { A { limits: {max_leafnodes: -1} } }"]
)
def test_what_is_no_limit_drops_nothing(tmp_path: Path, hub: str) -> None:
    assert not [
        each for each in read(tmp_path, hub) if "account A may" in each.what or "at most" in each.what
    ]


@pytest.mark.parametrize(
    ("hub", "told"),
    [
        ("max_connections: 64K", "there are no more than max_connections allows (64K)"),
        ("max_subscriptions: 9", "there are no more than max_subscriptions allows (9)"),
    ],
)
def test_other_limits_are_taken_to_be_far_away(tmp_path: Path, hub: str, told: str) -> None:
    assert [each.what for each in read(tmp_path, hub) if each.kind == "assumed"] == [told]


@pytest.mark.parametrize(
    ("text", "size"), [("1k", 1000), ("1kb", 1024), ("2MiB", 2 << 20), ("3", 3), ("a", 1 << 20)]
)
def test_sizes_are_read_as_nats_server_reads_them(tmp_path: Path, text: str, size: int) -> None:
    (path,) = written(tmp_path, a_conf=f"max_payload: {text}")

    assert payload_of(read_file(path).root.entries) == size


@pytest.mark.parametrize(
    ("hub", "at", "scheme", "why"),
    [
        ("", "hub:8080", "ws", "it has no block websocket"),
        (
            "websocket { port: 443, no_tls: true }",
            "hub:8080",
            "ws",
            "it takes WebSockets at 443, and not at 8080",
        ),
        ("websocket { port: 443 }", "hub:443", "ws", "at 443 it wants TLS"),
        ("websocket { port: 443, no_tls: true }", "hub:443", "wss", "at 443 it has no TLS"),
        ("websocket { port: 443, no_tls: true }", "hub:443", "ws", ""),
        ("websocket { port: 443 }", "hub:443", "wss", ""),
    ],
)
def test_leaf_nodes_by_websocket_need_one_that_listens(
    tmp_path: Path, hub: str, at: str, scheme: str, why: str
) -> None:
    told = [each.what for each in read(tmp_path, hub, "", at, scheme) if each.effects == {DROPS}]

    assert told == ([f"hub may refuse a remote of leaf: {why}"] if why else [])


@pytest.mark.parametrize(
    ("inner", "remote", "why"),
    [
        (
            "tls { handshake_first: true }",
            "tls { }",
            "hub begins with TLS (handshake_first), and a remote of leaf",
        ),
        (
            "tls { }",
            "tls { handshake_first: true }",
            "a remote of leaf begins with TLS (handshake_first), and hub",
        ),
        ("tls { handshake_first: 300ms }", "tls { }", ""),
        ("tls { handshake_first: true }", "tls { first: on }", ""),
    ],
)
def test_who_begins_with_tls_wants_the_same_of_the_other(
    tmp_path: Path, inner: str, remote: str, why: str
) -> None:
    texts = {
        "hub_conf": f"server_name: hub\nleafnodes {{ listen: 0.0.0.0:7422, {inner} }}",
        "leaf_conf": f"server_name: leaf\nleafnodes {{ remotes: [{{url: nats://hub:7422, {remote}}}] }}",
    }
    told = [each.what for each in nats.read(written(tmp_path, **texts)).remarks if each.effects]

    assert told == ([f"hub may refuse a remote of leaf: {why} does not"] if why else [])


def test_mappings_may_do_anything(tmp_path: Path) -> None:
    (remark,) = [each for each in read(tmp_path, "mappings: {foo: bar}") if each.effects]

    assert remark.effects == EFFECTS


@needs_nats
@pytest.mark.slow
def test_real_servers_rename_what_is_mapped(tmp_path: Path) -> None:
    texts = {
        "hub": f"{HUB.format(hub='<hub.leaf>')}mappings: {{foo: bar}}",
        "leaf": LEAF.format(scheme="nats-leaf", hub="<hub.leaf>"),
    }
    with servers(tmp_path, texts, ["foo", "bar"]) as net:
        wait_until("the leaf node is connected", lambda: net.has_leaf_nodes("hub", 1))
        net.clients["hub"].publish("foo", "mapped")
        wait_until("it is there", lambda: net.clients["leaf"].counts["mapped", "bar"] == 1)
        assert net.clients["leaf"].counts["mapped", "foo"] == 0
