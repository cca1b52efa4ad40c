"""The sections of claims: each kind of record tells all that it has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from angarium.app.report.html import page
from angarium.app.report.html.page import NOTHING_LEFT
from angarium.app.report.job import AS_EXPECTED, ClaimResult
from angarium.app.report.job_files import summary
from tests.app.report.html.pages import Element, read, rows, section
from tests.app.report.jobs import answer, broken, claim, job, story


def _section(found: ClaimResult) -> Element:
    return section(read(page(job(found))), found.name)


def _facts(root: Element) -> dict[str, str]:
    pairs = [each.inside for each in root.all("dl")[-1].inside]
    return {name.text: value.text for name, value in pairs}


def test_a_check_says_how_far_it_went_and_with_what() -> None:
    root = _section(claim("queue"))
    facts, record = _facts(root), answer("queue")
    assert facts["states"] == "114" and facts["transitions"] == "166" and facts["depth"] == "20 levels"
    assert facts["to the end"] == "yes" and facts["model"] == record["model_hash"]
    assert rows(root, "Parameters") == [["messages", "2"], ["losses", "1"]]
    told = rows(root, "Guarantees")
    assert ["no-duplicates", "✗ violated", "No message is delivered twice."] in told
    assert "Expected ✓ holds, found ✗ violated, in 1.5 s." in root.text


def test_its_story_is_drawn_and_told_step_by_step() -> None:
    root = _section(claim("queue"))
    (drawn,) = root.all("svg", "sequence")
    assert "producer" in drawn.text and "m1" in drawn.text
    told = rows(root, "Steps")
    assert [row[0] for row in told] == ["start", "1", "2", "3", "4", "5", "6", "end"]
    assert "producer sends m1 to link" in told[1][1] and "link: [] -> [m1]" in told[1][1]
    assert f"angarium replay {story('queue', 'no-duplicates')['address']}" in root.text


@pytest.mark.parametrize(
    ("subject", "told"),
    [
        ("nsq", "Show it again: angarium replay nsq@"),
        (
            "models/a b.py:Queue",
            "Show it again, in the project's folder: angarium replay 'models/a b.py:Queue@",
        ),
        ("overlay:mesh.yaml", "Show it again, in the project's folder: angarium replay overlay:mesh.yaml@"),
    ],
)
def test_the_command_that_shows_a_story_again_says_where_it_works(subject: str, told: str) -> None:
    record = answer("queue")
    verdict = next(each for each in record["verdicts"] if each["story"])
    _, at, rest = verdict["story"]["address"].rpartition("@")
    moved = {**verdict, "story": {**verdict["story"], "subject": subject, "address": f"{subject}{at}{rest}"}}
    found = replace(claim("queue"), record={**record, "verdicts": [moved]})
    assert told in _section(found).text
    assert told.replace(": angarium", ": `angarium") in summary(job(found))


def test_a_run_without_end_says_what_is_repeated_and_what_helps() -> None:
    root = _section(claim("balancing", "violated"))
    steps = story("balancing", "eventually-all-subscribed")
    told = rows(root, "Steps; those with ↻ are repeated for ever")
    assert sum("↻" in row[0] for row in told) == len(steps["steps"]) - steps["cycle"] > 0
    assert "steps, without end" in root.all("summary")[0].text
    assert "It would hold with: " in root.text


def test_only_the_first_story_is_open() -> None:
    record = answer("queue")
    verdict = next(each for each in record["verdicts"] if each["story"])
    twice = {**record, "verdicts": [verdict, {**verdict, "guarantee": "second"}]}
    root = _section(replace(claim("queue"), record=twice))
    stories = [each for each in root.all("details") if each.inside[1].all("svg", "sequence")]
    assert ["open" in each.attributes for each in stories] == [True, False]


def test_settings_have_a_column_for_each_trouble_and_what_mends_them() -> None:
    root = _section(claim("settings"))
    table = next(each for each in root.all("table") if each.all("caption")[0].text == "Guarantees")
    assert [each.text for each in table.all("thead")[0].all("th")] == [
        "guarantee",
        "one-crash",
        "what it says",
    ]
    assert (
        "acks=all: mends no-loss under one-crash; costs: a write waits for all replicas in sync" in root.text
    )
    assert ["acks", "1", "--set"] in rows(root, "Parameters")
    assert "Kafka turns it off without an error with acks=1" in root.text


def test_a_mesh_has_a_column_for_each_size_of_failures_and_its_findings() -> None:
    root = _section(claim("mesh", pictures={"six <brokers>": "<svg id='mine'><g></g></svg>"}))
    told = {row[0]: row[1:4] for row in rows(root, "Guarantees")}
    assert told["reachability"] == ["✓ holds", "✗ violated", "✗ violated"]
    assert told["no-dangling-references"] == ["✓ holds", "", ""]
    found = rows(root, "Findings of reachability")
    assert ["link b1-b2", "b1 to b2 is lost with its path", "b1 > b2", "A (A at b1 to A at b2)"] in found
    assert _facts(root)["scenarios"] == "healthy (1), 1 link (5), 1 broker (6)"
    assert root.all("figcaption")[0].text == "six <brokers>"
    assert [each.attributes["id"] for each in root.all("svg") if "id" in each.attributes] == ["mine"]
    assert "Show it again, in the project's folder: angarium replay mesh:examples/meshes/six-" in root.text


def test_recovery_tables_have_what_goes_wrong_in_each_colour() -> None:
    root = _section(claim("tables"))
    assert ["loop-free", "✗ violated", "no message goes round"] in rows(root, "Guarantees")
    found = rows(root, "Findings of loop-free")
    assert found and "a message from" in found[0][1] and " > " in found[0][2]
    assert _facts(root)["colours"].startswith("12, with ")
    assert "- loop-free: a message from b1 to b3 goes round for ever" in summary(job(claim("tables")))


def test_many_findings_are_cut_and_counted() -> None:
    record = answer("mesh")
    violated = next(each for each in record["verdicts"] if each["findings"])
    many = {**violated, "findings": violated["findings"][:1] * 60}
    root = _section(replace(claim("mesh"), record={**record, "verdicts": [many]}))
    assert len(rows(root, "Findings of reachability")) == 50 and "and 10 more" in root.text


def test_a_proof_has_its_obligations_and_what_refutes_them() -> None:
    root = _section(claim("ring"))
    titles = [each.text for each in root.all("summary")]
    assert "Queue: 5 of 5 obligations proved" in titles
    assert "OverwritingRing: 11 of 13 obligations proved" in titles
    obligations = rows(root, "Obligations of OverwritingRing")
    assert [row[1] for row in obligations] == ["✗ violated"] * 2 + ["✓ holds"] * 11
    assert ["spec.contents", "{m1}", "{m0, m1}"] in rows(root, "States")
    assert "enqueue(msg=m0)" in root.text and "num(m0) = 0; num(m1) = 1" in root.text


def test_walks_have_statistics_with_intervals() -> None:
    root = _section(claim("walks", "unknown"))
    found = answer("walks")["statistics"][0]
    (row,) = (row for row in rows(root, "Statistics") if row[0].startswith(found["observation"]))
    assert row[1] == f"{found['low']:.2f} to {found['high']:.2f}" and row[2] == f"{found['mean']:.2f}"
    assert _facts(root)["runs"].startswith("50 of 50") and _facts(root)["seed"] == "1"


def test_a_sweep_has_statistics_for_each_scenario() -> None:
    root = _section(claim("sweep", "unknown"))
    assert [each.text for each in root.all("summary")][:2] == ["apps=2: 20 runs", "apps=3: 20 runs"]
    assert rows(root, "Statistics with apps=3")
    assert read(page(job(claim("sweep")))).text.count("40 runs") == 1


def test_a_mean_of_nothing_is_a_dash() -> None:
    record = answer("walks")
    nothing = {
        **record["statistics"][0],
        **dict.fromkeys(("mean", "low", "high", "sd", "minimum", "maximum")),
    }
    nothing |= {"count": 0, "quantiles": {}}
    root = _section(replace(claim("walks"), record={**record, "statistics": [nothing]}))
    assert rows(root, "Statistics")[0][1:] == ["- to -", *["-"] * 8]


def test_an_audit_has_its_counts_times_and_stories() -> None:
    root = _section(claim("shop"))
    told = {row[0]: row[1:] for row in rows(root, "Run shop")}
    assert told["no-loss"][:4] == ["✗ violated", "40", "0", "1"]
    assert "there are no stores of replicas" in told["acks-all"][4]
    assert ["lost", "1"] in rows(root, "Messages")
    assert rows(root, "Times")[0] == ["send to confirmation", "shop", "40", "2.1 ms", "2.1 ms", "2.1 ms"]
    assert rows(root, "Events")[0] == ["+0.000 s", "shop → orders", "shop sends o-27 (proves it)"]
    assert _facts(root)["events"] == "168 read, 168 accepted, 0 quarantined"


def test_runs_of_a_large_audit_are_folded_unless_something_is_wrong() -> None:
    record = answer("shop")
    holds = next(each for each in record["verdicts"] if each["verdict"] == "holds")
    wrong = next(each for each in record["verdicts"] if each["violations"])
    runs = [{**(wrong if run == "b" else holds), "run_id": run, "story": None} for run in "abcd"]
    root = _section(replace(claim("shop"), record={**record, "verdicts": runs}))
    folded = {each.all("summary")[0].text: "open" in each.attributes for each in root.all("details")}
    assert folded["Run a: 0 violations"] is False and folded["Run b: 1 violation"] is True


def test_what_stands_in_quarantine_is_told_with_its_reasons() -> None:
    record = {**answer("shop"), "read": 170, "quarantined": 2, "quarantine": {"no <time>": 2}}
    root = read(page(job(replace(claim("shop"), record=record))))
    assert rows(root, "In quarantine: rows that do not fit the schema") == [["no <time>", "2"]]
    assert "shop: 2 of 170 events are in quarantine" in root.text


def test_lives_that_the_model_does_not_have_come_first() -> None:
    life = {"run_id": "shop", "count": 7, "message_id": "o-1", "reason": None, "cannot": None}
    life |= {"word": "sd", "destination": "orders", "subscriber": "billing"}
    lives = [
        {**life, "life": "sent, delivered", "verdict": "holds", "assumptions": ["no crash"]},
        {**life, "life": "delivered", "verdict": "violated", "cannot": "delivered", "assumptions": []},
        {**life, "life": "sent", "verdict": "unknown", "reason": "cut", "assumptions": []},
    ]
    root = _section(replace(claim("shop"), record={**answer("shop"), "lives": lives}))
    assert [row[::3] for row in rows(root, "Lives of messages, against the model")] == [
        ["delivered", "cannot happen: delivered (for example o-1)"],
        ["sent", "not judged: cut"],
        ["sent, delivered", "happens only without the assumption: no crash"],
    ]


def test_mutants_have_a_column_for_each_guarantee() -> None:
    root = _section(claim("mutants", "unknown"))
    told = rows(root, "Mutants: the model, broken on purpose")
    record = answer("mutants")["mutants"]
    assert len(told) == len(record["rows"])
    assert [row[1] for row in told] == [
        {"survived": "✗ survived", "noticed": "✓ noticed"}[each["verdict"]] for each in record["rows"]
    ]
    assert "Guarantees that noticed nothing: stays-in-range." in root.text


def test_what_is_open_is_told_with_its_reason() -> None:
    text = read(page(job(claim("walks"), claim("shop"), broken(), unchecked=("nightly",)))).text
    assert "nightly: was not looked at in this run" in text
    assert "shop: balance stays unknown: there are no assignments of partitions with a generation" in text
    assert "stay unknown: walks can break a guarantee, but never show that it holds" in text
    assert "broken: there is no answer: no such system: nsk" in text
    assert NOTHING_LEFT not in text


def test_a_bound_leaves_no_guarantee_open() -> None:
    kept = claim("walks", verdict="holds", outcome=AS_EXPECTED, bounded=True, notes=("at most 5",))
    root = read(page(job(kept)))
    assert NOTHING_LEFT in root.text
    assert not any(each.text == "Verdicts" for each in root.all("h4")), "nobody has asked for guarantees"


def test_if_nothing_is_open_that_is_said() -> None:
    assert NOTHING_LEFT in read(page(job(claim("queue"), claim("mesh")))).text


def test_a_search_that_was_cut_and_verdicts_that_say_nothing_are_open() -> None:
    record = answer("queue")
    empty = {**record["verdicts"][0], "verdict": "unknown", "vacuous": "nothing is sent"}
    quiet = {**record["verdicts"][1], "verdict": "unknown"}
    untold = {**record["verdicts"][2], "story": None, "untold": "the search had no log"}
    cut = {**record, "complete": False, "cut": "--max-states"}
    cut |= {"cut_by": "states", "verdicts": [empty, quiet, untold]}
    root = read(page(job(replace(claim("queue"), record=cut))))
    for words in (
        "queue: it was cut: --max-states",
        "stays-in-range stays unknown: says nothing: nothing is sent",
        "no-loss stays unknown: it was cut (--max-states)",
        "no-duplicates has no story: the search had no log",
    ):
        assert words in root.text
    assert _facts(section(root, "queue"))["to the end"] == "no: --max-states"


def test_a_remark_of_a_mesh_has_its_place_and_remedy() -> None:
    place = {"file": "some/where/mesh.yaml", "line": 7, "column": 1}
    remark = {"kind": "unused", "what": "nobody uses b9", "remedy": "remove it", "place": place}
    remark = {**remark, "number": 1, "effects": [], "brokers": ["b9"], "assumed": False}
    root = _section(replace(claim("mesh"), record={**answer("mesh"), "remarks": [remark]}))
    assert "mesh.yaml:7: nobody uses b9 (remove it)" in root.text
