"""What a model says about random walks: goals, observations and rates, and what they become."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from angarium.checker.backend.kernel_text import kernel_text
from angarium.checker.backend.layout import Layout
from angarium.checker.explore.evaluate import evaluate
from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.frontend.build import build
from angarium.checker.frontend.mutants import mutants
from angarium.checker.frontend.parameters import vary
from angarium.checker.ir.formula import Question
from angarium.checker.ir.syntax import Binary, Call, Const, Expr, Local
from angarium.checker.ir.syntax import Read as Cell
from angarium.checker.ir.transition import Observation, Tally, TransitionSystem, Variable, Walks
from angarium.checker.ir.types import Int
from angarium.checker.language import vocabulary, walk_words
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse, read
from angarium.checker.logic.check import check
from angarium.core.result import Verdict
from angarium.systems.registry import load
from tests.models import source, system

SHELF = """
full = array(Item, bool)
left = budget(2)

def filled(self) -> int:
    return sum(self.full[i] for i in Item)

@action
def fill(self, i: Item) -> None:
    require(not self.full[i])
    self.full[i] = True

@action
def swap(self, i: Item, j: Item) -> None:
    require(self.full[i] and not self.full[j])
    self.full[i] = False
    self.full[j] = True

@action
def spill(self, i: Item) -> None:
    spend(self.left)
    self.full[i] = False

@action
def never(self, i: Item) -> None:
    require(self.items > 3)
    self.full[i] = False
"""
TALK = """
lost = budget(1)
deaths = budget(1)
link = channel(Item, 0, loses=lost)
box = channel(Item, 1)

@crashes(deaths)
async def giver(self, i: Item) -> None:
    while True:
        match await either(go=self.link.send(i), tired=until(True)):
            case "go", _:
                pass
            case "tired", _:
                await self.box.send(i)

async def taker(self, t: Twin) -> None:
    while True:
        i = await self.link.receive()
