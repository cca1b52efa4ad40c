"""Reading proof modules: what is written becomes data, and what makes no sense is an error at its place."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from angarium.contracts.conditions.duties import obligations_of
from angarium.contracts.module import Branch, Collect, Implementation, Let, Loop, Put, Specification
from angarium.contracts.prove import prove
from angarium.contracts.reading.subject import find_modules, find_specification
from angarium.contracts.terms import FALSE, TRUE, Kind
from angarium.core.errors import ModelError, UsageError
from angarium.core.result import Verdict
from tests.contracts.variants import EXAMPLES, MAP, RING

BAG = '''
from angarium.contracts import Answer, Implementation, Order, Ring, Sort, Specification
from angarium.contracts import between, conjecture, contract, ensure, every, require

class Number(Order):
    """Numbers."""

class Slot(Ring):
    pass

class Thing(Sort):
    num: Number

class Bag(Specification):
    """Things, in no order."""

    inside: set[Thing]
    links: set[tuple[Thing, Thing]]
    place: dict[Thing, Slot]
    newest: Thing
    limit: Number
{bag}

class Box(Implementation):
    """A bag that is a box."""

    spec: Bag
    held: set[Thing]
    top: Thing
{box}
'''

ADD = """
    @contract
    def add(self, thing: Thing) -> Answer[bool]:
        {before}
        ok = yield
        {after}
