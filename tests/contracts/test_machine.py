"""Driving subjects: what is found in wrong ones, how shortly it is told, and what counts as a test at all."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import itertools
import random
import signal
import sys
import threading
import unittest
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

import angarium
from angarium import ContractBroken
from angarium.contracts.monitor.drive import Driven, drive
from angarium.contracts.monitor.rules import Call
from angarium.contracts.monitor.sequences import Plan
from angarium.contracts.monitor.shortest import Calls, shorten
from angarium.contracts.monitor.signals import heeding_signals
from angarium.contracts.reading.subject import find_specification
from angarium.contracts.subjects import Message
from angarium.contracts.subjects.memory import OrderedMapQueue
from angarium.core.control import TimeIsUp, time_limit
from angarium.core.errors import ConformError
from angarium.core.result import Verdict
from angarium.systems.registry import contract_file
from tests.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("time_to_shorten")

QUEUE = find_specification(contract_file("queue"))
EXAMPLES = Path(__file__).parents[2] / "examples" / "queues"
FEW = Plan(examples=40, steps=30)


def example(name: str) -> ModuleType:
    """A module of the examples."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRONG, TEXT, INTEGER, HEAP = map(example, ("wrong", "text_numbers", "integer_numbers", "heap"))


def stories(driven: Driven) -> dict[str, str]:
    """Each broken rule, as its operation and line, with its story in one line."""
    return {
        f"{each.rule.operation} {each.rule.text}": "; ".join(str(told.call) for told in each.story)
        for each in driven.broken
    }


# --- right subjects -------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [OrderedMapQueue, INTEGER.IntegerNumbers, HEAP.HeapQueue])
def test_a_right_queue_is_not_blamed_and_not_proved(make: type) -> None:
    driven = drive(QUEUE, make, FEW)

    assert driven.broken == ()
    assert (driven.cut, driven.weak) == (None, ())
    assert driven.log.sequences >= FEW.examples
    assert {verdict for _, verdict, _ in driven.verdicts} == {Verdict.UNKNOWN}
    assert [(rule.operation, rule.text) for rule, _, _ in driven.verdicts] == [
        ("enqueue", "answers True or False"),
        ("empty", "answers True or False"),
        ("empty", "ensure all(not res for _ in self.contents)"),
        ("empty", "ensure res or any(True for _ in self.contents)"),
        ("pick_one", "answers a hashable Message with num"),
        ("pick_one", "ensure res in self.contents"),
        ("delete_all", "answers, and raises nothing"),
        (
            "numbers-differ",
            "conjecture implies(x in self.contents and y in self.contents and x.num == y.num, x == y)",
        ),
    ]


def test_a_bounded_queue_may_refuse() -> None:
    driven = drive(QUEUE, lambda: OrderedMapQueue(capacity=2), FEW)

    assert driven.broken == ()
    assert driven.log.answers["enqueue", False] > 0


def test_no_callback_in_which_a_signal_would_be_lost_is_there_while_calls_are_made() -> None:
    drive(QUEUE, OrderedMapQueue, Plan(1, 1))  # so that Hypothesis has its callback
    before, seen = list(gc.callbacks), []

    def make() -> OrderedMapQueue:
        seen.append([each for each in gc.callbacks if "hypothesis" in str(getattr(each, "__module__", ""))])
        return OrderedMapQueue()

    drive(QUEUE, make, Plan(2, 2))

    assert seen and not any(seen)
    assert [each.__module__ for each in before if each not in gc.callbacks] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_a_signal_raises_is_raised_again_if_it_was_lost(number: signal.Signals) -> None:
    def raising(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, raising)
    try:
        with heeding_signals() as again:
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(number)

            with pytest.raises(KeyboardInterrupt):
                again()
        assert signal.getsignal(number) is raising
    finally:
        signal.signal(number, before)


