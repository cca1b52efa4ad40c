"""Simulations and comparisons as people read them."""

from __future__ import annotations

from dataclasses import replace

from angarium.app.report.simulation_text import Page, bars, figure, merged, partly, render, sweeping, walking
from angarium.app.report.text import Background
from angarium.checker.walks.results import Alternative, Bin, Difference, Ends
from angarium.checker.walks.statistics import Comparison
from angarium.core.control import cut_by_time
from tests.app.report.simulations import NOTHING, VIOLATED, comparison, simulation, statistic

ABOUT = Background("Counts.\n\nIn detail.", {"high": "2", "rule": "always"})
PAGE = Page()


def text(answer: Comparison, shown: str = "total-releases", page: Page = PAGE) -> str:
    return render(answer, {"high": "3"}, ABOUT, shown=shown, page=page)


def test_one_simulation() -> None:
    lines = text(Comparison(simulation([statistic()]))).splitlines()
    assert lines[:6] == [
        "counter: Counts.",
        "  set       high=3",
        "  default   rule=always",
        "  schedule  by-action: one of the actions that are possible, each as likely,",
        "            then one of its instances",
        "  goal      All is done.",
    ]
    assert lines[7:10] == [
        "  observation      mean  ± 95 %    sd  min  5 %  median  95 %  max",
        "  " + "-" * 78,
        "  total-releases  18.00    0.50  2.00    1    1       5     9   10",
    ]
    assert "total-releases: Releases until balance." in lines
    assert "Made 100 walks (seed 7): all came to the goal; 12.00 steps each on average." in lines
    assert "Took 0.5 s on 2 threads (local engine): 200 walks/s, 2,400 steps/s." in lines
    assert lines[-1] == "  angarium check counter --set high=3"
    assert max(map(len, lines)) <= 80


def test_the_histogram_is_of_the_observation_that_is_shown() -> None:
    answer = Comparison(simulation([statistic(), statistic(3.0, name="steps", low=50)]))
    assert "\n   9 to 10  " in text(answer)
    assert "\n  58 to 59  " in text(answer, "steps")
    assert "58 to 59" not in text(answer)


def test_bars_are_as_long_as_there_are_figures() -> None:
    assert list(bars([Bin(1, 1, 8), Bin(2, 2, 4), Bin(3, 3, 0), Bin(4, 4, 1)], 24)) == [
        "1  ███████████████████ 8",
        "2  █████████▌ 4",
        "3   0",
        "4  ██▍ 1",
    ]


def test_a_histogram_of_many_bins_is_merged_without_losing_a_figure() -> None:
    many = [Bin(n, n, n) for n in range(30)]
    few = merged(many)
    assert len(few) == 15
    assert few[0] == Bin(0, 1, 1)
    assert sum(each.count for each in few) == sum(each.count for each in many)


def test_a_model_without_observations_is_told_how_walks_ended() -> None:
    ends = Ends(rest=90, limit=10)
    said = " ".join(text(Comparison(simulation(ends=ends)), "").split())
    assert "names no observations" in said
    assert "90 ended where nothing more could happen, 10 ended at the limit of steps" in said


def test_an_observation_without_figures_has_dashes() -> None:
    lines = text(Comparison(simulation([NOTHING])), "never").splitlines()
    row = next(line for line in lines if line.startswith("  never"))
    assert row.split() == ["never", *["-"] * 8]
    nothing = text(Comparison(simulation()), "never")
    assert "No walk gave a figure of what the model observes." in nothing


def test_walks_that_missed_the_goal_are_not_counted_in_silence() -> None:
    said = text(Comparison(simulation([statistic()], ends=Ends(goal=98, limit=2))))
    assert "98 came to the goal, 2 ended at the limit of steps" in said
    assert "2 walks did not come to the goal; the figures are of those that did." in said


def test_a_cut_simulation_says_how_many_walks_there_are_and_what_to_do() -> None:
    said = " ".join(text(Comparison(simulation([statistic()], walks=40, cut=cut_by_time(1)))).split())
    assert "Made 40 of 100 walks (seed 7)" in said
    assert "cut: time limit of 1 s. " in said
    assert "Raise --timeout" in said