"""


def bag(before: str = "pass", after: str = "pass", body: str = "return True", more: str = "") -> str:
    contract = ADD.format(before=before, after=after)
    method = f"    def add(self, thing: Thing) -> bool:\n{indent(body, ' ' * 8)}\n{indent(more, ' ' * 4)}"
    return BAG.format(bag=contract, box=method)


def read(text: str, folder: Path) -> list[Specification | Implementation]:
    path = folder / "module.py"
    path.write_text(text, encoding="utf-8")
    return find_modules(str(path))


def box(text: str, folder: Path) -> Implementation:
    return next(each for each in read(text, folder) if isinstance(each, Implementation))


def test_sorts_have_their_kinds_and_fields() -> None:
    part = find_specification(str(EXAMPLES.parent.parent / "src/angarium/systems/queue/specification.py"))

    assert {sort.name: sort.kind for sort in part.sorts} == {"Message": Kind.PLAIN, "Number": Kind.ORDER}
    assert [(each.name, each.fixed) for each in part.fixed] == [("num", True)]
    assert [each.name for each in part.contracts] == ["enqueue", "empty", "pick_one", "delete_all"]


def test_a_component_takes_the_sorts_that_it_is_given() -> None:
    (part,) = (each for each in find_modules(f"{MAP}:OrderedMapQueue") if isinstance(each, Implementation))

    ((name, component),) = part.components

    assert (name, [each.name for each in component.state]) == ("map", ["map.pairs"])
    assert [sort.name for sort in component.state[0].arguments] == ["Number", "Message"]


def test_state_that_is_called_as_that_of_the_specification_is_not_the_same(tmp_path: Path) -> None:
    """Else everything would be proved of a mailbox that forgets what it should hold."""
    text = (EXAMPLES / "mailbox.py").read_text(encoding="utf-8")
    for old, new in {"full: bool": "contents: set[Message]\n    full: bool", "self.spec.": "self."}.items():
        text = text.replace(old, new)
    path = tmp_path / "mailbox.py"
    path.write_text(text, encoding="utf-8")

    judged = {each.obligation.name: each.verdict for proof in prove(str(path)) for each in proof.judged}

    assert judged["pick_one ensures"] is Verdict.VIOLATED


def test_state_that_is_called_as_a_field_is_not_the_same(tmp_path: Path) -> None:
    """A table of numbers that nobody fills in says nothing of the numbers that messages have."""
    text = (EXAMPLES / "mailbox.py").read_text(encoding="utf-8")
    changes = {
        "full: bool": "num: dict[Message, Number]\n    full: bool",
        "seq < self.letter.num": "seq < self.num[self.letter]",
    }
    for old, new in changes.items():
        text = text.replace(old, new)
    path = tmp_path / "mailbox.py"
    path.write_text(text, encoding="utf-8")

    judged = {each.obligation.name: each.verdict for proof in prove(str(path)) for each in proof.judged}

    assert judged["delete_all keeps represents"] is Verdict.VIOLATED


def test_what_an_implementation_rests_on_is_proved_before_it() -> None:
    assert [each.name for each in find_modules(f"{MAP}:OrderedMapQueue")] == [
        "Queue",
        "OrderedMap",
        "OrderedMapQueue",
    ]


def test_an_early_return_parts_the_ways(tmp_path: Path) -> None:
    part = box(
        bag(body="if thing in self.held:\n    return False\nself.held.add(thing)\nreturn True"), tmp_path
    )

    _, branch = part.body("add").statements  # the first gives the parameter its name

    assert isinstance(branch, Branch)
    assert [type(each) for each in branch.then] == [Let]
    assert [type(each) for each in branch.otherwise] == [Put, Let]


def test_changes_of_sets_are_puts_and_collections(tmp_path: Path) -> None:
    after = "self.inside.add(thing); self.inside.discard(thing); self.links.clear()"
    (part,) = (each for each in read(bag(after=after), tmp_path) if isinstance(each, Specification))

    add, discard, clear = part.contract("add").after

    assert isinstance(add, Put) and isinstance(discard, Put) and isinstance(clear, Collect)
    assert (add.value, discard.value, clear.condition) == (TRUE, FALSE, FALSE)


def test_a_loop_keeps_its_invariants_apart_from_its_body() -> None:
    (part,) = (each for each in find_modules(str(RING)) if isinstance(each, Implementation))

    _, loop = part.body("delete_all").statements  # the first gives the parameter its name

    assert isinstance(loop, Loop)
    assert (len(loop.invariants), len(loop.body)) == (2, 1)


def test_two_sorts_with_fields_of_one_name_do_not_meet(tmp_path: Path) -> None:
    text = bag().replace("class Bag", "class Other(Sort):\n    num: Thing\n\nclass Bag")
    text = text.replace("newest: Thing", "newest: Other").replace("top: Thing", "top: Thing\n    last: Other")

    part = box(text, tmp_path)

    assert {(each.arguments[0].name, each.result.name) for each in part.fixed} == {
        ("Thing", "Number"),
        ("Other", "Thing"),
    }


WRONG = {
    "an unknown name": (bag(body="return thin"), "ANG105", "thin is not known here"),
    "an unknown field": (bag(before="require(thing.size == thing.num)"), "ANG105", "nothing named size"),
    "unknown state": (bag(body="self.hold.add(thing)\nreturn True"), "ANG105", "self.hold cannot be changed"),
    "state that is read": (bag(body="return thing in self.hold"), "ANG105", "self.hold is not known"),
    "no order": (bag(before="require(thing < thing)"), "ANG106", "which has no order"),
    "no truth": (bag(before="require(thing)"), "ANG106", "thing is of the sort Thing"),
    "two sorts": (bag(before="require(thing == thing.num)"), "ANG106", "thing.num is of the sort Number"),
    "no ring": (bag(before="require(between(thing, thing, thing))"), "ANG106", "which is no ring"),
    "no set": (bag(before="require(thing in self.newest)"), "ANG106", "self.newest is no set"),
    "no dict": (bag(before="require(self.inside[thing])"), "ANG106", "self.inside is no dict"),
    "a set alone": (bag(before="require(self.inside)"), "ANG106", "is no single thing"),
    "a pair too short": (bag(before="require(thing in self.links)"), "ANG106", "takes (Thing, Thing)"),
    "nothing to go through": (bag(before="require(all(True for x in thing))"), "ANG106", "nothing to go"),
    "too few names": (bag(before="require(all(True for x in self.links))"), "ANG106", "gives (Thing, Thing)"),
    "arithmetic": (bag(before="require(1 + 1 == 2)"), "ANG104", "cannot be proved about: 1 + 1"),
    "identity": (bag(before="require(thing is thing)"), "ANG104", "`is` compares"),
    "the next number in a claim": (
        bag(before="require(all(x.num != thing.num.next for x in self.inside))"),
        "ANG104",
        "cannot stand in a claim",
    ),
    "an ensure before": (bag(before="ensure(True)"), "ANG104", "ensure cannot be said here"),
    "a require behind": (bag(after="require(True)"), "ANG104", "require cannot be said here"),
    "a for": (bag(body="for x in self.held:\n    pass\nreturn True"), "ANG104", "proved about: for x in"),
    "a strange call": (bag(body="self.held.update(thing)\nreturn True"), "ANG104", "cannot be called"),
    "a return in a loop": (bag(body="while True:\n    return True\nreturn True"), "ANG104", "no return"),
    "a set of something else": (
        bag(body="self.held = {x for x in self.held for y in self.held}\nreturn True"),
        "ANG104",
        "a set or dict cannot become",
    ),
    "what was not gone through": (
        bag(body="self.held = {thing for x in self.held}\nreturn True"), "ANG104", "only what is gone",
    ),
    "the abstract state in code": (bag(body="return thing in self.spec.inside"), "ANG081", "code cannot"),
    "the abstract state changed": (
        bag(body="self.spec.inside.add(thing)\nreturn True"), "ANG105", "cannot be changed here",
    ),
    "no answer": (bag(body="self.held.add(thing)"), "ANG081", "may end without an answer"),
    "too many answers": (bag(body="return True, True"), "ANG106", "the contract wants (bool)"),
    "another parameter": (
        bag().replace("def add(self, thing: Thing) -> bool", "def add(self, n: Number) -> bool"),
        "ANG081",
        "does not take what its contract says",
    ),
    "a missing operation": (
        bag().replace("def add(self, thing: Thing) -> bool", "def ad(self, thing: Thing) -> bool"),
        "ANG081",
        "Box has no add",
    ),
    "no specification": (bag().replace("spec: Bag", "bag: Bag"), "ANG081", "does not say what it implements"),
    "a helper that calls itself": (
        bag(body="return self.f(thing)", more="def f(self, t: Thing) -> bool:\n    return self.f(t)"),
        "ANG108",
        "f calls itself",
    ),
    "a helper of two lines": (
        bag(body="return self.f(thing)", more="def f(self, t: Thing) -> bool:\n    x = t\n    return True"),
        "ANG104",
        "must be one `return`",
    ),
    "no yield": (bag().replace("ok = yield", "pass"), "ANG107", "does not say when it is called"),
    "no annotation": (bag().replace("-> Answer[bool]", ""), "ANG107", "does not say what it answers"),
    "no sort": (bag().replace("newest: Thing", "newest: int"), "ANG107", "int is no sort"),
    "a method in a sort": (
        bag().replace("num: Number\n", "num: Number\n    def f(self): pass\n"), "ANG104", "only fields",
    ),
    "two yields": (bag(after="yield"), "ANG104", "yield stands once"),
    "the specification as a value": (bag(body="x = self.spec\nreturn True"), "ANG104", "self.spec is no"),
    "a number": (bag(before="require(thing.num == 0)"), "ANG104", "first(Number) is the first"),
    "a sum": (bag(before="require(thing.num + 1 == thing.num)"), "ANG104", "n.next is the next one"),
    "an unknown base": (bag().replace("(Implementation)", "(Implementaton)"), "ANG104", "is not known"),
    "a strange decorator": (bag().replace("@contract", "@every"), "ANG104", "means nothing here"),
    "an assignment in a class": (bag().replace("newest: Thing", "newest = 1"), "ANG104", "says nothing"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_makes_no_sense_is_an_error_at_its_place(name: str, tmp_path: Path) -> None:
    text, code, words = WRONG[name]

    with pytest.raises(ModelError) as caught:
        read(text, tmp_path)

    assert (caught.value.code, words in str(caught.value)) == (code, True), str(caught.value)
    assert caught.value.place is not None and caught.value.place.source.strip()


COUNTED = """
from angarium.contracts import Answer, Implementation, Order, Specification, contract

