"""Names in proof modules mean what they mean in Python: wrong code with clashing names is not proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.contracts.module import Implementation
from angarium.contracts.prove import prove
from angarium.contracts.reading.subject import find_modules
from angarium.core.errors import InputError
from angarium.core.result import Verdict
from tests.contracts.every_call import Judge

BEGIN = """
from typing import Generic, TypeVar
from angarium.contracts import Answer, Implementation, Order, Sort, Specification
from angarium.contracts import conjecture, contract, ensure, every, first, invariant, require

class N(Order): ...

class M(Sort):
    num: N

class Store(Specification):
    flag: bool

    @contract
    def ask(self, k: N) -> Answer[N]:
        key = yield
        ensure(k <= key)

    @contract
    def sure(self) -> Answer[bool]:
        ok = yield
        ensure(ok)

    @contract
    def told(self) -> Answer[bool]:
        res = self.flag
        res = yield
        ensure(res)

class S(Specification):
    n: N
    last: N
    things: set[M]

    @contract
    def op(self, {parameters}) -> Answer[{answer}]:
{contract}

class J(Implementation):
    spec: S
    store: Store
    mine: N
    copied: bool

    def op(self, {own}) -> {answer}:
{body}
"""


def module(parameters: str, answer: str, contract: str, body: str, own: str = "") -> str:
    lines = [part.replace("\n", "\n        ") for part in (contract, body)]
    return BEGIN.format(
        parameters=parameters,
        own=own or parameters,
        answer=answer,
        contract="        " + lines[0],
        body="        " + lines[1],
    )


OLD = "old = self.n\nres = yield\nensure(res == old)"
SAME_KEY = "res = yield\nensure(res == key)"

WRONG = {
    "a local of the body is not that of the contract": module("x: N", "N", OLD, "old = first(N)\nreturn old"),
    "an answer of a component is not the contract's parameter": module(
        "key: N", "N", SAME_KEY, "key = self.store.ask(k)\nreturn key", own="k: N"
    ),
    "parameters in another order are others": module(
        "a: N, b: N", "N", "res = yield\nensure(res == first(N))", "a = first(N)\nreturn b", own="b: N, a: N"
    ),
    "an answer that is not named changes no local": module(
        "x: N", "bool", "res = yield\nensure(res)", "ok = False\nself.store.sure()\nreturn ok"
    ),
    "a parameter that one branch changes": module(
        "x: N, c: bool", "N", "res = yield\nensure(res == x)", "if c:\n    x = first(N)\nreturn x"
    ),
    "a parameter with another name that one branch changes": module(
        "key: N, c: bool", "N", SAME_KEY, "if c:\n    k = first(N)\nreturn k", own="k: N, c: bool"
    ),
    "a parameter that a loop changes": module(
        "x: N, top: N",
        "bool",
        "res = yield\nensure(res == (top <= x))",
        "while x < top:\n    invariant(True)\n    x = x.next\nreturn True",
    ),
    "a local of a component's contract is not its answer": module(
        "x: N", "bool", "res = yield\nensure(res)", "told = self.store.told()\nreturn self.copied"
    ),
}


def proved(text: str, folder: Path) -> dict[str, Verdict]:
    path = folder / "module.py"
    path.write_text(text, encoding="utf-8")
    return {each.obligation.name: each.verdict for proof in prove(str(path)) for each in proof.judged}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_code_with_clashing_names_is_refuted(name: str, tmp_path: Path) -> None:
    verdicts = proved(WRONG[name], tmp_path)

    part = next(
        each for each in find_modules(str(tmp_path / "module.py")) if isinstance(each, Implementation)
    )
    broken = Judge(part, {"N": 2, "M": 1}).broken()

    assert verdicts["op ensures"] is Verdict.VIOLATED
    assert broken == {"op ensures"}


def test_a_parameter_that_a_branch_raises_is_raised(tmp_path: Path) -> None:
    body = "if x < low:\n    x = low\nreturn x"

    verdicts = proved(module("x: N, low: N", "N", "res = yield\nensure(low <= res)", body), tmp_path)

    assert verdicts["op ensures"] is Verdict.HOLDS


def test_what_the_contract_keeps_is_not_what_the_body_makes_of_it(tmp_path: Path) -> None:
    text = module("x: N", "None", "yield\nself.last = x", "x = first(N)\nself.mine = x")
    text += "\n    @conjecture\n    def same(self) -> bool:\n        return self.mine == self.spec.last\n"

    assert proved(text, tmp_path)["op keeps same"] is Verdict.VIOLATED


def test_an_answer_that_is_called_as_a_parameter_may_be_anything(tmp_path: Path) -> None:
    text = module("x: N", "N", "require(x == first(N))\nx = yield\nself.last = x", "return x")
    text = text.replace(
        "class J",
        "    @conjecture\n    def stays(self) -> bool:\n        return self.last == first(N)\n\nclass J",
    )

    path = tmp_path / "module.py"
    path.write_text(text, encoding="utf-8")
    (proof,) = (each for each in prove(f"{path}:S") if each.subject == "S")

    verdicts = {each.obligation.name: each.verdict for each in proof.judged}
    assert verdicts["op keeps stays"] is Verdict.VIOLATED


PLAIN = module("x: M", "bool", "res = yield\nensure(res == (x in self.things))", "{body}")

REFUSED = {
    "abstract state inside any": (
        PLAIN.format(body="return any(y == x for y in self.spec.things)"),
        "code cannot look at abstract state",
    ),
    "abstract state in a comprehension": (
        PLAIN.replace("mine: N", "mine: set[M]").format(
            body="self.mine = {y for y in self.spec.things}\n        return True"
        ),
        "code cannot look at abstract state",
    ),
    "a component's state": (PLAIN.format(body="return self.store.flag"), "code cannot look at"),
    "an assert in a contract": (
        module("x: N", "bool", "assert x == first(N)\nres = yield", "return True"), "assert cannot be said",
    ),
    "a return in a contract": (
        module("x: N", "bool", "if x == first(N):\n    return\nres = yield", "return True"),
        "nothing to return from",
    ),
    "a body nobody calls": (
        PLAIN.format(body="return True") + "\n    def reset(self) -> None:\n        self.mine = first(N)\n",
        "reset must be one `return`",
    ),
    "a forgotten contract": (
        PLAIN.format(body="return True").replace("    @contract\n    def op", "    def op"),
        "op has a yield and is no contract",
    ),
    "inheritance": (
        PLAIN.format(body="return True") + "\nclass K(J):\n    pass\n", "K cannot inherit from J",
    ),
    "a sort of two kinds": (
        PLAIN.format(body="return True").replace("class M(Sort)", "class M(Sort, Order)"),
        "a sort is of one kind",
    ),
    "a dict as a set": (
        PLAIN.format(body="self.d = {y for y in self.s}\n        return True").replace(
            "mine: N", "s: set[M]\n    d: dict[N, M]"
        ),
        "a set or dict cannot become",
    ),
    "a default": (
        module("x: N = first(N)", "bool", "res = yield", "return True"), "has parameters of other kinds",
    ),
    "an answer of another sort": (
        module("x: N", "bool", "res = yield", "return self.store.ask(x)"), "the contract wants (bool)",
    ),
    "a name with two sorts behind a branch": (
        module("x: N, c: bool", "N", "res = yield", "if c:\n    x = c\nreturn x"), "x is not known here",
    ),
    "a name that changes its sort in a loop": (
        module(
            "x: N, c: bool", "N", "res = yield",
            "while c:\n    invariant(True)\n    x = c\n    c = False\nreturn first(N)",
        ),
        "x becomes something else in this loop",
    ),
    "too deep": (
        module("x: bool", "bool", "res = yield", "return " + "not " * 900 + "x"),
        "inside each other are too many",
    ),
    "too many ways": (
        module(
            "x: bool", "bool", "res = yield",
            "if x:\n    if x:\n        return True\n" * 25 + "return False",
        ),
        "more than 100 ways",
    ),
    "too many changes": (
        module(
            "x: M", "bool", "res = yield\nensure(res)",
            "self.s.add(x)\n" * 600 + "return x in self.s",
        ).replace("mine: N", "s: set[M]"),
        "nested too deeply",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_proved_about_is_refused(name: str, tmp_path: Path) -> None:
    text, words = REFUSED[name]

    with pytest.raises(InputError) as caught:
        proved(text, tmp_path)

    assert words in str(caught.value)


def test_formulas_that_double_again_and_again_stay_small(tmp_path: Path) -> None:
    body = "self.copied = self.copied == (c == self.copied)\n" * 40 + "return c"

    verdicts = proved(module("c: bool", "bool", "res = yield\nensure(res == c)", body), tmp_path)

    assert verdicts["op ensures"] is Verdict.HOLDS


def test_two_sorts_of_one_name_are_refused(tmp_path: Path) -> None:
    """Else what a component says of its things would be believed of others."""
    lines = ["from angarium.contracts import Sort, Specification", "class M(Sort): ..."]
    lines += ["class Other(Specification):", "    seen: set[M]"]
    (tmp_path / "component.py").write_text("\n".join(lines), encoding="utf-8")
    text = PLAIN.format(body="return True").replace("store: Store", "store: Store\n    other: Other")

    with pytest.raises(InputError, match="there are two sorts named M"):
        proved("from component import Other\n" + text, tmp_path)


GENERIC = """
A = TypeVar("A", bound=Sort)
B = TypeVar("B", bound=Sort)

