"""Angarium from Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import angarium
from angarium.api import AuditParameters, stories
from angarium.api.checker import simulate
from angarium.checker.explore.addresses import parse_address
from angarium.checker.explore.engine import Progress
from angarium.core import options
from angarium.core.errors import AddressError, ParameterError, UsageError
from angarium.core.result import Replay, Story
from angarium.systems.rabbitmq.single_active_consumer import SingleActiveConsumer

SMALL = {"queues": 2, "apps": 2, "stops": True, "mode": "sequential"}
EXAMPLE = "examples/at_least_once.py"


def test_a_check_by_name() -> None:
    report = angarium.check("rabbitmq-sac", parameters={**SMALL, "rule": "poorer"})
    assert report.worst is angarium.Verdict.HOLDS
    assert report.coverage.states == 181


def test_a_check_of_a_class_has_the_same_verdicts_and_can_be_addressed() -> None:
    report = angarium.check(SingleActiveConsumer, parameters=SMALL, threads=1)
    assert report.coverage.states == 181
    assert report.subject.endswith("single_active_consumer.py:SingleActiveConsumer")
    assert not Path(report.subject).is_absolute()


def test_a_class_without_a_file_is_refused() -> None:
    nowhere = type("Nowhere", (angarium.Model,), {"__module__": "nowhere"})
    with pytest.raises(UsageError, match="Nowhere has no file"):
        angarium.check(nowhere)


def test_options_are_passed_on() -> None:
    seen: list[Progress] = []
    report = angarium.check(
        "rabbitmq-sac",
        parameters={"queues": 2, "apps": 2},
        only=["type-ok"],
        engine="reference",
        symmetry=True,
        max_states=10,
        observe=seen.append,
    )
    assert (report.engine, report.threads, report.symmetry) == ("reference", 1, True)
    assert [each.guarantee for each in report.verdicts] == ["stays-in-range", "type-ok"]
    assert report.coverage.cut == "limit of 10 states"
    assert seen


def test_mistakes_are_errors_of_their_kind() -> None:
    with pytest.raises(ParameterError, match="no parameter 'queue'"):
        angarium.check("rabbitmq-sac", parameters={"queue": 2})
    with pytest.raises(UsageError, match="no engine named 'locale'"):
        angarium.check("rabbitmq-sac", engine="locale")


def test_a_story_can_be_replayed_until_the_model_changes() -> None:
    report = angarium.check(EXAMPLE)
    story = next(each.story for each in report.verdicts if each.story)
    again = angarium.replay(story.address)
    assert (again.steps, again.summary) == (story.steps, story.summary)
    model_hash = parse_address(story.address).model_hash
    with pytest.raises(AddressError, match="another version") as caught:
        angarium.replay(story.address.replace(model_hash, "0123456789ab"))
    assert caught.value.code == "ANG031"
    assert "0123456789ab" in caught.value.possible
    assert model_hash in caught.value.possible


def test_a_story_of_another_product_is_found_by_its_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story("a mesh", "mesh:a.yaml:0:1", "reachability", "nobody gets it")
    found = {"mesh": lambda address: Replay(subject="a mesh", story=replace(story, address=address))}
    monkeypatch.setattr(stories, "BY_PREFIX", found)
    assert angarium.replay(" mesh:a.yaml:0:1") == replace(story, address=" mesh:a.yaml:0:1")
    with pytest.raises(AddressError, match="not a story's address"):
        angarium.replay("mess:a.yaml:0:1")


def test_a_simulation_can_be_asked_for_again_and_again() -> None:
    seen: list[int] = []
    first = angarium.simulate(
        "rabbitmq-sac", parameters=SMALL, runs=200, seed=3, observe=lambda walks, *_: seen.append(walks)
    )
    again = angarium.simulate(SingleActiveConsumer, parameters=SMALL, runs=200, seed=3, threads=3)
    assert isinstance(first, angarium.Simulation)
    assert first.walks == 200
    assert first.statistics == again.statistics
    assert seen[-1] == 200
    assert first.worst is angarium.Verdict.UNKNOWN


def test_a_simulation_that_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="gives no rates"):
        angarium.simulate("rabbitmq-sac", schedule="rates")
    with pytest.raises(UsageError, match="no engine named 'card' for walks"):
        angarium.simulate("rabbitmq-sac", parameters=SMALL, engine="card")


FUNCTIONS: Mapping[str, tuple[Callable[..., Any], options.Options, Collection[str]]] = {
    "check": (angarium.check, options.CHECK, {"mesh", "config", "faults", "mutate"}),
    "verify": (angarium.verify, options.VERIFY, {*options.ABOUT_FILES, "format"}),
    "recover": (angarium.recover, options.RECOVER, {*options.ABOUT_FILES}),
    "prove": (angarium.prove, options.PROVE, set()),
    "simulate": (simulate, options.SIMULATE, {"observe"}),
    "audit": (angarium.audit, options.AUDIT, {*AuditParameters.__annotations__}),
}
"""Each product's function, its options, and those that it has in another form or not at all."""


@pytest.mark.parametrize("product", FUNCTIONS)
def test_what_can_be_asked_has_one_name_everywhere(product: str) -> None:
    function, table, others = FUNCTIONS[product]
    keywords = set(inspect.signature(function).parameters)
    lacking = {options.keyword_of(table, name) for name in table} - keywords
    assert lacking <= set(others)
