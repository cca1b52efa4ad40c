"""A loss that breaks several guarantees is one story."""

from __future__ import annotations

from angarium.app.report.mesh_text import render
from angarium.core.records import write
from angarium.mesh.mesh import Mesh, Pattern, Publisher, Subscriber
from angarium.mesh.results import result_of
from angarium.mesh.verify.budget import Budget, read_budget
from angarium.mesh.verify.verify import verify
from tests.mesh.delivery.meshes import link, mesh_of

T = (Pattern("t", "mqtt"),)
LOST = "a to d is lost: it ends at c: hop limit, a > b > c."


def chain(budget: str = "none") -> tuple[Mesh, Budget]:
    """A message makes one hop too few."""
    links = [link(one, two, hop_limit=2) for one, two in ("ab", "bc", "cd")]
    mesh = mesh_of(links)
    clients = (Publisher("p", "a", T),), (Subscriber("s", "d", T),)
    return Mesh("m", mesh.brokers, mesh.links, *clients), read_budget(budget)


def test_one_loss_is_told_under_its_first_guarantee_and_the_others_point_there() -> None:
    text = render(result_of(verify(*chain()), "one"))

    assert text.count("is lost") == 1
    assert LOST in text
    assert "no-black-hole violated: " in text and "hop-limit violated: " in text
    assert text.count("1 demand lost: told under reachability.") == 2


def test_a_guarantee_that_is_asked_alone_tells_its_own_story() -> None:
    text = render(result_of(verify(*chain(), only=("hop-limit",)), "one"))

    assert "a to d is lost: it ends at c: hop limit; 3 is the smallest that suffices," in text
    assert "told under" not in text


def test_what_is_lost_already_is_not_told_again_for_a_failure() -> None:
    text = render(result_of(verify(*chain("one")), "one"))

    assert text.count("t (p to s)") == 1


def test_the_record_has_each_loss_under_every_guarantee() -> None:
    verdicts = write(result_of(verify(*chain()), "none"))["verdicts"]
    found = {each["guarantee"]: len(each["findings"]) for each in verdicts}

    assert found["reachability"] == found["no-black-hole"] == found["hop-limit"] == 1