@pytest.mark.slow
def test_the_same_seed_makes_the_same_calls_and_another_others() -> None:
    one, again = drive(QUEUE, OrderedMapQueue, FEW), drive(QUEUE, OrderedMapQueue, FEW)
    other = drive(QUEUE, OrderedMapQueue, Plan(FEW.examples, FEW.steps, seed=2))

    assert one.log.calls == again.log.calls
    assert one.log.calls != other.log.calls


@pytest.mark.thorough
@pytest.mark.slow
def test_the_same_seed_makes_the_same_calls_whatever_source_files_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "full_of_numbers.py"
    file.write_text(f"numbers = {list(range(100, 255))}\n", encoding="utf-8")
    before = _calls_by_seed()
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec
    monkeypatch.setitem(sys.modules, file.stem, importlib.util.module_from_spec(spec))

    assert _calls_by_seed() == before


def _calls_by_seed() -> list[Mapping[str, int]]:
    return [drive(QUEUE, OrderedMapQueue, Plan(30, 20, seed=seed)).log.calls for seed in range(12)]


# --- wrong subjects -------------------------------------------------------------------------------

ALL_NOT = "empty ensure all(not res for _ in self.contents)"
OR_SOME = "empty ensure res or any(True for _ in self.contents)"
PICKED = "pick_one ensure res in self.contents"
PICKS = "pick_one answers a hashable Message with num"
THREE = "enqueue(Message(num=0)); enqueue(Message(num=1)); enqueue(Message(num=2)); enqueue(Message(num=3))"


