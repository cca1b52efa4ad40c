"""Settings: parameters that are part of the state, so that one kernel serves all their values."""

from pathlib import Path

import pytest

from angarium.checker.backend.kernel import compile_system
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.frontend.build import build
from angarium.checker.frontend.parameters import vary
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import ModelDecl, find_model
from angarium.checker.language.source import read
from angarium.checker.logic.check import check
from angarium.core.errors import InputError, ParameterError

COUNTER = '''
"""A counter with a limit, which a mishap may exceed."""
from enum import Enum
from angarium import Model, action, budget, integer, invariant, require, setting, spend

class Kind(Enum):
    STRICT = "strict"
    LOOSE = "loose"

class Counter(Model):
    """A counter."""
    limit = setting(3, low=1, high=5)
    kind = setting(Kind.STRICT)
    jumps = setting(False)
    mishaps = setting(1, high=2)
    mishaps_left = budget(mishaps)
    n = integer(0, 6)

    @action
    def count(self) -> None:
        require(self.n < self.limit)
        self.n += 1

    @action
    def mishap(self) -> None:
        spend(self.mishaps_left)
        self.n = 6 if self.jumps else self.n

    @invariant
    def small(self) -> bool:
        """Small enough."""
        return self.n < 3 or self.kind == Kind.LOOSE
'''
CHANGES: list[dict[str, str]] = [
    {},
    {"limit": "5"},
    {"limit": "2", "mishaps": "0"},
    {"kind": "loose", "mishaps": "2"},
    {"jumps": "true"},
]


def declared(tmp_path: Path, text: str = COUNTER) -> ModelDecl:
    file = tmp_path / "counter.py"
    file.write_text(text, encoding="utf-8")
    return find_model(read(str(file)))


def outcome(system: TransitionSystem, engine: NativeEngine | ReferenceEngine) -> object:
    report = check(system, engine=engine, subject="counter")
    verdicts = {each.guarantee: each.verdict.value for each in report.verdicts}
    return report.coverage.states, report.coverage.transitions, verdicts


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_varying_a_system_gives_what_building_it_gives(tmp_path: Path, change: dict[str, str]) -> None:
    decl = declared(tmp_path)
    varied, built = vary(build(decl), change), build(decl, change)
    assert varied == built
    assert varied.hash == built.hash
    assert outcome(varied, NativeEngine()) == outcome(built, ReferenceEngine())


def test_settings_matter(tmp_path: Path) -> None:
    system = build(declared(tmp_path))
    found = [outcome(vary(system, change), NativeEngine()) for change in CHANGES]
    assert len({repr(each) for each in found}) == len(CHANGES)


def test_one_library_serves_all_values(tmp_path: Path) -> None:
    system = build(declared(tmp_path))
    libraries = {id(compile_system(vary(system, change)).library) for change in CHANGES}
    assert len(libraries) == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [({"limit": "9"}, "ANG021"), ({"kind": "odd"}, "ANG021"), ({"n": "1"}, "ANG020")],
    ids=str,
)
def test_what_cannot_be_set_is_refused(tmp_path: Path, change: dict[str, str], code: str) -> None:
    with pytest.raises(ParameterError) as error:
        vary(build(declared(tmp_path)), change)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("part", "instead"),
    [("integer(0, 6)", "integer(0, limit)"), ("self.n += 1", "self.limit = 1")],
    ids=["no size depends on it", "no step changes it"],
)
def test_a_setting_is_neither_a_size_nor_written(tmp_path: Path, part: str, instead: str) -> None:
    with pytest.raises(InputError):
        build(declared(tmp_path, COUNTER.replace(part, instead)))
