"""Guarantees over time: what the words of a model become, and what is refused."""

from __future__ import annotations

import pytest

from angarium.checker.ir.formula import (
    Atom,
    Conjunction,
    Disjunction,
    Fairness,
    Formula,
    Implies,
    Negation,
    Over,
    Quantified,
    TemporalGuarantee,
    Truth,
    fairness_text,
)
from angarium.core.errors import ModelError
from tests.models import source, system

BODY = """
level = array(Item, integer(0, 3))
open = setof(Item)
link = channel(Item)
done: bool = False
@action
def put(self, i: Item) -> None:
    require(self.level[i] < 3)
    self.level[i] += 1
def full(self, i: Item) -> bool:
    return self.level[i] == 3
async def worker(self, i: Item) -> None:
    await self.link.send(i)
"""


def guarantee(text: str, **settings: object) -> TemporalGuarantee:
    """The guarantee of a model that claims just this."""
    (found,) = system(BODY + text, **settings).temporal
    return found


def claim(formula: str, mark: str = "@ltl", **settings: object) -> Formula:
    found = guarantee(
        f'{mark}\ndef goal(self) -> bool:\n    "What."\n    return {formula}\n', **settings
    ).formula
    assert found is not None
    return found


def words(formula: Formula) -> str:
    """A formula in short, its atoms by their text."""
    match formula:
        case Atom(text=text):
            return text
        case Truth(value):
            return str(value)
        case Negation(operand):
            return f"!({words(operand)})"
        case Conjunction(parts):
            return f"all({', '.join(map(words, parts))})"
        case Disjunction(parts):
            return f"any({', '.join(map(words, parts))})"
        case Implies(left, right):
            return f"({words(left)} -> {words(right)})"
        case Over(op, operands):
            return f"{op}({', '.join(map(words, operands))})"
        case Quantified(quantifier, op, operands):
            return f"{quantifier}{op}({', '.join(map(words, operands))})"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("eventually(self.done)", "F(done)"),
        ("always(eventually(self.done))", "G(F(done))"),
        ("next_(self.done)", "X(done)"),
        ("until(not self.done, self.done)", "U(not done, done)"),
        ("weak_until(self.done, self.full(Item(1)))", "W(done, full(Item(1)))"),
        ("release(self.done, self.done)", "R(done, done)"),
        ("leads_to(self.done, self.level[Item(0)] > 1)", "G((done -> F(level[Item(0)] > 1)))"),
        ("always(implies(self.done, not self.done))", "G((done -> not done))"),
        ("not always(self.done) or eventually(self.done)", "any(!(G(done)), F(done))"),
        ("always(self.done) and True", "all(G(done), True)"),
        (
            "all(eventually(self.full(i)) for i in Item)",
            "all(all(F(full(i1))), all(F(full(i2))), all(F(full(i3))))",
        ),
        (
            "any(always(self.level[i] < n) for i in Item if i == Item(1) for n in range(1, 3))",
            "any(any(any(G(level[i2] < 1)), any(G(level[i2] < 2))))",
        ),
        (
            "all(eventually(self.full(i)) for i in self.open)",
            "all("
            + ", ".join(f"any(!(it is there), all(F(full(i{n}))))" for n in (1, 2, 3))
            + ")",
        ),
    ],
)  # fmt: skip
def test_words_of_ltl(written: str, meant: str) -> None:
    assert words(claim(written)) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("AG(EF(self.done))", "AG(EF(done))"),
        ("AX(AF(self.done)) or EX(EG(self.done))", "any(AX(AF(done)), EX(EG(done)))"),
        ("AU(True, self.done) and EU(True, self.done)", "all(AU(True, done), EU(True, done))"),
        ("AW(self.done, AR(self.done, self.done))", "AW(done, AR(done, done))"),
        ("EW(self.done, ER(self.done, self.done))", "EW(done, ER(done, done))"),
        ("leads_to(self.done, not self.done)", "AG((done -> AF(not done)))"),
    ],
)
def test_words_of_ctl(written: str, meant: str) -> None:
    assert words(claim(written, "@ctl")) == meant


def test_eventually_marks_a_condition() -> None:
    found = guarantee('@eventually\ndef is_done(self) -> bool:\n    "It ends."\n    return self.done\n')

    assert (found.name, found.logic, found.description) == ("is-done", "ltl", "It ends.")
    assert found.formula is not None
    assert words(found.formula) == "F(done)"


def test_an_implication_is_kept_wherever_it_claims_something() -> None:
    assert words(claim("always(implies(self.done, not self.done) and self.done)")) == (
        "G(all((done -> not done), done))"
    )
    assert words(claim("all(implies(self.full(i), self.done) for i in Item)")) == (
        "all(all((full(i1) -> done)), all((full(i2) -> done)), all((full(i3) -> done)))"
    )


def test_a_declared_action_keeps_its_name_beside_a_step_of_a_process() -> None:
    body = "n: bool = False\n@action\ndef worker_until(self) -> None:\n    self.n = True\n"
    process = "async def worker(self) -> None:\n    await until(self.n)\n"

    first, second = (action.name for action in system(body + process).actions)

    assert first == "worker_until"
    assert second.startswith("worker_until_")


