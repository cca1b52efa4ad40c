"""Cells and readable states are two ways to write the same thing."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from angarium.checker.explore.states import changes, decode, encode
from angarium.checker.ir.labels import Fields, Labels, show
from angarium.checker.ir.types import Index
from angarium.core.result import Change, State
from tests.zoo import menagerie, variables

MENAGERIE = menagerie()
QUEUES = ("q1", "q2")
MESSAGES = st.builds(
    lambda number, owner: Fields(id=number, owner=owner),
    st.integers(1, 3),
    st.sampled_from((None, *QUEUES)),
)
STATES = st.fixed_dictionaries(
    {
        "flags": st.fixed_dictionaries(dict.fromkeys(QUEUES, st.booleans())),
        "line": st.lists(MESSAGES, max_size=2),
        "members": st.sets(st.sampled_from(QUEUES)).map(sorted).map(tuple),
        "last": st.none() | MESSAGES,
        "owner": st.sampled_from((None, *QUEUES)),
        "table": st.fixed_dictionaries(dict.fromkeys("12", MESSAGES)),
        "colour": st.sampled_from(("red", "green")),
    }
)


@given(STATES)
def test_a_state_survives_encoding(state: State) -> None:
    assert decode(MENAGERIE, encode(MENAGERIE, state)) == state


def test_the_initial_state_is_read_by_type() -> None:
    message = {"id": 1, "owner": None}
    assert decode(MENAGERIE, MENAGERIE.default_state) == {
        "flags": {"q1": False, "q2": False},
        "line": [],
        "members": (),
        "last": None,
        "owner": None,
        "table": {"1": message, "2": message},
        "colour": "red",
    }


def test_changes_have_the_size_that_people_read() -> None:
    before = decode(MENAGERIE, MENAGERIE.default_state)
    message = Fields(id=2, owner="q1")
    after = {
        **before,
        "flags": {"q1": False, "q2": True},
        "line": [message],
        "members": ("q1",),
        "table": {**before["table"], "2": message},
    }
    nothing = Fields(id=1, owner=None)
    assert changes(before, after) == [
        Change("flags[q2]", False, True),
        Change("line", [], [message]),
        Change("members", (), ("q1",)),
        Change("table[2]", nothing, message),
    ]
    assert changes(before, before) == []


def test_a_record_with_large_parts_changes_in_its_parts() -> None:
    before = {"broker": Fields(up=True, queues={"q1": [], "q2": []})}
    after = {"broker": Fields(up=True, queues={"q1": [], "q2": [1]})}
    assert changes(before, after) == [Change("broker.queues[q2]", [], [1])]


def test_index_types_that_begin_alike_get_more_letters() -> None:
    state = [(name.lower(), Index(name, 2)) for name in ("Queue", "Quorum", "App")]
    system = replace(MENAGERIE, state=tuple(state), variables=variables(state))
    assert decode(system, (0, 1, 1)) == {"queue": "que1", "quorum": "quo2", "app": "a2"}


def test_an_index_type_that_begins_another_has_its_whole_name() -> None:
    state = [(name.lower(), Index(name, 2)) for name in ("App", "Apple")]
    system = replace(MENAGERIE, state=tuple(state), variables=variables(state))
    assert decode(system, (0, 0)) == {"app": "app1", "apple": "appl1"}


def test_places_are_written_as_in_python() -> None:
    labels, variable = Labels(MENAGERIE), MENAGERIE.variable
    assert labels.place(variable["line.at.id"], 1) == "line[1].id"
    assert labels.place(variable["table.owner"], 1) == "table[2].owner"
    assert labels.place(variable["members.has"], 0) == "members[q1]"
    assert labels.place(variable["last.item.id"], 0) == "last.id"
    hidden = replace(variable["flags"], name="pc")
    assert labels.place(hidden, 1) == "pc[q2]"


def test_values_on_one_line() -> None:
    value = {"q1": [Fields(id=1, owner=None)], "q2": ("a", "b")}
    assert show(value) == "{q1: [(id=1, owner=None)], q2: {a, b}}"
