"""A name that only running the file would tell is refused, at the line that makes it uncertain."""

from pathlib import Path

import pytest

from angarium.checker.frontend.build import build
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse, read
from angarium.contracts.reading.subject import find_modules
from angarium.core.errors import ModelError

HEAD = "from __future__ import annotations\nfrom enum import Enum\nfrom angarium import *\n"
MODEL = """
class M(Model):
    n = integer(0, 9)

    @action
    def act(self) -> None:
        require(self.n == 0)
        self.n = N

    @invariant
    def small(self) -> bool:
        return self.n < 4
"""


def refused(text: str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        build(find_model(parse(HEAD + text), "M"))
    return caught.value


@pytest.mark.parametrize(
    "again",
    [
        "N, other = 5, 6",
        "[N] = [5]",
        "other = N = 5",
        "if True:\n    N = 5",
        "for N in (5,):\n    pass",
        "while (N := 5) < 5:\n    pass",
        "with open('x') as N:\n    pass",
        "try:\n    N = 5\nexcept OSError as other:\n    pass",
        "try:\n    pass\nexcept OSError as N:\n    pass",
        "other = (N := 5)",
        "other = [N := each for each in (5,)]",
        "match 5:\n    case N:\n        pass",
        "del N",
        "N += 2",
        "def N() -> int:\n    return 5",
        "async def N() -> None:\n    pass",
        "class N:\n    pass",
        "if True:\n    def N() -> int:\n        return 5",
        "from enum import auto as N",
        "import enum as N",
        "def later() -> None:\n    global N\n    N = 5\nlater()",
        "def later(given: int = (N := 5)) -> int:\n    return given",
        "globals()['N'] = 5",
        "exec('N = 5')",
        "from string import *",
        "N: int = 5",
    ],
)
def test_constant_that_is_bound_again_is_refused_at_that_line(again: str) -> None:
    error = refused(f"N = 3\n{again}\n{MODEL}")

    assert error.code == "ANG107"
    assert error.place is not None
    assert error.place.line >= 5


@pytest.mark.parametrize(
    "harmless",
    ["other, more = 5, 6", "print(N)", "assert N == 3", "from enum import Enum",
     "if __name__ == '__main__':\n    N = 5",
     "N: int", "other = [N for N in (5,)]", "def other(N: int) -> int:\n    return N"],
)  # fmt: skip
def test_what_does_not_bind_the_constant_again_is_no_harm(harmless: str) -> None:
    build(find_model(parse(f"{HEAD}N = 3\n{harmless}\n{MODEL}"), "M"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("N, K = 3, 4\n" + MODEL, "N is bound in an assignment to several names"),
        ("if True:\n    N = 3\n" + MODEL, "N is bound in a statement that is not read here (if)"),
        ("N = 3\n" + MODEL + "if True:\n    class M(Model):\n        pass\n", "M is bound more than once"),
        ("N = 3\ndef min(a: int, b: int) -> int:\n    return 7\n" + MODEL, "another meaning than Python's"),
        ("N = 3\n" + MODEL.replace("self.n = N", "if self.n == 1:\n            N = 1\n        self.n = N"),
         "act assigns N, which is a name of the file too"),
        ("N = 3\ndef f(n: int) -> int:\n    if n == 0:\n        N = 1\n    return N\n"
         + MODEL.replace("= N", "= f(self.n)"), "f assigns N, which is a name of the file too"),
        ("def twice(f: object) -> object:\n    return f\n@twice\ndef N() -> int:\n    return 3\n"
         + MODEL.replace("= N", "= N()"), "N has a decorator that is not read"),
        ("K = 1\n" + MODEL.replace("    n =", "    K = param(3)\n    n =").replace("= N", "= self.K"),
         "K is a parameter of the model and a name of the file"),
        ("import angarium as ang\nang = 3\nN = 3\n" + MODEL.replace("Model", "ang.Model"),
         "ang is bound more than once"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_named(text: str, says: str) -> None:
    assert says in str(refused(text))


ENUM = (
    "class E(Enum):\n{}\nclass M(Model):\n    e: E\n    @action\n    def act(self) -> None:\n"
    "        self.e = E.A\n"
)
RECORD = ENUM.replace("(Enum)", "(Record)").replace("self.e = E.A", "self.e.a = True")


@pytest.mark.parametrize(
    ("template", "body"),
    [
        (ENUM, "    A, B = 1, 2\n    C = 3"),
        (ENUM, "    A = B = 1\n    C = 3"),
        (ENUM, "    A = 1\n    if True:\n        B = 2"),
        (ENUM, "    A = 1\n    B = True"),
        (ENUM, "    A = 1\n    def __eq__(self, other: object) -> bool:\n        return True"),
        (ENUM, "    A = 1\n    for B in (2,):\n        pass"),
        (ENUM, "    A = 1\n    _order_ = 'A'"),
        (ENUM, "    A = 1\nE.A = 2"),
        (ENUM, "    A = 1\nsetattr(E, 'A', 2)"),
        (RECORD, "    a: bool\n    a: bool"),
        (RECORD, "    a: bool\n    if True:\n        b: bool"),
        (RECORD, "    a: bool\n    def __eq__(self, other: object) -> bool:\n        return True"),
        (RECORD, "    a: bool\n    del a"),
    ],
)
def test_classes_of_types_are_read_whole_or_refused(template: str, body: str) -> None:
    assert refused(template.format(body)).code in ("ANG104", "ANG107")


def test_constant_of_another_file_that_is_bound_again_there_is_refused_there(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text("N = 3\nif True:\n    N = 5\n")
    (tmp_path / "model.py").write_text(HEAD + "from sizes import N\n" + MODEL)

    with pytest.raises(ModelError, match="N is bound more than once") as caught:
        build(find_model(read(str(tmp_path / "model.py"))))

    assert caught.value.place is not None
    assert caught.value.place.file.endswith("sizes.py")


PROOF = """
from angarium.contracts import Order, Specification, conjecture

class Number(Order):
    pass

class Counter(Specification):
    top: Number
    bottom: Number

    def __init__(self) -> None:
        self.top = self.bottom

    @conjecture
    def ordered(self) -> bool:
        return self.bottom > self.top
"""


@pytest.mark.parametrize(
    "again",
    ["\n    @conjecture\n    def ordered(self) -> bool:\n        return True\n",
     "\nif True:\n    class Counter(Specification):\n        pass\n"],
)  # fmt: skip
def test_proof_module_whose_names_are_bound_again_is_refused(tmp_path: Path, again: str) -> None:
    path = tmp_path / "proof.py"
    path.write_text(PROOF + again)

    with pytest.raises(ModelError, match="bound more than once"):
        find_modules(str(path))
