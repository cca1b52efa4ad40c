"""Meshes as models agree with `mesh verify` where links tell topics apart and change their names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from angarium import api
from angarium.checker.explore.native import NativeEngine
from angarium.checker.frontend.build import build
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse
from angarium.checker.logic.check import check
from angarium.core.errors import AddressError, MeshError, UsageError
from angarium.core.result import Report, Verdict
from angarium.mesh.as_model.parts import wants
from angarium.mesh.as_model.source import model_source
from angarium.mesh.as_model.subject import load, with_mesh
from angarium.mesh.files.find import load as load_mesh
from angarium.mesh.mesh import (
    FORWARD,
    SHORTEST,
    Broker,
    Link,
    Mesh,
    Pattern,
    Publisher,
    Rename,
    Routing,
    Subscriber,
)
from angarium.mesh.verify.budget import read_budget
from angarium.mesh.verify.verify import verify

EXAMPLES = Path(__file__).parents[2] / "examples" / "meshes"
SHARED = ("reachability", "loop-free", "no-black-hole")
"""Guarantees that both may judge."""


def explored(mesh: Mesh, **budget: int) -> Report:
    settings = {name: str(value) for name, value in budget.items()}
    system = build(find_model(parse(model_source(mesh))), settings)
    return check(system, engine=NativeEngine(), subject="overlay")


def violated(report: Report) -> set[str]:
    assert report.coverage.complete
    return {each.guarantee for each in report.verdicts if each.verdict is Verdict.VIOLATED}


def verified(mesh: Mesh, judged: Iterable[str], **budget: int) -> set[str]:
    """What `mesh verify` finds violated, of those guarantees that the model judges too."""
    words = {"link_failures": "links", "broker_failures": "brokers"}
    text = ",".join(f"{words[name]}={value}" for name, value in budget.items() if value) or "none"
    found = verify(mesh, read_budget(text))
    return {
        each.guarantee
        for each in found.guarantees
        if each.guarantee in judged and Verdict.VIOLATED in each.verdicts.values()
    }


def assert_agreed(mesh: Mesh, **budget: int) -> None:
    report = explored(mesh, **budget)
    judged = {each.guarantee for each in report.verdicts} & set(SHARED)

    assert violated(report) == verified(mesh, judged, **budget)


@pytest.mark.parametrize(
    "name",
    [
        *("three-brokers", "six-brokers", "six-brokers-fault", "triangle"),
        *("federated-triangle", "bridged-triangle", "ring-of-six"),
    ],
)
@pytest.mark.parametrize("budget", [{}, {"link_failures": 1}, {"broker_failures": 1}], ids=str)
def test_examples_get_the_same_verdicts_from_both(name: str, budget: dict[str, int]) -> None:
    mesh = load_mesh(str(EXAMPLES / f"{name}.yaml"))
    allowed = budget if mesh.cables else {key: n for key, n in budget.items() if key != "link_failures"}

    assert_agreed(mesh, **allowed)


# --- topics that links tell apart ---------------------------------------------------------------------


def random_mesh(seed: int) -> Mesh:
    """Two to four brokers, one topic of three at each end, filters and new names."""
    random = Random(seed)
    names = [f"b{number}" for number in range(1, random.randint(2, 4) + 1)]
    kind = random.choice([FORWARD, FORWARD, SHORTEST])
    links = tuple(_random_link(random, number, names, kind) for number in range(random.randint(2, 7)))
    publishers = [Publisher(f"p{n}", random.choice(names), _topics(random)) for n in range(2)]
    subscribers = [Subscriber(f"s{n}", random.choice(names), _topics(random)) for n in range(3)]
    brokers = tuple(map(Broker, names))
    return Mesh("net", brokers, links, tuple(publishers), tuple(subscribers), Routing(kind))


def _random_link(random: Random, number: int, names: list[str], kind: str) -> Link:
    source, target = random.sample(names, 2)
    whole = Rename(whole=random.choice("abc")) if kind == FORWARD and random.random() < 0.3 else None
    return Link(
        f"l{number}",
        source,
        target,
        accepts=_topics(random) if random.random() < 0.5 else (),
        refuses=_topics(random)[:1] if random.random() < 0.2 else (),
        rename=whole,
        hop_limit=random.choice([None, 1, 2, 3]) if kind == FORWARD else None,
        avoids_visited=kind == FORWARD and random.random() < 0.5,
    )


def _topics(random: Random) -> tuple[Pattern, ...]:
    return tuple(Pattern(text) for text in random.sample(["a", "b", "c", "*"], random.randint(1, 2)))


def is_wanted(mesh: Mesh) -> bool:
    """Whether somebody wants something that is published."""
    return bool(wants(mesh)[1].needs)


@pytest.mark.parametrize("seed", [seed for seed in range(60) if is_wanted(random_mesh(seed))])
def test_filters_and_new_names_get_the_same_verdicts_from_both(seed: int) -> None:
    mesh = random_mesh(seed)

    assert_agreed(mesh, link_failures=seed % 2)


def test_names_that_grow_without_end_are_refused() -> None:
    links = [
        Link("there", "b1", "b2", rename=Rename(add="x/")),
        Link("back", "b2", "b1", rename=Rename(add="y/")),
    ]
    brokers = tuple(Broker(name, "mqtt") for name in ("b1", "b2"))
    topic = (Pattern("t", "mqtt"),)
    clients = (Publisher("p", "b1", topic),), (Subscriber("s", "b1", topic),)
    mesh = Mesh("net", brokers, tuple(links), *clients)

    with pytest.raises(MeshError, match="more than 1,000 names") as caught:
        model_source(mesh)

    assert caught.value.code == "ANG125"


# --- meshes as subjects -------------------------------------------------------------------------------


def test_a_story_of_a_mesh_is_found_again_by_its_address() -> None:
    subject = with_mesh("overlay", [str(EXAMPLES / "six-brokers-fault.yaml")])

    report = api.check(subject)
    (story,) = [each.story for each in report.verdicts if each.guarantee == "loop-free"]
    assert story is not None

    assert api.replay(story.address).steps == story.steps


def test_a_mesh_that_was_changed_has_other_addresses(tmp_path: Path) -> None:
    file = tmp_path / "mesh.yaml"
    text = (EXAMPLES / "six-brokers-fault.yaml").read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    (story,) = [e.story for e in api.check(f"overlay:{file}").verdicts if e.guarantee == "loop-free"]
    assert story is not None

    file.write_text(text.replace("b5: b6", "b5: b5"), encoding="utf-8")

    assert file.read_text(encoding="utf-8") != text
    with pytest.raises(AddressError, match="another version"):
        api.replay(story.address)


def test_a_mesh_is_given_only_to_the_overlay() -> None:
    with pytest.raises(UsageError, match="--mesh is for meshes; nsq is another system"):
        with_mesh("nsq", ["mesh.yaml"])


def test_without_a_mesh_the_subject_is_the_bundled_one() -> None:
    assert with_mesh("overlay", []) == "overlay"
    assert load("overlay").name == "Overlay"
