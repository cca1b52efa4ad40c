"""For every rule of the kernel: a kernel without it is noticed by the histories of the tests.

A mutant is the kernel's source with one thing changed. It must find something else than the oracle does.
"""

from __future__ import annotations

import inspect

import pytest

from angarium.history.intake.batch import batch_of
from angarium.history.intake.source import Kept
from angarium.history.kernel.library import KERNEL
from angarium.history.kernel.process import audit
from angarium.history.parameters import Parameters
from angarium.native.jit import build
from angarium.native.lowlevel import constants_in, translate
from tests.history.every import by_guarantee, in_python, rows

HISTORIES, SOUPS = 3, 400

MUTANTS = {
    "a message in flight is lost": (
        "overdue = 1 if confirmed[at.AT] + context[at.TAIL] <= known[at.U_END] else 0",
        "overdue = 1",
    ),
    "who came later expects all": (
        "if number == location[at.L_FROM] or sight[at.H_AT] + tolerated <= sent[at.AT]:",
        "if number >= location[at.L_FROM]:",
    ),
    "a phantom needs no send in time": ("if event[at.AT] <= delivery[at.AT] + tolerated:", "if 0 == 0:"),
    "a failed send is a send": ("sends[N_CERTAIN] == 0 and", "sends[N_CERTAIN] == 9 and"),
    "recorders that attach late are forgotten": ("if known[at.U_ATTACHED] != 0:", "if 0 != 0:"),
    "an acknowledgement is in force at once": (
        "ack[at.AT] + tolerated + context[at.GRACE] <= again[at.AT]",
        "ack[at.AT] <= again[at.AT]",
    ),
    "a doubtful acknowledgement is in force": (
        "return 1 - troubled(context, words(delivery[at.D_EVENT]), ack, again, context[at.DOUBT])",
        "return 1",
    ),
    "an acknowledgement that failed is in force": (
        "if before(context, ack, said) != 0 and before(context, said, again) != 0:",
        "if 0 != 0:",
    ),
    "an acknowledgement after the timeout is in force": (
        "if ack[at.AT] + context[at.GRACE] > timer(context, thread, delivery, timeout, ack) + timeout:",
        "if 0 != 0:",
    ),
    "a requeue is no cause": (
        "if gives_back(said) != 0:\n            if said",
        "if 0 != 0:\n            if said",
    ),
    "a timeout is no cause": (
        ">= timer(context, thread, delivery, timeout, again) + timeout\n",
        "< 0\n",
    ),
    "ends are no cause": (
        "if own[at.P_ENDS] < own[at.P_ENDED]:\n        if strikes",
        "if 0 != 0:\n        if strikes",
    ),
    "changes of brokers are no cause": ("if run[at.U_CHANGES] < run[at.U_CHANGED]:", "if 0 != 0:"),
    "moves of groups are no cause": ("if moves[at.C_FROM] < moves[at.C_TO]:", "if 0 != 0:"),
    "what was acknowledged is held": (
        "if way_of(said) == at.ACK and before(context, said, again) != 0:\n            return 1",
        "if 0 != 0:\n            return 1",
    ),
    "clocks do not deceive": ("return 0 if one == other else context[at.SKEW]", "return 0"),
    "the broker's count is not heard": ("return said if said > delivery", "return 0 if said > delivery"),
    "a message may come once more": ("counted(delivery) > limit - 1", "counted(delivery) > limit"),
    "a requeue is not owed": ("if requeued != 0:", "if 0 != 0:"),
    "delays are not waited for": ("when + delay * 1000000", "when"),
    "an end is not owed": (
        "if delivery[at.D_END] != 0:\n        end = words(delivery[at.D_END])\n        if cause",
        "if 0 != 0:\n        end = words(delivery[at.D_END])\n        if cause",
    ),
    "an extend gives no time": ("if way_of(said) == at.EXTEND and said[at.AT] > latest:", "if 0 != 0:"),
    "who acknowledged is still owed": ("if pairs[0] <= deadline:", "if 0 != 0:"),
    "retries are owed for ever": ("if limit != 0 and counted(delivery) >= limit - 1:", "if 0 != 0:"),
    "a handler's event is a delivery": ("if op == at.RECEIVE or last != at.RECEIVE + 1:", "if 0 == 0:"),
    "a settle belongs to any delivery": (
        "if before(context, words(delivery[at.D_EVENT]), event) != 0:",
        "if 0 == 0:",
    ),
    "an extend always counts": (
        "and said[at.AT] + context[at.GRACE] <= started + timeout",
        "and 0 == 0",
    ),
    "order is not of one sequence": ("if record[at.Q_NUMBER] < top[at.Q_NUMBER]:", "if 1 < 0:"),
    "what is marked is a first delivery": ("event[at.KIND] & at.MARKED == 0", "0 == 0"),
    "what was sent twice has an order": ("sends[N_INVOKED] <= 1 and", "0 == 0 and"),
    "competing consumers keep an order": ("(0 if one != 0 else consumer_of(event) + 1)", "0"),
    "without a generation one is active": ("if grouped != 0 and generation != 0:", "if grouped != 0:"),
    "who is active is told again": ("if is_noted(thread, strand, place) == 0:", "if 0 == 0:"),
    "more in flight is fine": ("if begun - over > limit:", "if begun - over > limit + 1:"),
    "a lower credit counts at once": ("if earlier[at.M_VALUE] > limit:", "if 0 != 0:"),
    "what is settled stays in flight": (
        "if way_of(said) <= at.DEAD_LETTER:\n            sooner",
        "if 0 != 0:\n            sooner",
    ),
    "an end leaves all in flight": (
        "if delivery[at.D_END] != 0:\n        end = words(delivery[at.D_END])\n        sooner",
        "if 0 != 0:\n        end = words(delivery[at.D_END])\n        sooner",
    ),
    "an acknowledgement of an earlier one is not heard": ("    if acked != 0:\n", "    if 0 != 0:\n"),
    "a message in flight counts twice": (
        "        if last[0] != 0:\n            earlier",
        "        if 0 != 0:\n            earlier",
    ),
    "several clocks count together": ("or of_one_clock(pairs, count) != 0", "or 0 == 0"),
    "a settle of several is of all tags": ("(limit == at.ALL_TAGS or heap[0] <= limit)", "0 == 0"),
    "tag 0 is of none": ("(limit == at.ALL_TAGS or heap[0] <= limit)", "heap[0] < limit"),
    "what was settled is settled again": ("if byte(closed, row_of(delivery)) == 0:", "if 0 == 0:"),
    "a settle of several that failed settles": (
        "& 3 != at.FAILED:\n                put_byte",
        "& 3 != 9:\n                put_byte",
    ),
}


def found_by(source: str) -> bool:
    """Whether a kernel finds what the oracle does."""
    constants = constants_in({name: value for module in KERNEL.also for name, value in vars(module).items()})
    text = translate(source, dict.fromkeys(KERNEL.names, constants))
    given = rows(HISTORIES, SOUPS)
    before = KERNEL.library
    vars(KERNEL)["library"] = build(lambda: text, KERNEL.names, made_from=source)
    try:
        found = audit(Kept([batch_of(given)]), Parameters(), mend=False)
    finally:
        vars(KERNEL)["library"] = before
    return by_guarantee(list(found.violations)) == in_python(HISTORIES, SOUPS).findings


def source_of_kernel() -> str:
    return "\n".join(map(inspect.getsource, (*KERNEL.also, KERNEL.module)))


def test_the_kernel_as_it_is_finds_what_the_oracle_does() -> None:
    assert found_by(source_of_kernel())


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_kernel_without_a_rule_is_noticed(name: str) -> None:
    old, new = MUTANTS[name]
    source = source_of_kernel()
    assert source.count(old) == 1, f"{source.count(old)} places"
    assert not found_by(source.replace(old, new))