class Number(Order):
    pass

class Count(Specification):
    so_far: Number

    @contract
    def up(self) -> Answer[None]:
        self.so_far = self.so_far.next
        yield

class Wrapper(Implementation):
    spec: Count
    inner: Count
    steps: set[Number]

    def up(self) -> None:
        {body}
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("x = self.inner.down()", "inner has no operation down"),
        ("self.inner.up(self.inner)", "up takes ()"),
        ("x = self.inner.up()", "up answers ()"),
        ("self.spec.up()", "code cannot call its specification"),
        ("assert self.inner.up()", "a call of a component stands alone"),
    ],
)
def test_a_wrong_call_of_a_component_is_an_error(body: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        read(dedent(COUNTED.format(body=body)), tmp_path)

    assert words in str(caught.value)


def test_a_component_demands_sorts_of_its_kinds(tmp_path: Path) -> None:
    text = MAP.read_text(encoding="utf-8").replace(
        "OrderedMap[Number, Message]\n", "OrderedMap[Message, Number]\n"
    )

    with pytest.raises(ModelError, match="OrderedMap takes Key \\(order\\), Value \\(plain\\)"):
        read(text, tmp_path)


def test_a_file_without_proofs_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is nothing to prove"):
        read("x = 1", tmp_path)


def test_a_class_that_is_not_there_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError) as caught:
        find_modules(f"{RING}:RingBuffer")

    assert "did you mean RingBufferQueue?" in caught.value.possible


def test_one_specification_of_several_must_be_named(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(bag() + "\nclass Sack(Specification):\n    pass\n", encoding="utf-8")

    with pytest.raises(UsageError, match="has several specifications"):
        find_specification(str(path))

    assert find_specification(f"{path}:Sack").name == "Sack"


def test_two_specifications_of_one_name_are_both_proved(tmp_path: Path) -> None:
    """Else an implementation could rest on conjectures that nobody proves."""
    text = (EXAMPLES / "mailbox.py").read_text(encoding="utf-8") + "\nclass Queue(Specification):\n    pass\n"
    changes = {
        "Number, Queue": "Number, Queue as Theirs",
        "spec: Queue": "spec: Theirs",
        "import Implementation": "import Implementation, Specification",
    }
    for old, new in changes.items():
        text = text.replace(old, new)
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")

    parts = find_modules(str(path))

    assert [each.name for each in parts] == ["Queue", "Mailbox", "Queue"]
    assert len(obligations_of(parts[0])) == 5
