"""What an intruder does on the channels on which it sits: small models, counted by hand or told."""

from __future__ import annotations

import re

from angarium.app.report.story_text import render
from angarium.checker.explore.interpret import expand, initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.explore.states import decode
from angarium.checker.explore.stories import replay
from angarium.checker.export import mermaid
from angarium.checker.frontend.build import build
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse, read
from angarium.checker.logic.check import check
from angarium.core.result import Report, Verdict

TERMS = """
from enum import Enum
from angarium import *

class User(Index):
    "Somebody."

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

def label(user: User, flag: bool) -> Fact:
    return paired(secret(), mark(user))

def mark(user: User) -> Fact:
    return atom()

class Sample(Model):
    "A sample."
    users = count(User, 2)
    knows = knowledge(Fact)
"""
NEEDHAM_SCHROEDER = "examples/needham_schroeder.py"


def system(body: str) -> TransitionSystem:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return build(find_model(parse(TERMS + lines)))


def counts(model: TransitionSystem) -> tuple[int, int]:
    """States and transitions, on which both engines agree."""
    native, slow = (engine.search(model).coverage for engine in (NativeEngine(), ReferenceEngine()))
    assert (native.states, native.transitions, native.depth) == (slow.states, slow.transitions, slow.depth)
    return native.states, native.transitions


def verdicts(report: Report) -> dict[str, Verdict]:
    return {each.guarantee: each.verdict for each in report.verdicts}


def checked(model: TransitionSystem) -> Report:
    return check(model, engine=NativeEngine(), subject="sample")


HANDOFF = """
wire = channel(Fact, intruder=knows)
got: Fact | None

async def sender(self) -> None:
    await self.wire.send(secret())

async def receiver(self) -> None:
    fact = await self.wire.receive()
    self.got = fact
"""


def test_what_is_sent_is_given_or_intercepted_and_said_later() -> None:
    model = system(HANDOFF)
    assert counts(model) == (3, 3)
    assert {action.name for action in model.actions} == {
        "wire_sender_to_receiver",
        "intercept_wire",
        "fake_wire",
    }
    assert not any(action.fault for action in model.actions)


def test_whoever_sends_is_heard_whether_it_arrives_or_not() -> None:
    model = system(HANDOFF)
    (start,) = initial_states(model)
    assert decode(model, start)["knows"] == ()
    after = [decode(model, move.target) for move in expand(model, start).moves]
    assert [state["knows"] for state in after] == [("secret",), ("secret",)]
    assert {state["got"] for state in after} == {None, "secret"}


def test_a_message_that_the_channel_loses_is_heard_too() -> None:
    model = system("losses = budget(1)\n" + HANDOFF.replace("knows)", "knows, loses=losses)"))
    (start,) = initial_states(model)
    lost = [move.target for move in expand(model, start).moves if move.action.fault]
    assert [decode(model, cells)["knows"] for cells in lost] == [("secret",)]


def test_an_intruder_says_anything_that_it_can_derive_and_nothing_else() -> None:
    model = system("""
wire = channel(Fact, intruder=knows)
got = setof(Fact)

@initial
def begin(self) -> None:
    self.knows.hear(cipher(Side.LEFT))
    self.knows.hear(key(Side.RIGHT))
    self.knows.hear(mark(User(1)))

async def receiver(self) -> None:
    fact = await self.wire.receive()
    self.got.add(fact)
""")
    (start,) = initial_states(model)
    said = {decode(model, move.target)["got"] for move in expand(model, start).moves}
    assert said == {("cipher(left)",), ("key(right)",), ("mark(u2)",)}
    assert counts(model) == (4, 3)


def test_channels_in_arrays_and_choices_take_part() -> None:
    model = system("""
wire = array(Side, channel(Fact, intruder=knows))
got = array(Side, option(Fact))

async def sender(self) -> None:
    match await either(
        one=self.wire[Side.LEFT].send(secret()), other=self.wire[Side.RIGHT].send(key(Side.LEFT))
    ):
        case "one", _:
            pass
        case "other", _:
            pass

async def receiver(self, side: Side) -> None:
    match await either(fact=self.wire[side].receive(), stop=until(False)):
        case "fact", fact:
            self.got[side] = fact
        case "stop", _:
            pass
""")
    # Two sends, each given or intercepted; a receiver that still waits is told the one thing that is known.
    assert counts(model) == (1 + 4 * 2, 4 + 4 * 2)
    (start,) = initial_states(model)
    assert len(expand(model, start).moves) == 4