@pytest.mark.sample(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            WRONG.DeletesTooLittle,
            {
                OR_SOME: "enqueue(Message(num=0)); delete_all(0); empty()",
                PICKED: "enqueue(Message(num=0)); delete_all(0); enqueue(Message(num=1)); pick_one()",
            },
        ),
        (
            WRONG.DeletesTooMuch,
            {
                ALL_NOT: "enqueue(Message(num=1)); delete_all(0); empty()",
                PICKS: "enqueue(Message(num=1)); delete_all(0); pick_one()",
            },
        ),
        (
            WRONG.PicksByTakingOut,
            {
                ALL_NOT: "enqueue(Message(num=0)); pick_one(); empty()",
                PICKS: "enqueue(Message(num=0)); pick_one(); pick_one()",
            },
        ),
        (
            WRONG.DropsWhenFull,
            {
                ALL_NOT: f"{THREE}; delete_all(2); empty()",
                PICKS: f"{THREE}; delete_all(2); pick_one()",
            },
        ),
        (
            WRONG.CountsWhatCame,
            {OR_SOME: "enqueue(Message(num=0)); delete_all(0); empty()"},
        ),
        (
            WRONG.PicksFromACache,
            {
                PICKED: "enqueue(Message(num=0)); pick_one(); delete_all(0); enqueue(Message(num=1));"
                " pick_one()"
            },
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_wrong_queue_is_found_and_told_shortly(make: type, expected: dict[str, str]) -> None:
    driven = drive(QUEUE, make, Plan())

    assert stories(driven) == expected
    assert all(each.again for each in driven.broken)


@pytest.mark.slow
def test_numbers_compared_as_text_break_five_promises() -> None:
    driven = drive(QUEUE, TEXT.TextNumbers, Plan())

    told = stories(driven)
    picked = told.pop(PICKED)
    assert told == {
        "enqueue answers True or False": "enqueue(Message(num=2)); delete_all(10); enqueue(Message(num=2))",
        ALL_NOT: "enqueue(Message(num=10)); delete_all(2); empty()",
        OR_SOME: "enqueue(Message(num=2)); delete_all(10); empty()",
        PICKS: "enqueue(Message(num=10)); delete_all(2); pick_one()",
    }
    # Two kinds of stories end here, and neither becomes the other by leaving out calls: which of them is
    # told depends on what the random calls meet first.
    assert picked in {
        "enqueue(Message(num=2)); delete_all(10); enqueue(Message(num=3)); pick_one()",
        "enqueue(Message(num=3)); enqueue(Message(num=11)); delete_all(2); delete_all(10); pick_one()",
    }
    assert all(each.again for each in driven.broken)


def test_the_last_call_of_a_story_says_what_was_answered_and_what_was_allowed() -> None:
    driven = drive(QUEUE, WRONG.CountsWhatCame, FEW)

    (broken,) = driven.broken
    assert [told.state for told in broken.story] == [
        {"contents": {Message(0)}},
        {"contents": set()},
        {"contents": set()},
    ]
    assert broken.story[-1].call.answer is False
    assert broken.violation.allowed == (True,)


def test_a_queue_that_breaks_only_sometimes_is_told_without_states() -> None:
    numbers = itertools.count()

    class Moody(OrderedMapQueue):
        """Lies once in its life, and another queue lies never again."""

        def empty(self) -> bool:
            return super().empty() != (next(numbers) == 100)

    driven = drive(QUEUE, Moody, FEW)

    (broken,) = driven.broken
    assert not broken.again
    assert broken.story[-1].call.operation == "empty"


class Exits(OrderedMapQueue):
    """Wants to end the program instead of answering."""

    def empty(self) -> bool:
        raise SystemExit(5)


def test_a_queue_that_wants_to_end_the_program_has_not_answered() -> None:
    driven = drive(QUEUE, Exits, FEW)

    assert stories(driven) == {"empty answers True or False": "empty()"}
    assert isinstance(driven.broken[0].violation.call.raised, SystemExit)


def test_a_queue_that_finds_what_another_has_left_is_blamed() -> None:
    left = OrderedMapQueue()

    driven = drive(QUEUE, lambda: left, FEW)

    assert OR_SOME in stories(driven)
    assert driven.log.unsteady
    assert driven.log.sequences >= FEW.examples


def test_a_queue_that_refuses_at_random_is_unsteady_and_not_broken() -> None:
    chance = random.Random(1)

    class Refuses(OrderedMapQueue):
        """Refuses when it likes, as the contract allows."""

        def enqueue(self, msg: Message) -> bool:
            return chance.random() < 0.5 and super().enqueue(msg)

    driven = drive(QUEUE, Refuses, FEW)

    assert (driven.broken, driven.weak, driven.cut) == ((), (), None)
    assert driven.log.unsteady
    assert driven.log.sequences >= FEW.examples


def test_a_queue_that_cannot_be_closed_is_the_users_mistake() -> None:
    class Stuck(OrderedMapQueue):
        """Does not close."""

        def close(self) -> None:
            raise SystemExit(1)

    with pytest.raises(ConformError, match=r"Stuck cannot be closed: close\(\) raises SystemExit\(1\)"):
        drive(QUEUE, Stuck, FEW)


# --- full queues, and payloads ----------------------------------------------------------------------


class Drops(OrderedMapQueue):
    """Says that it has taken a message that finds no room."""

    def enqueue(self, msg: Message) -> bool:
        return super().enqueue(msg) or True


@pytest.mark.slow
def test_a_queue_is_filled_until_it_drops_something() -> None:
    driven = drive(QUEUE, lambda: Drops(capacity=20), Plan())

    assert driven.log.held["contents"] >= 40
    assert len(stories(driven)[ALL_NOT].split("; ")) == 23


@pytest.mark.slow
def test_long_sequences_make_long_queues() -> None:
    driven = drive(QUEUE, OrderedMapQueue, Plan(examples=15, steps=200))

    assert driven.log.held["contents"] > 100


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "payload"),
    [
        (lambda payload: payload.rstrip(b" "), b"a "),
        (lambda payload: payload.rstrip(b"\n"), b"a\n"),
        (lambda payload: payload.rstrip(b"\0"), b"a\0"),
        (lambda payload: payload[:255], b"0123456789" * 30),
        (lambda payload: payload[:65_535], b"0123456789" * 7_000),
        (lambda payload: payload.lstrip(b"0"), b"007"),
        (lambda payload: payload.decode("utf-8", "replace").encode(), b"\r\n\0\xff"),
        (lambda payload: payload.decode("ascii", "replace").encode(), b"\r\n\0\xff"),
    ],
)
def test_what_gets_lost_of_a_payload_is_found(change: Callable[[bytes], bytes], payload: bytes) -> None:
    class Loses(OrderedMapQueue):
        """Gives back another payload."""

        def pick_one(self) -> Message:
            found = super().pick_one()
            assert isinstance(found.payload, bytes)
            return Message(found.num, change(found.payload))

    driven = drive(QUEUE, Loses, Plan(examples=60))

    (broken,) = driven.broken
    assert [told.call.operation for told in broken.story] == ["enqueue", "pick_one"]
    assert broken.story[0].call.arguments == (("msg", Message(0, payload)),)


