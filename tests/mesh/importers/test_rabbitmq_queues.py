"""RabbitMQ's queues, alternate exchanges and rights, read and followed."""

from __future__ import annotations

import cProfile
from collections.abc import Callable
from pathlib import Path

import pytest

from angarium.core.result import Verdict
from angarium.mesh.mesh import CARRIES, COPIES, DROPS, EFFECTS, Mesh
from angarium.mesh.verify.tracing import trace
from angarium.mesh.verify.verify import verify
from tests.mesh.importers.definitions import (
    Json,
    binding,
    cluster,
    exchange,
    parameter,
    policy,
    queue,
    read,
    shovel,
    upstream,
)
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
    (found,) = (each for each in verify(mesh).guarantees if each.guarantee == guarantee)
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
    paths = sharing(taking("s1", "one"))
    paths["exchanges"].append(exchange("y"))
    paths["bindings"] += [binding("x", "y", kind="exchange"), binding("y", "work")]

    assert in_queues(read(tmp_path, eu=paths), "eu", "k", "x") == {"work@eu": 1, "one@eu": 1}


def test_a_shovel_declares_the_queue_that_it_moves_to(tmp_path: Path) -> None:
    mesh = read(tmp_path, eu=sharing(taking("s1", "new")))

    assert in_queues(mesh, "eu", "k", "x") == {"work@eu": 1, "new@eu": 1}
    assert remarks(mesh, "dangling") == []


def test_a_shovel_within_a_cluster_is_no_hop_for_federation(tmp_path: Path) -> None:
    onward = shovel("s", src_uri="amqp://", src_queue="work", dest_uri="amqp://", dest_exchange="y")
    eu = sharing(onward)
    eu["exchanges"].append(exchange("y"))
    us = cluster(
        exchanges=[exchange("y")],
        queues=[queue("q")],
        bindings=[binding("y", "q")],
        parameters=[upstream("eu", max_hops=1)],
        policies=[policy("fed", "^y$", federation_upstream="eu")],
    )

    assert in_queues(read(tmp_path, eu=eu, us=us), "eu", "k", "x") == {"work@eu": 1, "q@us": 1}


def test_the_exchange_that_a_message_names_is_the_first_one(tmp_path: Path) -> None:
    keeping = shovel("s", src_uri="amqp://", src_exchange="y", src_exchange_key="#", dest_uri="amqp://us")
    handed_on = sharing(keeping)
    handed_on["exchanges"].append(exchange("y"))
    handed_on["bindings"].append(binding("x", "y", kind="exchange"))

    mesh = read(tmp_path, eu=handed_on)

    assert remarks(mesh, "not understood") == ["messages come to exchange y of eu over several exchanges"]


def moved(count: int) -> Json:
    """A cluster with so many shovels, each from an exchange's queue to a queue of its own."""
    numbers = range(count)
    return cluster(
        exchanges=[exchange(f"x{each}") for each in numbers],
        queues=[queue(f"{kind}{each}") for kind in "qd" for each in numbers],
        bindings=[binding(f"x{each}", f"q{each}") for each in numbers],
        parameters=[
            shovel(
                f"s{each}", src_uri="amqp://", src_queue=f"q{each}", dest_uri="amqp://", dest_queue=f"d{each}"
            )
            for each in numbers
        ],
    )