def test_a_violation_is_a_story_of_a_walk() -> None:
    page = Page(tell=lambda story: f"<{len(story.steps)}>")
    said = text(Comparison(simulation([statistic()], verdicts=[VIOLATED])), page=page)
    assert "small violated: of the walks that met it, the shortest has 2 steps." in said
    assert "\n\n<2>\n\n" in said
    assert "angarium replay counter@" in said
    assert "unknown" not in said
    bad = Alternative({"rule": "poorer"}, simulation(verdicts=[VIOLATED]), ())
    assert "small violated with rule=poorer: " in text(Comparison(simulation(), (bad,)))


def test_alternatives_stand_side_by_side_with_their_difference() -> None:
    lines = text(comparison()).splitlines()
    start = lines.index("total-releases: Releases until balance.")
    assert [" ".join(line.split()) for line in lines[start + 1 : start + 7] if "--" not in line] == [
        "mean ± 95 % sd min 5 % median 95 % max",
        "rule=always 18.00 0.50 2.00 1 1 5 9 10",
        "rule=poorer 12.00 0.50 2.00 1 1 5 9 10",
        "difference -6.00 0.70",
        "Fewer with rule=poorer: 6.00 less on average, 33 %.",
    ]
    assert lines[-2:] == [
        "  angarium check counter --set high=3",
        "  angarium check counter --set high=3 --set rule=poorer",
    ]
    assert max(map(len, lines)) <= 80


def test_alternatives_may_be_compared_in_one_observation_alone() -> None:
    two = [statistic(), statistic(3.0, name="steps")]
    answer = Comparison(simulation(two), (Alternative({"rule": "poorer"}, simulation(two), ()),))
    said = render(answer, {}, ABOUT, shown="steps", chosen=True, page=PAGE)
    assert "\nsteps: " in said
    assert "\ntotal-releases: " not in said
    assert "\ntotal-releases: " in text(answer, "steps")


def test_a_difference_may_be_more_or_unclear() -> None:
    one, [other] = comparison().simulation, comparison().alternatives

    def said(low: float, high: float) -> str:
        difference = Difference("total-releases", (low + high) / 2, low, high)
        return text(Comparison(one, (Alternative(other.changes, other.simulation, (difference,)),)))

    assert "More with rule=poorer: 2.00 more on average" in said(1.0, 3.0)
    assert "No clear difference with rule=poorer" in said(-1.0, 1.0)


def test_several_alternatives_have_a_difference_each() -> None:
    once = comparison()
    said = text(Comparison(once.simulation, once.alternatives * 2))
    assert said.count("difference of rule=poorer") == 2


def test_a_table_that_is_too_wide_has_its_names_above_its_figures() -> None:
    name = "an-observation-with-a-very-long-name-indeed"
    lines = text(Comparison(simulation([statistic(name=name)])), name).splitlines()
    assert f"  {name}" in lines
    assert max(map(len, lines)) <= 80


def test_figures_are_rounded_as_people_read_them() -> None:
    assert [figure(x) for x in (0, 0.001234, 1.005, 12.345, 123456.7, float("nan"))] == [
        "0.00",
        "0.00123",
        "1.00",
        "12.35",
        "123,457",
        "-",
    ]


def test_progress_in_one_line() -> None:
    assert walking(1000, 250, 50_000, 0.5) == "250 of 1,000 walks, ~1.5 s left, 500/s, 100 k steps/s"
    assert sweeping(3, 9, 4.0) == "3 of 9 scenarios, ~8 s left"
    assert sweeping(9, 9, 4.0) == "9 of 9 scenarios"


def test_it_says_which_figures_are_of_some_walks_only() -> None:
    one = replace(simulation([statistic(), replace(statistic(name="rare"), walks=3)]), unseen=("never",))

    assert list(partly(one)) == [
        "rare: figures of only 3 of 100 walks.",
        "never: no walk gave a figure; if it is a time, that passes only with --schedule rates.",
    ]
