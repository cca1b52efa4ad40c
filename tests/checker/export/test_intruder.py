"""An intruder in the languages of other checkers: they find as many states, and the same verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.checker.explore.interpret import initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.checker.export.promela import promela
from angarium.checker.export.tla import tla
from angarium.checker.frontend.build import build
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse
from tests.checker.export.test_smv import assert_same_meaning
from tests.spin import needs_spin, run_ltl, run_spin
from tests.tlc import distinct_states, needs_tlc, run_tlc

PROTOCOL = """
from enum import Enum
from angarium import *

class Side(Enum):
    LEFT = 1
    RIGHT = 2

class Fact(Term):
    "What can be said."

def key(side: Side) -> Fact:
    return atom()

def secret() -> Fact:
    return atom()

def cipher(side: Side) -> Fact:
    return encrypted(key(side), secret())

class Post(Model):
    "Somebody sends a secret to each side; the intruder has one of the keys."

    leaks = param(True)
    knows = knowledge(Fact)
    wire = array(Side, channel(Fact, intruder=knows))
    got = setof(Fact)

    @initial
    def begin(self) -> None:
        self.knows.hear(key(Side.RIGHT))

    async def sender(self, side: Side) -> None:
        if side == Side.LEFT or self.leaks:
            await self.wire[side].send(cipher(side))

    async def receiver(self, side: Side) -> None:
        fact = await self.wire[side].receive()
        self.got.add(fact)

    @invariant
    def safe(self) -> bool:
        return secret() not in self.knows

    @eventually(fairness=weak("process"))
    def arrives(self) -> bool:
        return cipher(Side.LEFT) in self.got
"""


def post(leaks: str) -> TransitionSystem:
    return build(find_model(parse(PROTOCOL)), {"leaks": leaks})


either_way = pytest.mark.parametrize("leaks", ["true", "false"])


@needs_spin
@either_way
def test_spin(leaks: str, tmp_path: Path) -> None:
    model = post(leaks)
    text, coverage = promela(model, initial_states(model)), NativeEngine().search(model).coverage
    found = run_spin(text, tmp_path, every_error=True)
    assert (found.errors > 0) == (leaks == "true")
    if leaks == "false":
        assert (found.states, found.transitions) == (coverage.states, coverage.transitions)
    assert not run_ltl(text, "arrives", tmp_path)


@needs_tlc
@either_way
def test_tlc(leaks: str, tmp_path: Path) -> None:
    model = post(leaks)
    said = run_tlc(tla(model, initial_states(model)), tmp_path, "StaysInRange")
    assert distinct_states(said) == NativeEngine().search(model).coverage.states


@either_way
def test_smv(leaks: str) -> None:
    assert_same_meaning(post(leaks))
