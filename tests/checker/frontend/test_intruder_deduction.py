"""What somebody can derive: the compiled deduction against the slow and plain one, on random universes."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from angarium.checker.explore.interpret import expand, initial_states
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.explore.states import decode, encode
from angarium.checker.frontend.build import build
from angarium.checker.frontend.parameters import elaborate
from angarium.checker.frontend.universe import KEYED, KINDS, Universe
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.checker.language.declarations import ModelDecl, find_model
from angarium.checker.language.source import parse
from tests.effort import examples

MODEL = """
from angarium import *

class Fact(Term):
    "What can be said."

{constructors}
class Listener(Model):
    "Hears any terms, in any order."

    knows = knowledge(Fact)

    @action
    def hear(self, fact: Fact) -> None:
        require(fact not in self.knows)
        self.knows.hear(fact)
"""
AGAIN = """
    @action
    def overhear(self, fact: Fact) -> None:
        require(fact not in self.knows)
        self.knows.hear(fact)
"""
PATIENT = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])


def listener(constructors: str, more: str = "") -> ModelDecl:
    """A model that hears terms with these constructors."""
    return find_model(parse(MODEL.format(constructors=constructors) + more))


def universe_of(decl: ModelDecl) -> Universe:
    (universe,) = elaborate(decl, {}).universes.values()
    return universe


def chain(length: int) -> str:
    """Keys of which each opens the next one, and the ciphers in the order in which that takes longest."""
    keys = "".join(f"def k{i}() -> Fact: return atom()\n" for i in range(length + 1))
    ciphers = (f"def c{i}() -> Fact: return encrypted(k{i}(), k{i + 1}())\n" for i in range(length))
    return keys + "".join(ciphers)


@st.composite
def constructors(draw: st.DrawFn) -> str:
    """The text of a few constructors; each mentions those before it."""
    names: list[tuple[str, bool]] = []
    lines = []
    for number in range(draw(st.integers(3, 8))):
        kind = "atom" if number < 2 else draw(st.sampled_from(KINDS))
        has_argument = draw(st.booleans()) and number < 5
        needed = 0 if kind == "atom" else draw(st.integers(1, 2)) + (kind in KEYED)
        inside = []
        for _ in range(needed):
            name, takes = draw(st.sampled_from(names))
            given = ["True", "False", *(["flag"] if has_argument else [])]
            inside.append(f"{name}({draw(st.sampled_from(given)) if takes else ''})")
        head = f"def t{number}({'flag: bool' if has_argument else ''}) -> Fact:"
        lines.append(f"{head}\n    return {kind}({', '.join(inside)})\n")
        names.append((f"t{number}", has_argument))
    return "\n".join(lines)


def known(system: TransitionSystem, cells: Cells) -> frozenset[int]:
    """The terms that are in the knowledge of a state."""
    first, variable = system.offset["knows.has"], system.variable["knows.has"]
    return frozenset(n for n in range(variable.cells) if cells[first + n])


def all_knowledge(universe: Universe, limit: int) -> set[frozenset[int]] | None:
    """Every knowledge that can be come to by hearing terms; None if there is more than the limit."""
    found, waiting = {frozenset[int]()}, [frozenset[int]()]
    while waiting:
        here = waiting.pop()
        for term in set(range(len(universe.made))) - here:
            there = universe.closure({*here, term})
            if there not in found:
                found.add(there)
                waiting.append(there)
        if len(found) > limit:
            return None
    return found


@PATIENT
@given(constructors())
def test_what_is_heard_is_closed_as_the_plain_deduction_says(text: str) -> None:
    decl = listener(text)
    universe, system = universe_of(decl), build(decl)
    seen, waiting = set(initial_states(system)), initial_states(system)
    while waiting and len(seen) < 200:
        cells = waiting.pop()
        for move in expand(system, cells).moves:
            after = known(system, move.target)
            assert after == universe.closure({*known(system, cells), move.arguments[0]})
            if move.target not in seen:
                seen.add(move.target)
                waiting.append(move.target)
    assert len(seen) > 1


@PATIENT
@given(constructors())
def test_engines_find_every_knowledge_and_no_other(text: str) -> None:
    decl = listener(text)
    universe, system = universe_of(decl), build(decl)
    expected = all_knowledge(universe, 2000)
    native = NativeEngine().search(system).coverage
    reference = ReferenceEngine().search(system).coverage if native.states < 300 else native
    assert (native.states, native.transitions) == (reference.states, reference.transitions)
    assert expected is None or native.states == len(expected)
    in_two_places = NativeEngine().search(build(listener(text, AGAIN))).coverage
    assert (in_two_places.states, in_two_places.transitions) == (native.states, 2 * native.transitions)


@PATIENT
@given(constructors(), st.data())
def test_a_state_is_read_without_what_can_be_made_and_written_whole(text: str, data: st.DataObject) -> None:
    decl = listener(text)
    universe, system = universe_of(decl), build(decl)
    heard = data.draw(st.sets(st.integers(0, len(universe.made) - 1)))
    closed = universe.closure(heard)
    cells = tuple(int(n in closed) for n in range(len(universe.made)))
    readable = decode(system, cells)
    labels = elaborate(decl, {}).state["knows"].type.item.members  # type: ignore[union-attr]
    shown = {labels.index(label) for label in readable["knows"]}
    assert encode(system, readable) == cells
    assert universe.closure(shown) == closed
    made_from = [universe.made[n].made_from for n in shown]
    assert not any(inputs and closed.issuperset(inputs) for inputs in made_from)


def test_a_key_that_opens_the_next_one_needs_a_round_each() -> None:
    for length in (1, 2, 4):
        decl = listener(chain(length))
        universe, system = universe_of(decl), build(decl)
        ciphers = [universe.first[f"c{i}"] for i in range(length)]
        cells = tuple(int(n in ciphers) for n in range(len(universe.made)))
        (move,) = [each for each in expand(system, cells).moves if each.arguments == (universe.first["k0"],)]
        assert known(system, move.target) == frozenset(range(len(universe.made)))
        assert universe.rounds == length


def test_keys_that_are_never_sent_need_one_round() -> None:
    secret = "def k() -> Fact: return atom()\ndef n() -> Fact: return atom()\n"
    universe = universe_of(listener(secret + "def c() -> Fact: return encrypted(k(), n())"))
    assert universe.rounds == 1


def test_keys_in_a_circle_end() -> None:
    text = """
def a() -> Fact: return atom()
def b() -> Fact: return atom()
def ab() -> Fact: return encrypted(a(), b())
def ba() -> Fact: return encrypted(b(), a())
"""
    universe = universe_of(listener(text))
    assert universe.rounds == 3
    assert universe.closure({2, 3}) == {2, 3}
    assert universe.closure({0, 2}) == {0, 1, 2, 3}


def test_the_kinds_differ_in_who_makes_and_who_opens() -> None:
    text = "def k() -> Fact: return atom()\ndef m() -> Fact: return atom()\n"
    for kind, inside, from_message, from_both, opened, opened_with_key in (
        ("paired", "m()", True, True, True, True),
        ("encrypted", "k(), m()", False, True, False, True),
        ("sealed", "k(), m()", True, True, False, True),
        ("signed", "k(), m()", False, True, True, True),
    ):
        universe = universe_of(listener(text + f"def t() -> Fact: return {kind}({inside})"))
        assert (2 in universe.closure({1})) is from_message, kind
        assert (2 in universe.closure({0, 1})) is from_both, kind
        assert (1 in universe.closure({2})) is opened, kind
        assert (1 in universe.closure({0, 2})) is opened_with_key, kind
