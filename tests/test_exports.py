"""What `import angarium` offers is what `__all__` says, and nothing else."""

from __future__ import annotations

from types import ModuleType

import pytest

import angarium
from angarium import api
from angarium.core import result as verdict


def test_all_names_are_there_and_no_others() -> None:
    unlisted = {"TYPE_CHECKING"}
    found = {
        name
        for name, value in vars(angarium).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    lazy = set(
        """audit check conform prove record_of recover refine replay result_of run simulate state_machine
        verify watch ContractBroken OnSpark Report Simulation Story Verdict WrongCall""".split()
    )
    assert set(angarium.__all__) == (found - unlisted) | lazy


def test_every_name_can_be_had() -> None:
    assert all(getattr(angarium, name) is not None for name in angarium.__all__)


def test_lazy_names_are_the_real_things() -> None:
    assert angarium.check is api.check
    assert angarium.replay is api.replay
    assert angarium.Verdict is verdict.Verdict


def test_other_names_are_missing_as_usual() -> None:
    with pytest.raises(AttributeError, match="module 'angarium' has no attribute 'frobnicate'"):
        _ = angarium.frobnicate  # type: ignore[attr-defined]


def test_a_star_import_brings_all_names() -> None:
    names: dict[str, object] = {}
    exec("from angarium import *", names)
    assert set(angarium.__all__) <= set(names)
