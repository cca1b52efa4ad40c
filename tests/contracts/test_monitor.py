"""The monitor: what it lets through, what it blames the caller for, what it blames the subject for."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from angarium import ContractBroken, WrongCall
from angarium import watch as watch_by_name
from angarium.contracts.module import Specification
from angarium.contracts.monitor.concrete import concrete
from angarium.contracts.monitor.rules import Violation
from angarium.contracts.monitor.watched import watch
from angarium.contracts.reading.subject import find_specification
from angarium.contracts.subjects import Message
from angarium.contracts.subjects.memory import OrderedMapQueue
from angarium.core.errors import ConformError
from angarium.systems.registry import contract_file

QUEUE = find_specification(contract_file("queue"))
PREAMBLE = """
from angarium.contracts import (
    Answer, Order, Ring, Sort, Specification, between, contract, ensure, every, first, require,
)

class Number(Order): ...
class Slot(Ring): ...
class Host(Sort): ...
class Thing(Sort):
    num: Number
    host: Host
"""


def line_of(text: str) -> int:
    """The line of the queue's specification that has this text."""
    file, _, _ = contract_file("queue").rpartition(":")
    lines = Path(file).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def written(tmp_path: Path, text: str) -> Specification:
    """A specification of a test's own."""
    file = tmp_path / "contract.py"
    file.write_text(PREAMBLE + text)
    return find_specification(str(file))


def answering(**answers: object) -> OrderedMapQueue:
    """A queue that gives fixed answers to some operations."""
    queue = OrderedMapQueue()
    for name, answer in answers.items():
        setattr(queue, name, answer if callable(answer) else lambda *_, given=answer: given)
    return queue


def raising(problem: Exception) -> Callable[..., object]:
    def operation(*_: object) -> object:
        raise problem

    return operation


# --- a subject that keeps its contract ----------------------------------------------------------


def test_a_right_queue_answers_as_if_nobody_watched() -> None:
    queue = watch(OrderedMapQueue(), QUEUE)

    answers = [
        queue.empty(),
        queue.enqueue(Message(10)),
        queue.enqueue(msg=Message(9)),
        queue.pick_one(),
        queue.delete_all(9),
        queue.pick_one(),
        queue.delete_all(10),
        queue.empty(),
    ]

    assert answers == [True, True, True, Message(9), None, Message(10), None, True]


def test_a_refusal_is_an_answer_and_changes_nothing() -> None:
    queue = watch(OrderedMapQueue(capacity=1), QUEUE)
    queue.enqueue(Message(1))

    assert queue.enqueue(Message(2)) is False
    assert queue.pick_one() == Message(1)


def test_everything_else_is_the_subjects_own() -> None:
    queue = watch(OrderedMapQueue(capacity=1), QUEUE)
    queue.enqueue(Message(1))

    assert queue.full
    assert queue.messages() == [Message(1)]
    with pytest.raises(AttributeError, match="nonsense"):
        _ = queue.nonsense


def test_an_answer_that_was_not_asked_for_is_passed_on() -> None:
    queue = watch(answering(delete_all=7), QUEUE)

    assert queue.delete_all(3) == 7


def test_a_queue_that_was_filled_before_is_watched_from_there() -> None:
    filled = OrderedMapQueue()
    filled.enqueue(Message(4))

    queue = watch(filled, QUEUE, begin={"contents": filled.messages()})

    assert queue.pick_one() == Message(4)
    with pytest.raises(WrongCall):
        queue.enqueue(Message(4))


def test_a_bundled_contract_is_found_by_its_name() -> None:
    assert watch_by_name(OrderedMapQueue()).empty() is True


# --- the caller's fault -------------------------------------------------------------------------


def test_a_call_that_is_not_allowed_does_not_reach_the_subject() -> None:
    inner = OrderedMapQueue()
    queue = watch(inner, QUEUE)
    queue.enqueue(Message(1))

    with pytest.raises(WrongCall) as caught:
        queue.enqueue(Message(1, b"other"))

    assert inner.messages() == [Message(1)]
    assert caught.value.rule.text == "require all(m.num != msg.num for m in self.contents)"
    assert caught.value.before == {"contents": {Message(1)}}
    assert queue.pick_one() == Message(1), "the monitor goes on as if it had not been called"


def test_the_message_of_a_wrong_call_says_why_and_where() -> None:
    queue = watch(OrderedMapQueue(), QUEUE)

    with pytest.raises(WrongCall) as caught:
        queue.pick_one()

    text = str(caught.value)
    assert text.startswith("pick_one() must not be called now\n")
    assert "require any(True for _ in self.contents)" in text
    assert f"specification.py:{line_of('require(any(True')})" in text
    assert "before    contents = {}" in text


