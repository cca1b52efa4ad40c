"""RabbitMQ's queues that several take from, read and followed."""

from __future__ import annotations

from pathlib import Path

from angarium.mesh.mesh import Mesh
from angarium.mesh.verify.tracing import trace
from angarium.mesh.verify.verify import verify
from angarium.verdict import Verdict
from tests.mesh.importers.definitions import Json, binding, cluster, exchange, queue, read, shovel
from tests.mesh.importers.predict import in_queues
from tests.mesh.importers.samples import remarks


def sharing(*shovels: Json, **more: object) -> Json:
    """A cluster `eu` whose queue `work`, bound to `x`, several take from."""
    queues = [queue("work", **more), queue("one"), queue("two")]
    return cluster(
        exchanges=[exchange("x")], queues=queues, bindings=[binding("x", "work")], parameters=shovels
    )


def taking(name: str, target: str) -> Json:
    return shovel(name, src_uri="amqp://", src_queue="work", dest_uri="amqp://", dest_queue=target)


def unsure(mesh: Mesh) -> list[str]:
    """Queues that need not get a message of `x`."""
    received = trace(mesh, "eu", "k", "x").received
    return [each.subscriber.name for each in received if each.rival]


def verdict(mesh: Mesh, guarantee: str) -> Verdict:
    (found,) = (each for each in verify(mesh).judgements if each.guarantee == guarantee)
    return max(found.verdicts.values(), key=lambda each: each is Verdict.VIOLATED)


def test_two_shovels_of_one_queue_share_its_messages(tmp_path: Path) -> None:
    mesh = read(tmp_path, eu=sharing(taking("s1", "one"), taking("s2", "two")))

    assert in_queues(mesh, "eu", "k", "x") == {"work@eu": 1, "one@eu": 1, "two@eu": 1}
    assert unsure(mesh) == ["one@eu", "two@eu"]
    assert verdict(mesh, "reachability") is Verdict.VIOLATED


def test_two_shovels_from_one_queue_to_another_are_one_way_each_message(tmp_path: Path) -> None:
    mesh = read(tmp_path, eu=sharing(taking("s1", "one"), taking("s2", "one")))

    assert in_queues(mesh, "eu", "k", "x") == {"work@eu": 1, "one@eu": 1}
    assert unsure(mesh) == []
    assert verdict(mesh, "no-duplicates") is Verdict.HOLDS


def test_consumers_of_a_stream_each_get_everything(tmp_path: Path) -> None:
    stream = {"arguments": {"x-queue-type": "stream"}}

    mesh = read(tmp_path, eu=sharing(taking("s1", "one"), taking("s2", "two"), **stream))

    assert unsure(mesh) == []


def test_a_shovel_to_an_exchange_that_is_not_there_takes_nothing(tmp_path: Path) -> None:
    broken = shovel("s2", src_uri="amqp://", src_queue="work", dest_uri="amqp://", dest_exchange="gone")

    mesh = read(tmp_path, eu=sharing(taking("s1", "one"), broken))

    assert unsure(mesh) == []
    assert any("names exchange gone" in what for what in remarks(mesh, "dangling"))


def test_a_message_comes_to_a_shovel_once_however_many_ways_lead_to_its_queue(tmp_path: Path) -> None:
    ways = sharing(taking("s1", "one"))
    ways["exchanges"].append(exchange("y"))
    ways["bindings"] += [binding("x", "y", kind="exchange"), binding("y", "work")]

    assert in_queues(read(tmp_path, eu=ways), "eu", "k", "x") == {"work@eu": 1, "one@eu": 1}


def test_a_shovel_declares_the_queue_that_it_moves_to(tmp_path: Path) -> None:
    mesh = read(tmp_path, eu=sharing(taking("s1", "new")))

    assert in_queues(mesh, "eu", "k", "x") == {"work@eu": 1, "new@eu": 1}
    assert remarks(mesh, "dangling") == []
