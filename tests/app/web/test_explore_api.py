"""The explore view's part of the JSON interface."""

from __future__ import annotations

from pathlib import Path

import pytest

import angarium
from tests.app.web.asking import Page

MODEL = "at_least_once.py"


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(Path("examples"))


def test_every_model_of_a_file_is_a_subject_of_its_own(tmp_path: Path) -> None:
    models = "from angarium import Model\n\nclass One(Model): ...\n\nclass Two(Model): ...\n"
    (tmp_path / "both.py").write_text(models, encoding="utf-8")
    (tmp_path / "django.py").write_text("class Order(models.Model): ...\n", encoding="utf-8")

    assert Page(tmp_path).get("/api/explore/subjects").json()["models"] == ["both.py:One", "both.py:Two"]


def test_subjects_and_what_they_are(page: Page) -> None:
    subjects = page.get("/api/explore/subjects").json()
    about = page.answer("/api/explore/about", {"subject": MODEL})

    assert MODEL in subjects["models"]
    assert [each["name"] for each in about["parameters"]] == ["messages", "losses"]
    assert {each["guarantee"] for each in about["guarantees"]} == {
        "stays-in-range",
        "no-loss",
        "no-duplicates",
    }


def test_a_view_with_parameters(page: Page) -> None:
    asked = {"subject": MODEL, "set": {"messages": "3"}, "path": [0, 0]}
    shown = page.answer("/api/explore/view", asked)

    assert shown["parameters"] == {"messages": "3", "losses": "1"}
    assert shown["path"] == [0, 0]
    assert "delivered[m3]" in {place["where"] for place in shown["state"]}


def test_a_changed_model_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / MODEL
    file.write_text((Path("examples") / MODEL).read_text())
    page = Page(tmp_path)
    before = page.answer("/api/explore/view", {"subject": MODEL})
    file.write_text(file.read_text().replace("integer(0, 2)", "integer(0, 3)"))
    after = page.answer("/api/explore/view", {"subject": MODEL})

    assert before["address"] != after["address"]


def test_a_model_is_read_and_never_run(tmp_path: Path) -> None:
    text = (Path("examples") / MODEL).read_text()
    (tmp_path / MODEL).write_text(f"{text}\nopen({str(tmp_path / 'ran')!r}, 'w')\n")

    Page(tmp_path).post("/api/explore/view", {"subject": MODEL})

    assert not (tmp_path / "ran").exists()


def importing(folder: Path, *lines: str) -> None:
    """A model that takes its number of messages from another file."""
    text = (Path("examples") / MODEL).read_text().replace("count(Message, 2)", "count(Message, SECRET)")
    (folder / MODEL).write_text("\n".join([*lines, text]))


@pytest.mark.parametrize(
    "line", ["from ..secret import SECRET", "from linked import SECRET", "from .pack.linked import SECRET"]
)
def test_what_a_model_imports_lies_in_the_folder(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "deep" / "served"
    (folder / "pack").mkdir(parents=True)
    (tmp_path / "deep" / "secret.py").write_text("SECRET = 3  # of somebody\nthis is no Python\n")
    (folder / "linked.py").symlink_to(tmp_path / "deep" / "secret.py")
    (folder / "pack" / "linked.py").symlink_to(tmp_path / "deep" / "secret.py")
    importing(folder, line)
    page = Page(folder)

    for asked in ("about", "view", "check"):
        answer = page.post(f"/api/explore/{asked}", {"subject": MODEL})
        assert (answer.status_code, answer.json()["code"]) == (400, "ANG103")
        assert "of somebody" not in answer.text and str(tmp_path) not in answer.text


def test_a_model_in_a_folder_below_imports_from_above_and_from_packages(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "common.py").write_text("from angarium.app.web.files import MOST_NAMES\nSECRET = 3\n")
    importing(tmp_path / "below", "from ..common import SECRET")

    described = Page(tmp_path).answer("/api/explore/about", {"subject": f"below/{MODEL}"})

    assert described["parameters"][0]["default"] == "3"


def test_a_mistake_in_a_model_is_said_with_its_place_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text("from angarium import Model\n\nclass A(Model):\n    x = nonsense(\n")

    answer = Page(tmp_path).post("/api/explore/view", {"subject": "wrong.py"})

    assert answer.status_code == 400
    assert answer.json()["problem"].startswith("wrong.py:4:")
    assert str(tmp_path) not in answer.text


@pytest.mark.parametrize("path", [[], [-1], ["0"], [0.5], [True], [10**12], "0"])
def test_a_path_of_something_else_is_refused(page: Page, path: object) -> None:
    answer = page.post("/api/explore/view", {"subject": MODEL, "path": path})

    assert (answer.status_code, answer.json()["code"]) == (400, "ANG153")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"path": [0, 99]}, "ANG032"),
        ({"set": {"nothing": "1"}}, "ANG020"),
        ({"set": {"messages": "many"}}, "ANG021"),
        ({"set": {"messages": 1}}, "ANG153"),
    ],
)
def test_what_cannot_be_is_said(page: Page, asked: dict[str, object], code: str) -> None:
    answer = page.post("/api/explore/view", {"subject": MODEL, **asked})

    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["problem"]


def test_wandering_goes_on_from_a_path(page: Page) -> None:
    asked = {"subject": MODEL, "path": [0, 0], "steps": 5, "seed": 3}
    walked = page.answer("/api/explore/wander", asked)["path"]

    assert walked[:2] == [0, 0] and 2 < len(walked) <= 7
    assert walked == page.answer("/api/explore/wander", asked)["path"]


def test_a_check_gives_verdicts_and_the_way_to_a_story(page: Page) -> None:
    checked = page.answer("/api/explore/check", {"subject": MODEL})
    by_name = {each["guarantee"]: each for each in checked["verdicts"]}

    assert checked["complete"] and checked["states"] == 114
    assert by_name["no-loss"]["verdict"] == "holds"
    assert by_name["no-duplicates"]["verdict"] == "violated"
    path = by_name["no-duplicates"]["story"]["path"]
    shown = page.answer("/api/explore/view", {"subject": MODEL, "path": path})
    assert shown["decided"]["broken"] == ["no-duplicates"]


def test_a_story_is_found_by_its_address(page: Page) -> None:
    shown = page.answer("/api/explore/view", {"subject": MODEL, "path": [0, 0, 0]})
    found = page.answer("/api/explore/story", {"address": shown["address"]})

    assert (found["subject"], found["path"], found["cycle"]) == (MODEL, [0, 0, 0], None)
    assert found["set"] == {"messages": "2", "losses": "1"}


def test_so_is_one_without_end(page: Page) -> None:
    report = angarium.check("rabbitmq-sac")
    lasso = next(each.story for each in report.verdicts if each.story and each.story.cycle is not None)
    found = page.answer("/api/explore/story", {"address": lasso.address})

    assert found["cycle"] == lasso.cycle
    assert len(found["path"]) == len(lasso.steps) + 1


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("nonsense", "ANG030"),
        ("queue@000000000000::0", "ANG031"),
        ("../x.py@000000000000::0", "ANG152"),
        ("/etc/x.py@000000000000::0", "ANG152"),
    ],
)
def test_an_address_that_leads_nowhere_is_said(page: Page, address: str, code: str) -> None:
    answer = page.post("/api/explore/story", {"address": address})

    assert answer.json()["code"] == code
    assert answer.status_code in (400, 403)
