"""What a check will take, as people read it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.app.report.estimate_text import render
from angarium.app.report.record import result_record
from angarium.app.report.text import Background
from angarium.checker.explore.estimate import Range
from angarium.checker.logic.estimation import Estimate, EstimateResult
from angarium.core.control import cut_by_time
from angarium.core.records import Record
from angarium.core.result import Coverage

GIB = 2**30
COVERAGE = Coverage(
    complete=False,
    cut=cut_by_time(5),
    states=1_200_000,
    transitions=5_000_000,
    depth=20,
    seconds=5.0,
    cpu_seconds=9.0,
    bytes=10**8,
    frontier=300_000,
)
LIKELY = Estimate(
    exact=False,
    states=Range(2_000_000, 11_300_000, 61_000_000),
    transitions=Range(5_000_000, 60_000_000, 300_000_000),
    depth=41,
    bytes=Range(GIB // 4, GIB, 5 * GIB),
    seconds=Range(8, 59, 400),
    words=2,
    over_time=0,
    grounds=["carried"],
    smaller=[{"messages": "8"}, {"messages": "7"}],
    growth=1.31,
)
UNBOUNDED = replace(
    LIKELY,
    states=Range(1_200_000),
    transitions=Range(5_000_000),
    bytes=Range(GIB),
    seconds=Range(5),
    depth=None,
    grounds=[],
    smaller=[],
)


def result(estimate: Estimate, room: float = 1, extent: Coverage = COVERAGE) -> EstimateResult:
    return EstimateResult(
        subject="queue",
        parameters={"messages": 9},
        model_hash="abc",
        threads=2,
        extent=extent,
        estimate=replace(estimate, room=int(room * GIB)),
    )


def text(
    estimate: Estimate, room: float = 16, background: Background | None = None, extent: Coverage = COVERAGE
) -> str:
    about = background or Background("A queue.")
    return render(result(estimate, room, extent), about, ("local", "spark"))


def record(estimate: Estimate) -> Record:
    return result_record(result(estimate))


def flat(shown: str) -> str:
    return " ".join(shown.split())


def test_the_table() -> None:
    assert text(LIKELY).splitlines()[3:10] == [
        "  what         at least     likely       at most",
        "  " + "-" * 78,
        "  states       2 M          11.3 M       61 M",
        "  transitions  5 M          60 M         300 M",
        "  memory       256 MiB      1.0 GiB      5.0 GiB",
        "  time         8 s          59 s         6 min 40 s",
        "  levels       20           41           ?",
    ]


def test_what_it_rests_on_and_how_far_to_trust_it() -> None:
    shown = flat(text(LIKELY))
    assert "Rests on 1.2 M states, 20 levels deep, in 5 s and on 2 smaller scenarios searched" in shown
    assert "nine times of ten" in shown
    far = replace(LIKELY, states=Range(2_000_000, 10**9, 10**11))
    assert "three times of four" in flat(text(far))


def test_without_a_bound_it_says_so_and_why() -> None:
    shown = flat(text(UNBOUNDED))
    assert "states 1.2 M ? no bound" in shown
    assert "There is no upper bound: levels still grow, the last by a factor of 1.3" in shown
    assert "levels have not settled" in flat(text(replace(UNBOUNDED, growth=0.8)))
    assert "nine times" not in shown
    assert "smaller scenario searched" not in shown


def test_what_is_exact_is_shown_to_the_last_state() -> None:
    exact = replace(LIKELY, exact=True, states=Range(12_560, 12_560, 12_560))
    shown = flat(text(exact, extent=replace(COVERAGE, complete=True, cut=None)))
    assert "states 12,560 12,560 12,560" in shown
    assert "levels 20 41 41" in shown
    assert "Nothing is estimated: the check came to its end in 5 s." in shown


@pytest.mark.parametrize(
    ("room", "words"),
    [(16, "It fits into the 16.0 GiB"), (4, "It may not fit into"), (0.5, "It will not fit into")],
)
def test_whether_the_memory_is_enough(room: float, words: str) -> None:
    assert words in flat(text(LIKELY, room))


def test_what_to_do_if_the_memory_is_not_enough() -> None:
    symmetric = Background("A queue.", symmetric=True)
    shown = flat(text(LIKELY, 0.5, symmetric))
    assert "--set" in shown
    assert "--symmetry" in shown
    assert "--engine spark" in shown
    assert "over time" not in shown
    judged = flat(text(replace(LIKELY, over_time=2), 0.5))
    assert "Guarantees over time need every step" in judged
    assert "--symmetry" not in judged


def test_every_line_fits() -> None:
    for estimate in (LIKELY, UNBOUNDED):
        assert max(map(len, text(estimate, 0.1).splitlines())) <= 80


def test_the_record_has_no_verdicts_and_all_that_a_cluster_needs() -> None:
    said = record(LIKELY)
    assert said["kind"] == "check"
    assert said["verdicts"] == []
    assert not said["complete"]
    assert said["estimate"]["states"] == {"low": 2_000_000, "likely": 11_300_000, "high": 61_000_000}
    assert said["estimate"]["words_per_state"] == 2
    assert record(UNBOUNDED)["estimate"]["bytes"]["high"] is None
