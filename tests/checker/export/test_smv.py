"""SMV: the text, what is refused, and that the text means what the interpreter says."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from angarium.checker.explore.interpret import hits, initial_states, steps
from angarium.checker.export.smv import smv
from angarium.checker.ir.syntax import Require
from angarium.checker.ir.transition import STAYS_IN_RANGE, Cells, Guarantee, TransitionSystem
from angarium.core.errors import ExportError
from tests.checker.explore.random_systems import systems
from tests.checker.export.smv_reader import Smv
from tests.checker.export.systems import (
    act,
    counter,
    op,
    read,
    scalar,
    single_active_consumer,
    system,
    write,
)
from tests.effort import examples

PREFIX = {"invariant": "inv_", "at_rest": "rest_", "reaches": "reach_"}

GOLDEN = """\
-- counter {hash}, exported by Angarium
MODULE main
VAR x : -1..3;
IVAR action : {{up, fall, at_rest}};
DEFINE can_up := (x <= 2);
DEFINE can_fall := (x = 3);
DEFINE nothing_can_happen := (!(can_up | can_fall));
INIT ((x = 0));
TRANS action = up -> (can_up
  & next(x) = (x + 1));
TRANS action = fall -> (can_fall
  & next(x) = (-1));
TRANS action = at_rest -> (nothing_can_happen
  & next(x) = x);
INVARSPEC NAME stays_in_range := TRUE;
INVARSPEC NAME inv_small := (x <= 3);
INVARSPEC NAME rest_never := nothing_can_happen -> FALSE;
CTLSPEC NAME reach_bottom := EF (x = (-1));
"""


def test_text() -> None:
    x = read("x")
    model = counter(
        Guarantee("small", "invariant", op(x, "<", 4)),
        Guarantee("never", "at_rest", op(0, "==", 1)),
        Guarantee("bottom", "reaches", op(x, "==", -1)),
    )
    expected = GOLDEN.format(hash=model.hash).replace("(x <= 3)", "TRUE")
    assert smv(model, initial_states(model)) == expected


def test_several_initial_states_are_a_disjunction() -> None:
    assert "INIT ((x = 0)) | ((x = 2));" in smv(counter(), [(0,), (2,)])


def test_no_initial_state_is_refused() -> None:
    with pytest.raises(ExportError, match="SMV cannot express a system without initial states"):
        smv(counter(), [])


def test_numbers_beyond_32_bits_are_refused_with_the_line() -> None:
    x = read("x")
    wide = system((scalar("x", 0, 2**20),), act("grow", Require(op(op(x, "*", x), "==", 4))))
    with pytest.raises(ExportError, match="a number between 0 and 1099511627776") as error:
        smv(wide, [(0,)])
    assert error.value.code == "ANG040"
    assert error.value.place is not None
    assert error.value.place.line == 9


def test_a_require_after_a_write_reads_what_was_written() -> None:
    x = read("x")
    model = system(
        (scalar("x", 0, 9),),
        act("up", write("x", 0, op(x, "+", 1)), Require(op(x, "<", 4))),
    )
    assert_same_meaning(model)


def test_single_active_consumer() -> None:
    assert_same_meaning(single_active_consumer(2, 2))


@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
@given(systems())
def test_random_systems(model: TransitionSystem) -> None:
    assume(initial_states(model))
    try:
        assert_same_meaning(model, limit=60)
    except ExportError:
        assume(False)


def assert_same_meaning(model: TransitionSystem, limit: int = 1000) -> None:
    """In every reachable state, up to a limit, the steps and the guarantees are the same."""
    initial = initial_states(model)
    module = Smv(smv(model, initial))
    waiting, seen = list(initial), set(initial)
    while waiting and len(seen) < limit:
        cells = waiting.pop()
        targets = [move.target for move in steps(model, cells)]
        assert sorted(module.targets(module.state(cells))) == sorted(targets)
        assert_same_hits(model, module, cells)
        waiting += set(targets) - seen
        seen |= set(targets)
    assert all(module.initial(module.state(cells)) for cells in initial)


def assert_same_hits(model: TransitionSystem, module: Smv, cells: Cells) -> None:
    state, hit = module.state(cells), hits(model, cells)
    assert bool(module.specs["stays_in_range"](state)) == (STAYS_IN_RANGE not in hit)
    for guarantee in model.guarantees:
        name = PREFIX[guarantee.kind] + guarantee.name.replace("-", "_")
        claimed = bool(module.specs[name](state)) == (guarantee.kind == "reaches")
        assert claimed == (guarantee.name in hit) or STAYS_IN_RANGE in hit
