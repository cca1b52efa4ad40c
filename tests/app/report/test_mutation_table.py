"""The table of mutants, from hand-made data."""

from __future__ import annotations

import json

from angarium.app.report.mutation_table import render
from angarium.checker.logic.mutate import MutantResult, MutationTable
from angarium.core.records import write

LONG = "without n += 1, which is a long story " * 3
TABLE = MutationTable(
    ("no-loss", "order", "no-duplicates"),
    (
        MutantResult(
            "drop guard", "without the guard up", "send, line 3", ("no-loss", "order"), "noticed", 9
        ),
        MutantResult("drop update", LONG, "send, line 4", (), "survived", 5),
        MutantResult("drop send", "never", "ack, line 9", (), "unknown", 10_000),
    ),
)


def test_the_table() -> None:
    assert render(TABLE).splitlines() == [
        "Guarantees that hold in the model:",
        "  A  no-loss",
        "  B  order",
        "  C  no-duplicates",
        "",
        "noticed by  mutant",
        "A B C",
        "-" * 80,
        "x x .       send, line 3: without the guard up",
        "survived    send, line 4: without n += 1, which is a long story without n += 1,",
        "            which is a long story without n += 1, which is a long story",
        "unknown     ack, line 9: never",
        "",
        "3 mutants: 1 noticed, 1 survived, 1 unknown.",
        "A mutant that survived either behaves like the model, or breaks something that",
        "no guarantee asks for.",
        "Guarantees that noticed nothing: no-duplicates.",
    ]


def test_colours_mark_what_nothing_noticed() -> None:
    text = render(TABLE, colourful=True)
    assert "\x1b[1;31msurvived  \x1b[0m" in text
    assert "\x1b[33munknown   \x1b[0m" in text


def test_many_guarantees_have_letters_like_the_columns_of_a_sheet() -> None:
    names = tuple(f"g{number}" for number in range(30))
    row = MutantResult("m", "x", "y", ("g27",), "noticed", 1)
    lines = render(MutationTable(names, (row,)), width=100).splitlines()
    head = next(line for line in lines if line.startswith("A B"))
    marks = next(line for line in lines if line.startswith(". ."))
    assert marks.index("x") == head.index("AB")


def test_nothing_to_break() -> None:
    assert render(MutationTable(("no-loss",), ())).startswith("There is nothing")


def test_the_record() -> None:
    answer = json.loads(json.dumps(write(TABLE)))
    assert answer["guarantees"] == ["no-loss", "order", "no-duplicates"]
    assert answer["rows"][0] == {
        "name": "drop guard",
        "description": "without the guard up",
        "place": "send, line 3",
        "noticed": ["no-loss", "order"],
        "verdict": "noticed",
        "states": 9,
    }
