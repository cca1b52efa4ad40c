"""Overrides in words and in files: what they ask for, and where a mistake is."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.core.errors import InputError, MeshError, UsageError
from angarium.mesh.recovery.overrides import Override, wanted
from tests.mesh.recovery.files.sample import RING, recovered

COLOURS = recovered(RING).colours
ONE_ENTRY = "overrides:\n  - "


def colours_of(overrides: list[Override]) -> list[int | None]:
    return [each.colour for each in overrides]


def in_file(tmp_path: Path, text: str) -> list[Override]:
    path = tmp_path / "overrides.yaml"
    path.write_text(text)
    return wanted(RING, COLOURS, (), str(path))


def test_a_word_for_a_colour_is_for_that_colour() -> None:
    assert wanted(RING, COLOURS, ["b1->b3=b2@4"]) == [Override("b1", "b3", "b2", 4)]


def test_a_word_without_a_colour_is_for_every_colour_in_which_it_can_be_followed() -> None:
    found = wanted(RING, COLOURS, ["b1->b3=b2"])

    left_out = {colour for colour in COLOURS if colour not in colours_of(found)}
    assert {str(COLOURS[colour]) for colour in left_out} == {
        "link b1-b2",
        "link b1-b2 and link b1-b3",
        "broker b1",
        "broker b2",
        "broker b3",
    }


def test_one_for_a_colour_counts_more_than_one_without() -> None:
    found = wanted(RING, COLOURS, ["b1->b3=b2", "b1->b3=b5@1"])

    assert [each.next for each in found if each.colour == 1] == ["b5"]


@pytest.mark.parametrize("word", ["", "b1", "b1->b3", "b1=b2", "->b3=b2", "b1->=b2", "b1->b3="])
def test_words_that_say_nothing_are_refused(word: str) -> None:
    with pytest.raises(UsageError, match="does not say what goes where") as caught:
        wanted(RING, COLOURS, [word])

    assert caught.value.code == "ANG013"


def test_a_file_names_a_colour_by_its_number_or_by_what_is_dead(tmp_path: Path) -> None:
    text = """
overrides:
  - {at: b1, to: b3, next: b2, colour: 1}
  - {at: b1, to: b4, next: b5, dead: [b1-b3, b1-b2]}
  - {at: b2, to: b4, next: b1, dead: broker b3}
"""

    found = in_file(tmp_path, text)

    assert [str(COLOURS[each.colour or 0]) for each in found] == [
        "nothing",
        "link b1-b2 and link b1-b3",
        "broker b3",
    ]
    assert [each.place.line for each in found if each.place] == [3, 4, 5]


def test_one_entry_needs_no_list(tmp_path: Path) -> None:
    assert len(in_file(tmp_path, "overrides: {at: b1, to: b3, next: b2, colour: 2}")) == 1


MISTAKES = {
    "- x": "ANG121 1:1 a file of overrides must be a table",
    "override: []": "ANG121 1:1 a file of overrides has no entry 'override'",
    "{}": "ANG121 1:1 a file of overrides does not say 'overrides'",
    f"{ONE_ENTRY}b1": "ANG121 2:5 an override must be a table",
    f"{ONE_ENTRY}{{at: b1, to: b3}}": "ANG121 2:5 an override does not say 'next'",
    f"{ONE_ENTRY}{{at: b1, to: b3, next: b9}}": "ANG123 2:28 next of an override is b9",
    f"{ONE_ENTRY}{{at: b1, to: b3, next: b2, color: 1}}": "ANG121 2:32 an override has no entry 'color'",
    f"{ONE_ENTRY}{{at: b1, to: b3, next: b2, colour: 0}}": "ANG121 2:40 colour cannot be '0'",
    f"{ONE_ENTRY}{{at: b1, to: b3, next: b2, dead: b7}}": "ANG123 2:38 the mesh net has no broker and",
    f"{ONE_ENTRY}{{at: b1, to: b3, next: b2, dead: [b1, b2]}}": "ANG123 2:38 no colour stands for broker b1",
    f"{ONE_ENTRY}{{at: b1, to: b3, next: b2, dead: b1, colour: 1}}": "ANG121 2:38 an override has a colour",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_in_a_file_is_named_where_it_is(tmp_path: Path, text: str) -> None:
    with pytest.raises(MeshError) as caught:
        in_file(tmp_path, text)

    error: InputError = caught.value
    assert error.place is not None
    assert f"{error.code} {error.place.line}:{error.place.column} {error.what}".startswith(MISTAKES[text])
    assert error.remedy
