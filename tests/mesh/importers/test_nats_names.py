"""NATS: who is meant by addresses, on Kubernetes above all, and what cannot be known."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.delivery.forward import Forwarding
from angarium.mesh.importers import nats
from angarium.mesh.importers.nats_pods import Pods
from angarium.mesh.mesh import EFFECTS, Mesh, Pattern
from angarium.mesh.topics.dialects import topic_of
from tests.mesh.importers.samples import at_brokers, link, remarks, written


def read(folder: Path, **texts: str) -> Mesh:
    return nats.read(written(folder, **texts))


def read_folders(folder: Path, texts: dict[str, str]) -> Mesh:
    paths = [folder / name for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return nats.read(paths)


def names(mesh: Mesh) -> list[str]:
    return [broker.name for broker in mesh.brokers]


# --- what cannot be known ------------------------------------------------------------------------------


GATEWAYS = (
    "gateways: [{name: c1, urls: [nats://n1.c1.example.net]}, {name: c2, urls: [nats://n1.c2.example.net]}]"
)


def test_a_gateway_whose_name_is_not_known_leads_nowhere_wrong(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        a_conf=f"server_name: $NAME\ncluster {{ routes: [nats://n1] }}\ngateway {{ name: $G1, {GATEWAYS} }}",
    )

    assert names(mesh) == ["a", "n1", "c1", "c2"]
    assert remarks(mesh, "dangling") == []
    assert "what the gateway of a is called is not known: taken to be gateway of a" in remarks(
        mesh, "assumed"
    )
    assert at_brokers(mesh, "c1", "x") == dict.fromkeys(names(mesh), 1)


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("cluster { name: A }\ngateway { name: $X }", "gateway { name: B }"),
        ("gateway { name: $X, gateways: [{name: A, url: nats://a}] }", "gateway { name: B }"),
        ("gateway { name: $X }", "gateway { name: B, gateways: [{name: A, url: nats://a}] }"),
        (
            "cluster { routes: [nats://b] }\ngateway { name: $X }",
            "cluster { routes: [nats://a] }\ngateway { name: A }",
        ),
    ],
)
def test_the_name_of_a_gateway_may_be_told_by_its_cluster_or_by_others(
    tmp_path: Path, own: str, other: str
) -> None:
    mesh = read(tmp_path, a_conf=own, b_conf=other)

    assert "what the gateway of a is called is not known: taken to be A" in remarks(mesh, "assumed")
    assert not [what for what in remarks(mesh, "dangling") if "gateway" in what]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("cluster { routes: [$ROUTES] }", "routes to $ROUTES: they are left out"),
        (
            "gateway { name: A, gateways: [{name: $B, url: nats://b}] }",
            "a remote gateway whose name is $B: it is left out",
        ),
        (
            "gateway { name: A, gateways: [$ALL] }",
            "a remote gateway whose name is $ALL: it is left out",
        ),
        (
            "accounts { A {}, B { imports: [{stream: {account: A, subject: $S}}] } }",
            "what account B imports here is not known",
        ),
    ],
)
def test_what_an_unknown_value_leaves_out_is_listed(tmp_path: Path, text: str, what: str) -> None:
    mesh = read(tmp_path, a_conf=text)

    assert names(mesh) == ["a"]
    assert what in remarks(mesh, "not understood")
    assert remarks(mesh, "dangling") == []


@pytest.mark.parametrize(
    "text",
    [
        "gateway { name: A, gateways: [{name: B, urls: $URLS}] }",
        "leafnodes { remotes: [{url: $HUB}] }",
        "cluster { name: $C }\ngateway { name: A }",
        "accounts: $ACCOUNTS",
        "accounts { A { exports: [{stream: $S}] }, B { imports: [{stream: {account: A, subject: x}}] } }",
        "accounts { A { exports: [{stream: x, accounts: [$B]}] }\n"
        " B { imports: [{stream: {account: A, subject: x}}] } }",
    ],
)
def test_an_unknown_value_makes_no_dangling_reference(tmp_path: Path, text: str) -> None:
    mesh = read(tmp_path, a_conf=text)

    assert remarks(mesh, "dangling") == []
    assert any("is given nowhere above" in what for what in remarks(mesh, "not read"))


def test_servers_without_a_file_are_told_apart_by_their_whole_hosts(tmp_path: Path) -> None:
    routes = "nats://n1.c1.example.net, nats://n1.c2.example.net, nats://n1"

    mesh = read(tmp_path, a_conf=f"cluster {{ routes: [{routes}] }}")

    assert names(mesh) == ["a", "n1.c1.example.net", "n1.c2.example.net", "n1"]


# --- Kubernetes ----------------------------------------------------------------------------------------


def pod(name: str, other: str) -> str:
    """The file of a server of a cluster with two pods, beside another cluster."""

    def urls(where: str, port: int) -> str:
        return ", ".join(f"nats://nats-{n}.nats.{where}.svc.cluster.local:{port}" for n in (0, 1))

    return (
        f"cluster {{ name: {name}, routes: [{urls(name, 6222)}] }}\n"
        f"gateway {{ name: {name}, gateways: [{{name: {name}, urls: [{urls(name, 7222)}]}}, "
        f"{{name: {other}, urls: [{urls(other, 7222)}]}}] }}"
    )


def test_pods_are_the_servers_whose_names_end_as_theirs(tmp_path: Path) -> None:
    files = {
        f"{name}_{n}_conf": f"server_name: {name}-nats-{n}\n{pod(name, other)}"
        for name, other in (("eu", "us"), ("us", "eu"))
        for n in (0, 1)
    }

    mesh = read(tmp_path, **files)

    assert names(mesh) == ["eu-nats-0", "eu-nats-1", "us-nats-0", "us-nats-1"]
    assert at_brokers(mesh, "eu-nats-0", "x") == dict.fromkeys(names(mesh), 1)
    assert "host nats-0.nats.eu.svc.cluster.local is taken to be of eu-nats-0" in remarks(mesh, "assumed")
    assert len(mesh.remarks) == 4


def test_servers_of_one_name_in_different_folders_are_called_after_these(tmp_path: Path) -> None:
    files = {
        f"{name}/nats-{n}.conf": pod(name, other)
        for name, other in (("eu", "us"), ("us", "eu"))
        for n in (0, 1)
    }

    mesh = read_folders(tmp_path, files)

    assert names(mesh) == ["eu/nats-0", "eu/nats-1", "us/nats-0", "us/nats-1"]
    assert at_brokers(mesh, "us/nats-1", "x") == dict.fromkeys(names(mesh), 1)
    path = tmp_path / "us/nats-1.conf"
    assert f"several servers are called nats-1: that of {path} is called us/nats-1 here" in remarks(
        mesh, "note"
    )


def test_servers_of_one_name_in_one_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match="are both of broker nats-0"):
        read_folders(tmp_path, {"eu/a.conf": "server_name: nats-0", "eu/b.conf": "server_name: nats-0"})


def test_the_pods_of_a_cluster_without_files_are_not_those_of_another(tmp_path: Path) -> None:
    mesh = read_folders(tmp_path, {f"eu/nats-{n}.conf": pod("eu", "us") for n in (0, 1)})

    assert names(mesh) == ["nats-0", "nats-1", "us"]
    assert remarks(mesh, "dangling") == []


def test_a_leaf_node_does_not_guess_a_hub_in_its_own_cluster(tmp_path: Path) -> None:
    leafnodes = "leafnodes { port: 7422, remotes: [{url: nats-leaf://nats-0.hub.svc}] }"
    routes = "cluster { name: eu, routes: [nats://nats-0, nats://nats-1] }"

    mesh = read(tmp_path, nats_0_conf=f"{routes}\n{leafnodes}", nats_1_conf=f"{routes}\n{leafnodes}")

    assert names(mesh) == ["nats-0", "nats-1", "nats-0.hub.svc"]


def test_a_pod_that_may_be_two_servers_is_another_one(tmp_path: Path) -> None:
    hub = "leafnodes { port: 7422 }"

    mesh = read(
        tmp_path,
        eu_nats_0_conf=hub,
        us_nats_0_conf=hub,
        edge_conf="leafnodes { remotes: [{url: nats-leaf://nats-0.nats.svc}] }",
    )

    assert link(mesh, "leaf edge > nats-0.nats.svc")
    assert "nats-0.nats.svc may be eu-nats-0 or us-nats-0: it is taken to be another server" in remarks(
        mesh, "note"
    )


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("nats-0.nats.eu.svc", ["eu-nats-0"]),
        ("nats-0.nats.svc", ["eu-nats-0", "us/nats-0"]),
        ("nats-0.nats.us.svc", ["us/nats-0"]),
        ("big-mq-1.x", ["ap-big-mq-1"]),
        ("0.nats", []),
        ("nats", []),
    ],
)
def test_what_stands_in_front_of_the_pod_is_a_label_of_the_host(host: str, found: list[str]) -> None:
    pods = Pods()
    for server in ("eu-nats-0", "us/nats-0", "ap-big-mq-1", "nats"):
        pods.add(server)

    assert pods.at(host, lambda _: True) == found


# --- accounts that nobody declares ---------------------------------------------------------------------


REMOTES = "remotes: [{url: nats-leaf://hub, account: SYS}, {url: nats-leaf://hub, account: ACC}]"


def test_accounts_that_nobody_declares_are_apart_and_do_not_loop(tmp_path: Path) -> None:
    mesh = read(tmp_path, a_conf=f"leafnodes {{ {REMOTES} }}")

    assert link(mesh, "leaf a > hub").accepts == (Pattern(">", "nats", "SYS"),)
    assert link(mesh, "leaf a > hub #2").accepts == (Pattern(">", "nats", "ACC"),)
    for scope in ("", "SYS", "ACC"):
        assert not Forwarding(mesh).spread("a", topic_of("x", "nats", scope)).loops
    told = [each for each in mesh.remarks if each.what.startswith("account")]
    assert [each.what for each in told] == [
        f"account {name} of a remote is declared nowhere in a" for name in ("SYS", "ACC")
    ]
    assert {each.effects for each in told} == {EFFECTS}


def test_accounts_that_nobody_declares_cross_routes(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        a_conf=f"cluster {{ name: C, routes: [nats://b] }}\nleafnodes {{ {REMOTES} }}",
        b_conf="cluster { name: C }",
    )

    assert {pattern.scope for pattern in link(mesh, "route a > b").accepts} == {"", "SYS", "ACC"}
    assert not any("route" in what for what in remarks(mesh, "dangling"))
