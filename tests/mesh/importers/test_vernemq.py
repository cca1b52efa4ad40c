"""VerneMQ's bridges. Facts are those of apps/vmq_bridge and of vmq_reg.erl, at the places that tests name."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import MeshError
from angarium.mesh.files.find import form_of
from angarium.mesh.importers import vernemq
from angarium.mesh.mesh import CARRIES, COPIES, DROPS, EFFECTS, Mesh
from tests.mesh.importers.samples import at_brokers, copies, sample, written

LISTENS = "nodename = VerneMQ@{0}\nlistener.tcp.default = 0.0.0.0:1883\nallow_anonymous = on\n"


def bridged(folder: Path, *lines: str, on: bool = True) -> Mesh:
    """`a` with a bridge to `b`, of these topics and settings."""
    plugin = "plugins.vmq_bridge = on\n" if on else ""
    said = "\n".join(f"vmq_bridge.tcp.br0.{line}" for line in lines)
    text = f"{LISTENS.format('a')}{plugin}vmq_bridge.tcp.br0 = b:1883\n{said}\n"
    return vernemq.read(written(folder, a_conf=text, b_conf=LISTENS.format("b") + "distributed_cookie = x\n"))


def left_open(mesh: Mesh) -> set[frozenset[str]]:
    return {remark.effects for remark in mesh.remarks if remark.leaves_open}


def test_the_sample_carries_measurements_out_and_orders_in() -> None:
    mesh = vernemq.read(sample("vernemq"))

    assert copies(mesh, "plant", "measured/a/b") == {
        ("plant", "measured/a/b"): 1,
        ("centre", "plant/measured/a/b"): 1,
    }
    assert at_brokers(mesh, "centre", "orders/a") == {"centre": 1, "plant": 1}
    assert left_open(mesh) == set()
    assert {form_of(path) for path in sample("vernemq")} == {"vernemq"}


def test_a_prefix_is_whole_words(tmp_path: Path) -> None:
    """vmq_bridge.erl, add_prefix: the words of the prefix before those of the topic."""
    mesh = bridged(tmp_path, "topic.1 = t/* in 0 here there")

    assert copies(mesh, "b", "there/t/x") == {("b", "there/t/x"): 1, ("a", "here/t/x"): 1}


def test_what_comes_in_goes_out_again_once_if_a_line_goes_both_ways(tmp_path: Path) -> None:
    """vmq_reg.erl, direct_plugin_exports: the bridge's own subscription does not keep its messages back."""
    mesh = bridged(tmp_path, "topic.1 = t both")

    assert at_brokers(mesh, "a", "t") == {"a": 1, "b": 1}
    assert at_brokers(mesh, "b", "t") == {"b": 2, "a": 1}


def test_without_try_private_it_goes_round_for_ever(tmp_path: Path) -> None:
    assert None in at_brokers(bridged(tmp_path, "topic.1 = t both", "try_private = off"), "a", "t").values()


def test_a_mark_that_begins_a_comment_leaves_open_what_is_carried(tmp_path: Path) -> None:
    """vmq-docs, configuration/bridge.md: the parser takes # for a comment, * stands for it."""
    assert left_open(bridged(tmp_path, "topic.1 = t/# out")) == {EFFECTS}


def test_what_two_lines_take_is_not_counted(tmp_path: Path) -> None:
    mesh = bridged(tmp_path, "topic.1 = t/* out", "topic.2 = t/x out")

    assert left_open(mesh) == {frozenset((COPIES, DROPS))}


def test_a_bridge_whose_plugin_is_off_carries_nothing_as_far_as_we_know(tmp_path: Path) -> None:
    """vmq-docs, configuration/bridge.md: the plugin is not enabled by default."""
    mesh = bridged(tmp_path, "topic.1 = t out", on=False)

    assert mesh.links == ()
    assert left_open(mesh) == {frozenset((CARRIES,))}


@pytest.mark.parametrize(
    "line", ["unheard_of = 1", "plugins.mine = on", "max_message_size = 9", "listener.tcp.x.mountpoint = m"]
)
def test_other_settings_leave_something_open(tmp_path: Path, line: str) -> None:
    mesh = vernemq.read(written(tmp_path, a_conf=f"{LISTENS.format('a')}plugins.vmq_bridge = on\n{line}\n"))

    assert left_open(mesh)


@pytest.mark.parametrize("topic", ["t out 1 one", "t sideways", "t out 1 + x", "a/#/b/* out"])
def test_a_topic_that_is_none_is_refused(tmp_path: Path, topic: str) -> None:
    with pytest.raises(MeshError) as caught:
        bridged(tmp_path, f"topic.1 = {topic.replace('/#/', '/*/')}")

    assert caught.value.place is not None
