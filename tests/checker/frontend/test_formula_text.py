"""Formulas as text: what they mean, and where an error points."""

from __future__ import annotations

import pytest

from angarium.checker.frontend.build import build
from angarium.checker.ir.formula import Question, TemporalGuarantee, atoms
from angarium.checker.ir.traversal import reads
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse
from angarium.core.errors import ModelError, UsageError
from tests.checker.frontend.test_temporal import BODY, words
from tests.models import source


def ask(text: str, logic: str = "ltl", fairness: str = "none") -> TemporalGuarantee:
    assert logic in ("ltl", "ctl")
    question = Question("ltl" if logic == "ltl" else "ctl", text, fairness)
    return build(find_model(parse(source(BODY))), {}, [question]).temporal[-1]


def meaning(text: str, logic: str = "ltl") -> str:
    formula = ask(text, logic).formula
    assert formula is not None
    return words(formula)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("<> (done)", "F(done)"),
        ("[] <> done", "G(F(done))"),
        ("always eventually done", "G(F(done))"),
        ("G F done", "G(F(done))"),
        ("X done", "X(done)"),
        ("! done", "!(done)"),
        ("not done", "!(done)"),
        ("[] (done -> <> full(i1))", "G((done -> F(full(i1))))"),
        ("done ~> full(i1)", "G((done -> F(full(i1))))"),
        ("done U full(i2) U done", "U(done, U(full(i2), done))"),
        (
            "done W done || done R done && done V done",
            "any(W(done, done), all(R(done, done), R(done, done)))",
        ),
        ("done until full(i1)", "U(done, full(i1))"),
        ("done -> done -> done", "(done -> (done -> done))"),
        ("done <-> full(i1)", "any(all(done, full(i1)), all(!(done), !(full(i1))))"),
        ("done && done and done", "all(done, done, done)"),
        ("done /\\ done \\/ done", "any(all(done, done), done)"),
        ("(level[i1] + 1) * 2 == 4 -> <> done", "((level[i1] + 1) * 2 == 4 -> F(done))"),
        ("level[i1] not in (1, 2) && done is not True", "all(level[i1] not in (1, 2), done is not True)"),
        ("[] all(level[i] <= 3 for i in Item if not full(i))",
         "G(all((level[i] <= 3 for i in Item if not full(i))))"),
        ("[] ((level[i1] > 0) U (done))", "G(U(level[i1] > 0, done))"),
        ("<> finished(worker)", "F(finished(worker))"),
        ("[] True", "G(True)"),
        ("[] true", "G(True)"),
        ("[] max((level[i] for i in Item), default=items) < 4",
         "G(max((level[i] for i in Item), default=items) < 4)"),
    ],
)  # fmt: skip
def test_ltl(text: str, meant: str) -> None:
    assert meaning(text) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("AG EF done", "AG(EF(done))"),
        ("AX done || EX done", "any(AX(done), EX(done))"),
        ("A[done U full(i1)] && E[!done W done]", "all(AU(done, full(i1)), EW(!(done), done))"),
        ("E(done R EG done)", "ER(done, EG(done))"),
        ("done ~> full(i1)", "AG((done -> AF(full(i1))))"),
    ],
)
def test_ctl(text: str, meant: str) -> None:
    assert meaning(text, "ctl") == meant


ERRORS = {
    "<> dnoe": (4, "did you mean done"),
    "<> i9": (4, "not known"),
    "[] (done": (4, "not closed"),
    "done)": (5, "the end"),
    "done &&": (8, "a condition is needed"),
    "done && -> done": (9, "a condition is needed"),
    "done $ done": (6, "'$'"),
    "[] (done]": (9, "] where ) is needed"),
    "level[i1] > > 2": (13, "not a condition"),
    "level[i1] == Colour.RED": (1, "compared"),
    "[] level": (4, "condition"),
    "AG done": (1, "--ctl"),
    "<> put": (4, "put takes i"),
    "": (1, "the formula ends here"),
    "[] " * 300 + "done": (184, "nesting"),
    "<> __import__('os')": (4, "cannot be called"),
    "(" * 200 + "done" + ")" * 200: (62, "nesting"),
}


@pytest.mark.parametrize("text", ERRORS)
def test_an_error_points_into_the_text(text: str) -> None:
    column, word = ERRORS[text]

    with pytest.raises(ModelError) as caught:
        ask(text)

    assert word in str(caught.value)
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.column) == ("--ltl", column)


def test_a_word_of_ltl_in_ctl_is_refused() -> None:
    with pytest.raises(ModelError, match="word of LTL"):
        ask("[] done", "ctl")
    with pytest.raises(ModelError, match="U, W or R"):
        ask("A[done]", "ctl")


def test_a_question_does_not_change_the_systems_name() -> None:
    decl = find_model(parse(source(BODY)))

    asked = build(decl, {}, [Question("ltl", "<> full(i1)"), Question("ltl", "<> done")])

    assert asked.hash == build(decl, {}).hash
    assert [each.name for each in asked.temporal] == ["ltl", "ltl-2"]
    assert [each.description for each in asked.temporal] == ["<> full(i1)", "<> done"]


def test_the_models_own_names_come_before_labels() -> None:
    body = "i1 = integer(0, 5)\nlen = integer(0, 5)\n@action\ndef up(self) -> None:\n    self.i1 = 5\n"
    decl = find_model(parse(source(body)))

    asked = build(decl, {}, [Question("ltl", "[] i1 < 2"), Question("ltl", "[] len < 2")])

    conditions = [atoms(each.formula)[0].condition for each in asked.temporal if each.formula]
    assert [reads(each) for each in conditions] == [{"i1"}, {"len"}]


def test_fairness_as_text_is_what_verdicts_show() -> None:
    for text in (
        "none",
        "weak by process",
        "strong by instance of put and worker",
        "weak of the whole, strong by action",
    ):
        from angarium.checker.ir.formula import fairness_text

        assert fairness_text(ask("<> done", fairness=text).fairness) == text


@pytest.mark.parametrize("text", ["week by process", "weak", "weak by luck", "weak by process of nobody"])
def test_fairness_that_is_not_understood(text: str) -> None:
    with pytest.raises(UsageError):
        ask("<> done", fairness=text)