# --- what is no test ------------------------------------------------------------------------------


class RefusesEverything(OrderedMapQueue):
    """Never does anything wrong."""

    def enqueue(self, msg: Message) -> bool:
        return False


def test_a_queue_that_refuses_everything_was_not_put_to_the_test() -> None:
    driven = drive(QUEUE, RefusesEverything, FEW)

    assert driven.broken == ()
    assert driven.weak[0] == "contents was always empty"
    assert driven.weak[1].startswith("enqueue answered False all ")
    assert driven.weak[2] == "pick_one was never called"


def test_one_sequence_of_one_call_is_no_test() -> None:
    driven = drive(QUEUE, OrderedMapQueue, Plan(examples=1, steps=1))

    assert "pick_one was never called" in driven.weak


# --- an end before the end ------------------------------------------------------------------------


class Hangs(OrderedMapQueue):
    """Waits for something that never comes."""

    def empty(self) -> bool:
        threading.Event().wait(PATIENCE)
        return True


def test_a_call_that_does_not_answer_is_cut_by_the_time_limit() -> None:
    driven = drive(QUEUE, Hangs, FEW, timeout=1)

    assert driven.cut == "the time limit of 1 s, while empty() had not answered"
    assert str(driven.hanging[-1].call) == "empty()"
    before = [told.state for told in driven.hanging[:-1]]
    assert driven.hanging[-1].state == (before or [{"contents": set()}])[-1]


def test_a_time_limit_that_is_swallowed_rings_again() -> None:
    def work() -> None:
        with time_limit(0.1):
            with contextlib.suppress(TimeIsUp):
                threading.Event().wait(PATIENCE)
            threading.Event().wait(PATIENCE)

    with pytest.raises(TimeIsUp):
        work()


def test_a_story_that_hangs_when_it_is_made_again_is_told_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.contracts.monitor.drive.SHORTENING", 0.0)
    made = itertools.count()

    class HangsLater(WRONG.CountsWhatCame):  # type: ignore[misc,name-defined]
        """Answers wrongly at first, and after a while not at all."""

        def empty(self) -> bool:
            if (number := next(made)) == 60:
                signal.raise_signal(signal.SIGALRM)  # as if all this time had passed
            if number > 60:
                threading.Event().wait(PATIENCE)
            return super().empty()

    driven = drive(QUEUE, HangsLater, Plan(), timeout=PATIENCE)

    assert driven.cut == f"the time limit of {PATIENCE:g} s, while empty() had not answered"
    assert [(each.rule.operation, each.again) for each in driven.broken] == [("empty", None)]


def test_an_interrupt_leaves_what_was_found() -> None:
    class Interrupts(WRONG.CountsWhatCame):  # type: ignore[misc,name-defined]
        """Presses Ctrl-C after a while."""

        made = 0

        def __init__(self) -> None:
            super().__init__()
            Interrupts.made += 1
            if Interrupts.made == 30:
                signal.raise_signal(signal.SIGINT)

    driven = drive(QUEUE, Interrupts, Plan())

    assert driven.cut == "interrupted"
    assert list(stories(driven)) == [OR_SOME]
    assert driven.log.sequences < 30