def test_terms_are_values_like_others() -> None:
    model = system("""
last: Fact = label(1, True)
seen = setof(Fact)
by_term = array(Fact, integer(0, 1))

def about(self, fact: Fact) -> bool:
    return any(fact == label(user, flag) for user in User for flag in bool)

@action
def note(self, fact: Fact, user: User) -> None:
    require(self.last == label(user, True) and self.about(fact))
    self.seen.add(fact)
    self.by_term[fact] = 1
    for other in Fact:
        if other == mark(user):
            self.last = other
""")
    (start,) = initial_states(model)
    assert decode(model, start)["last"] == "label(u2, true)"
    after = [decode(model, move.target) for move in expand(model, start).moves]
    assert {state["seen"] for state in after} == {
        (f"label(u{n}, {flag})",) for n in (1, 2) for flag in ("true", "false")
    }
    assert {state["last"] for state in after} == {"mark(u2)"}
    assert counts(model) == (5, 4)


def test_a_term_that_does_not_exist_is_out_of_range() -> None:
    model = system("""
number = integer(0, 3)

@action
def hear_next(self) -> None:
    self.knows.hear(mark(User(self.number)))
    self.number += 1

@invariant
def never_more(self) -> bool:
    return self.number < 3
""")
    report = checked(model)
    assert verdicts(report)["stays-in-range"] is Verdict.VIOLATED
    assert counts(model) == (3, 2)


def test_a_term_that_does_not_exist_is_not_just_another_one() -> None:
    model = system("""
number = integer(0, 3)

@action
def count_on(self) -> None:
    self.number += 1

@invariant
def unknown(self) -> bool:
    return mark(self.number) not in self.knows
""")
    story = next(each for each in checked(model).verdicts if each.guarantee == "stays-in-range")
    assert story.verdict is Verdict.VIOLATED
    assert "user in mark(self.number)" in str(story)


def test_nobody_owes_what_an_intruder_does() -> None:
    text = (
        HANDOFF
        + """
@eventually(fairness=[weak("process"), weak("all")])
def arrives(self) -> bool:
    return self.got is not None

@eventually(fairness=strong("action", "fake_wire"))
def arrives_by_grace(self) -> bool:
    return self.got is not None
"""
    )
    found = verdicts(checked(system(text)))
    assert found["arrives"] is Verdict.VIOLATED
    assert found["arrives-by-grace"] is Verdict.HOLDS
    quiet = text.replace(", intruder=knows", "").replace("fake_wire", "wire_sender_to_receiver")
    assert verdicts(checked(system(quiet)))["arrives"] is Verdict.HOLDS


def test_several_can_know_different_things() -> None:
    model = system("""
minds = array(User, knowledge(Fact))

@action
def tell(self, user: User, fact: Fact) -> None:
    require(fact in (cipher(Side.LEFT), key(Side.LEFT)))
    self.minds[user].hear(fact)

@invariant
def separate(self) -> bool:
    return (secret() in self.minds[0]) == (len(self.minds[0]) >= 3)
""")
    # Each knows nothing, the cipher, the key, or both and so everything.
    assert counts(model)[0] == 4 * 4
    assert verdicts(checked(model))["separate"] is Verdict.HOLDS


# --- stories ------------------------------------------------------------------------------------------


def test_a_story_names_what_was_taken_and_what_was_made() -> None:
    told = replay(system(HANDOFF), [0, 1, 0])
    assert [step.action for step in told.steps] == ["intercept_wire", "fake_wire"]
    assert [step.actor for step in told.steps] == ["intruder", "intruder"]
    assert told.steps[1].arguments == {"term": "secret"}
    text, drawn = render(told), mermaid.render(told)
    assert "intruder intercepts secret from sender on wire" in text
    assert "intruder gives secret to receiver on wire" in text
    assert "knows: {} -> {secret}" in text
    people = dict(re.findall(r"participant (\w+) as (\w+)", drawn))
    names = {name: key for key, name in people.items()}
    assert f"{names['sender']}->>{names['intruder']}: wire(secret)" in drawn
    assert f"{names['intruder']}->>{names['receiver']}: wire(secret)" in drawn


# --- a famous answer ----------------------------------------------------------------------------------


def needham_schroeder(**settings: str) -> TransitionSystem:
    return build(find_model(read(NEEDHAM_SCHROEDER)), settings)


def test_lowe_found_that_mallory_can_pass_for_alice() -> None:
    model = needham_schroeder()
    report = checked(model)
    found = verdicts(report)
    assert found["no-impersonation"] is Verdict.VIOLATED
    assert found["no-leak"] is Verdict.VIOLATED
    assert found["stays-in-range"] is Verdict.HOLDS
    assert found["can-succeed"] is Verdict.HOLDS
    assert counts(model) == (94, 5024)
    (story,) = [each.story for each in report.verdicts if each.guarantee == "no-impersonation"]
    assert story is not None
    said = [exchange.value for step in story.steps for exchange in step.exchanges]
    assert said == [
        "hello(alice, alice, mallory)",
        "hello(alice, alice, bob)",
        "answer(alice, bob, alice)",
        "confirmation(bob, mallory)",
        "confirmation(bob, bob)",
    ]


def test_with_lowes_fix_mallory_cannot() -> None:
    model = needham_schroeder(fixed="true")
    assert set(verdicts(checked(model)).values()) == {Verdict.HOLDS}
    assert counts(model) == (91, 4792)