@pytest.mark.parametrize("seq", [-1, 1.5, "1", None, True])
def test_a_number_must_be_whole_and_not_negative(seq: object) -> None:
    queue = watch(OrderedMapQueue(), QUEUE)

    with pytest.raises(WrongCall, match="seq must be a whole number from 0"):
        queue.delete_all(seq)


@pytest.mark.parametrize("msg", ["text", {"num": 1}, None, Message(-1)])
def test_a_message_must_have_a_number_and_be_hashable(msg: object) -> None:
    queue = watch(OrderedMapQueue(), QUEUE)

    with pytest.raises(WrongCall, match="msg must be a hashable Message with num"):
        queue.enqueue(msg)


def test_arguments_must_fit_as_for_any_function() -> None:
    queue = watch(OrderedMapQueue(), QUEUE)

    with pytest.raises(TypeError, match=r"enqueue\(msg\) got 0 arguments"):
        queue.enqueue()
    with pytest.raises(TypeError, match="names"):
        queue.enqueue(Message(1), msg=Message(1))


# --- the subject's fault ------------------------------------------------------------------------


def test_an_answer_that_is_not_allowed_breaks_the_contract() -> None:
    queue = watch(answering(empty=True), QUEUE)
    queue.enqueue(Message(2))

    with pytest.raises(ContractBroken) as caught:
        queue.empty()

    violation = caught.value
    assert (violation.call.operation, violation.call.answer) == ("empty", True)
    assert violation.rule.text == "ensure all(not res for _ in self.contents)"
    assert violation.rule.place.line == line_of("ensure(all(not res")
    assert violation.before == violation.after == {"contents": {Message(2)}}
    assert violation.allowed == (False,)


def test_a_traceback_ends_in_the_line_of_the_contract() -> None:
    queue = watch(answering(empty=False), QUEUE)

    with pytest.raises(ContractBroken) as caught:
        queue.empty()

    cause = caught.value.__cause__
    assert cause is not None and cause.__traceback__ is not None
    last = cause.__traceback__
    while last.tb_next:
        last = last.tb_next
    assert last.tb_frame.f_code.co_filename.endswith("specification.py")
    assert last.tb_lineno == caught.value.rule.place.line


def test_the_state_before_is_the_one_before_the_call_even_if_the_contract_changes_it_first() -> None:
    queue = watch(answering(delete_all=raising(OSError("disk full"))), QUEUE)
    queue.enqueue(Message(1))

    with pytest.raises(ContractBroken) as caught:
        queue.delete_all(1)

    assert caught.value.before == {"contents": {Message(1)}}


def test_a_message_that_was_never_put_in_is_no_answer() -> None:
    queue = watch(answering(pick_one=Message(5)), QUEUE)
    queue.enqueue(Message(1))
    queue.enqueue(Message(2))

    with pytest.raises(ContractBroken) as caught:
        queue.pick_one()

    assert caught.value.allowed == (Message(1), Message(2))


@pytest.mark.parametrize("answer", [None, 1, "yes", (True, True)])
def test_an_answer_of_another_type_breaks_the_contract(answer: object) -> None:
    queue = watch(answering(enqueue=lambda _: answer), QUEUE)

    with pytest.raises(ContractBroken, match="should have answered True or False"):
        queue.enqueue(Message(1))


def test_an_exception_breaks_the_contract_and_is_its_cause() -> None:
    problem = KeyError("gone")
    queue = watch(answering(enqueue=raising(problem)), QUEUE)

    with pytest.raises(ContractBroken, match=r"raised KeyError\('gone'\)") as caught:
        queue.enqueue(Message(1))

    assert caught.value.__cause__ is problem
    assert caught.value.call.raised is problem


def test_a_coroutine_is_no_answer() -> None:
    async def delete_all(_: int) -> None:
        """Does nothing until it is awaited."""

    queue = watch(answering(delete_all=lambda seq: delete_all(seq)), QUEUE)

    with pytest.raises(ContractBroken, match=r"answered <coroutine .*, and should have answered") as caught:
        queue.delete_all(1)
    caught.value.call.answer.close()


def test_operations_that_must_be_awaited_are_refused_before_anything_is_called() -> None:
    async def enqueue(_: Message) -> bool:
        """Does nothing until it is awaited."""
        return True

    with pytest.raises(ConformError, match="enqueue of OrderedMapQueue would have to be awaited") as caught:
        watch(answering(enqueue=enqueue), QUEUE)

    assert caught.value.code == "ANG091"
    assert "asyncio" in caught.value.remedy


def test_after_a_violation_every_call_raises_it_again() -> None:
    queue = watch(answering(empty=False), QUEUE)
    with pytest.raises(ContractBroken) as first:
        queue.empty()

    with pytest.raises(ContractBroken) as second:
        queue.enqueue(Message(1))

    assert second.value is first.value


