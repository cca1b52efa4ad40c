"""One node, step by step."""

from __future__ import annotations

import pytest

from angarium.core.errors import MeshError, UsageError
from angarium.mesh.protocol.interface import Event, State, Timing
from angarium.mesh.protocol.link_state import FAR, Stamp, Statement
from angarium.mesh.protocol.messages import (
    Acknowledgement,
    Answer,
    Heartbeat,
    Letter,
    LinkTest,
    Message,
    Notification,
)
from angarium.mesh.protocol.node import Action, Changed, Node, Send, Switched
from tests.mesh.protocol.meshes import SQUARE, TIMING, colouring

H = TIMING.heartbeat


def node() -> Node:
    """Broker 1 of the square, which has met both its neighbours, 2 and 4."""
    found = Node("1", colouring(SQUARE), TIMING)
    for neighbour in ("2", "4"):
        hear(found, neighbour, beat(found))
        hear(found, neighbour, Acknowledgement((Stamp("1", 1, 0),)))
    return found


def beat(found: Node) -> Heartbeat:
    """Of somebody who holds the same."""
    return Heartbeat(found.database.fingerprint)


def hear(found: Node, neighbour: str, message: Message, *, now: float = 0.0, life: int = 7) -> list[Action]:
    return found.heard(now, Letter(neighbour, life, message))


def sent(actions: list[Action], to: str) -> list[Message]:
    return [each.letter.message for each in actions if isinstance(each, Send) and each.to == to]


def silent(found: Node) -> list[Action]:
    """Let 2 fall silent, but not 4."""
    hear(found, "4", beat(found), now=4 * H)
    return found.passed(4 * H)


def test_every_heartbeat_interval_every_neighbour_gets_a_heartbeat() -> None:
    found = node()

    assert sent(found.passed(0.0), "2") == [beat(found)]
    assert found.wakes == H
    assert found.passed(0.9 * H) == []
    assert sent(found.passed(H), "4") == [beat(found)]


def test_heartbeats_that_were_missed_are_not_made_up_for() -> None:
    found = node()
    for neighbour in ("2", "4"):
        hear(found, neighbour, beat(found), now=10 * H)

    assert sent(found.passed(10.5 * H), "2") == [beat(found)]
    assert found.wakes == pytest.approx(11 * H)


def test_a_silent_neighbour_is_told_of_to_the_others_and_the_colour_switched() -> None:
    found = node()

    actions = silent(found)

    statement = Statement(Stamp("1", 1, 1), frozenset("2"))
    assert actions[0] == Changed("2", State.NORMAL, State.FAILURE, Event.SILENT)
    assert sent(actions, "4")[0] == Notification((statement,))
    assert Notification((statement,)) not in sent(actions, "2")
    assert actions[-1] == Switched(found.view)
    assert found.view.colour == 2


def test_a_failed_interface_is_tested_and_healed_by_three_answers() -> None:
    found = node()
    tests = sent(silent(found), "2")
    for at in (5, 6):
        hear(found, "4", beat(found), now=at * H)
        tests += sent(found.passed(at * H), "2")
    assert tests == [LinkTest(0), LinkTest(1), LinkTest(2)]

    answers = [hear(found, "2", Answer(number), now=6.1 * H) for number in range(3)]

    assert answers[:2] == [[], []]
    assert Changed("2", State.FAILURE, State.WAITING, Event.TESTED) in answers[2]
    assert found.view.colour == 1
    assert sent(answers[2], "2") == [Notification((Statement(Stamp("1", 1, 2)),))]


def test_a_test_is_answered_in_every_state() -> None:
    found = node()

    assert sent(hear(found, "2", LinkTest(5)), "2") == [Answer(5)]
    silent(found)
    assert sent(hear(found, "2", LinkTest(6)), "2") == [Answer(6)]


def test_news_are_acknowledged_and_handed_on_once_but_not_back() -> None:
    found, news = node(), Statement(Stamp("3", 1, 1), frozenset("2"))

    first = hear(found, "2", Notification((news,)))
    again = hear(found, "2", Notification((news,)))

    assert sent(first, "2") == [Acknowledgement((news.stamp,))]
    assert sent(first, "4") == [Notification((news,))]
    assert sent(again, "2") == [Acknowledgement((news.stamp,))]
    assert sent(again, "4") == []


def test_a_neighbour_that_has_restarted_is_told_everything() -> None:
    found, news = node(), Statement(Stamp("3", 1, 1), frozenset("2"))
    hear(found, "4", Notification((news,)))

    told = sent(hear(found, "2", beat(found), life=8), "2")

    assert told == [Notification((found.own, news))]


def test_what_others_believe_of_it_wrongly_is_put_right() -> None:
    found, rumour = node(), Statement(Stamp("1", 99, 5), frozenset("4"))

    told = sent(hear(found, "2", Notification((rumour,))), "2")

    assert told == [Acknowledgement((rumour.stamp,)), Notification((Statement(Stamp("1", 99, 6)),))]
    assert found.view.colour == 1


def differing(found: Node, times: int, *, now: float = 0.0) -> list[Message]:
    """What 2 is told after so many heartbeats in a row by which it holds something else."""
    actions = [hear(found, "2", Heartbeat(found.database.fingerprint ^ 1), now=now) for _ in range(times)]
    return sent([action for each in actions for action in each], "2")


def test_a_neighbour_that_goes_on_to_hold_something_else_is_told_everything() -> None:
    found = node()

    assert differing(found, 2) == []
    assert differing(found, 1) == [Notification((found.own,))]
    assert found.interfaces["2"].state is State.WAITING


def test_a_heartbeat_that_agrees_begins_the_count_anew_and_so_does_what_is_owed() -> None:
    found = node()

    differing(found, 2)
    hear(found, "2", beat(found))
    assert differing(found, 2) == []

    hear(found, "4", Notification((Statement(Stamp("3", 1, 1)),)))
    assert differing(found, 9)[1:] == []


@pytest.mark.parametrize("origin", ["1", "3"])
def test_a_life_far_ahead_of_the_clock_is_not_believed_and_not_answered(origin: str) -> None:
    found, now = node(), 3600.0
    latest = 1 + 3_600_000 + FAR

    forged = Notification((Statement(Stamp(origin, latest + 1, 0), frozenset("24")),))
    told = hear(found, "2", forged, now=now)

    assert sent(told, "2") == [Acknowledgement(())]
    assert found.database.statements == {"1": Statement(Stamp("1", 1, 0))}
    assert found.ignored.total() == 1

    told = hear(found, "2", Notification((Statement(Stamp(origin, latest, 0), frozenset("24")),)), now=now)

    assert found.database.statements[origin].stamp.life == latest
    assert sent(told, "4") != []


def test_strangers_are_not_listened_to() -> None:
    found = node()

    assert found.heard(0.0, Letter("3", 1, LinkTest(1))) == []
    assert found.ignored["not from a neighbour"] == 1


def test_there_is_no_node_of_a_broker_that_is_not_there() -> None:
    with pytest.raises(MeshError, match="no broker is called '9'"):
        Node("9", colouring(SQUARE), TIMING)


@pytest.mark.parametrize("heartbeat", [0.0, -1.0, float("nan"), float("inf"), 0.0005])
def test_there_is_no_heartbeat_of_such_a_length(heartbeat: float) -> None:
    with pytest.raises(UsageError, match="a heartbeat every"):
        Timing(heartbeat)