def test_a_guarantee_is_claimed_only_where_its_require_is_true() -> None:
    body = BODY + "@ltl\ndef many(self) -> bool:\n    require(self.items > 3)\n    return always(self.done)\n"

    assert system(body).temporal == ()
    assert len(system(body, items=4).temporal) == 1


def test_divergence_and_determinism_have_no_formula() -> None:
    for mark, logic in (("divergence_free", "divergence"), ("deterministic", "determinism")):
        found = guarantee(f'@{mark}\ndef quiet(self) -> None:\n    "No noise."\n')

        assert (found.logic, found.formula, found.description) == (logic, None, "No noise.")


def test_the_visible_events_are_named() -> None:
    assert system(BODY).visible is None
    assert system(BODY + "visible = events(put, link)").visible == ("put", "link")
    assert system(BODY + "visible = events()").visible == ()


@pytest.mark.parametrize(
    ("written", "demands", "text"),
    [
        ('weak("all")', (Fairness("weak", "all"),), "weak of the whole"),
        (
            'strong("process", worker)',
            (Fairness("strong", "process", ("worker",)),),
            "strong by process of worker",
        ),
        ("weak(put)", (Fairness("weak", "action", ("put",)),), "weak by action of put"),
        (
            'weak("action", "crash_worker")',
            (Fairness("weak", "action", ("crash_worker",)),),
            "weak by action of crash_worker",
        ),
        (
            '[weak("instance"), strong(put, worker)]',
            (Fairness("weak", "instance"), Fairness("strong", "action", ("put", "worker"))),
            "weak by instance, strong by action of put and worker",
        ),
    ],
)  # fmt: skip
def test_fairness(written: str, demands: tuple[Fairness, ...], text: str) -> None:
    found = guarantee(f"@ltl(fairness={written})\ndef goal(self) -> bool:\n    return always(self.done)\n")

    assert found.fairness == demands
    assert fairness_text(found.fairness) == text


def test_implies_can_stand_in_any_condition() -> None:
    plain = system(
        BODY + "@invariant\ndef ok(self) -> bool:\n    return implies(self.done, self.level[0] > 1)\n"
    )
    long = system(BODY + "@invariant\ndef ok(self) -> bool:\n    return not self.done or self.level[0] > 1\n")

    assert plain.guarantees == long.guarantees


LTL = "@ltl\ndef goal(self) -> bool:\n    "
CTL = LTL.replace("@ltl", "@ctl")
MISTAKES = {
    # what is wrong: (class body, code, the text that the error points at, a word of the message)
    "unknown name": (LTL + "return always(self.dnoe)", "ANG105", "self.dnoe", "did you mean done"),
    "CTL in LTL": (LTL + "return always(EF(self.done))", "ANG110", "EF", "word of CTL"),
    "LTL in CTL": (CTL + "return AG(eventually(self.done))", "ANG110", "eventually", "LTL"),
    "too many operands": (LTL + "return always(self.done, self.done)", "ANG110", "always", "1 plain"),
    "arithmetic on time": (LTL + "return always(self.done) + 1", "ANG110", "always(self.done) + 1", "all("),
    "no condition": (LTL + "return always(self.level)", "ANG106", "self.level", "condition"),
    "statements": (LTL + "x = self.done\n    return always(x)", "ANG110", "x = self.done", "one formula"),
    "time in a helper": (
        "def h(self) -> bool:\n    return always(self.done)\n" + LTL + "return eventually(self.h())",
        "ANG110",
        "always(self.done)",
        "@ltl",
    ),
    "unknown fairness": (
        LTL.replace("@ltl", '@ltl(fairness=weak("some"))') + "return always(self.done)",
        "ANG110",
        "'some'",
        "process",
    ),
    "fairness of nothing": (
        LTL.replace("@ltl", '@ltl(fairness=weak("action", pit))') + "return always(self.done)",
        "ANG105",
        "pit",
        "put",
    ),
    "fairness of a state": (
        LTL.replace("@ltl", "@ltl(fairness=1)") + "return always(self.done)",
        "ANG110",
        "1",
        "weak(per)",
    ),
    "invisible events": ("visible = events(putt)", "ANG105", "putt", "did you mean put"),
    "visible twice": ("visible = events(put)\nseen = events(put)", "ANG107", "events(put)", "twice"),
    "a formula of divergence": (
        "@divergence_free\ndef quiet(self) -> bool:\n    return self.done",
        "ANG107",
        "return self.done",
        "docstring",
    ),
    "a sequence around time": (
        "line = seq(Item, 2)\n" + LTL + "return all(eventually(self.full(i)) for i in self.line)",
        "ANG110",
        "self.line",
        "another moment",
    ),
    "unbounded domain": (
        LTL + "return all(always(self.done) for n in range(self.level[Item(0)]))",
        "ANG110",
        "range",
        "before the search",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_an_error_at_its_place(mistake: str) -> None:
    body, code, pointed_at, word = MISTAKES[mistake]

    with pytest.raises(ModelError) as caught:
        system(BODY + body)

    error, lines = caught.value, source(BODY + body).splitlines()
    assert error.place is not None
    pointed = lines[error.place.line - 1][error.place.column - 1 :].replace('"', "'")
    assert (error.code, pointed.startswith(pointed_at)) == (code, True), pointed
    assert word in str(error)