# --- in production --------------------------------------------------------------------------------


def test_with_a_callback_nothing_is_raised_and_the_first_violation_is_reported_once() -> None:
    violations: list[Violation] = []
    queue = watch(answering(empty=False), QUEUE, on_broken=violations.append)

    answers = [queue.empty(), queue.empty(), queue.enqueue(Message(1)), queue.enqueue(Message(1))]

    assert answers == [False, False, True, False]
    assert [type(each) for each in violations] == [ContractBroken]


def test_with_a_callback_a_wrong_call_still_reaches_the_subject() -> None:
    violations: list[Violation] = []
    queue = watch(OrderedMapQueue(), QUEUE, on_broken=violations.append)

    with pytest.raises(LookupError, match="the queue is empty"):
        queue.pick_one()

    assert [type(each) for each in violations] == [WrongCall]


def test_with_a_callback_the_subjects_own_exception_is_raised() -> None:
    violations: list[Violation] = []
    problem = OSError("disk full")
    queue = watch(answering(enqueue=raising(problem)), QUEUE, on_broken=violations.append)

    with pytest.raises(OSError, match="disk full") as caught:
        queue.enqueue(Message(1))

    assert caught.value is problem
    assert len(violations) == 1


def test_an_interrupted_call_leaves_nothing_known() -> None:
    class Interrupted(BaseException):
        """Somebody pressed a key."""

    inner = OrderedMapQueue()
    inner.enqueue = raising(Interrupted())  # type: ignore[method-assign,assignment,arg-type]
    queue = watch(inner, QUEUE)

    with pytest.raises(Interrupted):
        queue.enqueue(Message(1))

    assert queue.empty() is True, "no judgement: the message may be in the queue or not"


def test_what_was_deleted_is_not_kept() -> None:
    @dataclass(frozen=True)
    class Weak:
        """A message that can be followed to its end."""

        num: int

    queue, message = watch(OrderedMapQueue(), QUEUE), Weak(1)
    trace = weakref.ref(message)
    queue.enqueue(message)
    queue.delete_all(1)

    del message
    gc.collect()

    assert trace() is None


# --- what cannot be watched -----------------------------------------------------------------------


def test_an_object_without_the_operations_is_refused_before_anything_is_called() -> None:
    with pytest.raises(ConformError, match="list has no enqueue and no empty and no pick_one") as caught:
        watch([], QUEUE)

    assert caught.value.code == "ANG091"
    assert "adapter" in caught.value.remedy


def test_a_beginning_of_something_unknown_is_refused() -> None:
    with pytest.raises(ConformError, match="nothing called content in its state") as caught:
        watch(OrderedMapQueue(), QUEUE, begin={"content": []})

    assert "did you mean contents?" in caught.value.possible


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ensure(all(m in self.things for m in every(Thing)))", "everything of a sort"),
        ("ensure(between(slot, slot.next, slot))", "a ring"),
    ],
)
def test_what_has_no_finite_meaning_is_refused_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    text = f"""
class Endless(Specification):
    things: set[Thing]
    def __init__(self) -> None:
        self.things.clear()
    @contract
    def look(self, slot: Slot) -> Answer[None]:
        yield
        {line}
"""
    specification = written(tmp_path, text)

    with pytest.raises(ConformError, match="can be proved, but not be watched") as caught:
        concrete(specification)

    assert why in caught.value.what
    assert caught.value.place is not None
    assert caught.value.place.source.strip() == line


def test_what_nothing_has_set_cannot_be_asked_for(tmp_path: Path) -> None:
    text = """
class Latest(Specification):
    latest: dict[Host, Number]
    @contract
    def ask(self, host: Host) -> Answer[Number]:
        res = yield
        ensure(res == self.latest[host])
"""
    subject = type("Subject", (), {"ask": lambda *_: 1})()
    watched = watch(subject, written(tmp_path, text))

    with pytest.raises(ConformError, match=r"asks for latest\['a'\], of which nothing is known yet"):
        watched.ask("a")


# --- other contracts than the queue's -------------------------------------------------------------

OUTBOX = """
class Outbox(Specification):
    sent: set[Thing]
    kept: set[Thing]

    def __init__(self) -> None:
        self.sent.clear()
        self.kept.clear()

    @contract
    def send(self, thing: Thing) -> Answer[Number]:
        self.sent.add(thing)
        self.kept = {t for t in self.sent if t.num < thing.num}
        number = yield
        self.sent.discard(thing)
        ensure(number > thing.num)
"""


