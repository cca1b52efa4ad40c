"""The solver's verdicts against runs of every call from every small state."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.contracts.module import Implementation
from angarium.contracts.prove import prove
from angarium.contracts.reading.subject import find_modules
from angarium.core.result import Verdict
from tests.contracts.every_call import Judge
from tests.contracts.variants import VARIANTS, written

pytestmark = pytest.mark.slow


def implementation(file: Path) -> Implementation:
    return next(each for each in find_modules(str(file)) if isinstance(each, Implementation))


def refuted(file: Path, name: str) -> set[str]:
    """What the solver refutes, without the loops' own obligations: those are about states within a call."""
    (proof,) = (each for each in prove(str(file)) if each.subject == name)
    assert all(each.verdict is not Verdict.UNKNOWN for each in proof.judged)
    violated = [each.obligation for each in proof.judged if each.verdict is Verdict.VIOLATED]
    return {each.name for each in violated if each.kind in ("preserved", "ensured")}


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_the_solver_refutes_some_call_breaks(variant: str, tmp_path: Path) -> None:
    file = written(variant, tmp_path)
    part = implementation(file)

    broken = set().union(*(Judge(part, sizes).broken() for sizes in VARIANTS[variant].worlds))

    assert broken == refuted(file, part.name)
