"""NATS: leaf nodes, routes and gateways that another server may not let in, as real servers do."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from angarium.mesh.importers import nats
from angarium.mesh.mesh import DROPS
from tests.brokers import needs_nats
from tests.mesh.importers.samples import written
from tests.mesh.real.nats_net import servers, version
from tests.waiting import wait_until

USER = "{user: a, password: b}"
ACCOUNTS = f"accounts {{ A {{ users: [{USER}] }}, B {{ users: [{{user: c, password: d}}] }} }}"
NO_USER, STRANGER = "it says no user", "z is not among its users"
CASES = [
    ("", "", "", ""),
    ("", "", "a:b", ""),
    ("authorization { token: x }", "", "", NO_USER),
    ("authorization { token: x }", "", "x", ""),
    (f"authorization {USER}", "", "", NO_USER),
    (f"authorization {USER}", "", "a:b", ""),
    (f"authorization {USER}", "", "z:b", STRANGER),
    (f"authorization {{ users: [{USER}] }}", "", "", NO_USER),
    (f"authorization {{ users: [{USER}] }}\nno_auth_user: a", "", "", ""),
    (ACCOUNTS, "", "", NO_USER),
    (ACCOUNTS, "", "a:b", ""),
    (f"{ACCOUNTS}\nno_auth_user: c", "", "", ""),
    ("accounts { A {}, B {} }", "", "", ""),
    (f"accounts {{ SYS {{ users: [{USER}] }} }}\nsystem_account: SYS", "", "", ""),
    (f"accounts {{ $SYS {{ users: [{USER}] }} }}", "", "", ""),
    (f"accounts {{ SYS {{ users: [{USER}] }} }}\nsystem_account: SYS", "", "z:b", STRANGER),
    ("", f"authorization {USER}", "", NO_USER),
    ("", f"authorization {USER}", "a:b", ""),
    (f"authorization {USER}", "authorization {user: u, password: p}", "a:b", "a is not among its users"),
    ("", "authorization { timeout: 3 }", "", ""),
    (
        'authorization { users: [{user: a, password: b, allowed_connection_types: ["STANDARD"]}] }',
        "",
        "a:b",
        "a is not among its users",
    ),
]


def texts(top: str, inner: str, user: str, hub: str, leaf: str) -> dict[str, str]:
    """A hub that asks for users, and a leaf node that comes as one."""
    url = f"nats-leaf://{user}{'@' if user else ''}{leaf}"
    return {
        "hub": f"leafnodes {{ listen: {hub}; {inner} }}\n{top}",
        "leaf": f'leafnodes {{ reconnect: 1, remotes: [{{url: "{url}"}}] }}',
    }


def refusals(paths: list[Path]) -> list[str]:
    """Why somebody may not be let in."""
    return [each.what for each in nats.read(paths).remarks if each.effects == {DROPS}]


@pytest.mark.parametrize(("top", "inner", "user", "why"), CASES)
def test_a_leaf_node_comes_as_a_user_that_the_hub_knows(
    tmp_path: Path, top: str, inner: str, user: str, why: str
) -> None:
    said = texts(top, inner, user, "0.0.0.0:7422", "hub:7422")
    paths = written(
        tmp_path, **{f"{name}_conf": f"server_name: {name}\n{text}" for name, text in said.items()}
    )

    assert refusals(paths) == ([f"hub may refuse a remote of leaf: {why}"] if why else [])


@needs_nats
@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize(("top", "inner", "user", "why"), CASES)
def test_real_hubs_let_in_those_of_whom_nothing_is_told(
    tmp_path: Path, top: str, inner: str, user: str, why: str
) -> None:
    with servers(tmp_path, texts(top, inner, user, "<hub.leaf>", "<hub.leaf>")) as net:
        assert bool(refusals(list(net.files.values()))) == bool(why)
        refused = "Authorization Violation" if version() >= (2, 10) else "Authorization"
        log = tmp_path / "leaf.log"
        if not why:
            wait_until("the leaf node is in", partial(net.has_leaf_nodes, "hub", 1))
        elif version() >= (2, 10):
            wait_until("the leaf node is out", lambda: refused in log.read_text(encoding="utf-8"))
            assert not net.has_leaf_nodes("hub", 1)


@pytest.mark.parametrize(
    ("leaf", "hub", "why"),
    [
        ("tls://hub:7422", "", "it wants TLS, and the hub has none for leaf nodes"),
        (
            "nats://hub:7422",
            "tls { cert_file: c, key_file: k, verify: true }",
            "it has no certificate to show",
        ),
        ("tls://hub:7422", "tls { cert_file: c, key_file: k }", ""),
        ("nats://hub:4222", "", "it listens for leaf nodes at 7422, and not at 4222"),
    ],
)
def test_both_ends_of_a_leaf_node_agree_on_ports_and_tls(
    tmp_path: Path, leaf: str, hub: str, why: str
) -> None:
    paths = written(
        tmp_path,
        hub_conf=f"server_name: hub\nleafnodes {{ listen: 0.0.0.0:7422, {hub} }}",
        leaf_conf=f'server_name: leaf\nleafnodes {{ remotes: [{{url: "{leaf}"}}] }}',
    )

    assert refusals(paths) == ([f"hub may refuse a remote of leaf: {why}"] if why else [])


ASKS = "authorization {user: u, password: p}"
TLS = "tls {cert_file: c, key_file: k}"


@pytest.mark.parametrize(
    ("one", "other", "route", "why"),
    [
        ("", "", "two:6222", ""),
        ("", ASKS, "u:p@two:6222", ""),
        (ASKS, ASKS, "two:6222", ""),
        (
            "",
            ASKS,
            "two:6222",
            "two may refuse the route of one: it comes as none of the users who are asked for",
        ),
        ("", TLS, "two:6222", "two may refuse the route of one: one of them has TLS there, and one has not"),
        ("", "", "two:4222", "two may refuse the route of one: two listens for routes elsewhere"),
    ],
)
def test_one_of_two_servers_makes_the_route(
    tmp_path: Path, one: str, other: str, route: str, why: str
) -> None:
    block = "server_name: {}\ncluster {{ name: C, listen: 0.0.0.0:6222, routes: [{}]; {} }}"
    paths = written(
        tmp_path,
        one_conf=block.format("one", f'"nats://{route}"', one),
        two_conf=block.format("two", "", other),
    )

    assert refusals(paths) == ([why] if why else [])


@pytest.mark.parametrize(
    ("own", "theirs", "why"),
    [
        ("", "", []),
        (ASKS, ASKS, []),
        ("", ASKS, ["b may refuse the gateway of a: it comes as none of the users who are asked for"]),
        (
            TLS,
            "",
            [
                "b may refuse the gateway of a: one of them has TLS there, and b has not",
                "a may refuse the gateway of b: one of them has TLS there, and b has not",
            ],
        ),
    ],
)
def test_each_gateway_makes_its_own_connection(tmp_path: Path, own: str, theirs: str, why: list[str]) -> None:
    block = (
        "server_name: {0}\ngateway {{ name: {1}, listen: 0.0.0.0:7222,"
        " gateways: [{{name: {3}, url: nats://{2}:7222}}]; {4} }}"
    )
    paths = written(
        tmp_path,
        a_conf=block.format("a", "A", "b", "B", own),
        b_conf=block.format("b", "B", "a", "A", theirs),
    )

    assert refusals(paths) == why


ROUTE = "cluster {{ name: C, listen: {}:6222{} }}"
GATEWAY = "gateway {{ name: {}, listen: {}:7222{} }}"
LOCAL = "127.0.0.1"


@pytest.mark.parametrize(
    ("one", "two", "why"),
    [
        (
            "leafnodes { remotes: [{url: 'nats://two:7422'}] }",
            f"leafnodes {{ listen: '{LOCAL}:7422' }}",
            ["two may refuse a remote of one: it listens for leaf nodes to its own machine only"],
        ),
        (
            f"leafnodes {{ remotes: [{{url: 'nats://{LOCAL}:7422'}}] }}",
            f"leafnodes {{ host: '{LOCAL}' }}",
            [],
        ),
        (
            ROUTE.format("0.0.0.0", ", routes: ['nats://two:6222']"),
            ROUTE.format(LOCAL, ""),
            ["two may refuse the route of one: two listens to its own machine only"],
        ),
        (
            ROUTE.format(LOCAL, f", routes: ['nats://{LOCAL}:6223']"),
            f"cluster {{ listen: '{LOCAL}:6223' }}",
            [],
        ),
        (
            GATEWAY.format("A", "0.0.0.0", ", gateways: [{name: B, url: 'nats://two:7222'}]"),
            GATEWAY.format("B", LOCAL, ""),
            ["two may refuse the gateway of one: two listens to its own machine only"],
        ),
        (
            GATEWAY.format("A", LOCAL, f", gateways: [{{name: B, url: 'nats://{LOCAL}:7223'}}]"),
            GATEWAY.format("B", LOCAL, "").replace("7222", "7223"),
            [],
        ),
    ],
)
def test_who_listens_to_its_own_machine_is_called_from_there_only(
    tmp_path: Path, one: str, two: str, why: list[str]
) -> None:
    paths = written(tmp_path, one_conf=f"server_name: one\n{one}", two_conf=f"server_name: two\n{two}")

    assert refusals(paths) == why


@pytest.mark.parametrize("port", ["port: -1", 'listen: "0.0.0.0:-1"'])
def test_a_port_that_chance_chooses_may_not_be_found(tmp_path: Path, port: str) -> None:
    paths = written(
        tmp_path,
        hub_conf=f"server_name: hub\nleafnodes {{ {port} }}",
        leaf_conf="server_name: leaf\nleafnodes { remotes: [{url: 'nats://hub:7422'}] }",
    )

    assert [each.partition(" (")[0] for each in refusals(paths)] == ["where leafnodes listens is chance"]


def test_rights_that_another_service_gives_are_not_understood(tmp_path: Path) -> None:
    (path,) = written(tmp_path, a_conf="server_name: a\nauthorization { auth_callout { issuer: X } }")

    assert [each.what for each in nats.read([path]).remarks] == [
        "auth_callout of authorization is not known here"
    ]