def test_a_violation_shows_the_state_before_and_after_the_call(tmp_path: Path) -> None:
    subject = type("Subject", (), {"send": lambda _, thing: 5})()
    outbox = watch(subject, written(tmp_path, OUTBOX), begin={"sent": [Thing(2, "a"), Thing(5, "b")]})
    outbox.send(Thing(3, "a"))

    with pytest.raises(ContractBroken) as caught:
        outbox.send(Thing(5, "b"))

    two, five = Thing(2, "a"), Thing(5, "b")
    assert caught.value.before == {"sent": {two, five}, "kept": {two}}
    assert caught.value.after == {"sent": {two}, "kept": {two}}
    assert "after     sent = {Thing(num=2, host='a')}" in str(caught.value)
    assert caught.value.allowed == (6,)


LEDGER = """
class Ledger(Specification):
    '''Counts for each host how far it has come.'''
    known: set[tuple[Host, Number]]
    latest: dict[Host, Number]
    open: bool

    def __init__(self) -> None:
        self.known.clear()
        self.open = True

    @contract
    def put(self, thing: Thing, number: Number) -> Answer[bool]:
        require(self.open and (thing.host, number) not in self.known)
        later = number.next
        ok = yield
        if ok:
            self.known.add((thing.host, number))
            self.latest[thing.host] = later
        else:
            ensure(any(h == thing.host for h, _ in self.known) or thing.num == first(Number))

    @contract
    def get(self, host: Host) -> Answer[tuple[Number, bool]]:
        require(any(h == host for h, _ in self.known))
        number, last = yield
        ensure(number == self.latest[host] if last else number < self.latest[host])

    @contract
    def close(self) -> Answer[None]:
        self.open = False
        yield
"""


@dataclass(frozen=True)
class Thing:
    """What the ledger's contract calls a thing."""

    num: int
    host: str


class Ledger:
    """Keeps to its contract, unless it is told what to answer."""

    def __init__(self, *answers: object) -> None:
        self._latest: dict[str, int] = {}
        self._answers = list(answers)

    def put(self, thing: Thing, number: int) -> object:
        self._latest[thing.host] = number + 1
        return self._answers.pop(0) if self._answers else True

    def get(self, host: str) -> object:
        return self._answers.pop(0) if self._answers else (self._latest[host], True)

    def close(self) -> None:
        """Nothing to be done."""


def test_pairs_functions_flags_and_several_answers_are_followed(tmp_path: Path) -> None:
    ledger = watch(Ledger(), written(tmp_path, LEDGER))

    assert ledger.put(Thing(1, "a"), 7) is True
    assert ledger.get("a") == (8, True)
    with pytest.raises(WrongCall):
        ledger.put(Thing(2, "a"), 7)
    ledger.close()
    with pytest.raises(WrongCall):
        ledger.put(Thing(2, "a"), 9)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ((True, (9, True)), "ensure"),
        ((True, (8, False)), "ensure"),
        ((True, (8,)), "a tuple of a whole number from 0, True or False"),
        ((True, 8), "a tuple of"),
        ((False,), "ensure"),
    ],
)
def test_a_wrong_answer_of_the_ledger_is_seen(
    tmp_path: Path, answers: tuple[object, ...], message: str
) -> None:
    ledger = watch(Ledger(*answers), written(tmp_path, LEDGER))

    with pytest.raises(ContractBroken, match=message):
        _ = ledger.put(Thing(1, "a"), 7) and ledger.get("a")


def test_a_refusal_that_the_contract_allows_is_let_through(tmp_path: Path) -> None:
    ledger = watch(Ledger(False), written(tmp_path, LEDGER))

    assert ledger.put(Thing(0, "a"), 7) is False


def test_of_many_allowed_answers_a_few_are_named_and_the_others_counted() -> None:
    queue = watch(answering(pick_one=Message(7)), QUEUE, begin={"contents": map(Message, range(5))})

    with pytest.raises(ContractBroken) as caught:
        queue.pick_one()

    assert len(caught.value.allowed) == 5
    assert "allowed   Message(num=0) or Message(num=1) or Message(num=2) or 2 others" in str(caught.value)


def test_long_payloads_are_shown_in_part() -> None:
    message = Message(1, b"secret" * 200)
    queue = watch(answering(empty=True), QUEUE, begin={"contents": [message, Message(2, "x" * 41)]})

    with pytest.raises(ContractBroken) as caught:
        queue.empty()

    text = str(caught.value)
    assert f"payload={(b'secret' * 7)[:40]!r}... (1,200 bytes)" in text
    assert f"payload={'x' * 40!r}... (41 characters)" in text
    assert len(text) < 400


def test_many_members_of_a_state_are_shown_in_part() -> None:
    queue = watch(answering(empty=True), QUEUE)
    for number in range(12):
        queue.enqueue(Message(number))

    with pytest.raises(ContractBroken) as caught:
        queue.empty()

    assert "Message(num=4), and 7 more}" in str(caught.value)
