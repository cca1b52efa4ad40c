"""Values in few words."""

from __future__ import annotations

import pytest

from angarium.checker.ir.labels import Fields, Value, brief


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (3, "3"),
        ("m1", "m1"),
        ([], "[]"),
        (("m1", "m2"), "{m1, m2}"),
        ({"c1": ["m1"], "c2": []}, "{c1: [m1], c2: []}"),
        (Fields(command="PUB", topic=None, message="m1"), "PUB m1"),
        (Fields(command="OK"), "OK"),
        (Fields(topic=None), "()"),
        (Fields(job="j1", attempt=2), "j1 attempt=2"),
        (Fields(item="i1", fragile=True, heavy=False), "i1 fragile not heavy"),
        (Fields(source="d1", target="d2", message="m1"), "source=d1 target=d2 m1"),
        (Fields(ids=["m1", "m2"], inner=Fields(a="x1", n=1)), "ids=[m1, m2] inner=(x1 n=1)"),
        ([Fields(command="PUB", message="m1"), Fields(command="OK", message=None)], "[(PUB m1), OK]"),
        ({"d1": Fields(a="PUB", n=1)}, "{d1: (PUB n=1)}"),
    ],
)
def test_a_value_says_what_it_is_and_no_more(value: Value, text: str) -> None:
    assert brief(value) == text