"""


def walks_of(body: str, items: int = 3) -> Walks:
    found = system(body, items=items).walks
    assert found is not None
    return found


def observed(body: str, items: int = 3) -> Walks:
    """What is observed on the shelf by a function with this head and body."""
    return walks_of(f"{SHELF}\n@observation\n{body}", items)


def figure(model: TransitionSystem, expr: Expr, *tallies: int, cells: tuple[int, ...] | None = None) -> int:
    """What an expression of the walks is in a state (the first one) when the tallies have come so far."""
    assert model.walks is not None
    names = [Variable(each.name, Int(0, 1 << 40)) for each in model.walks.tallies]
    helpers = (*model.helpers, *model.walks.helpers)
    whole = replace(model, variables=(*model.variables, *names), helpers=helpers)
    return evaluate(whole, expr, (*(cells or initial_states(model)[0]), *tallies), {})


def tally(number: int) -> Cell:
    return Cell(f"(tally {number})", Const(0))


# --- goals and observations ---------------------------------------------------------------------------


def test_a_model_that_says_nothing_has_no_walks() -> None:
    assert system(SHELF).walks is None


def test_a_goal_is_a_condition_with_a_name() -> None:
    model = system(SHELF + '@goal\ndef all_full(self) -> bool:\n    "Full."\n    return self.filled() == 3')
    found = model.walks
    assert found is not None and found.goal is not None
    assert (found.goal_name, found.goal_description) == ("all-full", "Full.")
    assert [figure(model, found.goal, cells=(1, 1, last, 2)) for last in (0, 1)] == [0, 1]


def test_an_observation_reads_tallies_and_the_last_state() -> None:
    body = 'def moved(self) -> int:\n    "Moves."\n    return 2 * times(self.swap) + steps() - self.filled()'
    model = system(f"{SHELF}\n@observation\n{body}")
    assert model.walks is not None
    assert model.walks.tallies == (
        Tally("(tally 0)", "times", "swap", (None, None)),
        Tally("(tally 1)", "steps"),
    )
    (found,) = model.walks.observations
    assert (found.name, found.description) == ("moved", "Moves.")
    ((label, expr),) = found.instances
    assert label == ""
    assert figure(model, expr, 5, 7, cells=(1, 0, 1, 2)) == 2 * 5 + 7 - 2


def test_an_observation_with_arguments_has_a_figure_for_each_combination() -> None:
    body = "def swaps(self, b: bool, i: Item) -> int:\n    return times(self.swap, j=i) if b else 0"
    (found,) = observed(body).observations
    counted = [("True, i1", tally(0)), ("True, i2", tally(1)), ("True, i3", tally(2))]
    assert found.instances == (*((f"False, i{n}", Const(0)) for n in (1, 2, 3)), *counted)


def test_arguments_that_are_given_select_steps() -> None:
    body = "def one(self, i: Item) -> int:\n    return times(self.swap, j=i, i=Item(1))"
    arguments = [each.arguments for each in observed(body).tallies]
    assert arguments == [(1, 0), (1, 1), (1, 2)]


def test_the_same_count_is_one_tally() -> None:
    body = "def twice(self, i: Item) -> bool:\n    return times(self.fill) + steps() > 2 * times(self.fill)"
    assert [each.kind for each in observed(body).tallies] == ["times", "steps"]


def test_conditions_are_asked_along_the_walk() -> None:
    body = (
        "def first(self, i: Item) -> int:\n"
        "    return steps_until(self.full[i]) + time_until(self.filled() > 1)"
    )
    full = [Cell("full", Const(n)) for n in range(3)]
    some = Tally("(tally 1)", "time", condition=Binary(">", Call("filled", ()), Const(1)))
    steps = [
        Tally(f"(tally {place})", "steps", condition=cell)
        for place, cell in zip((0, 2, 3), full, strict=True)
    ]
    found = observed(body)
    assert found.tallies == (steps[0], some, *steps[1:])
    assert [helper.name for helper in found.helpers] == ["filled"]


def test_a_type_that_only_an_observation_has_is_labelled_by_its_name() -> None:
    (found,) = walks_of(
        "n = integer(0, 1)\n@action\ndef act(self) -> None:\n    self.n = 1\n"
        "@observation\ndef none(self, t: Twin | None) -> int:\n    return 0 if t is None else self.n"
    ).observations
    assert [label for label, _ in found.instances] == ["None", "twin1", "twin2"]


def test_helpers_that_the_system_has_are_not_given_twice() -> None:
    shared = "@invariant\ndef few(self) -> bool:\n    return self.filled() < 4\n"
    asked = "@observation\ndef n(self) -> int:\n    return self.filled() + self.others()\n"
    own = "def others(self) -> int:\n    return 3 - self.filled()\n"
    model = system(SHELF + shared + asked + own)
    assert model.walks is not None
    assert [each.name for each in model.helpers] == ["filled"]
    assert [each.name for each in model.walks.helpers] == ["others"]
    ((_, expr),) = model.walks.observations[0].instances
    assert figure(model, expr, cells=(1, 0, 1, 2)) == 3


# --- what can be counted ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "actions"),
    [
        ("self.spill", ["spill"]),
        ("self.left", ["spill"]),
        ('"swap"', ["swap"]),
        ("self.never", []),
    ],
)
def test_what_counts_on_the_shelf(word: str, actions: list[str]) -> None:
    found = observed(f"def n(self) -> int:\n    return times({word})")
    assert [each.action for each in found.tallies] == actions
    ((_, expr),) = found.observations[0].instances
    assert expr == (tally(0) if actions else Const(0))


def test_what_never_happens_counts_when_other_parameters_let_it() -> None:
    body = "def n(self, i: Item) -> int:\n    return times(self.never, i=i)"
    assert [each.arguments for each in observed(body, items=4).tallies] == [(0,), (1,), (2,), (3,)]
    assert observed(body).tallies == ()


def test_an_argument_that_no_step_has_counts_nothing() -> None:
    assert observed("def n(self) -> int:\n    return times(self.fill, i=Item(7))").tallies == ()


@pytest.mark.parametrize(
    ("word", "actions"),
    [
        ("self.giver", ["link_giver_to_taker", "giver_tired", "giver_send_box"]),
        ("self.taker", ["link_giver_to_taker"]),
        ("self.lost", ["lose_link"]),
        ("self.deaths", ["crash_giver"]),
        ('"giver_tired"', ["giver_tired"]),
        ('"crash_giver"', ["crash_giver"]),
    ],
)
def test_what_counts_of_processes(word: str, actions: list[str]) -> None:
    found = walks_of(f"{TALK}\n@observation\ndef n(self) -> int:\n    return times({word})")
    assert {each.action for each in found.tallies} == set(actions)


@pytest.mark.parametrize(
    ("word", "arguments"),
    [("self.giver, i=Item(2)", (2, None)), ("self.taker, t=t", (None, 1))],
)
def test_a_process_is_counted_wherever_it_takes_part(word: str, arguments: tuple[int | None, ...]) -> None:
    found = walks_of(f"{TALK}\n@observation\ndef n(self, t: Twin) -> int:\n    return times({word})")
    met = [each.arguments for each in found.tallies if each.action == "link_giver_to_taker"]
    assert met[-1] == arguments


def test_a_process_that_meets_itself_counts_once_or_on_either_side() -> None:
    body = (
        "link = channel(Item, 0)\nasync def peer(self, i: Item) -> None:\n    while True:\n"
        "        match await either(give=self.link.send(i), take=self.link.receive()):\n"
        '            case "give", _:\n                pass\n'
        '            case "take", _:\n                pass\n'
        "@observation\ndef n(self) -> int:\n    return times(self.peer)\n"
        "@observation\ndef m(self) -> int:\n    return times(self.peer, i=Item(0))"
    )
    assert [each.arguments for each in walks_of(body).tallies] == [(None, None), (0, None), (None, 0)]


def test_steps_with_one_name_are_counted_together() -> None:
    body = (
        "async def p(self) -> None:\n    await until(True)\n    await until(True)\n"
        '@observation\ndef n(self) -> int:\n    return times("p_until")'
    )
    model = system(body)
    assert model.walks is not None
    names = [action.name for action in model.actions]
    assert [each.action for each in model.walks.tallies] == names
    assert len(names) == 2 and model.walks.observations == (
        Observation("n", "", (("", Binary("+", tally(0), tally(1))),)),
    )


# --- rates --------------------------------------------------------------------------------------------


def rates(body: str, rest: str) -> dict[str, Expr]:
    return dict(walks_of(f"{body}\n{rest}").rates)


def test_a_rate_may_depend_on_the_state_and_the_arguments() -> None:
    found = rates(SHELF, "@rate(swap)\ndef r(self, j: Item, i: Item) -> int:\n    return self.filled() + j")
    assert found == {"swap": Binary("+", Call("filled", ()), Local("j"))}


def test_what_a_rate_binds_is_no_argument_of_its_action() -> None:
    body = "    n = self.filled() * 2\n    i = n + 1\n    return i * i"
    model = system(f"{SHELF}\n@rate(fill)\ndef r(self) -> int:\n{body}")
    assert model.walks is not None
    ((_, expr),) = model.walks.rates
    whole = replace(model, helpers=(*model.helpers, *model.walks.helpers))
    assert evaluate(whole, expr, (1, 0, 1, 2), {"i": 0}) == 25


def test_a_budget_gives_its_rate_to_what_spends_it() -> None:
    assert rates(SHELF, "@rate(left)\ndef r(self) -> int:\n    return 2") == {"spill": Const(2)}


def test_a_process_gives_its_rate_to_its_steps_by_its_own_arguments() -> None:
    found = rates(TALK, "@rate(taker)\ndef r(self, t: Twin) -> int:\n    return 1 if t == t else 2")
    assert list(found) == ["link_giver_to_taker"]
    found = rates(TALK, "@rate(giver)\ndef r(self, i: Item) -> int:\n    return i + 1")
    assert {name: found[name] for name in found} == dict.fromkeys(
        ("link_giver_to_taker", "giver_tired", "giver_send_box"), Binary("+", Local("i"), Const(1))
    )


def test_the_rate_of_a_step_goes_before_that_of_its_process() -> None:
    own = '@rate("giver_tired")\ndef tired(self) -> int:\n    return 7\n'
    found = rates(TALK, own + "@rate(giver)\ndef r(self) -> int:\n    return 1")
    assert {name for name, rate in found.items() if rate == Const(7)} == {"giver_tired"}
    assert len(found) == 3


def test_the_rate_of_a_step_with_several_actors_takes_no_arguments() -> None:
    more = "async def other(self) -> None:\n    await self.link.send(Item(0))\n"
    found = rates(TALK, more + '@rate("lose_link")\ndef r(self) -> int:\n    return 3')
    assert len(found) == 2 and set(found.values()) == {Const(3)}


def test_an_impossible_action_may_have_a_rate() -> None:
    assert rates(SHELF, "@rate(never)\ndef r(self) -> int:\n    return 2") == {}


def test_rates_are_in_the_order_of_the_actions() -> None:
    more = "@rate(swap)\ndef a(self) -> int:\n    return 2\n@rate(fill)\ndef b(self) -> int:\n    return 3"
    assert list(rates(SHELF, more)) == ["fill", "swap"]


# --- what does not change -----------------------------------------------------------------------------

SAYINGS = """
@goal
def done(self) -> bool:
    return self.filled() == self.weight()