def calls(work: Callable[[], object]) -> int:
    """How many functions are called: a measure that no load changes."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def gathered(count: int) -> Json:
    """As many shovels, which all publish to one exchange, each under a key of its own."""
    found = moved(count)
    for number, each in enumerate(found["parameters"]):
        value = each["value"]
        value |= {"dest-exchange": "all", "dest-exchange-key": f"k{number}"}
        del value["dest-queue"]
    found["exchanges"].append(exchange("all"))
    found["queues"].append(queue("all"))
    found["bindings"].append(binding("all", "all"))
    return found


def named(count: int) -> Json:
    """As many shovels, from queues that are only reached by name."""
    return moved(count) | {"exchanges": [], "bindings": []}


@pytest.mark.parametrize("made", [moved, gathered, named])
def test_twice_the_shovels_within_a_cluster_are_twice_the_work(
    tmp_path: Path, made: Callable[[int], Json]
) -> None:
    few, many = (read(tmp_path, eu=made(count)) for count in (30, 60))

    work = calls(lambda: verify(many)) / calls(lambda: verify(few))

    assert work < 2.1


# --- alternate exchanges --------------------------------------------------------------------------------


def with_alternate(*more: Json, by_policy: bool = False) -> Json:
    """A cluster `eu` with exchange `x`, of which queue `paid` gets some, and `rest` what is left."""
    said = {} if by_policy else {"arguments": {"alternate-exchange": "other"}}
    return cluster(
        exchanges=[exchange("x", **said), exchange("other", "fanout")],
        queues=[queue("paid"), queue("rest")],
        bindings=[binding("x", "paid", "paid.#"), binding("other", "rest")],
        parameters=more,
        policies=[policy("rest", "^x$", alternate_exchange="other")] if by_policy else [],
    )


@pytest.mark.parametrize("by_policy", [False, True])
def test_an_alternate_exchange_gets_what_no_binding_takes(tmp_path: Path, by_policy: bool) -> None:
    mesh = read(tmp_path, eu=with_alternate(by_policy=by_policy))

    assert in_queues(mesh, "eu", "paid.one", "x") == {"paid@eu": 1}
    assert in_queues(mesh, "eu", "open.one", "x") == {"rest@eu": 1}
    assert remarks(mesh, "not understood") == []


def test_what_a_shovel_takes_from_an_exchange_is_not_left_for_its_alternate(tmp_path: Path) -> None:
    open_ones = shovel(
        "s",
        src_uri="amqp://",
        src_exchange="x",
        src_exchange_key="open.#",
        dest_uri="amqp://",
        dest_queue="paid",
    )

    mesh = read(tmp_path, eu=with_alternate(open_ones))

    assert in_queues(mesh, "eu", "open.one", "x") == {"paid@eu": 1}
    assert in_queues(mesh, "eu", "other.one", "x") == {"rest@eu": 1}


def test_what_is_left_by_a_shovel_that_may_not_publish_is_not_known(tmp_path: Path) -> None:
    """Found by random configurations: it binds its queue, takes a message, is refused, and comes again."""
    refused = shovel("s", src_uri="amqp://", src_exchange="x", dest_uri="amqp://u:u@us", dest_exchange="y")
    rights = {"user": "u", "vhost": "/", "configure": ".*", "write": "^$", "read": ".*"}
    us = cluster("us", exchanges=[exchange("y")], users=[{"name": "u"}], permissions=[rights])

    mesh = read(tmp_path, eu=with_alternate(refused), us=us)

    (left,) = (remark for remark in mesh.remarks if remark.kind == "not understood")
    assert left.what.endswith("what is left for it depends on shovel s of eu")
    assert left.effects == {CARRIES, COPIES}


def test_what_is_left_by_who_pulls_from_afar_is_not_known(tmp_path: Path) -> None:
    us = cluster(
        exchanges=[exchange("x")],
        parameters=[upstream("eu")],
        policies=[policy("fed", "^x$", federation_upstream="eu")],
    )

    mesh = read(tmp_path, eu=with_alternate(), us=us)

    (left,) = (remark for remark in mesh.remarks if remark.kind == "not understood")
    assert left.what.startswith("alternate-exchange other of x of eu: what is left for it depends on ")
    assert left.effects == {"carries", "copies"}


@pytest.mark.parametrize(
    ("pattern", "told"),
    [(".", True), ("^fed", True), ("^federation: x -> us A$", True), ("^x$", False), ("^news", False)],
)
def test_an_alternate_of_internal_exchanges_gets_what_they_keep_back(
    tmp_path: Path, pattern: str, told: bool
) -> None:
    own = [queue("other"), queue("in")], [binding("other", "other", ""), binding("x", "in", "#")]
    eu = cluster(
        "eu",
        exchanges=[exchange("x"), exchange("other", "fanout")],
        queues=own[0],
        bindings=own[1],
        policies=[policy("rest", pattern, alternate_exchange="other")],
    )
    pulls = [policy("pull", "^x$", federation_upstream_set="all")]
    us = cluster("us", exchanges=[exchange("x")], parameters=[upstream("eu")], policies=pulls)
    mesh = read(tmp_path, eu=eu, us=us)

    left = [each for each in mesh.remarks if "fits exchanges that federation declares" in each.what]
    assert [each.effects for each in left] == [{CARRIES, COPIES}] * told


def test_policies_of_internal_queues_are_told(tmp_path: Path) -> None:
    limits = policy("short", "^federation: ", apply_to="queues", max_length=9)
    eu = cluster("eu", exchanges=[exchange("x")], policies=[limits])
    pulls = [policy("pull", "^x$", federation_upstream_set="all")]
    us = cluster("us", exchanges=[exchange("x")], parameters=[upstream("eu")], policies=pulls)
    mesh = read(tmp_path, eu=eu, us=us)

    (left,) = [each for each in mesh.remarks if each.effects]
    assert left.what == "max-length of policy short of eu"
    assert left.effects == {DROPS}


def test_what_only_an_alternate_wants_is_not_pulled(tmp_path: Path) -> None:
    pulls = with_alternate(upstream("us"))
    pulls["policies"].append(policy("fed", "^x$", federation_upstream="us"))

    mesh = read(tmp_path, eu=pulls, us=cluster(exchanges=[exchange("x")]))

    (left,) = (remark for remark in mesh.remarks if remark.kind == "not understood")
    assert left.what.endswith("has an alternate: what only that would get is not pulled")
    assert left.effects == {"drops"}


# --- rights ---------------------------------------------------------------------------------------------


def guarded(configure: str = ".*", write: str = ".*", read_: str = ".*", user: str = "link") -> Json:
    """A cluster `us` with exchange `x` and queue `q`, where user `link` may do that."""
    rights = {"user": user, "vhost": "/", "configure": configure, "write": write, "read": read_}
    return cluster(
        exchanges=[exchange("x")],
        queues=[queue("q")],
        bindings=[binding("x", "q")],
        users=[{"name": "link"}],
        permissions=[rights],
    )


def pulling(user: str = "link") -> Json:
    return cluster(
        exchanges=[exchange("x")],
        queues=[queue("q")],
        bindings=[binding("x", "q")],
        parameters=[upstream("us", f"amqp://{user}:secret@us")],
        policies=[policy("fed", "^x$", federation_upstream="us")],
    )


@pytest.mark.parametrize(
    ("rights", "lacks"),
    [
        ({}, ""),
        ({"configure": "^federation:", "write": "^federation:", "read_": "^(federation:|x$)"}, ""),
        ({"configure": ""}, "configure federation: x -> eu"),
        ({"read_": "^federation:"}, "read x"),
        ({"user": "another"}, "use virtual host /"),
    ],
)
def test_a_link_stays_down_whose_user_may_not_do_what_it_needs(
    tmp_path: Path, rights: dict[str, str], lacks: str
) -> None:
    mesh = read(tmp_path, eu=pulling(), us=guarded(**rights))

    assert ("q@eu" in in_queues(mesh, "us", "k", "x")) == (not lacks)
    said = [f"upstream us of eu enters us as link, who may not {lacks}"] if lacks else []
    assert [what for what in remarks(mesh, "dangling") if "may not" in what] == said


def test_a_user_of_whom_nothing_is_known_may_be_refused(tmp_path: Path) -> None:
    mesh = read(tmp_path, eu=pulling("stranger"), us=guarded())

    (left,) = (remark for remark in mesh.remarks if remark.kind == "not understood")
    assert left.what == "upstream us of eu enters us as stranger, who is not among its users"
    assert left.effects == {"drops"}


def test_a_shovel_needs_a_right_at_each_end(tmp_path: Path) -> None:
    moved = shovel("s", src_uri="amqp://", src_queue="q", dest_uri="amqp://link:p@us", dest_exchange="x")
    eu = cluster(queues=[queue("q")], parameters=[moved])

    assert any(link.kind == "shovel" for link in read(tmp_path, eu=eu, us=guarded(write="^x$")).links)
    kept = read(tmp_path, eu=eu, us=guarded(write="^y$"))
    assert not any(link.kind == "shovel" for link in kept.links)
    assert "shovel s of eu enters us as link, who may not write x" in remarks(kept, "dangling")


@pytest.mark.parametrize(("write", "comes_up"), [("y", True), ("^amq\\.gen", True), ("^x", False)])
def test_a_right_on_some_names_that_rabbitmq_makes_up_lets_a_shovel_in_sooner_or_later(
    tmp_path: Path, write: str, comes_up: bool
) -> None:
    moved = shovel("s", src_uri="amqp://link:p@us", src_exchange="x", dest_uri="amqp://", dest_queue="q")
    mesh = read(tmp_path, eu=cluster(queues=[queue("q")], parameters=[moved]), us=guarded(write=write))

    assert any(link.kind == "shovel" for link in mesh.links) == comes_up
    told = "shovel s of eu enters us as link, who may write only some of the names that RabbitMQ makes up"
    assert effects(mesh) == ({f"{told} for its queue (y)": {"drops"}} if write == "y" else {})


# --- what settings may do -------------------------------------------------------------------------------


def effects(mesh: Mesh) -> dict[str, set[str]]:
    return {each.what: set(each.effects) for each in mesh.remarks if each.kind == "not understood"}


def test_what_is_not_modelled_says_what_it_may_do(tmp_path: Path) -> None:
    mesh = read(
        tmp_path,
        eu=cluster(
            exchanges=[exchange("h", "headers")],
            queues=[
                queue("a", arguments={"x-max-length": 3, "x-queue-mode": "lazy"}),
                queue("b", arguments={"x-dead-letter-exchange": "h"}),
            ],
            bindings=[binding("h", "a")],
            parameters=[
                parameter("operator_policy", "op", {"pattern": "a", "definition": {"expires": 9}}),
                parameter("operator_policy", "none", {"pattern": "z", "definition": {"expires": 9}}),
            ],
            policies=[policy("p", "b", apply_to="queues", ha_mode="all", strange=1)],
        ),
    )

    typed = "exchange h of eu is of type headers: each of its bindings is taken to let everything through"
    assert effects(mesh) == {
        typed: {"drops"},
        "x-max-length of queue a of eu": {"drops"},
        "expires of operator policy op of eu": {"drops"},
        "strange of policy p of eu": set(EFFECTS),
    }


@pytest.mark.parametrize(
    ("arguments", "said", "kind"),
    [
        ({}, {}, "assumed"),
        ({"x-max-length": 5}, {}, "not understood"),
        ({}, {"policies": [policy("p", "b", apply_to="queues", message_ttl=9)]}, "not understood"),
        ({}, {"policies": [policy("p", "z", apply_to="queues", message_ttl=9)]}, "assumed"),
        (
            {},
            {
                "parameters": [
                    parameter("operator_policy", "o", {"pattern": "b", "definition": {"expires": 9}})
                ]
            },
            "not understood",
        ),
    ],
)
def test_a_queue_without_limits_sends_no_dead_letters_by_itself(
    tmp_path: Path, arguments: Json, said: Json, kind: str
) -> None:
    given = queue("b", arguments={"x-dead-letter-exchange": "h", **arguments})
    mesh = read(tmp_path, eu=cluster(exchanges=[exchange("h")], queues=[given], **said))

    told = [each.kind for each in mesh.remarks if "x-dead-letter-exchange of queue b of eu" in each.what]
    assert told == [kind]


def test_a_policy_of_dead_letters_is_harmless_where_nothing_is_dropped(tmp_path: Path) -> None:
    letters = policy("p", "^b", apply_to="queues", dead_letter_exchange="h")
    for arguments, kind in (({}, "assumed"), ({"x-message-ttl": 1}, "not understood")):
        queues = [queue("b1"), queue("b2", arguments=arguments)]
        mesh = read(tmp_path, eu=cluster(exchanges=[exchange("h")], queues=queues, policies=[letters]))

        told = [each.kind for each in mesh.remarks if "dead-letter-exchange of policy p" in each.what]
        assert told == [kind]


@pytest.mark.parametrize(
    ("write", "sources", "told", "carried"),
    [
        (".*", ["x"], "", True),
        ("y", ["x"], "takes from queue q what it cannot publish, and gives it back", False),
        ("y", ["x", "y"], "cannot publish to x what has come by it, and gives it back", True),
        (".*", ["gone"], "takes from queue q what it cannot publish, and gives it back", False),
    ],
)
def test_a_shovel_that_keeps_exchanges_may_not_publish_to_all_of_them(
    tmp_path: Path, write: str, sources: list[str], told: str, carried: bool
) -> None:
    """Found by random configurations: messages come back to the queue, and wait."""
    own = shovel("s", src_uri="amqp://", src_queue="q", dest_uri="amqp://u:u@us")
    eu = cluster(
        "eu",
        exchanges=[exchange(each) for each in sources],
        queues=[queue("q")],
        bindings=[binding(each, "q") for each in sources],
        parameters=[own],
    )
    rights = {"user": "u", "vhost": "/", "configure": ".*", "write": write, "read": ".*"}
    us = cluster("us", exchanges=[exchange("x"), exchange("y")], users=[{"name": "u"}], permissions=[rights])

    mesh = read(tmp_path, eu=eu, us=us)

    open_ = [each for each in mesh.remarks if each.effects]
    assert [told in each.what and each.effects == {DROPS} for each in open_] == [True] * bool(told)
    assert any(link.target == "us" for link in mesh.links) is carried


def test_a_shovel_that_may_not_read_declares_its_target_all_the_same(tmp_path: Path) -> None:
    """Found by random configurations: so another one starts that may not declare the queue itself."""
    ends = {"src_queue": "q", "dest_queue": "new"}
    may = {"user": "link", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}
    eu = cluster(
        "eu",
        exchanges=[exchange("x")],
        queues=[queue("q")],
        bindings=[binding("x", "q")],
        users=[{"name": "blind"}],
        permissions=[may | {"user": "blind", "read": "^$"}],
        parameters=[
            shovel("blind", src_uri="amqp://blind:b@eu", dest_uri="amqp://link:l@us", **ends),
            shovel("other", src_uri="amqp://", dest_uri="amqp://poor:p@us", **ends),
        ],
    )
    us = cluster(
        "us",
        users=[{"name": "link"}, {"name": "poor"}],
        permissions=[may, may | {"user": "poor", "configure": "^$"}],
    )

    mesh = read(tmp_path, eu=eu, us=us)

    assert [link.name for link in mesh.links if link.kind == "shovel"] == ["eu->us (shovel other)"]
