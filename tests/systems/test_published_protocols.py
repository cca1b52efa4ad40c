"""The protocols among the examples have the states that others published for them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

import angarium
from angarium.core.result import Verdict


class Published(NamedTuple):
    """What TLC says of a specification in the public corpus tlaplus/Examples."""

    distinct: int
    generated: int
    depth: int
    initial: int = 1


PUBLISHED = {"two_phase_commit": Published(distinct=288, generated=1146, depth=11)}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_protocol_has_its_published_states(name: str) -> None:
    report = angarium.check(f"examples/protocols/{name}.py")
    found, published = report.coverage, PUBLISHED[name]

    assert (found.states, found.depth) == (published.distinct, published.depth)
    assert found.transitions == published.generated - published.initial
    assert report.worst is Verdict.HOLDS
