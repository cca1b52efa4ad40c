"""NATS: what servers do with a message, by the tables of its own connections; and files that are wrong."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.importers import common, nats
from angarium.mesh.importers.nats_permissions import covers
from angarium.mesh.importers.nats_syntax import DEEPEST, Node, read_file
from angarium.mesh.mesh import DROPS, EFFECTS, EVERYTHING, Failures, Link, Mesh, Pattern, Rename
from tests.effort import examples
from tests.mesh.importers.samples import (
    EXAMPLES,
    at_brokers,
    copies,
    damaged,
    link,
    outside,
    read_or_refused,
    remarks,
    sample,
    written,
)

EMQX = """
node { name = "emqx@127.0.0.1", cookie = "secret", data_dir = "data" }
cluster { name = emqxcl, discovery_strategy = manual }
listeners.tcp.default { bind = "0.0.0.0:1883" }
dashboard { listeners.http.bind = 18083 }
"""
SERVERS = {"eu-1", "eu-2", "us-1", "us-2"}


def plain(node: Node) -> object:
    """A value without its places."""
    match node.value:
        case dict() as entries:
            return {key: plain(value) for key, value in entries.items()}
        case tuple() as items:
            return [plain(item) for item in items]
        case text:
            return text


def said(folder: Path, text: str) -> object:
    return plain(read_file(written(folder, a_conf=text)[0]).root)


def read(folder: Path, **texts: str) -> Mesh:
    return nats.read(written(folder, **texts))


def supercluster() -> Mesh:
    return nats.read(sample("nats/supercluster"))


# --- the syntax ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb = 2\nc 3", {"a": "1", "b": "2", "c": "3"}),
        ("a { b: c }\nd: {e = f; g h}", {"a": {"b": "c"}, "d": {"e": "f", "g": "h"}}),
        ("a [1, 2\n 3] # x\n// y\nb: 'q # r'", {"a": ["1", "2", "3"], "b": "q # r"}),
        ('a: "x\\t\\x41\\"" b', None),
        ('a: "x\\t\\x41\\""', {"a": 'x\tA"'}),
        ("a: nats://u:p@h:4222 // c", {"a": "nats://u:p@h:4222"}),
        ("x: 7\na { y: $x, x: 8, z: $x }", {"x": "7", "a": {"y": "7", "x": "8", "z": "8"}}),
        ("p: $2a$11$abc", {"p": "$2a$11$abc"}),
        ('{"a": [{"b": true}], "c": 1}', {"a": [{"b": "true"}], "c": "1"}),
        ("a: (\n one\n two\n)\nb: 1", {"a": " one\n two", "b": "1"}),
        ("a: 1, a: 2", {"a": "2"}),
        ("", {}),
    ],
)
def test_files_are_read_as_nats_server_reads_them(tmp_path: Path, text: str, expected: object) -> None:
    if expected is None:
        with pytest.raises(MeshError, match="follows a value"):
            said(tmp_path, text)
    else:
        assert said(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("a {\n b: 1", 2, 6, "ends within a map"),
        ("a: [1,", 1, 7, "ends within a list"),
        ("a: 1\n}", 2, 1, "stands where a key"),
        ("a:", 1, 1, "has no value"),
        ('a: "x', 1, 4, "has no end"),
        ("a: [1}", 1, 6, "follows a value"),
        ("cluster: 1", 1, 1, "cluster is not a block"),
        ("cluster { port: 99999 }", 1, 11, "is no port"),
        ("gateway { name: A\n gateways: [{url: x}] }", 2, 13, "has no name"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_column(
    tmp_path: Path, text: str, line: int, column: int, what: str
) -> None:
    with pytest.raises(MeshError, match=what) as raised:
        read(tmp_path, a_conf=text)

    place = raised.value.place
    assert place and (place.line, place.column) == (line, column)


def test_nesting_is_bounded(tmp_path: Path) -> None:
    assert said(tmp_path, "a: " + "[" * DEEPEST + "]" * DEEPEST)

    with pytest.raises(MeshError, match="nested more than"):
        said(tmp_path, "a: " + "[" * 100_000)


def test_included_files_are_read_from_the_same_folder_only(tmp_path: Path) -> None:
    inner = tmp_path / "server"
    inner.mkdir()
    (tmp_path / "secret.conf").write_text("server_name: stolen")
    (inner / "name.conf").write_text("server_name: mine")

    near = read(inner, a_conf="include name.conf")
    far = read(inner, a_conf="include ../secret.conf")

    assert near.brokers[0].name == "mine"
    assert far.brokers[0].name == "a"
    assert remarks(far, "not read") == ["include ../secret.conf: only files of the same folder are read"]


def test_a_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="too many files are included"):
        read(tmp_path, a_conf="include a.conf")


def test_a_variable_of_the_environment_is_remarked(tmp_path: Path) -> None:
    mesh = read(tmp_path, a_conf="max_payload: $SIZE")

    assert "$SIZE is given nowhere above" in remarks(mesh, "not read")[0]


def test_a_variable_that_says_who_may_log_in_is_harmless(tmp_path: Path) -> None:
    mesh = read(tmp_path, a_conf="authorization { user: a, password: $SECRET }")

    assert "$SECRET is given nowhere above" in remarks(mesh, "note")[0]
    assert not mesh.remarks[0].effects


def test_a_missing_include_leaves_the_server_unknown(tmp_path: Path) -> None:
    mesh = read(tmp_path, a_conf="server_name: a\ninclude ./accounts.conf\n")

    (remark,) = mesh.remarks
    assert (remark.what, remark.place and remark.place.line) == (
        "include ./accounts.conf: there is no such file",
        2,
    )
    assert remark.effects == EVERYTHING


# --- clusters, gateways, leaf nodes --------------------------------------------------------------------


def test_everybody_in_a_supercluster_gets_one_copy() -> None:
    mesh = supercluster()

    for origin in sorted(SERVERS):
        got = copies(mesh, origin, "orders.new", "APP")

        assert got == {(name, "APP: orders.new"): 1 for name in SERVERS} | {("factory", "orders.new"): 1}


def test_gateways_go_on_when_a_server_dies() -> None:
    mesh = supercluster()

    for origin, dead in permutations(sorted(SERVERS), 2):
        got = copies(mesh, origin, "orders.new", "APP", Failures(brokers=frozenset((dead,))))

        assert {name for name, _ in got} - {"factory"} == SERVERS - {dead}
        assert set(got.values()) == {1}


def test_the_links_of_the_sample_are_these() -> None:
    mesh = supercluster()

    names = {each.name for each in mesh.links}
    expected = {"route eu-1 > eu-2", "route eu-2 > eu-1", "route us-1 > us-2", "route us-2 > us-1"}
    for eu in ("eu-1", "eu-2"):
        expected |= {f"gateway {eu} > {us}" for us in ("us-1", "us-2")}
        expected |= {f"gateway {us} > {eu}" for us in ("us-1", "us-2")}
    expected |= {f"leaf factory > {eu}" for eu in ("eu-1", "eu-2")}
    expected |= {f"leaf {eu} > factory" for eu in ("eu-1", "eu-2")}
    expected |= {f"import {name} APP > OPS #1" for name in SERVERS}
    assert names == expected
    assert {broker.dialect for broker in mesh.brokers} == {"nats"}
    assert remarks(mesh, "dangling") == remarks(mesh, "not understood") == []


def test_links_have_the_rules_of_their_kinds() -> None:
    mesh = supercluster()

    accounts = (Pattern(">", "nats", "APP"), Pattern(">", "nats", "OPS"))
    assert link(mesh, "route eu-1 > eu-2") == Link(
        "route eu-1 > eu-2",
        "eu-1",
        "eu-2",
        "route eu-1 - eu-2",
        accepts=accounts,
        kind="route",
        not_after=frozenset(("route", "gateway", "leaf from hub", "import")),
        buffering="lost",
    )
    assert link(mesh, "gateway eu-1 > us-2") == Link(
        "gateway eu-1 > us-2",
        "eu-1",
        "us-2",
        "gateway EU - US",
        accepts=accounts,
        kind="gateway",
        not_after=frozenset(("route", "gateway", "import")),
        buffering="lost",
    )
    assert link(mesh, "leaf factory > eu-1") == Link(
        "leaf factory > eu-1",
        "factory",
        "eu-1",
        "leaf factory - eu-1",
        accepts=(Pattern(">", "nats"),),
        refuses=(Pattern("local.>", "nats"), Pattern("admin.>", "nats")),
        rename=Rename(scope="APP"),
        connection="leaf factory - eu-1 ( - APP)",
        kind="leaf to hub",
        not_after=frozenset(("route", "gateway")),
        buffering="lost",
        failover="leaf factory",
    )


def test_what_a_leaf_node_denies_does_not_cross() -> None:
    mesh = supercluster()

    assert copies(mesh, "factory", "local.heat") == {("factory", "local.heat"): 1}
    assert ("factory", "admin.stop") not in copies(mesh, "eu-1", "admin.stop", "APP")
    assert ("eu-1", "APP: admin.stop") not in copies(mesh, "factory", "admin.stop")


def test_an_import_is_delivered_once_at_every_server_under_its_new_name() -> None:
    mesh = supercluster()

    for origin in sorted(SERVERS):
        got = copies(mesh, origin, "metrics.cpu", "APP")

        assert {name: got[name, "OPS: app.metrics.cpu"] for name in SERVERS} == dict.fromkeys(SERVERS, 1)


def test_a_leaf_cluster_at_two_joined_clusters_gets_everything_twice() -> None:
    """nats-server issue 8339."""
    mesh = nats.read(sample("nats/twice"))

    assert at_brokers(mesh, "leaf-1", "x") == {"leaf-1": 1, "leaf-2": 2, "core-a": 1, "core-b": 1}
    assert at_brokers(mesh, "leaf-2", "x") == {"leaf-1": 2, "leaf-2": 1, "core-a": 1, "core-b": 1}
    assert at_brokers(mesh, "core-a", "x") == dict.fromkeys(("leaf-1", "leaf-2", "core-a", "core-b"), 1)


HUBS = {
    f"hub_{n}_conf": f"cluster {{ name: HUB, routes: [nats://hub-{3 - n}:6222] }}\nleafnodes {{ port: 7422 }}"
    for n in (1, 2)
}
LEAVES = {
    f"leaf_{n}_conf": f"cluster {{ name: LEAVES, routes: [nats://leaf-{3 - n}:6222] }}\n"
    f"leafnodes {{ remotes: [{{url: nats-leaf://hub-{n}:7422}}] }}"
    for n in (1, 2)
}


def test_a_leaf_cluster_at_one_hub_cluster_gets_everything_once(tmp_path: Path) -> None:
    mesh = read(tmp_path, **HUBS, **LEAVES)

    names = ("hub-1", "hub-2", "leaf-1", "leaf-2")
    for origin in names:
        assert at_brokers(mesh, origin, "x") == dict.fromkeys(names, 1)


def test_routes_carry_nothing_from_or_to_the_hub(tmp_path: Path) -> None:
    lonely = "cluster { name: LEAVES, routes: [nats://leaf-1:6222] }"
    mesh = read(tmp_path, **HUBS, **(LEAVES | {"leaf_2_conf": lonely}))

    assert at_brokers(mesh, "hub-1", "x") == {"hub-1": 1, "hub-2": 1, "leaf-1": 1}
    assert at_brokers(mesh, "leaf-2", "x") == {"leaf-2": 1, "leaf-1": 1}
    assert any(what.startswith("leaf-2 has no connection to the hub") for what in remarks(mesh, "note"))


def test_a_hub_may_be_the_one_who_connects(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        hub_conf="leafnodes { remotes: [{url: nats-leaf://plant:7422, hub: true}] }",
        plant_conf="leafnodes { port: 7422 }",
    )

    assert link(mesh, "leaf hub > plant").kind == "leaf from hub"
    assert link(mesh, "leaf plant > hub").kind == "leaf to hub"


def test_isolation_keeps_interest_back_not_messages_and_is_not_understood(tmp_path: Path) -> None:
    """Measured with 2.15.1: with a subscriber at the hub, what one leaf node sends reaches the other."""
    texts = {f"leaf_{n}_conf": "leafnodes { remotes: [{url: nats-leaf://hub:7422}] }" for n in (1, 2)}
    mesh = read(tmp_path, hub_conf="leafnodes { port: 7422, isolate_leafnode_interest: true }", **texts)

    assert at_brokers(mesh, "leaf-1", "x") == {"leaf-1": 1, "hub": 1, "leaf-2": 1}
    assert [each.effects for each in mesh.remarks if "isolated" in each.what] == [{"drops"}]


def several(hubs: int) -> dict[str, str]:
    """A cluster of three, and a server without a cluster that has a remote to each of some of them."""
    of_hub = "cluster {{ name: HUB, routes: [nats://hub-1:6222] }}\nleafnodes {{ port: 7422 }}"
    remotes = ", ".join(f"{{url: nats-leaf://hub-{n}:7422}}" for n in range(1, hubs + 1))
    cluster = {f"hub_{n}_conf": of_hub.format() for n in (1, 2, 3)}
    return cluster | {"leaf_conf": f"leafnodes {{ remotes: [{remotes}] }}"}


@pytest.mark.parametrize("remotes", [1, 2, 3])
def test_several_remotes_to_one_cluster_are_so_many_copies_and_no_loop(tmp_path: Path, remotes: int) -> None:
    """Measured with 2.15.1."""
    mesh = read(tmp_path, **several(remotes))

    hubs = {f"hub-{n}": 1 for n in (1, 2, 3)}
    assert at_brokers(mesh, "hub-3", "x") == {**hubs, "leaf": remotes}
    assert at_brokers(mesh, "leaf", "x") == {**dict.fromkeys(hubs, remotes), "leaf": 1}
    assert not any(each.effects for each in mesh.remarks)


def test_a_leaf_node_goes_to_another_server_of_the_hubs_cluster_also_if_only_the_hub_told_it(
    tmp_path: Path,
) -> None:
    """Measured with 2.15.1."""
    mesh = read(tmp_path, **several(1))

    dead = Failures(frozenset({"hub-1"}))
    assert at_brokers(mesh, "hub-3", "x", dead) == {"hub-2": 1, "hub-3": 1, "leaf": 1}
    assert link(mesh, "leaf leaf > hub-2").takes_over == 1000.0


def test_a_leaf_node_goes_to_those_of_the_hubs_cluster_before_the_next_url(tmp_path: Path) -> None:
    """Measured with 2.9.10."""
    texts = several(1) | {"other_conf": "leafnodes { port: 7422 }"}
    urls = "urls: [nats-leaf://hub-1:7422, nats-leaf://other:7422], dont_randomize: true"
    texts["leaf_conf"] = f"leafnodes {{ remotes: [{{{urls}}}] }}"
    mesh = read(tmp_path, **texts)

    dead = Failures(frozenset({"hub-1"}))
    assert at_brokers(mesh, "leaf", "x", dead) == {"hub-2": 1, "hub-3": 1, "leaf": 1}


@pytest.mark.parametrize("word", ["ignore_discovered_servers: true", "no_advertise: true"])
def test_what_a_leaf_node_is_not_told_it_does_not_go_to(tmp_path: Path, word: str) -> None:
    texts = several(1)
    if word.startswith("ignore"):
        texts["leaf_conf"] = texts["leaf_conf"].replace("7422}", f"7422, {word}}}")
    else:
        texts["hub_1_conf"] = texts["hub_1_conf"].replace("port: 7422", f"port: 7422, {word}")
    mesh = read(tmp_path, **texts)

    assert "leaf" not in at_brokers(mesh, "hub-3", "x", Failures(frozenset({"hub-1"})))


def test_urls_are_one_connection_which_goes_from_hub_to_hub(tmp_path: Path) -> None:
    texts = {f"hub_{n}_conf": "leafnodes { port: 7422 }" for n in (1, 2)}
    urls = "urls: [nats-leaf://hub-1:7422, nats-leaf://hub-2:7422]"
    texts["leaf_conf"] = f"leafnodes {{ reconnect: 3, remotes: [{{{urls}, dont_randomize: true}}] }}"
    mesh = read(tmp_path, **texts)

    assert at_brokers(mesh, "leaf", "x") == {"leaf": 1, "hub-1": 1}
    assert at_brokers(mesh, "leaf", "x", Failures(frozenset({"hub-1"}))) == {"leaf": 1, "hub-2": 1}
    assert link(mesh, "leaf leaf > hub-2").takes_over == 3000.0
    assert not any(each.effects for each in mesh.remarks)


def test_which_of_several_clusters_is_chance_unless_the_file_says_the_order(tmp_path: Path) -> None:
    texts = {f"hub_{n}_conf": "leafnodes { port: 7422 }" for n in (1, 2)}
    urls = "urls: [nats-leaf://hub-1:7422, nats-leaf://hub-2:7422]"
    mesh = read(tmp_path, leaf_conf=f"leafnodes {{ remotes: [{{{urls}}}] }}", **texts)

    assert [each.effects for each in mesh.remarks if each.effects] == [{"reroutes"}]


PERMISSIONS = "{publish: {allow: [a.>, t]}, subscribe: {allow: b.>, deny: [b.y]}}"


def test_what_a_user_may_do_filters_the_leaf_nodes_that_log_in_as_him(tmp_path: Path) -> None:
    """Measured with 2.15.1 and 2.9.10."""
    users = f"[{{user: l, password: p, permissions: {PERMISSIONS}}}, {{user: c, password: p}}]"
    mesh = read(
        tmp_path,
        hub_conf=f"leafnodes {{ port: 7422 }}\naccounts {{ APP {{ users: {users} }} }}",
        leaf_conf="leafnodes { remotes: [{url: 'nats-leaf://l:p@hub:7422'}] }",
    )

    assert [t for t in ("t", "a.x", "b.y", "b.z.w") if "hub" in at_brokers(mesh, "leaf", t)] == ["t", "a.x"]
    down = [t for t in ("t", "a.x", "b.y", "b.z.w") if ("leaf", t) in copies(mesh, "hub", t, "APP")]
    assert down == ["b.z.w"]


@pytest.mark.parametrize(
    ("remote", "rights", "up", "down", "told"),
    [
        ("deny_imports: [t]", "", ["t", "a.x"], ["a.x"], "t"),
        ("deny_exports: [t]", "", ["a.x"], ["t", "a.x"], ""),
        ("deny_imports: [t], deny_exports: [t]", "", ["a.x"], ["a.x"], ""),
        ("deny_imports: ['>']", "", ["t", "a.x"], [], ""),
        ("", "subscribe: {deny: [t]}", ["t", "a.x"], ["a.x"], "t"),
        ("", "subscribe: {allow: [t]}", ["t", "a.x"], ["t"], ""),
        ("", "publish: {deny: [t]}", ["a.x"], ["t", "a.x"], ""),
        ("", "publish: {deny: [t]}, subscribe: {deny: [a.>]}", ["a.x"], ["t"], "a.>"),
    ],
)
def test_what_is_denied_as_an_import_may_be_kept_from_going_out(
    tmp_path: Path, remote: str, rights: str, up: list[str], down: list[str], told: str
) -> None:
    """Measured with 2.9.10: it is if somebody at the leaf node subscribes to `>`, and else it is not."""
    users = f"[{{user: l, password: p, permissions: {{{rights}}}}}]"
    mesh = read(
        tmp_path,
        hub_conf=f"leafnodes {{ port: 7422 }}\naccounts {{ APP {{ users: {users} }} }}",
        leaf_conf=f"leafnodes {{ remotes: [{{url: 'nats-leaf://l:p@hub:7422', {remote}}}] }}",
    )

    assert [t for t in ("t", "a.x") if "hub" in at_brokers(mesh, "leaf", t)] == up
    assert [t for t in ("t", "a.x") if ("leaf", t) in copies(mesh, "hub", t, "APP")] == down
    what = [each.what for each in mesh.remarks if "does not go out either" in each.what]
    assert what == [
        f"{told} may not come into leaf, and does not go out either while somebody there subscribes to a "
        "wildcard that has it"
    ] * bool(told)


def test_at_urls_without_a_user_a_remote_is_the_user_whom_another_names(tmp_path: Path) -> None:
    """Measured with 2.9.10."""
    users = "[{user: l, password: p, permissions: {publish: [a.>]}}, {user: any, password: p}]"
    mesh = read(
        tmp_path,
        hub_conf=f"leafnodes {{ port: 7422 }}\naccounts {{ APP {{ users: {users} }} }}\nno_auth_user: any",
        leaf_conf="leafnodes { remotes: [{urls: ['nats://hub:7422', 'nats://l:p@other:7422']}] }",
    )

    assert [t for t in ("t", "a.x") if "hub" in at_brokers(mesh, "leaf", t)] == ["a.x"]


def test_a_leaf_node_that_says_no_user_is_of_the_default_account(tmp_path: Path) -> None:
    """Measured with 2.9.10: also if the hub has an account that is called like that of the remote."""
    remote = "{url: 'nats://hub:7422', account: A}"
    mesh = read(
        tmp_path,
        hub_conf="leafnodes { port: 7422 }\naccounts { A {}, B {} }",
        leaf_conf=f"leafnodes {{ remotes: [{remote}] }}\naccounts {{ A {{}} }}",
    )

    assert link(mesh, "leaf leaf > hub").rename == Rename(scope="")
    assert not any(each.effects for each in mesh.remarks)


def test_which_account_credentials_are_of_is_not_known(tmp_path: Path) -> None:
    remote = "{url: 'nats://hub:7422', account: A, credentials: a.creds}"
    mesh = read(
        tmp_path,
        hub_conf="leafnodes { port: 7422 }\naccounts { A {}, B {} }",
        leaf_conf=f"leafnodes {{ remotes: [{remote}] }}\naccounts {{ A {{}} }}",
    )

    what = "which account of hub the leaf node is of, which logs in by credentials"
    assert [each.effects for each in mesh.remarks if each.what == what] == [EFFECTS]


@pytest.mark.parametrize("block", ["cluster { name: C, routes: [nats://b:6222] }", "gateway { name: C }"])
def test_servers_of_one_name_close_their_connections(tmp_path: Path, block: str) -> None:
    """Measured with 2.9.10."""
    hand = common.ByHand({tmp_path / "a.conf": "a", tmp_path / "b.conf": "b"})
    paths = written(tmp_path, **{f"{name}_conf": f"server_name: same\n{block}" for name in "ab"})

    told = [each.effects for each in nats.read(paths, hand).remarks if "one server_name" in each.what]
    assert told == [{DROPS}]


@pytest.mark.parametrize(
    ("remotes", "what"),
    [
        ("{url: nats-leaf://a:7422, hub: true, deny_exports: [t]}", "is closed whenever one of them"),
        ("{url: nats-leaf://a:7422}, {url: nats-leaf://b:7422, hub: true}", "each other's hub"),
        (
            "{url: nats-leaf://a:7422, hub: true}",
            "c is the hub of a (hub: true), and one of them is of a cluster",
        ),
    ],
)
def test_hubs_that_connect_in_ways_that_are_not_known_are_not_understood(
    tmp_path: Path, remotes: str, what: str
) -> None:
    cluster = "cluster { name: C, routes: [nats://a:6222] }\nleafnodes { port: 7422 }"
    mesh = read(tmp_path, a_conf=cluster, b_conf=cluster, c_conf=f"leafnodes {{ remotes: [{remotes}] }}")

    assert any(what in each.what and each.effects for each in mesh.remarks)


def test_a_remote_does_not_go_to_where_another_is_connected(tmp_path: Path) -> None:
    """Measured with 2.15.1: of two connections to one server, one is closed."""
    mesh = read(tmp_path, **several(3))

    assert at_brokers(mesh, "hub-3", "x", Failures(frozenset({"hub-1"})))["leaf"] == 2


def test_the_system_account_is_none_of_the_clients(tmp_path: Path) -> None:
    """Measured: with no other account, clients are in the default one."""
    system = "accounts { SYS { users: [{user: s, password: s}] } }\nsystem_account: SYS\n"
    mesh = read(
        tmp_path,
        one_conf=f"{system}cluster {{ name: C, port: 6222, routes: [nats://two:6222] }}",
        two_conf=f"{system}cluster {{ name: C, port: 6222 }}",
    )

    assert at_brokers(mesh, "one", "x") == {"one": 1, "two": 1}


def test_accounts_that_an_operator_signs_are_not_understood(tmp_path: Path) -> None:
    mesh = read(tmp_path, a_conf="operator: /etc/op.jwt\nresolver: URL(http://x/)")

    assert any("accounts are kept elsewhere" in each for each in remarks(mesh, "not understood"))


def test_servers_on_this_machine_are_joined_by_their_ports(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        one_conf="cluster { port: 6001, routes: [nats://localhost:6002] }",
        two_conf="cluster { port: 6002 }",
    )

    assert [each.name for each in mesh.links] == ["route one > two", "route two > one"]


def test_a_server_whose_file_is_missing_is_one_of_its_own(tmp_path: Path) -> None:
    mesh = read(tmp_path, one_conf="cluster { name: C, routes: [nats://two:6222, nats://one:6222] }")

    assert [broker.name for broker in mesh.brokers] == ["one", "two"]
    assert at_brokers(mesh, "two", "x") == {"one": 1, "two": 1}
    assert remarks(mesh, "not read") == [outside("two")]


# --- what points nowhere -------------------------------------------------------------------------------


def gatewayed(name: str, other: str, route: str) -> str:
    return (
        f"cluster {{ name: {name}, routes: [nats://{route}:6222] }}\n"
        f"gateway {{ name: {name}, gateways: [{{name: {other}, url: nats://{other.lower()}-1:7222}}] }}"
    )


def test_a_server_without_the_gateway_block_gets_but_does_not_send(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        a_1_conf=gatewayed("A", "B", "a-2"),
        a_2_conf="cluster { name: A, routes: [nats://a-1:6222] }",
        b_1_conf=gatewayed("B", "A", "b-1"),
    )

    assert at_brokers(mesh, "b-1", "x") == {"b-1": 1, "a-1": 1, "a-2": 1}
    assert at_brokers(mesh, "a-2", "x") == {"a-2": 1, "a-1": 1}
    assert any(what.startswith("a-2 has no gateway block") for what in remarks(mesh, "dangling"))


def test_gateway_names_must_be_those_of_the_clusters(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        a_1_conf=gatewayed("A", "B", "a-1"),
        b_1_conf="cluster { name: B }\ngateway { name: BB }",
    )

    assert not [each for each in mesh.links if each.kind == "gateway"]
    assert "gateway B leads to b-1, whose gateway is called BB" in remarks(mesh, "dangling")
    assert "the gateway of b-1 is called BB, its cluster B" in remarks(mesh, "dangling")


def test_a_gateway_that_rejects_unknown_clusters_joins_nobody_else(tmp_path: Path) -> None:
    strict = "gateway { name: B, reject_unknown_cluster: true, gateways: [] }"
    mesh = read(tmp_path, a_1_conf=gatewayed("A", "B", "a-1"), b_1_conf=strict)

    assert not [each for each in mesh.links if each.kind == "gateway"]
    assert "gateway B refuses A, which is not among its gateways" in remarks(mesh, "dangling")


@pytest.mark.parametrize(
    ("one", "two", "what"),
    [
        (
            "cluster { name: C, port: 6222 }",
            "cluster { name: C, port: 6222 }",
            "no route leads between two and",
        ),
        ("cluster { port: 6222 }", "port: 4222", "no route leads between one and any other server"),
        ("cluster { name: C, routes: [nats://two:6222] }", "cluster { name: D }", "which refuses it"),
        ("cluster { routes: [nats://two:6222] }", "port: 4222", "two, which has no block cluster"),
        (
            "leafnodes { remotes: [{url: nats-leaf://two}] }",
            "port: 4222",
            "two, which has no block leafnodes",
        ),
        ("leafnodes { remotes: [{account: A}] }", "port: 4222", "leaf nodes has no urls"),
        (
            "accounts { A {} , B {imports: [{stream: {account: A, subject: x}}]} }",
            "accounts {A {}, B {}}",
            "account B imports x from A, which does not export it to it",
        ),
        (
            "accounts { A {} }\ncluster {routes: [nats://two]}",
            "cluster {}\naccounts { B {} }",
            "lacks account",
        ),
    ],
)
def test_references_to_nothing_dangle(tmp_path: Path, one: str, two: str, what: str) -> None:
    mesh = read(tmp_path, one_conf=one, two_conf=two)

    assert any(what in each for each in remarks(mesh, "dangling")), mesh.remarks


def test_leaf_nodes_that_go_round_are_noted_and_loop(tmp_path: Path) -> None:
    texts = {
        f"{name}_conf": f"leafnodes {{ port: 7422, remotes: [{{url: nats-leaf://{hub}:7422}}] }}"
        for name, hub in (("a", "b"), ("b", "c"), ("c", "a"))
    }
    mesh = read(tmp_path, **texts)

    what = "leaf nodes go round: what a, b, c sends comes back to it"
    assert any(each.startswith(what) for each in remarks(mesh, "not understood"))
    assert set(at_brokers(mesh, "a", "x").values()) == {None}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("mappings: {a: b}", "the default account maps subjects"),
        ("teleport: on", "teleport is not known here"),
        ("cluster { permissions: {export: x} }", "what its routes may not carry"),
        ("accounts { A { mappings: {a: b} } }", "account A maps subjects"),
        ("accounts { A { exports: [{service: x}] } }", "services of account A"),
        ("leafnodes { remotes: [{url: nats-leaf://h, warp: 9}] }", "warp of a remote is not known here"),
    ],
)
def test_what_is_not_understood_is_listed(tmp_path: Path, text: str, what: str) -> None:
    mesh = read(tmp_path, a_conf=text)

    assert any(what in each for each in remarks(mesh, "not understood"))


@pytest.mark.parametrize(
    ("to", "rename"),
    [
        ("", Rename(scope="B")),
        (", prefix: p.q", Rename(add="p.q.", scope="B")),
        (', to: "z.a.>"', Rename(add="z.", scope="B")),
        (', to: "z.>"', Rename(strip="a.", add="z.", scope="B")),
        (', to: "z.*"', None),
    ],
)
def test_imports_rename_by_prefixes(tmp_path: Path, to: str, rename: Rename | None) -> None:
    exports = 'A { exports: [{stream: "a.>"}] }'
    mesh = read(
        tmp_path,
        a_conf=f'accounts {{ {exports}, B {{ imports: [{{stream: {{account: A, subject: "a.>"}}{to}}}] }} }}',
    )

    assert [each.rename for each in mesh.links] == ([rename] if rename else [])
    assert bool(remarks(mesh, "not understood")) == (rename is None)


@pytest.mark.parametrize(
    ("wide", "narrow", "whether"),
    [
        (">", "a.b", True),
        ("a.>", "a", False),
        ("a.>", "a.>", True),
        ("a.*", "a.>", False),
        ("a.*", "a.*", True),
        ("a.*", "a.b.c", False),
        ("a", "a", True),
        ("a.b", "a.*", False),
    ],
)
def test_a_pattern_covers_another(wide: str, narrow: str, whether: bool) -> None:
    assert covers(wide, narrow) is whether


def test_two_servers_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="are both of broker x"):
        read(tmp_path, a_conf="server_name: x", b_conf="server_name: x")


def test_a_hundred_thousand_routes_are_refused(tmp_path: Path) -> None:
    routes = ", ".join(f"nats://s{n}.example:6222" for n in range(100_000))

    with pytest.raises(MeshError, match="more than 5,000 servers"):
        read(tmp_path, a_conf=f"cluster {{ routes: [{routes}] }}")


@pytest.mark.parametrize(
    ("name", "head", "whether"),
    [
        ("a.conf", "server_name: x\n", True),
        ("a.conf", "port: 4222\ncluster {\n", True),
        ("mosquitto.conf", "listener 1883\nconnection x\n", False),
        ("qdrouterd.conf", "router {\n  id: A\n}\nlistener {\n  host: 0.0.0.0\n}\n", False),
        ("a.txt", "server_name: x\n", True),
        ("emqx.conf", EMQX, False),
        ("emqx.conf", 'cluster { name = "eu", links = [{name = "us"}] }', False),
        ("values.yaml", "cluster:\n  enabled: true\njetstream:\n  enabled: true\n", False),
    ],
)
def test_its_files_are_recognised(name: str, head: str, whether: bool) -> None:
    assert nats.recognises(Path(name), head) is whether


TEXT = "\n".join(
    (EXAMPLES / "nats/supercluster" / name).read_text()
    for name in ("accounts.conf", "eu-1.conf", "factory.conf")
)


@settings(max_examples=examples(150))
@given(damaged(TEXT.replace("include accounts.conf", "")) | st.text(max_size=60))
def test_any_text_is_a_mesh_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("nats") / "a.conf"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))

    outcome = read_or_refused(nats.read, [path])

    assert isinstance(outcome, MeshError) or outcome.brokers
