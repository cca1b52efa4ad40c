"""What an intruder and its terms cannot be: each mistake is an error at its place that says what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from angarium.checker.frontend.build import build
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import parse, read
from angarium.core.errors import ModelError

MODEL = """
from enum import Enum
from angarium import *

class User(Index):
    "Somebody."

class Twin(Index, symmetric=True):
    "One of several that are alike."

class Day(Enum):
    MONDAY = 1
    SUNDAY = 7

class Pair(Record):
    day: Day

class Fact(Term):
    "What can be said."

class Other(Term):
    "What else can be said."

{terms}
def key() -> Fact:
    return atom()

def name(user: User) -> Fact:
    return atom()

def today(day: Day) -> Fact:
    return atom()

def rumour() -> Other:
    return atom()

class Sample(Model):
    users = count(User, 2)
    twins = count(Twin, 2)
    knows = knowledge(Fact)
    plain = setof(Fact)
    wire = channel(Fact, intruder=knows)
    last: Fact
{state}
    @action
    def act(self, user: User) -> None:
        {act}

    async def speaker(self) -> None:
        await self.wire.send(key())
{functions}
"""

MISTAKES = {
    # where: what is put there, and of the error the code, the text that it points at, a word of the message
    "an argument that is a number": (
        {"terms": "def at(time: int) -> Fact: return atom()"},
        ("ANG107", "time: int", "an Index, an Enum or bool"),
    ),
    "an argument that is a record": (
        {"terms": "def at(pair: Pair) -> Fact: return atom()"},
        ("ANG107", "pair: Pair", "an Index, an Enum or bool"),
    ),
    "an argument without a type": (
        {"terms": "def at(time) -> Fact: return atom()"},
        ("ANG107", "time)", "does not say which terms"),
    ),
    "an argument that is any term": (
        {"terms": "def boxed(fact: Fact) -> Fact: return atom()"},
        ("ANG108", "fact: Fact", "no end of terms"),
    ),
    "an argument that is interchangeable": (
        {"terms": "def twin(twin: Twin) -> Fact: return atom()"},
        ("ANG109", "twin: Twin", "symmetric=True"),
    ),
    "an argument with a default": (
        {"terms": "def at(day: Day = Day.MONDAY) -> Fact: return atom()"},
        ("ANG104", "def at", "plain named arguments"),
    ),
    "a term inside itself": (
        {"terms": "def wrapped() -> Fact: return paired(wrapped())"},
        ("ANG108", "def wrapped", "wrapped -> wrapped"),
    ),
    "terms inside each other": (
        {"terms": "def a() -> Fact: return paired(b())\ndef b() -> Fact: return encrypted(key(), a())"},
        ("ANG108", "def a", "a -> b -> a"),
    ),
    "a cipher without parts": (
        {"terms": "def empty() -> Fact: return encrypted(key())"},
        ("ANG107", "encrypted(key())", "encrypted(key, part, ...)"),
    ),
    "an atom with parts": (
        {"terms": "def full() -> Fact: return atom(key())"},
        ("ANG107", "atom(key())", "without arguments"),
    ),
    "a term without a name inside": (
        {"terms": "def deep(user: User) -> Fact: return paired(paired(name(user)))"},
        ("ANG106", "paired(name(user))", "a name of its own"),
    ),
    "a term of another class inside": (
        {"terms": "def mixed() -> Fact: return paired(rumour())"},
        ("ANG106", "rumour()", "possible: calls of"),
    ),
    "an inner argument of another type": (
        {"terms": "def of(day: Day) -> Fact: return paired(name(day))"},
        ("ANG106", "day)", "User is needed"),
    ),
    "an inner argument out of range": (
        {"terms": "def of() -> Fact: return paired(name(2))"},
        ("ANG106", "2", "0 .. 1"),
    ),
    "an inner member of another enumeration": (
        {"terms": "def of() -> Fact: return paired(today(True))"},
        ("ANG106", "True", "MONDAY, SUNDAY"),
    ),
    "an inner term with too many arguments": (
        {"terms": "def of() -> Fact: return paired(key(1))"},
        ("ANG106", "key(1)", "takes no arguments"),
    ),
    "too many terms": (
        {"terms": "\n".join(f"def t{i}(a: User, b: User) -> Fact: return atom()" for i in range(600))},
        ("ANG107", "class Fact", "at most 2,000"),
    ),
    "two constructors of one name": (
        {"terms": "def twice() -> Fact: return atom()\ndef twice() -> Fact: return atom()"},
        ("ANG107", "def twice", "more than once"),
    ),
    "no terms": (
        {"terms": "class Silence(Term):\n    pass\n", "state": "    quiet: Silence"},
        ("ANG107", "class Silence", "return atom()"),
    ),
    "a kind of term in an action": (
        {"act": "self.last = atom()"},
        ("ANG104", "atom()", "behind return"),
    ),
    "a kind of term with a choice": (
        {"terms": "def odd(day: Day) -> Fact: return atom() if day == Day.MONDAY else key()",
         "act": "self.last = odd(Day.MONDAY)"},
        ("ANG104", "atom()", "behind return"),
    ),
    "knowledge of what is no term": (
        {"state": "    known = knowledge(Day)"},
        ("ANG106", "Day", "class Fact(Term)"),
    ),
    "an intruder with a buffer": (
        {"state": "    post = channel(Fact, 2, intruder=knows)"},
        ("ANG107", "knows)", "room for 2"),
    ),
    "an intruder who knows nothing": (
        {"state": "    post = channel(Fact, intruder=plain)"},
        ("ANG107", "plain)", "knowledge declared above: knows"),
    ),
    "an intruder who is one of several": (
        {"state": "    minds = array(User, knowledge(Fact))\n    post = channel(Fact, intruder=minds)"},
        ("ANG107", "minds)", "is not the knowledge"),
    ),
    "an intruder of another language": (
        {"state": "    post = channel(Day, intruder=knows)"},
        ("ANG106", "knows)", "one class of terms"),
    ),
    "a process called intruder": (
        {"functions": "    async def intruder(self) -> None:\n        await self.wire.receive()"},
        ("ANG107", "async def intruder", "rename the process"),
    ),
    "hearing what is no term": (
        {"act": "self.knows.hear(user)"},
        ("ANG106", "user)", "Fact is needed"),
    ),
    "hearing two terms": (
        {"act": "self.knows.hear(key(), name(user))"},
        ("ANG106", "self.knows.hear", "takes one term"),
    ),
    "a set that hears": (
        {"act": "self.plain.hear(key())"},
        ("ANG104", "self.plain.hear", "knowledge(Fact)"),
    ),
    "knowledge that is added to": (
        {"act": "self.knows.add(key())"},
        ("ANG104", "self.knows.add", "hear(term)"),
    ),
    "knowledge that is assigned": (
        {"act": "self.knows = {key()}"},
        ("ANG104", "self.knows =", "hear(term)"),
    ),
    "a term with the wrong arguments": (
        {"act": "self.last = name()"},
        ("ANG106", "name()", "takes user"),
    ),
    "a start that is no term of the class": (
        {"state": "    first: Fact = rumour()"},
        ("ANG106", "rumour()", "not a Fact"),
    ),
}  # fmt: skip


def written(**parts: str) -> str:
    blank = {"terms": "", "state": "", "act": "self.last = name(user)", "functions": ""}
    return MODEL.format(**{**blank, **parts})


def test_without_a_mistake_it_is_a_model() -> None:
    assert build(find_model(parse(written()))).actions


@pytest.mark.parametrize(("parts", "error"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_an_error_at_its_place(parts: dict[str, str], error: tuple[str, str, str]) -> None:
    code, points_at, says = error
    with pytest.raises(ModelError) as caught:
        build(find_model(parse(written(**parts))))
    place = caught.value.place
    assert place is not None
    assert caught.value.code == code, caught.value
    assert place.source[place.column - 1 :].startswith(points_at), caught.value
    assert says in str(caught.value)


def test_a_constructor_stands_in_the_file_of_its_class(tmp_path: Path) -> None:
    (tmp_path / "facts.py").write_text(
        "from angarium import Term, atom\nclass Fact(Term):\n    pass\ndef key() -> Fact: return atom()\n"
    )
    model = tmp_path / "model.py"
    text = """from angarium import Model, action, atom, knowledge
from facts import Fact, key

{more}
class Sample(Model):
    knows = knowledge(Fact)

    @action
    def act(self) -> None:
        self.knows.hear({called}())
"""
    model.write_text(text.format(more="", called="key"))
    assert build(find_model(read(str(model)))).variable["knows.has"].cells == 1
    model.write_text(text.format(more="def stray() -> Fact:\n    return atom()\n", called="stray"))
    with pytest.raises(ModelError, match="in another file than its class") as caught:
        build(find_model(read(str(model))))
    assert caught.value.code == "ANG107"