def test_a_subject_that_cannot_be_made_is_the_users_mistake() -> None:
    def make() -> object:
        raise ConformError("ANG092", "no")

    with pytest.raises(ConformError, match="no"):
        drive(QUEUE, make, FEW)


def test_every_subject_is_closed() -> None:
    class Counted(OrderedMapQueue):
        """Counts how many are open."""

        opened = 0

        def __init__(self) -> None:
            super().__init__()
            Counted.opened += 1

        def close(self) -> None:
            Counted.opened -= 1

    drive(QUEUE, Counted, FEW)

    assert Counted.opened == 0


# --- in a test file -------------------------------------------------------------------------------


def outcome(case: type[unittest.TestCase]) -> unittest.TestResult:
    result = unittest.TestResult()
    case("runTest").run(result)
    return result


def test_a_test_case_passes_for_a_right_queue() -> None:
    case = angarium.state_machine(OrderedMapQueue).TestCase
    case.settings = settings(max_examples=20, stateful_step_count=30)

    assert outcome(case).wasSuccessful()


@pytest.mark.slow
def test_a_test_case_fails_with_the_shortest_story() -> None:
    case = angarium.state_machine(WRONG.CountsWhatCame).TestCase

    result = outcome(case)

    ((_, text),) = result.errors
    assert "ContractBroken: empty() answered False, which its contract does not allow" in text
    assert "  1 enqueue(Message(num=0)) -> True\n  2 delete_all(0) -> None\n  3 empty() -> False" in text


def test_a_test_case_fails_if_nothing_was_put_to_the_test() -> None:
    case = angarium.state_machine(RefusesEverything).TestCase
    case.settings = settings(max_examples=10)

    ((_, text),) = outcome(case).failures

    assert "nothing was put to the test: contents was always empty" in text


def test_the_machine_is_one_of_hypothesis_own() -> None:
    machine = angarium.state_machine(WRONG.CountsWhatCame)
    at_once = settings(database=None, derandomize=True, phases=[Phase.generate])

    with pytest.raises(ContractBroken) as caught:
        run_state_machine_as_test(machine, settings=at_once)

    assert "state.make(call=empty())" in caught.value.__notes__


# --- other contracts --------------------------------------------------------------------------------

REGISTER = """
from angarium.contracts import Answer, Order, Sort, Specification, contract, ensure, require

class Number(Order): ...
class Host(Sort): ...
class Packet(Sort):
    source: Host
    num: Number
    urgent: bool

class Register(Specification):
    '''Remembers packets.'''
    seen: set[Packet]

    def __init__(self) -> None:
        self.seen.clear()

    @contract
    def note(self, packet: Packet, again: bool) -> Answer[bool]:
        require(not packet.urgent or again)
        new = yield
        if new:
            self.seen.add(packet)
        ensure(new or packet in self.seen)

    @contract
    def heard(self, host: Host) -> Answer[bool]:
        res = yield
        ensure(res == any(p.source == host for p in self.seen))
"""


class Register:
    """Keeps to its contract."""

    def __init__(self) -> None:
        self.seen: set[object] = set()

    def note(self, packet: object, again: bool) -> bool:
        new = packet not in self.seen
        self.seen.add(packet)
        return new

    def heard(self, host: str) -> bool:
        return any(packet.source == host for packet in self.seen)  # type: ignore[attr-defined]


def test_any_specification_can_be_driven(tmp_path: Path) -> None:
    file = tmp_path / "register.py"
    file.write_text(REGISTER)

    driven = drive(find_specification(str(file)), Register, FEW)

    assert (driven.broken, driven.weak) == ((), ())
    assert min(driven.log.calls[each] for each in ("note", "heard")) > 50
    assert all(driven.log.answers[name, answer] for name in ("note", "heard") for answer in (True, False))


