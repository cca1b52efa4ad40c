"""Files, parameters and declarations that cannot be used: each a clear error, and nothing is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.frontend.build import build
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse, read
from angarium.core.errors import InputError, LimitError, ModelError, ParameterError, UsageError
from tests.models import HEAD, source, system

ACTION = "\n@action\ndef act(self) -> None:\n    "


def test_error_shows_the_line_and_a_caret() -> None:
    with pytest.raises(ModelError) as caught:
        system("n = integer(0, 1)" + ACTION + "self.n = 2 @ 1")

    line, shown, caret, *_ = str(caught.value).splitlines()
    assert line.startswith("<model>:")
    assert "self.n = 2 @ 1" in shown
    assert caret.index("^") == shown.index("2 @ 1")


@pytest.mark.parametrize(
    ("text", "error", "code"),
    [
        ("class A(:\n", ModelError, "ANG100"),
        ("x = 1\n", ModelError, "ANG101"),
        ("from angarium import Model\nclass A(Model): pass\nclass B(Model): pass\n", ModelError, "ANG102"),
        ("import no_such_module_anywhere\n", ModelError, "ANG103"),
        ("from .no_such_file import X\n", ModelError, "ANG103"),
    ],
)
def test_file_without_one_model_is_an_error(text: str, error: type[InputError], code: str) -> None:
    with pytest.raises(error) as caught:
        find_model(parse(text))

    assert code == caught.value.code


def test_named_model_must_exist() -> None:
    with pytest.raises(UsageError, match="did you mean Sample"):
        find_model(parse(HEAD), "Smaple")


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read(str(tmp_path / "nothing.py"))

    assert caught.value.code == "ANG010"


def test_binary_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UsageError, match="not UTF-8"):
        read(str(path))


@pytest.mark.parametrize(
    ("settings", "code", "says"),
    [
        ({"itmes": 3}, "ANG020", "did you mean items"),
        ({"items": 0}, "ANG021", "1 .. 64"),
        ({"items": "many"}, "ANG021", "whole number"),
        ({"hue": "pink"}, "ANG021", "possible: blue, green, red"),
        ({"fast": "perhaps"}, "ANG021", "true, false"),
    ],
)
def test_parameter_must_exist_and_fit(settings: dict[str, object], code: str, says: str) -> None:
    body = "hue = param(Colour.RED)\nfast = param(False)\nn = integer(0, 1)" + ACTION + "self.n = 1"

    with pytest.raises(ParameterError) as caught:
        system(body, **settings)

    assert code == caught.value.code
    assert says in str(caught.value)


def test_state_that_needs_more_bits_than_there_are_is_refused() -> None:
    compiled = system("s = seq(integer(0, 1000000), 600)" + ACTION + "self.s.clear()")

    with pytest.raises(LimitError) as caught:
        NativeEngine().search(compiled)

    assert caught.value.code == "ANG050"


def test_model_file_is_read_and_never_run(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    witness = tmp_path / "ran"
    path.write_text(
        source("n = integer(0, 1)" + ACTION + "self.n = 1")
        + f"\nopen({str(witness)!r}, 'w')\nwhile True: pass\n"
    )

    model = find_model(read(str(path)))

    assert model.name == "Sample"
    assert not witness.exists()


def test_parts_of_a_model_can_stand_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(
        "from angarium import Index\nclass Box(Index): pass\nLIMIT = 2\n"
        "def double(x: int) -> int:\n    return x * 2\n"
    )
    path = tmp_path / "model.py"
    path.write_text(
        "from angarium import *\nfrom parts import LIMIT, Box, double\n"
        "class M(Model):\n    boxes = count(Box, 2)\n    full = array(Box, integer(0, double_limit))\n"
        "    @action\n    def fill(self, b: Box) -> None:\n        require(self.full[b] == 0)\n"
        "        self.full[b] = double(LIMIT)\n".replace("double_limit", "2 * LIMIT")
    )
    assert ReferenceEngine().search(build(find_model(read(str(path))))).coverage.states == 4


def test_constants_that_are_defined_by_each_other_are_an_error() -> None:
    text = HEAD.replace("class Item", "N = M\nM = N\nclass Item") + "    n = integer(0, N)\n"

    with pytest.raises(ModelError, match="defined by itself") as caught:
        build(find_model(parse(text)))

    assert caught.value.code == "ANG108"


def test_file_that_imports_a_name_from_itself_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(source("n = integer(0, LIMIT)" + ACTION + "self.n = 1") + "\nfrom model import LIMIT\n")

    with pytest.raises(ModelError, match="in a circle"):
        build(find_model(read(str(path))))


def test_model_without_an_initial_state_is_an_error() -> None:
    body = (
        "n = integer(0, 1)\n@initial\ndef none(self) -> None:\n    require(self.n == 1)"
        + ACTION
        + "self.n = 1"
    )

    with pytest.raises(ModelError, match="no initial state"):
        initial_states(system(body))


def test_action_with_too_many_combinations_of_arguments_is_refused() -> None:
    arguments = ", ".join(f"{name}: Item" for name in "abcd")
    body = f"n = integer(0, 1)\n@action\ndef act(self, {arguments}) -> None:\n    self.n = 1"

    with pytest.raises(LimitError, match="331,776 combinations"):
        NativeEngine().search(system(body, items=24))


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("class Base(Model):\n    pass\nclass M(Base):\n    pass", "ANG104", "derives from Base"),
        ("N = 2\nN += 1\nclass M(Model):\n    n = integer(0, N)", "ANG107", "more than once"),
        ("class E(Enum):\n    pass\nclass M(Model):\n    e: E", "ANG107", "no members"),
        ("class E(Enum):\n    A = 1\n    B = 1\nclass M(Model):\n    e: E", "ANG107", "two names"),
        ("class R(Record):\n    r: R | None\nclass M(Model):\n    e: R", "ANG108", "contains itself"),
        ("class M(Model):\n    e: 'bool |'", "ANG106", "which values are possible"),
        (
            "class I(Index):\n    pass\nclass M(Model):\n    a = count(I, 2)\n    b = count(I, 3)",
            "ANG107",
            "twice",
        ),
    ],
)
def test_declaration_that_could_mean_two_things_is_an_error(text: str, code: str, says: str) -> None:
    module = parse(
        "from __future__ import annotations\nfrom enum import Enum\nfrom angarium import *\n" + text
    )

    with pytest.raises(ModelError) as caught:
        build(find_model(module, "M"))

    assert caught.value.code == code
    assert says in str(caught.value)


def test_words_can_be_used_by_the_name_of_the_package() -> None:
    text = (
        "import angarium as ang\nclass M(ang.Model):\n    n = ang.integer(0, 1)\n"
        "    @ang.action\n    def act(self) -> None:\n        ang.require(self.n == 0)\n        self.n = 1\n"
    )

    assert ReferenceEngine().search(build(find_model(parse(text)))).coverage.states == 2