def weight(self) -> int:
    return sum(1 for i in Item)

@observation
def moved(self, i: Item) -> int:
    return times(self.fill, i=i) + steps_until(self.full[i])

@rate(swap)
def slow(self) -> int:
    return self.weight()
"""


def test_what_is_said_about_walks_changes_neither_the_hash_nor_the_kernel() -> None:
    claim = "@invariant\ndef few(self) -> bool:\n    return self.filled() < 3\n"
    plain, spoken = system(SHELF + claim), system(SHELF + claim + SAYINGS)
    assert spoken.walks is not None and plain.walks is None
    assert spoken == plain
    assert spoken.hash == plain.hash
    texts = [kernel_text(each, Layout(each.variables)) for each in (plain, spoken)]
    assert texts[0] == texts[1]


def test_questions_and_other_settings_keep_the_walks() -> None:
    body = "most = setting(1, high=3)\n" + SHELF + SAYINGS
    decl = find_model(parse(source(body)))
    plain = build(decl)
    asked = build(decl, {}, [Question("ltl", "F filled == 3")])
    assert asked.temporal and asked.hash == plain.hash
    assert asked.walks is not None and plain.walks is not None
    assert replace(asked.walks, helpers=()) == replace(plain.walks, helpers=())
    assert {*asked.helpers, *asked.walks.helpers} == {*plain.helpers, *plain.walks.helpers}
    assert vary(plain, {"most": "2"}).walks == plain.walks


def test_mutants_are_the_same_with_and_without_walks() -> None:
    found = [
        [(each.description, each.system.hash) for each in mutants(find_model(parse(source(body))))]
        for body in (SHELF, SHELF + SAYINGS)
    ]
    assert found[0] == found[1]
    assert "fill never happens" in dict(found[0])


def test_every_word_refuses_to_be_called() -> None:
    for word in walk_words.COUNTED:
        arguments = [] if word == "steps" else [True]
        with pytest.raises(RuntimeError, match=word):
            getattr(vocabulary, word)(*arguments)
        assert word in vocabulary.WORDS
    for decorator in (vocabulary.goal, vocabulary.observation, vocabulary.rate("act")):
        assert decorator(figure) is figure


# --- models -------------------------------------------------------------------------------------------


def test_the_single_active_consumer_counts_releases() -> None:
    model = load("rabbitmq-sac", {"queues": "2", "apps": "2"})
    found = model.walks
    assert found is not None and found.goal_name == "settled"
    release = next(action for action in model.actions if action.name == "release")
    assert [parameter.name for parameter in release.parameters] == ["a", "q"]
    counted = [each.arguments for each in found.tallies if each.action == "release"]
    assert counted == [(None, None), (None, 0), (None, 1)]
    labels = {each.name: [label for label, _ in each.instances] for each in found.observations}
    assert labels["releases-per-queue"] == ["q1", "q2"]


@pytest.mark.parametrize(("redelivers", "verdict"), [("true", Verdict.HOLDS), ("false", Verdict.VIOLATED)])
def test_redelivery_is_what_saves_messages_from_a_crash(redelivers: str, verdict: Verdict) -> None:
    subject = str(Path(__file__).parents[3] / "examples" / "retry_storm.py")
    model = build(find_model(read(subject)), {"messages": "2", "redelivers": redelivers})
    report = check(model, engine=NativeEngine(), subject=subject)
    found = {each.guarantee: each.verdict for each in report.verdicts}
    assert (found["no-loss"], found["finishes"]) == (verdict, verdict)
    slow = ReferenceEngine().search(model)
    assert slow.coverage.states == report.coverage.states
    assert model.walks is not None
    assert dict(model.walks.rates)["crash"] == Const(1)
    assert len(model.walks.rates) == (5 if redelivers == "true" else 4)
