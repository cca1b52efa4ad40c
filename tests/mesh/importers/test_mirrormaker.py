"""MirrorMaker 2: which topics a flow copies, what they are called then, and when it goes round for ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from angarium.core.errors import MeshError
from angarium.mesh.files.find import load
from angarium.mesh.importers import mirrormaker
from angarium.mesh.importers.mirrormaker_flows import cycle_of
from angarium.mesh.mesh import Link, Mesh, Pattern, Rename
from angarium.mesh.topics.dialects import matcher, topic_of
from angarium.mesh.verify.budget import NONE
from angarium.mesh.verify.verify import verify
from tests.effort import examples
from tests.mesh.importers.samples import (
    EXAMPLES,
    at_brokers,
    copies,
    damaged,
    link,
    read_or_refused,
    remarks,
    sample,
    written,
)

CLUSTERS = "clusters = eu, us\neu.bootstrap.servers = eu1:9092\nus.bootstrap.servers = us1:9092\n"
NEVER = (r"(__|\.).*", r".*[.\-]internal")
BY_DEFAULT = (r"mm2.*\.internal", r".*\.replica", r"__.*")


def read(folder: Path, text: str) -> Mesh:
    return mirrormaker.read(written(folder, mm2_properties=text))


def regexes(*texts: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(text, "mirrormaker") for text in texts)


def test_the_sample_has_exactly_these_links() -> None:
    mesh = mirrormaker.read(sample("mirrormaker", "mm2.properties"))

    assert [broker.name for broker in mesh.brokers] == ["eu", "us"]
    assert mesh.links == (
        Link(
            "eu->us",
            "eu",
            "us",
            accepts=regexes("orders.*", "payments"),
            refuses=regexes(*BY_DEFAULT, *NEVER, r"(.*\.)?us\..*[^\.].*"),
            rename=Rename(add="eu."),
            kind="mirror",
        ),
        Link(
            "us->eu",
            "us",
            "eu",
            accepts=regexes(".*"),
            refuses=regexes(*BY_DEFAULT, *NEVER, r"(.*\.)?eu\..*[^\.].*"),
            rename=Rename(add="us."),
            kind="mirror",
        ),
    )
    assert mesh.remarks == ()


def test_a_copy_has_the_name_of_its_source_and_does_not_come_back() -> None:
    mesh = mirrormaker.read(sample("mirrormaker", "mm2.properties"))

    assert copies(mesh, "eu", "orders") == {("eu", "orders"): 1, ("us", "eu.orders"): 1}
    assert copies(mesh, "us", "orders") == {("us", "orders"): 1, ("eu", "us.orders"): 1}
    assert copies(mesh, "us", "refunds") == {("us", "refunds"): 1, ("eu", "us.refunds"): 1}
    assert copies(mesh, "eu", "refunds") == {("eu", "refunds"): 1}


@pytest.mark.parametrize("topic", ["__consumer_offsets", ".hidden", "mm2-offsets.us.internal", "x-internal"])
def test_what_kafka_keeps_for_itself_is_never_copied(tmp_path: Path, topic: str) -> None:
    mesh = read(tmp_path, CLUSTERS + "eu->us.enabled = true\ntopics.exclude = none\n")

    assert copies(mesh, "eu", topic) == {("eu", topic): 1}


def both_ways(more: str) -> str:
    return CLUSTERS + f"eu->us.enabled = true\nus->eu.enabled = true\n{more}\n"


@pytest.mark.parametrize(
    ("policy", "renames"),
    [
        ("org.apache.kafka.connect.mirror.DefaultReplicationPolicy", True),
        ("DefaultReplicationPolicy", True),
        ("org.apache.kafka.connect.mirror.IdentityReplicationPolicy", False),
        ("io.strimzi.kafka.connect.mirror.IdentityReplicationPolicy", False),
        ("com.acme.Mine", False),
    ],
)
def test_flows_feed_each_other_unless_their_policy_is_known_to_rename(
    tmp_path: Path, policy: str, renames: bool
) -> None:
    mesh = read(tmp_path, both_ways(f"replication.policy.class = {policy}"))

    looping: dict[tuple[str, str], int | None] = {("eu", "a"): None, ("us", "a"): None}
    assert copies(mesh, "eu", "a") == ({("eu", "a"): 1, ("us", "eu.a"): 1} if renames else looping)


def test_the_identity_policy_of_strimzi_goes_round_for_ever(tmp_path: Path) -> None:
    def resource(source: str, target: str) -> str:
        return (
            "kind: KafkaMirrorMaker2\nspec:\n"
            f"  target: {{alias: {target}, bootstrapServers: '{target}:9092'}}\n"
            f"  mirrors:\n  - source: {{alias: {source}, bootstrapServers: '{source}:9092'}}\n"
            "    sourceConnector: {config: {replication.policy.class: "
            "io.strimzi.kafka.connect.mirror.IdentityReplicationPolicy}}\n"
        )

    mesh = mirrormaker.read(written(tmp_path, one_yaml=resource("a", "b"), two_yaml=resource("b", "a")))

    assert copies(mesh, "a", "x") == {("a", "x"): None, ("b", "x"): None}
    assert remarks(mesh, "not understood") == []


def test_two_flows_of_everything_double_nothing_because_no_topic_has_an_empty_name(tmp_path: Path) -> None:
    mesh = read(tmp_path, both_ways("topics = .*"))

    verification = verify(mesh, NONE)

    assert verification.probed
    assert verification.violations == ()


def test_topics_of_the_other_cluster_can_be_left_out_by_looking_ahead(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        both_ways(
            "replication.policy.class = IdentityReplicationPolicy\n"
            "us->eu.topics = (?!eu\\\\.).*, eu\\\\.both\neu->us.topics = .*"
        ),
    )

    assert copies(mesh, "us", "eu.orders") == {("us", "eu.orders"): 1}
    assert copies(mesh, "us", "us.orders")["eu", "us.orders"] is None
    assert copies(mesh, "us", "eu.both")["eu", "eu.both"] is None


def test_with_the_identity_policy_messages_go_round_for_ever() -> None:
    mesh = mirrormaker.read(sample("mirrormaker", "identity.properties"))

    assert copies(mesh, "eu", "orders") == {("eu", "orders"): None, ("us", "orders"): None}
    assert {each.rename for each in mesh.links} == {None}


@pytest.mark.parametrize(
    ("settings_of_flow", "accepts", "excluded"),
    [
        ("", (".*",), BY_DEFAULT),
        ("topics = a, b\n", ("a", "b"), BY_DEFAULT),
        ("topics = a\neu->us.topics = c\n", ("c",), BY_DEFAULT),
        ("topics.exclude = x.*\n", (".*",), ("x.*",)),
        ("eu->us.topics.blacklist = x, y\n", (".*",), ("x", "y")),
    ],
)
def test_what_is_said_of_a_flow_counts_before_what_is_said_of_all(
    tmp_path: Path, settings_of_flow: str, accepts: tuple[str, ...], excluded: tuple[str, ...]
) -> None:
    mesh = read(tmp_path, CLUSTERS + "eu->us.enabled = true\n" + settings_of_flow)

    (flow,) = mesh.links
    assert [each.text for each in flow.accepts] == list(accepts)
    assert [each.text for each in flow.refuses] == [*excluded, *NEVER, r"(.*\.)?us\..*[^\.].*"]


def test_only_enabled_flows_run(tmp_path: Path) -> None:
    mesh = read(tmp_path, CLUSTERS + "eu->us.topics = a\nus->eu.enabled = FALSE\n")

    assert mesh.links == ()
    assert remarks(mesh, "note") == ["eu->us is not enabled"]


def test_a_separator_is_part_of_names_and_of_the_cycle_rule(tmp_path: Path) -> None:
    both = "eu->us.enabled = true\nus->eu.enabled = true\nreplication.policy.separator = __\n"
    mesh = read(tmp_path, CLUSTERS + both)

    assert link(mesh, "eu->us").rename == Rename(add="eu__")
    assert copies(mesh, "eu", "orders") == {("eu", "orders"): 1, ("us", "eu__orders"): 1}


def test_aliases_are_literals_in_the_cycle_rule() -> None:
    assert cycle_of("us-west+1", ".") == r"(.*\.)?us\-west\+1\..*[^\.].*"


def is_cycle(topic: str, target: str, separator: str) -> bool:
    """What MirrorMaker decides (isCycle of MirrorSourceConnector.java, topicSource and upstreamTopic of
    DefaultReplicationPolicy.java, and String.split of Java)."""
    parts = topic.split(separator) if separator else list(topic)
    while parts and not parts[-1]:
        parts.pop()
    if len(parts) < 2:
        return False
    return parts[0] == target or is_cycle(topic[len(parts[0]) + len(separator) :], target, separator)


@settings(max_examples=examples(200))
@given(
    st.text(alphabet="us._", min_size=1, max_size=9).filter(lambda name: name not in {".", ".."}),
    st.sampled_from(["us", "u", "us.s", ""]),
    st.sampled_from([".", "_", ""]),
)
def test_the_cycle_rule_is_that_of_mirrormaker(topic: str, target: str, separator: str) -> None:
    rule = cycle_of(target, separator)

    assert is_cycle(topic, target, separator) == (
        rule is not None and matcher(regexes(rule))(topic_of(topic, "mirrormaker"))
    )


@pytest.mark.parametrize(
    ("said", "prefix", "cycle"),
    [
        ("source.cluster.alias = x\n", "x.", "us"),
        ("eu.alias = c\nsource.cluster.alias = x\n", "c.", "us"),
        ("eu->us.source.cluster.alias = f\neu.alias = c\n", "f.", "us"),
        ("us.alias = c\n", "eu.", "c"),
        ("eu->us.target.cluster.alias = f\ntarget.cluster.alias = x\n", "eu.", "f"),
    ],
)
def test_a_flow_may_call_its_clusters_otherwise(tmp_path: Path, said: str, prefix: str, cycle: str) -> None:
    (flow,) = read(tmp_path, CLUSTERS + "eu->us.enabled = true\n" + said).links

    assert (flow.source, flow.target, flow.rename) == ("eu", "us", Rename(add=prefix))
    assert flow.refuses[-1].text == cycle_of(cycle, ".")


def test_with_empty_alias_and_separator_messages_go_round_for_ever(tmp_path: Path) -> None:
    both = "eu->us.enabled = true\nus->eu.enabled = true\n"
    empty = "source.cluster.alias =\ntarget.cluster.alias =\nreplication.policy.separator =\n"
    mesh = read(tmp_path, CLUSTERS + both + empty)

    assert {each.rename for each in mesh.links} == {None}
    assert copies(mesh, "eu", "orders") == {("eu", "orders"): None, ("us", "orders"): None}


def test_the_identity_policy_copies_nothing_between_clusters_of_one_alias(tmp_path: Path) -> None:
    said = "eu->us.enabled = true\nreplication.policy.class = IdentityReplicationPolicy\nus.alias = eu\n"
    mesh = read(tmp_path, CLUSTERS + said)

    assert mesh.links == ()
    (remark,) = remarks(mesh, "dangling")
    assert remark.startswith("eu->us calls both clusters the same")


@pytest.mark.parametrize(
    ("said", "is_copied"),
    [("", False), ("replication.policy.internal.topic.separator.enabled = false\n", True)],
)
def test_internal_topics_have_the_separator_too(tmp_path: Path, said: str, is_copied: bool) -> None:
    mesh = read(tmp_path, CLUSTERS + "eu->us.enabled = true\nreplication.policy.separator = _\n" + said)

    assert (("us", "eu_a_internal") in copies(mesh, "eu", "a_internal")) is is_copied


def test_aliases_may_have_dots(tmp_path: Path) -> None:
    text = "clusters = dc.a, dc.a.b\ndc.a.bootstrap.servers = x:1\ndc.a.b.bootstrap.servers = y:1\n"
    mesh = read(tmp_path, text + "dc.a->dc.a.b.enabled = true\n")

    assert [(each.source, each.target) for each in mesh.links] == [("dc.a", "dc.a.b")]


def test_a_cluster_with_two_aliases_is_one_broker_and_defeats_the_cycle_rule(tmp_path: Path) -> None:
    text = (
        "clusters = a, b, a2\na.bootstrap.servers = ka:9092\nb.bootstrap.servers = kb:9092\n"
        "a2.bootstrap.servers = ka:9092, kc:9092\na->b.enabled = true\nb->a2.enabled = true\n"
    )
    mesh = read(tmp_path, text)

    assert [broker.name for broker in mesh.brokers] == ["a", "b"]
    assert copies(mesh, "a", "x") == {("a", "x"): 1, ("b", "a.x"): 1, ("a", "b.a.x"): 1}
    assert "a2 has the bootstrap servers of a" in remarks(mesh, "note")[0]


def test_several_files_are_several_mirrormakers(tmp_path: Path) -> None:
    paths = written(
        tmp_path,
        east_properties=CLUSTERS + "eu->us.enabled = true\n",
        west_properties=CLUSTERS + "us->eu.enabled = true\neu->us.enabled = true\n",
    )

    mesh = mirrormaker.read(paths)

    assert [each.name for each in mesh.links] == ["eu->us", "us->eu", "eu->us #2"]
    assert copies(mesh, "eu", "x")["us", "eu.x"] == 2


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("eu->mars.enabled = true", "dangling", "about a cluster mars that is not there"),
        (
            "eu->us.enabled = true\ntransforms = r",
            "not understood",
            "transforms can change which topics go where",
        ),
        ("us.warp.factor = 9", "not understood", "us.warp.factor is not known here"),
        (
            "eu->us.enabled = true\nreplication.policy.class = com.acme.Mine",
            "not understood",
            "replication.policy.class com.acme.Mine is not known: it is taken to keep names",
        ),
    ],
)
def test_what_points_nowhere_or_is_not_understood_is_listed(
    tmp_path: Path, text: str, kind: str, what: str
) -> None:
    mesh = read(tmp_path, CLUSTERS + text)

    assert any(what in each for each in remarks(mesh, kind)), mesh.remarks


def test_a_cluster_without_bootstrap_servers_dangles(tmp_path: Path) -> None:
    mesh = read(tmp_path, "clusters = a, b\na.bootstrap.servers = x:1\n")

    assert remarks(mesh, "dangling") == ["b has no bootstrap servers"]


@pytest.mark.parametrize("text", ["", "clusters = \n", "a = b\n", "clusters = \\u12"])
def test_files_without_clusters_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(MeshError):
        read(tmp_path, text)


# --- Strimzi -------------------------------------------------------------------------------------------


def test_the_old_form_of_strimzi_names_two_clusters() -> None:
    mesh = mirrormaker.read(sample("mirrormaker", "strimzi-v1beta2.yaml"))

    assert [broker.name for broker in mesh.brokers] == ["eu", "us"]
    assert mesh.links == (
        Link(
            "eu->us",
            "eu",
            "us",
            accepts=regexes("orders.*", "payments"),
            refuses=regexes("orders-test.*", *NEVER, r"(.*\.)?us\..*[^\.].*"),
            rename=Rename(add="eu."),
            kind="mirror",
        ),
    )
    assert mesh.remarks == ()


def test_the_new_form_of_strimzi_has_one_target() -> None:
    mesh = mirrormaker.read(sample("mirrormaker", "strimzi-v1.yaml"))

    assert [broker.name for broker in mesh.brokers] == ["us", "eu", "ap"]
    assert [(each.name, each.rename) for each in mesh.links] == [
        ("eu->us", Rename(add="eu_")),
        ("ap->us", Rename(add="ap.")),
    ]
    assert [each.text for each in link(mesh, "ap->us").accepts] == [".*"]


def test_a_wrong_connect_cluster_with_the_identity_policy_echoes_into_the_source(tmp_path: Path) -> None:
    text = (EXAMPLES / "mirrormaker/strimzi-v1beta2.yaml").read_text()
    text = text.replace("connectCluster: us", "connectCluster: eu")
    text = text.replace("replication.factor: 3", "replication.policy.class: IdentityReplicationPolicy")

    mesh = mirrormaker.read(written(tmp_path, a_yaml=text))

    assert copies(mesh, "eu", "payments") == {("eu", "payments"): None}
    assert "what it copies is written to eu" in remarks(mesh, "dangling")[0]


def test_both_kinds_of_files_make_one_mesh() -> None:
    mesh = mirrormaker.read(sample("mirrormaker", "identity.properties", "strimzi-v1.yaml"))

    assert [broker.name for broker in mesh.brokers] == ["eu", "us", "ap"]
    assert [each.name for each in mesh.links] == ["eu->us", "us->eu", "eu->us #2", "ap->us"]


def test_documents_of_other_kinds_are_listed_and_lines_keep_their_numbers(tmp_path: Path) -> None:
    text = (EXAMPLES / "mirrormaker/strimzi-v1.yaml").read_text()

    mesh = mirrormaker.read(written(tmp_path, a_yaml=f"# first\n---\nkind: Kafka\n---\n{text}"))

    assert remarks(mesh, "not understood") == ["a resource of Kafka is not looked at"]
    place = mesh.links[0].place
    assert place and place.line == 4 + text[: text.index("- source")].count("\n") + 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("kind: Kafka\n", "no resource of the kind KafkaMirrorMaker2"),
        ("kind: KafkaMirrorMaker2\nspec: {clusters: [{bootstrapServers: x}]}\n", "has no alias"),
        ("kind: [\n", "not YAML"),
        ("---\n" * 1000, "more than 200 documents"),
    ],
)
def test_what_is_no_mirrormaker_of_strimzi_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(MeshError, match=what):
        mirrormaker.read(written(tmp_path, a_yaml=text))


def test_a_mirror_without_a_source_connector_copies_nothing(tmp_path: Path) -> None:
    text = "kind: KafkaMirrorMaker2\nspec: {clusters: [{alias: a}, {alias: b}], mirrors: [{sourceCluster: a, "
    mesh = mirrormaker.read(written(tmp_path, a_yaml=text + "targetCluster: b}]}\n"))

    assert mesh.links == ()
    assert remarks(mesh, "dangling") == ["a->b has no sourceConnector: nothing is copied"]


@pytest.mark.parametrize(
    ("name", "head", "whether"),
    [
        ("mm2.properties", "# x\nclusters = a, b\n", True),
        ("mm2.properties", "a->b.enabled=true\n", True),
        ("server.properties", "broker.id=1\n", False),
        ("a.yaml", "apiVersion: x\nkind: KafkaMirrorMaker2\n", True),
        ("a.yaml", "brokers: [b1]\n", False),
    ],
)
def test_its_files_are_recognised(name: str, head: str, whether: bool) -> None:
    assert mirrormaker.recognises(Path(name), head) is whether


@settings(max_examples=examples(120))
@given(damaged((EXAMPLES / "mirrormaker/mm2.properties").read_text()) | st.text(max_size=60))
def test_any_properties_are_a_mesh_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("mm2") / "mm2.properties"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))

    outcome = read_or_refused(mirrormaker.read, [path])

    assert isinstance(outcome, MeshError) or outcome.brokers


@settings(max_examples=examples(120))
@given(damaged((EXAMPLES / "mirrormaker/strimzi-v1.yaml").read_text()) | st.text(max_size=60))
def test_any_yaml_is_a_mesh_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("strimzi") / "a.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))

    outcome = read_or_refused(mirrormaker.read, [path])

    assert isinstance(outcome, (MeshError, Mesh))


FIRST = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaMirrorMaker
metadata: {name: mirror}
spec:
  consumer: {bootstrapServers: "eu:9092,eu2:9092", groupId: g}
  producer: {bootstrapServers: "us:9092"}
  include: "orders.*"
"""


