"""Models that are right Python and must not be refused, nor break the compiler."""

from __future__ import annotations

import pytest

from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.logic.check import check
from angarium.core.result import Verdict
from tests.models import system

NOTE = "class Note(Record):\n    who: Twin\n    ok: bool\n"
SAME_NAME = "def bump(n: int) -> int:\n    return n + 1\n\ndef clear(n: int) -> int:\n    return n - n\n"
MODELS = {
    "a helper that only @initial calls": (
        "",
        """
        n = integer(0, 9)
        def more(self, i: Item) -> int:
            return self.n + i + 1
        @initial
        def begin(self) -> None:
            i = choose(Item)
            self.n = self.more(i)
        @action
        def act(self) -> None:
            require(self.n < 5)
            self.n += 1
        """,
        5,
    ),
    "every function is where it begins": (
        "",
        """
        f = array(Item, integer(0, 2))
        @initial
        def begin(self) -> None:
            for i in Item:
                self.f[i] = choose(range(3))
            require(sum(self.f[i] for i in Item) > 0)
        @action
        def end(self) -> None:
            require(self.f[0] > 0)
            self.f[0] = 0
        """,
        27,
    ),
    "each of those that are there chooses, and what it has is no choice": (
        "",
        """
        f = array(Item, integer(0, 2))
        up = setof(Item)
        @action
        def shuffle(self) -> None:
            require(len(self.up) > 1)
            for i in self.up:
                n = choose(n for n in range(3) if n != self.f[i])
                self.f[i] = n
        @action
        def rise(self, i: Item) -> None:
            self.up.add(i)
        """,
        1 + 3 + 3 * 9 + 27,
    ),
    "a helper that is only called before the first await": (
        "",
        """
        n = array(Item, integer(0, 9))
        def more(self, i: Item) -> int:
            return i + 1
        async def p(self, i: Item) -> None:
            self.n[i] = self.more(i)
            await until(True)
        """,
        8,
    ),
    "a helper that returns a record or None": (
        "class Packet(Record):\n    item: Item\n    weight = integer(0, 2)\n",
        """
        slot: Packet | None
        n = integer(0, 2)
        def found(self, i: Item) -> Packet | None:
            if self.n > 1:
                return Packet(i, 1)
            return None
        def kept(self) -> Packet | None:
            return self.slot
        @action
        def act(self, i: Item) -> None:
            require(self.kept() is None)
            self.n = choose(1, 2)
            self.slot = self.found(i)
        @invariant
        def light(self) -> bool:
            p = self.kept()
            return p is None or p.weight < 2
        """,
        5,
    ),
    "an interchangeable value in an optional record": (
        NOTE,
        """
        wire = channel(Note, 1)
        got = array(Twin, bool)
        async def p(self, t: Twin) -> None:
            await self.wire.send(Note(t, True))
        async def q(self) -> None:
            x: Note | None = None
            while True:
                await until(x is None or x.ok)
                if x is not None:
                    self.got[x.who] = True
                x = await self.wire.receive()
        """,
        17,
    ),
    "an interchangeable value in an optional record of each": (
        NOTE,
        """
        got = array(Twin, bool)
        async def p(self, t: Twin) -> None:
            x: Note | None = Note(t, True)
            await until(True)
            if x is not None:
                self.got[x.who] = True
            x = None
            await until(x is None)
            await until(True)
        """,
        16,
    ),
    "a method that calls a function of the file with its own name": (
        SAME_NAME,
        """
        n = integer(0, 9)
        def bump(self) -> int:
            return bump(self.n)
        def clear(self) -> None:
            self.n = clear(self.n)
        @action
        def act(self) -> None:
            require(self.n < 5)
            self.n = self.bump()
        @action
        def back(self) -> None:
            self.clear()
        """,
        6,
    ),
}


def test_process_that_waits_for_ever_is_a_deadlock_and_no_mistake() -> None:
    body = """
        wire = channel(Item)
        async def p(self) -> None:
            await self.wire.receive()
        @deadlock_free
        def done(self) -> bool:
            return finished(self.p)
        """
    for engine in (ReferenceEngine(), NativeEngine()):
        report = check(system(body), engine=engine, subject="m")
        assert [each.verdict for each in report.verdicts] == [Verdict.HOLDS, Verdict.VIOLATED]
        assert report.coverage.states == 1


@pytest.mark.parametrize(("head", "body", "states"), MODELS.values(), ids=MODELS)
def test_model_that_is_right_is_searched(head: str, body: str, states: int) -> None:
    compiled = system(body, head=head)

    for engine in (ReferenceEngine(), NativeEngine()):
        outcome = engine.search(compiled)
        assert outcome.coverage.states == states
        assert outcome.runs == {}
    assert set(ReferenceEngine().search(compiled, symmetry=True).runs) == set()