LOCK = """
from angarium.contracts import Answer, Order, Sort, Specification, conjecture, contract, every, implies
from angarium.contracts import require

class Client(Sort): ...

class Lock(Specification):
    '''At most one holder.'''
    holders: set[Client]
    def __init__(self) -> None:
        self.holders.clear()
    @contract
    def acquire(self, who: Client) -> Answer[bool]:
        require(who not in self.holders)
        ok = yield
        if ok:
            self.holders.add(who)
    @contract
    def release(self, who: Client) -> Answer[None]:
        require(who in self.holders)
        self.holders.discard(who)
        yield
    @conjecture
    def exclusive(self, x: Client, y: Client) -> bool:
        return implies(x in self.holders and y in self.holders, x == y)
    @conjecture
    def endless(self) -> bool:
        return any(c not in self.holders for c in every(Client))
"""


class Lock:
    """Keeps to its contract."""

    def __init__(self) -> None:
        self.holder: str | None = None

    def acquire(self, who: str) -> bool:
        if self.holder is not None:
            return False
        self.holder = who
        return True

    def release(self, who: str) -> None:
        self.holder = None


class Generous(Lock):
    """Gives itself to everybody."""

    def acquire(self, who: str) -> bool:
        return True


def test_conjectures_are_judged_behind_every_call(tmp_path: Path) -> None:
    file = tmp_path / "lock.py"
    file.write_text(LOCK)
    specification = find_specification(str(file))

    right, wrong = drive(specification, Lock, FEW), drive(specification, Generous, FEW)

    assert right.broken == ()
    assert [right.was_tested(rule) for rule, _, _ in right.verdicts] == [True, True, True, False]
    (broken,) = wrong.broken
    assert (broken.rule.operation, len(broken.story)) == ("exclusive", 2)
    assert broken.violation.why.startswith("exclusive is false then for x = 'client-")
    assert len(broken.story[-1].state["holders"]) == 2


CLOCK = """
from angarium.contracts import Answer, Order, Specification, contract, ensure, first

class Number(Order): ...

class Clock(Specification):
    '''Goes on.'''
    now: Number
    def __init__(self) -> None:
        self.now = first(Number)
    @contract
    def tick(self) -> Answer[Number]:
        self.now = self.now.next
        self.now = self.now.next
        self.now = self.now.next
        shown = yield
        ensure(shown == self.now)
"""


def test_an_answer_is_named_that_the_contract_makes_only_in_the_call(tmp_path: Path) -> None:
    file = tmp_path / "clock.py"
    file.write_text(CLOCK)
    slow = type("Slow", (), {"tick": lambda self: 1})

    driven = drive(find_specification(str(file)), slow, FEW)

    assert driven.broken[0].violation.allowed == (3,)


# --- shortening -------------------------------------------------------------------------------------


def calls(*numbers: int) -> Calls:
    return tuple(Call("delete_all", (("seq", number),)) for number in numbers)


def test_calls_are_left_out_and_numbers_made_small() -> None:
    def attempt(tried: Calls) -> Calls | None:
        numbers = [value for each in tried for _, value in each.arguments]
        return tried if any(a > b for a, b in itertools.pairwise(numbers)) else None

    assert shorten(calls(*range(40), 7, 99, 98), attempt, lambda: True) == calls(1, 0)


def test_of_large_numbers_the_smallest_that_matters_is_told() -> None:
    def attempt(tried: Calls) -> Calls | None:
        return tried if any(value >= 2**32 for each in tried for _, value in each.arguments) else None

    assert shorten(calls(1, 2**63 - 1), attempt, lambda: True) == calls(2**32)


def test_calls_that_need_each_other_are_left_out_together() -> None:
    def attempt(tried: Calls) -> Calls | None:
        numbers = [value for each in tried for _, value in each.arguments]
        return tried if numbers.count(5) != 1 and 9 in numbers else None

    assert len(shorten(calls(5, 3, 5, 9), attempt, lambda: True)) == 1


def test_shortening_stops_when_time_is_up() -> None:
    given = calls(3, 2, 1)

    assert shorten(given, lambda tried: tried, lambda: False) == given
