"""Stepping through a system: states, possible steps, paths, random runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import angarium
from angarium.app.web.files import Folder
from angarium.app.web.stepping import LONGEST, Stepper, view, wander
from angarium.app.web.subjects import described, every, located
from angarium.checker.explore.interpret import hits
from angarium.core.errors import AddressError, WebError
from angarium.systems.registry import load, systems

MODEL = "examples/at_least_once.py"


@pytest.fixture
def stepper() -> Stepper:
    return Stepper(MODEL, load(MODEL))


def values(shown: dict[str, object]) -> dict[str, str]:
    state = shown["state"]
    assert isinstance(state, list)
    return {place["where"]: place["value"] for place in state}


def test_the_first_state_has_everything_and_nothing_changed(stepper: Stepper) -> None:
    shown = view(stepper, [0])

    assert values(shown) == {
        "lost": "1",
        "link": "[]",
        "acks": "[]",
        "delivered[m1]": "0",
        "delivered[m2]": "0",
        "producer.pc": "line 41: send link",
        "producer.message": "m1",
        "consumer.pc": "line 51: receive link",
        "consumer.message": "None",
    }
    assert {place["was"] for place in shown["state"]} == {None}
    assert (shown["run"], shown["diagram"], shown["starts"]) == ([], "", 1)


def test_a_step_says_who_does_what_and_what_it_would_change(stepper: Stepper) -> None:
    (step,) = view(stepper, [0])["steps"]

    assert step["says"] == "producer sends m1 to link"
    assert (step["who"], step["call"], step["fault"], step["then"]) == (
        "producer",
        "producer_send_link()",
        False,
        "",
    )
    assert step["changes"] == [{"where": "link", "before": "[]", "after": "[m1]"}]


def test_what_a_step_would_change_is_what_it_changes(stepper: Stepper) -> None:
    path = [0]
    for _ in range(6):
        shown = view(stepper, path)
        step = shown["steps"][-1]
        path.append(step["choice"])
        after = values(view(stepper, path))
        told = {each["where"]: each["after"] for each in step["changes"]}
        assert {where: after[where] for where in told if where in after} == {
            where: value for where, value in told.items() if where in after
        }


def test_changed_places_remember_what_they_were(stepper: Stepper) -> None:
    was = {place["where"]: place["was"] for place in view(stepper, [0, 0])["state"]}

    assert was["link"] == "[]"
    assert was["acks"] is None


def test_a_fault_is_called_one(stepper: Stepper) -> None:
    steps = view(stepper, [0, 0])["steps"]

    assert [step["says"] for step in steps if step["fault"]] == ["link loses m1"]


def test_what_a_step_would_break_is_foretold_and_then_so(stepper: Stepper) -> None:
    before = view(stepper, [0, 0, 0, 0, 0, 0])
    breaking = {step["choice"]: step["then"] for step in before["steps"] if step["then"]}
    after = view(stepper, [0, 0, 0, 0, 0, 0, 1])

    assert before["decided"] == {"broken": [], "reached": [], "says": ""}
    assert list(breaking) == [1]
    assert after["decided"]["broken"] == ["no-duplicates"]
    assert after["decided"]["says"] == breaking[1]
    assert not any(step["then"] for step in after["steps"] if step["fault"]), "it is broken already"


def test_the_address_of_a_run_can_be_replayed(stepper: Stepper) -> None:
    shown = view(stepper, [0, 0, 0, 1])

    story = angarium.replay(shown["address"])
    assert [step.choice for step in story.steps] == shown["path"][1:]


def test_the_run_is_drawn_and_told(stepper: Stepper) -> None:
    shown = view(stepper, [0, 0, 0])

    assert shown["diagram"].startswith("<svg")
    assert [step["says"] for step in shown["run"]] == [
        "producer sends m1 to link",
        "consumer receives m1 from link",
    ]


@pytest.mark.parametrize("path", [[1], [0, 1], [0, 0, 99]])
def test_a_path_that_leads_nowhere_is_said(stepper: Stepper, path: list[int]) -> None:
    with pytest.raises(AddressError, match="is number"):
        view(stepper, path)


def test_a_run_that_is_too_long_is_refused(stepper: Stepper) -> None:
    with pytest.raises(WebError, match="too long"):
        view(stepper, [0] * (LONGEST + 2))


def test_a_random_run_is_the_same_for_the_same_seed(stepper: Stepper) -> None:
    walks = {seed: wander(stepper, [0], 40, seed) for seed in range(20)}

    assert wander(stepper, [0], 40, 7) == walks[7]
    assert len({tuple(walk) for walk in walks.values()}) > 5


def test_a_random_run_goes_on_from_where_it_is_and_ends_where_something_breaks(stepper: Stepper) -> None:
    for seed in range(20):
        walked = wander(stepper, [0, 0, 0], 60, seed)
        states = stepper.run(walked).states
        broken = [bool(hits(stepper.system, cells)) for cells in states]
        assert walked[:3] == [0, 0, 0]
        assert not any(broken[:-1])
        assert broken[-1] or len(walked) == 63 or not view(stepper, walked)["steps"]


def test_a_random_run_is_never_longer_than_can_be_shown() -> None:
    endless = Stepper("queue", load("queue"))

    walked = wander(endless, [0], 10 * LONGEST, 1)

    assert len(walked) == LONGEST + 1
    assert len(view(endless, walked)["run"]) == LONGEST


@pytest.mark.parametrize("name", systems())
def test_every_bundled_system_can_be_walked_through(name: str) -> None:
    stepper = Stepper(name, load(name))

    shown = view(stepper, wander(stepper, [0], 12, 3))

    assert shown["state"] and shown["run"]
    assert [step["choice"] for step in shown["steps"]] == list(range(len(shown["steps"])))


def test_what_takes_too_long_is_refused(stepper: Stepper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.app.web.stepping.SECONDS", 0.0)

    with pytest.raises(WebError, match="takes longer than 0 s"):
        view(stepper, [0, 0])
    with pytest.raises(WebError, match="takes longer than 0 s"):
        wander(stepper, [0], 5, 1)


def test_many_steps_are_sketched() -> None:
    stepper = Stepper("kafka-security", load("kafka-security"))
    path = [0]
    while len(stepper.expansion(stepper.run(path).states[-1]).moves) <= 32:
        path.append(0)

    steps = view(stepper, path)["steps"]

    assert len({step["call"] for step in steps}) == len(steps)
    assert any(step["changes"] for step in steps)


# --- subjects -----------------------------------------------------------------------------------


def test_every_subject_is_listed() -> None:
    found = every(Folder(Path("examples")))

    assert {each["name"] for each in found["bundled"]} == set(systems())
    assert "at_least_once.py" in found["models"]
    assert "overlay:meshes/triangle.yaml" in found["meshes"]


def test_a_python_file_that_is_no_model_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("import os\n")

    assert every(Folder(tmp_path))["models"] == []


def test_parameters_are_told_with_what_they_are_and_what_is_possible() -> None:
    told = {each["name"]: each for each in described(Folder(Path(".")), "nsq")["parameters"]}

    assert told["messages"] == {"name": "messages", "default": "3", "description": "", "low": 1, "high": 16}
    assert told["queue"]["choices"] == ["memory", "disk"]
    assert told["max_attempts"]["description"] == "so often a message may be requeued"


@pytest.mark.parametrize(
    "subject", ["at_least_once.py", "at_least_once.py:AtLeastOnce", "overlay:meshes/triangle.yaml"]
)
def test_files_are_found_in_the_folder(subject: str) -> None:
    folder = Folder(Path("examples"))

    assert str(folder.root) in located(folder, subject)
    assert described(folder, subject)["guarantees"]


def test_a_system_that_is_not_there_is_said() -> None:
    with pytest.raises(WebError, match="no system named 'nsw'") as found:
        located(Folder(Path(".")), "nsw")

    assert "did you mean nsq?" in found.value.possible
