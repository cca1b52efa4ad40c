"""Sets of records: one bit for each record that could be in, and what can be asked of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from angarium.checker.explore.interpret import initial_states, steps
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.explore.states import decode, encode
from angarium.checker.export.tla import tla
from angarium.checker.ir.labels import Labels
from angarium.core.errors import ModelError
from tests.models import only_step, system
from tests.tlc import distinct_states, needs_tlc, run_tlc

PARCELS = [
    {"item": "i2", "colour": "BLUE", "fragile": True},
    {"item": "i1", "colour": "RED", "fragile": False},
]
SOUP = """
sent = setof(Note)
got = array(Twin, setof(Note))
@action
def send(self, t: Twin, kind: Colour) -> None:
    require(len(self.sent) < 2)
    self.sent.add(Note(kind, t))
@action
def deliver(self, n: Note) -> None:
    require(n in self.sent and n.to is not None)
    self.sent.discard(n)
    self.got[n.to].add(n)
@action
def lose(self) -> None:
    lost = choose(n for n in self.sent if n.kind == Colour.RED)
    self.sent.discard(lost)
@invariant
def few(self) -> bool:
    return sum(len(self.got[t]) for t in Twin) < 4
"""
NOTE = """
class Note(Record):
    kind: Colour
    to: Twin | None
"""


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("self.x.add(Parcel(Item(1), Colour.BLUE, True))", tuple(PARCELS[:1])),
        ("self.x = {Parcel(1, Colour.BLUE, True), Parcel(0, Colour.RED, False)}", tuple(PARCELS[::-1])),
        ("self.x.discard(Parcel(Item(1), Colour.BLUE, True))", ()),
    ],
)
def test_what_a_set_holds_is_read_back(statement: str, expected: object) -> None:
    state = only_step(f"x = setof(Parcel)\n@action\ndef act(self) -> None:\n    {statement}\n")

    assert state["x"] == expected


def test_states_are_written_as_they_are_read() -> None:
    model = system(SOUP, head=NOTE)
    for cells in (*initial_states(model), *(step.target for step in steps(model, initial_states(model)[0]))):
        assert encode(model, decode(model, cells)) == cells


def test_a_cell_of_a_set_is_called_by_its_record() -> None:
    model = system(SOUP, head=NOTE)
    sent = next(each for each in model.variables if each.name == "sent.has")

    assert [Labels(model).place(sent, number) for number in (0, 5)] == ["sent[RED, None]", "sent[GREEN, t2]"]


def test_interchangeable_values_in_records_are_renamed() -> None:
    model = system(SOUP, head=NOTE)
    whole, merged = (NativeEngine().search(model, symmetry=each).coverage.states for each in (False, True))

    assert merged < whole <= 2 * merged
    assert ReferenceEngine().search(model, symmetry=True).coverage.states == merged


@needs_tlc
def test_tlc_counts_what_we_count(tmp_path: Path) -> None:
    model = system(SOUP, head=NOTE)

    said = run_tlc(tla(model, initial_states(model)), tmp_path)
    assert distinct_states(said) == NativeEngine().search(model).coverage.states


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("x = setof(Large)", "Large has 1,000,000 values, and a set keeps a bit for each"),
        ("x = setof(Box)", "Box has a part that is an optional record, so it cannot be in a set"),
        (
            "x = setof(Note)\nn = integer(0, 9)\n@action\ndef act(self) -> None:\n"
            "    for each in self.x:\n        self.n += 1",
            "this loop over Twin may depend on the order of interchangeable values",
        ),
        (
            "x = setof(Parcel)\n@action\ndef act(self) -> None:\n    self.x.add(3)",
            "3 is integer(3, 3), where Parcel is needed",
        ),
    ],
)
def test_what_cannot_be_is_refused(body: str, error: str) -> None:
    head = NOTE + (
        "\nclass Large(Record):\n    a: int = integer(0, 999)\n    b: int = integer(0, 999)\n"
        "\nclass Box(Record):\n    note: Note | None\n"
    )
    with pytest.raises(ModelError, match=re.escape(error)):
        system(body + "\n@action\ndef go(self) -> None:\n    pass\n", head=head)
