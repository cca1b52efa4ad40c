"""Recovery tables with their verdicts: nobody may rely on what is broken or was not looked at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.core.control import Control, Cut, CutBy
from angarium.core.errors import MeshError
from angarium.core.result import Verdict
from angarium.mesh.mesh import FORWARD, Routing
from angarium.mesh.recovery.recovered import LOOP_FREE, REACHED, SHORTEST, Recovered, Request, recover
from angarium.mesh.routing.walk import DROPS, LOOPS
from angarium.mesh.verify.budget import ONE, read_budget
from tests.mesh.recovery.files.sample import RING
from tests.mesh.walks import SIX, net

ASKED = Request(RING, read_budget("one,risks"))


def with_overrides(*words: str) -> Recovered:
    return recover(replace(ASKED, overrides=words))


def test_calculated_tables_hold() -> None:
    found = recover(ASKED)

    assert found.verdicts == dict.fromkeys((REACHED, LOOP_FREE, SHORTEST), Verdict.HOLDS)
    assert found.holds
    assert not found.unprotected


def test_an_override_that_leads_in_a_circle_is_found_with_its_way() -> None:
    found = with_overrides("b1->b3=b5@1")

    (broken,) = found.broken(LOOP_FREE)
    assert found.verdicts == {REACHED: Verdict.HOLDS, LOOP_FREE: Verdict.VIOLATED}
    assert (broken.pair, broken.walk.brokers, broken.walk.end) == (("b1", "b3"), ("b1", "b5", "b1"), LOOPS)
    assert [each.next for each in found.followed(broken)] == ["b5"]


def test_an_override_that_leads_into_a_dead_link_is_found_with_its_way() -> None:
    found = with_overrides("b1->b3=b2@2")

    (broken,) = found.broken(REACHED)
    assert str(broken.checked.failures) == "link b1-b2"
    assert (broken.walk.end, broken.walk.reason) == (DROPS, "b1-b2 is dead")
    assert not found.holds


def test_an_override_that_only_makes_a_way_longer_breaks_nothing() -> None:
    found = with_overrides("b2->b4=b1")

    assert found.holds
    assert found.verification.longer


def test_without_an_override_a_way_that_is_longer_is_a_mistake_of_ours() -> None:
    longer = with_overrides("b2->b4=b1")

    found = replace(longer, overrides=())

    assert found.verdicts[SHORTEST] is Verdict.VIOLATED
    assert next(found.broken(SHORTEST)).pair == ("b2", "b4")


def test_what_was_cut_short_is_unknown() -> None:
    found = recover(ASKED, Control(1e-9))

    assert found.cut
    assert set(found.verdicts.values()) == {Verdict.UNKNOWN}
    assert not found.holds


def test_the_limit_that_is_told_is_the_one_that_was_given() -> None:
    assert str(recover(ASKED, Control(1e-9)).cut) == "time limit of 1e-09 s"


class Stopped(Control):
    """Says to stop when it was asked so often."""

    request = 0
    patience = 0

    def is_over(self) -> bool:
        self.request += 1
        self.cut = Cut(CutBy.TIME, "enough") if self.request > self.patience else None
        return self.cut is not None


def stopped_after(patience: int, **more: object) -> Recovered:
    control = Stopped()
    control.patience = patience
    return recover(replace(ASKED, **more), control)  # type: ignore[arg-type]


def test_wherever_it_is_stopped_it_says_no_more_than_it_knows() -> None:
    words = ("b1->b3=b5@12", "b1->b4=b3@3")
    whole = recover(replace(ASKED, overrides=words)).verification.pairs

    stopped = [stopped_after(patience, overrides=words) for patience in range(0, 40, 3)]

    assert sum(each.cut is not None for each in stopped) > 5
    for each in stopped:
        assert Verdict.HOLDS not in each.verdicts.values() or each.verification.pairs == whole
        assert all(one.colour in each.recovery.colours for one in each.overrides)


def test_what_no_table_can_recover_breaks_no_table() -> None:
    found = recover(Request(net(6, SIX), ONE))

    assert found.holds
    assert len(found.unprotected.cuts) == 7


def test_a_mesh_that_forwards_has_recovery_tables_too() -> None:
    forwards = replace(RING, routing=Routing(FORWARD))

    assert (recover(replace(ASKED, mesh=forwards)).recovery.healthy == recover(ASKED).recovery.healthy).all()


def test_overrides_are_part_of_the_fingerprint() -> None:
    assert recover(ASKED).fingerprint != with_overrides("b2->b4=b1").fingerprint


def test_more_failures_than_there_is_room_for_are_refused_at_once() -> None:
    many = net(80, [(one, one % 80 + 1) for one in range(1, 81)])

    with pytest.raises(MeshError, match="sets of failures") as caught:
        recover(Request(many, read_budget("links=9")))

    assert caught.value.code == "ANG125"