class Pair(Specification, Generic[A, B]):
    left: set[A]
    right: set[B]

    def __init__(self) -> None:
        self.left.clear()

    @conjecture
    def empty(self, x: B) -> bool:
        return x not in self.right
"""


def test_a_component_is_proved_as_it_is_written_not_as_it_is_used_first(tmp_path: Path) -> None:
    text = PLAIN.format(body="return True").replace("class S(", GENERIC + "\nclass S(")
    text = text.replace("store: Store", "store: Store\n    same: Pair[M, M]")

    verdicts = proved(text, tmp_path)

    assert verdicts["Pair starts with empty"] is Verdict.VIOLATED


def test_a_file_may_begin_with_a_mark_of_its_encoding(tmp_path: Path) -> None:
    verdicts = proved(
        "\ufeff" + module("x: bool", "bool", "res = yield\nensure(res == x)", "return x"), tmp_path
    )

    assert verdicts["op ensures"] is Verdict.HOLDS


def test_classes_of_one_name_in_two_files_are_both_proved(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    for path, body in {right: "return x", wrong: "return not x"}.items():
        text = module("x: bool", "bool", "res = yield\nensure(res == x)", body)
        path.write_text(text, encoding="utf-8")

    proofs = prove(f"{right}:J", f"{wrong}:J")

    assert [each.judged[0].verdict for each in proofs] == [Verdict.HOLDS, Verdict.VIOLATED]
