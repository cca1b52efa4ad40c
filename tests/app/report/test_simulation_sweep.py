"""Sweeps as people read them."""

from __future__ import annotations

from angarium.app.report.simulation_sweep import render
from angarium.app.report.simulation_text import Page
from angarium.app.report.text import Background
from angarium.checker.walks.sweep import Axis, Sweep
from angarium.core.control import INTERRUPTED
from tests.app.report.simulations import VIOLATED, axis, simulation, statistic, swept

ABOUT = Background("Counts.", {"high": "2"})


def text(answer: Sweep, page: Page | None = None) -> str:
    return render(answer, ABOUT, shown="total-releases", page=page or Page())


def rows(answer: Sweep) -> list[list[str]]:
    lines = text(answer).splitlines()
    rule = next(number for number, line in enumerate(lines) if line.startswith("  ---"))
    return [line.split() for line in lines[rule - 1 :] if line.startswith("  ") and "---" not in line][:-1]


def test_one_parameter_gives_a_row_for_each_value() -> None:
    head, first, second = rows(swept(axis("queues", 2, 3)))
    assert head[:2] == ["queues", "mean"]
    assert first[:5] == ["2", "2.00", "0.50", "2.00", "1"]
    assert second[:2] == ["3", "3.00"]


def test_two_parameters_give_a_matrix_of_means() -> None:
    answer = swept(axis("queues", 2, 4), axis("apps", 5, 6))
    assert rows(answer) == [
        ["queues", "\\", "apps", "5", "6"],
        ["2", "10.00", "12.00"],
        ["3", "15.00", "18.00"],
        ["4", "20.00", "24.00"],
    ]
    assert "total-releases: Releases until balance. (mean)" in text(answer)
    assert "Simulated 6 scenarios: 100 walks each (seed 7)." in text(answer)


def test_a_wide_matrix_has_fewer_digits_and_still_fits() -> None:
    answer = swept(axis("queues", 2, 20), axis("apps", 2, 16))
    lines = text(answer).splitlines()
    assert "  queues downwards, apps across" in lines
    assert max(map(len, lines)) <= 80
    assert rows(answer)[-1] == ["20", *(str(20 * each) for each in range(2, 17))]


def test_a_matrix_that_cannot_fit_becomes_rows() -> None:
    answer = swept(axis("queues", 1, 2), axis("apps", 2, 40))
    assert len(rows(answer)) == 1 + 2 * 39
    assert rows(answer)[1][:3] == ["1,", "2", "2.00"]


def test_three_parameters_give_rows() -> None:
    answer = swept(axis("a", 1, 2), axis("b", 1, 2), Axis("rule", ("always", "poorer")))
    assert len(rows(answer)) == 1 + 8
    assert rows(answer)[-1][:4] == ["2,", "2,", "poorer", "4.00"]


def test_a_cut_sweep_shows_what_there_is() -> None:
    answer = swept(axis("a", 1, 2), axis("b", 1, 2), missing=[("2", "2")], cut=INTERRUPTED)
    assert rows(answer)[-1] == ["2", "2.00", "-"]
    said = " ".join(text(answer).split())
    assert "Simulated 3 scenarios of 4; cut: interrupted: 100 walks each" in said
    assert "Let it run to the end" in said


def test_a_violation_names_its_first_scenario_and_tells_its_story() -> None:
    answer = swept(axis("a", 1, 3))
    bad = simulation([statistic()], verdicts=[VIOLATED])
    answer = Sweep(
        answer.asked, answer.parameters, "local", 2, {**answer.simulations, ("2",): bad, ("3",): bad}, 1.0
    )
    said = text(answer, Page(tell=lambda story: f"<{len(story.steps)}>"))
    assert "small is violated in 2 scenarios, the first: a=2." in said
    assert said.count("<2>") == 1
    assert answer.worst.value == "violated"