def test_the_first_mirrormaker_of_strimzi_copies_under_the_same_names(tmp_path: Path) -> None:
    file = tmp_path / "mirror.yaml"
    file.write_text(FIRST)

    mesh = load(str(file))

    assert at_brokers(mesh, "eu", "orders.new") == {"eu": 1, "us": 1}
    assert at_brokers(mesh, "eu", "bills") == {"eu": 1}


def test_two_first_mirrormakers_go_round(tmp_path: Path) -> None:
    back = FIRST.replace("eu:9092,eu2", "x").replace("us:", "eu:").replace("x:", "us:")
    (tmp_path / "mirror.yaml").write_text(f"{FIRST}---\n{back}")

    assert None in at_brokers(load(str(tmp_path / "mirror.yaml")), "eu", "orders.new").values()


@pytest.mark.parametrize("as_json", [False, True])
def test_resources_of_strimzi_may_be_in_a_list(tmp_path: Path, as_json: bool) -> None:
    text = (EXAMPLES / "mirrormaker" / "strimzi-v1beta2.yaml").read_text()
    items = "".join(f"- {part.strip()}\n".replace("\n", "\n  ").rstrip(" ") for part in text.split("---\n"))
    file = tmp_path / "list.yaml"
    file.write_text(f"apiVersion: v1\nkind: List\nitems:\n{items}")
    if as_json:
        value = yaml.safe_load(file.read_text())
        file = tmp_path / "list.json"
        file.write_text(json.dumps(value, indent=1))

    alone = load(str(EXAMPLES / "mirrormaker" / "strimzi-v1beta2.yaml"))

    assert {(each.source, each.target) for each in load(str(file)).links} == {
        (each.source, each.target) for each in alone.links
    }


def test_what_may_stand_beside_mirrors_changes_nothing(tmp_path: Path) -> None:
    more = "---\napiVersion: v1\nkind: {0}\nmetadata: {{name: x}}\n"
    (tmp_path / "mirror.yaml").write_text(FIRST + more.format("ConfigMap") + more.format("KafkaUser"))

    (remark,) = (each for each in load(str(tmp_path / "mirror.yaml")).remarks if each.leaves_open)

    assert (remark.what, remark.effects) == ("a resource of KafkaUser is not looked at", {"drops"})


@pytest.mark.parametrize(("said", "state"), [("state: stopped", "stopped"), ("pause: true", "paused")])
def test_a_mirror_that_does_not_run_copies_nothing_and_is_told(tmp_path: Path, said: str, state: str) -> None:
    (path,) = sample("mirrormaker", "strimzi-v1.yaml")
    text = path.read_text(encoding="utf-8").replace("tasksMax: 2", said)
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    mesh = mirrormaker.read([tmp_path / "s.yaml"])

    assert [(link.source, link.target) for link in mesh.links] == [("ap", "us")]
    assert f"eu->us is {state}: it copies nothing until that is changed" in remarks(mesh, "note")
