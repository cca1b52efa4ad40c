from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from angarium.core.control import Cut, CutBy
from angarium.core.records import FLAT, decimals, key, read, schema, write
from angarium.core.result import Extent, GuaranteeVerdict, Result, Story, Verdict


@dataclass(frozen=True)
class Hop:
    """One link of a path."""

    link: str
    milliseconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Reached(GuaranteeVerdict):
    """A verdict with its paths."""

    paths: Sequence[tuple[Hop, ...]] = ()
    by_size: Mapping[str, int] = field(default_factory=dict, metadata=key("failures"))


@dataclass(frozen=True, kw_only=True)
class Verified(Result[Reached]):
    """What a verification answers."""


HOLDS = Reached(guarantee="reachability", verdict=Verdict.HOLDS, paths=((Hop("a-b", 1.5), Hop("b-c")),))


def test_a_result_is_the_contract_of_the_command_line() -> None:
    result = Verified(
        kind="mesh verify",
        subject="triangle",
        parameters={"failures": "1 link", "hops": 3, "strict": True},
        extent=Extent(seconds=0.123456),
        verdicts=(HOLDS,),
    )

    record = json.loads(json.dumps(write(result)))

    assert list(record)[:4] == ["kind", "subject", "parameters", "engine"]
    assert record["complete"] is True and record["seconds"] == 0.123
    assert record["verdicts"][0]["verdict"] == "holds"
    assert record["verdicts"][0]["paths"] == [
        [{"link": "a-b", "milliseconds": 1.5}, {"link": "b-c", "milliseconds": None}]
    ]
    assert record["verdicts"][0]["failures"] == {}


texts = st.text(max_size=5)
hops = st.builds(Hop, texts, st.none() | st.floats(allow_nan=False, allow_infinity=False))
verdicts = st.builds(
    Reached,
    guarantee=texts,
    verdict=st.sampled_from(Verdict),
    paths=st.lists(st.lists(hops, max_size=3).map(tuple), max_size=3).map(tuple),
    by_size=st.dictionaries(texts, st.integers(), max_size=2),
    story=st.none(),
)
results = st.builds(
    Verified,
    kind=texts,
    subject=texts,
    parameters=st.dictionaries(texts, st.none() | st.booleans() | st.integers() | texts, max_size=3),
    extent=st.builds(
        Extent,
        complete=st.booleans(),
        cut=st.none() | st.builds(Cut, st.sampled_from(CutBy), texts),
        seconds=st.integers(0, 1000).map(lambda n: n / 8),
    ),
    verdicts=st.lists(verdicts, max_size=3).map(tuple),
)


@given(results)
def test_what_was_written_is_read_as_the_same(result: Verified) -> None:
    assert read(Verified, json.loads(json.dumps(write(result)))) == result


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ([], "the record: [] is no object"),
        ({"kind": 1, "subject": "x"}, ".kind: 1 is no text"),
        ({"kind": "check", "subject": "x", "complete": 1}, ".complete: 1 is no bool"),
        (
            {"kind": "check", "subject": "x", "verdicts": [{"guarantee": "g", "verdict": "maybe"}]},
            ".verdicts[0].verdict: 'maybe' is none of 'holds', 'violated', 'unknown'",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(record: object, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        read(Verified, record)


def test_a_field_that_is_missing_has_its_default_and_else_is_an_error() -> None:
    assert read(Verified, {"kind": "k", "subject": "s"}) == Verified(kind="k", subject="s")
    with pytest.raises(ValueError, match="subject"):
        read(Verified, {"kind": "k"})


def test_the_schema_says_what_the_types_say() -> None:
    made = schema(Verified)

    verified = made["$defs"]["Verified"]
    assert made["$ref"] == "#/$defs/Verified"
    assert {"kind", "subject", "complete", "cut", "seconds", "verdicts"} <= set(verified["properties"])
    assert "extent" not in verified["properties"]
    assert verified["properties"]["verdicts"] == {"type": "array", "items": {"$ref": "#/$defs/Reached"}}
    assert made["$defs"]["Verdict"] == {
        "description": "What is known of a guarantee.",
        "enum": ["holds", "violated", "unknown"],
    }
    assert made["$defs"]["Reached"]["properties"]["story"] == {
        "anyOf": [{"$ref": "#/$defs/Story"}, {"type": "null"}]
    }


def test_numbers_are_written_as_precisely_as_is_said() -> None:
    @dataclass(frozen=True)
    class Measured:
        speed: float = field(metadata=decimals(1))
        inner: Extent = field(default_factory=Extent, metadata=FLAT)

    assert write(Measured(1.26)) == {"speed": 1.3, **write(Extent())}


def test_a_story_is_data() -> None:
    assert schema(Story)["$defs"]["Story"]["properties"]["steps"]["type"] == "array"
