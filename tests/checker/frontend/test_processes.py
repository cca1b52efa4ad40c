"""Processes and channels: awaits, meetings, choices, loops, faults, and what is kept between steps."""

from __future__ import annotations

from angarium.checker.explore.interpret import initial_states, steps
from angarium.checker.explore.native import NativeEngine
from angarium.checker.explore.reference import ReferenceEngine
from angarium.checker.explore.states import decode
from tests.models import explore, system

MEETING = """
wire = channel(Item)
got: Item | None = None
async def giver(self) -> None:
    for i in Item:
        await self.wire.send(i)
async def taker(self) -> None:
    while True:
        x = await self.wire.receive()
        self.got = x
@deadlock_free
def given(self) -> bool:
    return finished(self.giver)
"""


def test_rendezvous_is_one_step_of_both() -> None:
    compiled, outcome = system(MEETING), explore(MEETING)

    assert [a.name for a in compiled.actions] == ["wire_giver_to_taker"]
    assert (outcome.coverage.states, outcome.coverage.transitions) == (4, 3)
    assert outcome.runs == {}


def test_channel_without_a_buffer_is_no_part_of_the_state() -> None:
    names = {name for name, _ in system(MEETING).state}

    assert {"got", "giver", "taker"} == names


def test_name_that_matters_at_no_await_is_no_part_of_the_state() -> None:
    assert "taker.x" not in system(MEETING).variable


def test_buffered_channel_lets_the_sender_run_ahead() -> None:
    body = MEETING.replace("channel(Item)", "channel(Item, 2)")

    outcome = explore(body)

    # sent s, received r, with r <= s <= r + 2 and s <= 3: 9 states
    assert outcome.coverage.states == 9
    assert outcome.runs == {}


def test_arrays_of_channels_meet_by_index() -> None:
    outcome = explore("""
        wires = array(Item, channel(Colour))
        got = array(Item, option(Colour))
        async def giver(self) -> None:
            await self.wires[Item(1)].send(Colour.BLUE)
        async def taker(self, me: Item) -> None:
            self_colour = await self.wires[me].receive()
            self.got[me] = self_colour
        @invariant
        def only_the_second(self) -> bool:
            return self.got[Item(0)] is None and self.got[Item(2)] is None
        @reaches
        def arrives(self) -> bool:
            return self.got[Item(1)] == Colour.BLUE
        """)

    assert {"arrives"} == set(outcome.runs)
    assert outcome.coverage.states == 2


def test_two_instances_of_one_process_can_meet_but_none_meets_itself() -> None:
    outcome = explore("""
        wire = channel(Item)
        heard = array(Item, setof(Item))
        async def peer(self, me: Item) -> None:
            match await either(said=self.wire.send(me), asked=self.wire.receive()):
                case "said", _:
                    pass
                case "asked", other:
                    self.heard[me].add(other)
        @invariant
        def never_itself(self) -> bool:
            return all(i not in self.heard[i] for i in Item)
        """)

    assert outcome.runs == {}
    assert outcome.coverage.transitions == 3 * 2


def test_either_takes_what_is_ready() -> None:
    outcome = explore("""
        data = channel(Item, 1)
        ready: bool = False
        n = integer(0, 9)
        async def source(self) -> None:
            await self.data.send(Item(2))
        async def sink(self) -> None:
            match await either(item=self.data.receive(), tired=until(self.ready)):
                case "item", i:
                    self.n = i + 1
                case "tired", _:
                    self.n = 9
        @action
        def tire(self) -> None:
            require(not self.ready)
            self.ready = True
        @reaches
        def took(self) -> bool:
            return self.n == 3
        @reaches
        def gave_up(self) -> bool:
            return self.n == 9
        @reaches
        def never(self) -> bool:
            return self.n == 4
        """)

    assert {"took", "gave-up"} == set(outcome.runs)


def test_break_continue_return_and_nested_loops() -> None:
    outcome = explore("""
        log = seq(integer(0, 9), 6)
        async def walk(self) -> None:
            for a in range(3):
                if a == 1:
                    continue
                for b in range(3):
                    await until(True)
                    if b == 1:
                        break
                    self.log.append(a + b)
                self.log.append(9)
                if a == 2:
                    return
            self.log.append(8)
        @deadlock_free
        def as_python_would(self) -> bool:
            return len(self.log) == 4 and self.log[0] == 0 and self.log[1] == 9 and self.log[2] == 2
        """)

    assert outcome.runs == {}
    assert outcome.coverage.states == 5


def test_process_starts_at_its_first_await() -> None:
    compiled = system("""
        n = array(Item, integer(0, 9))
        async def early(self, i: Item) -> None:
            self.n[i] += i + 1
            await until(sum(self.n[j] for j in Item) == 6)
            self.n[i] = 0
        """)
    (start,) = initial_states(compiled)

    assert start[compiled.offset["n"] :][:3] == (1, 2, 3)
    assert len(steps(compiled, start)) == 3


def test_dead_variables_are_forgotten() -> None:
    outcome = explore("""
        wire = channel(Item, 1)
        async def source(self) -> None:
            while True:
                await until(True)
                i: Item = choose(Item)
                await self.wire.send(i)
                await until(len(self.wire) == 0)
        async def sink(self) -> None:
            while True:
                await self.wire.receive()
        """)

    # At the last await i no longer matters: 1 + 3 + 3 (in the buffer) + 1 states
    assert outcome.coverage.states == 8


LOSSY = """
FAULTS
link = channel(Item, 3, KIND=faults)
out = seq(Item, 6)
async def sender(self) -> None:
    for i in Item:
        await self.link.send(i)
async def receiver(self) -> None:
    while True:
        i = await self.link.receive()
        self.out.append(i)
@at_rest
def complete(self) -> bool:
    return all(i in self.out for i in Item)
@invariant
def in_order(self) -> bool:
    return all(self.out[k] <= self.out[k + 1] for k in range(len(self.out) - 1))
@invariant
def once(self) -> bool:
    return all(sum(x == i for x in self.out) <= 1 for i in Item)
"""


def lossy(kind: str, budget: int) -> set[str]:
    body = LOSSY.replace("FAULTS", f"faults = budget({budget})").replace("KIND", kind)
    return set(explore(body).runs)


def test_each_fault_breaks_its_own_guarantee_and_only_with_a_budget() -> None:
    assert set() == lossy("loses", 0) | lossy("duplicates", 0) | lossy("reorders", 0)
    assert {"complete"} == lossy("loses", 1)
    assert {"once", "in-order"} == lossy("duplicates", 1)
    assert {"in-order"} == lossy("reorders", 1)


def test_lost_rendezvous_leaves_the_sender_believing() -> None:
    outcome = explore("""
        faults = budget(1)
        wire = channel(Item, loses=faults)
        got: bool = False
        async def sender(self) -> None:
            await self.wire.send(Item(0))
        async def receiver(self) -> None:
            await self.wire.receive()
            self.got = True
        @deadlock_free
        def received(self) -> bool:
            return self.got
        """)

    assert len(outcome.runs["deadlock-free"]) == 2


CRASHING = """
deaths = budget(1)
lives = budget(LIVES)
inbox = channel(Item, 3)
done = setof(Item)
lost = integer(0, 3)
@initial
def fill(self) -> None:
    for i in Item:
        self.inbox_fill(i)
def inbox_fill(self, i: Item) -> None:
    pass
async def producer(self) -> None:
    for i in Item:
        await self.inbox.send(i)
@crashes(deaths, restarts=lives)
async def worker(self) -> None:
    while True:
        i = await self.inbox.receive()
        await until(True)
        self.done.add(i)
@on_crash(worker)
def note(self) -> None:
    self.lost += 1
@at_rest
def all_done(self) -> bool:
    return all(i in self.done for i in Item)
@invariant
def counted(self) -> bool:
    return crashed(self.worker) == (self.lost == 1 and self.lives == LIVES)
"""


def test_crash_forgets_what_was_in_hand_and_restart_begins_again() -> None:
    stopped = explore(CRASHING.replace("LIVES", "0"))
    revived = explore(CRASHING.replace("LIVES", "1"))

    assert {"all-done"} == set(stopped.runs)
    assert {"all-done"} == set(revived.runs)
    assert revived.coverage.states > stopped.coverage.states


def test_story_of_messages_names_who_gave_what_to_whom() -> None:
    (message,) = system(MEETING).actions[0].messages

    assert message.channel == "wire"
    assert message.sender is not None
    assert message.receiver is not None
    assert (message.sender.process, message.receiver.process) == ("giver", "taker")


def test_processes_have_local_records_options_sequences_and_sets() -> None:
    outcome = explore("""
        wire = channel(Parcel, 2)
        out = seq(Item, 3)
        async def source(self) -> None:
            for c in Colour:
                await self.wire.send(Parcel(Item(1), c, fragile=c == Colour.BLUE))
        async def sink(self) -> None:
            held: Parcel | None = None
            backlog: Seq = seq(Colour, 3)
            seen: SetOf = setof(Colour)
            while len(seen) < 3:
                parcel = await self.wire.receive()
                backlog.append(parcel.colour)
                seen.add(parcel.colour)
                if parcel.fragile:
                    held = parcel
                await until(True)
            if held is not None and backlog[2] == Colour.BLUE and held.fragile:
                self.out.append(held.item)
        @deadlock_free
        def delivered(self) -> bool:
            over = finished(self.source) and finished(self.sink)
            return over and len(self.out) == 1 and self.out[0] == Item(1)
        """)

    assert outcome.runs == {}


def test_instances_by_enumeration_and_bool() -> None:
    outcome = explore("""
        done = setof(Colour)
        async def worker(self, c: Colour, eager: bool) -> None:
            await until(eager)
            self.done.add(c)
        @at_rest
        def all_eager_ones(self) -> bool:
            return len(self.done) == 3
        @invariant
        def lazy_ones_never(self) -> bool:
            return not any(finished(self.worker, c, False) for c in Colour)
        """)

    assert outcome.runs == {}
    assert outcome.coverage.states == 8


def test_process_can_wait_for_the_crash_of_another() -> None:
    outcome = explore("""
        deaths = budget(1)
        noticed: bool = False
        @crashes(deaths)
        async def worker(self, i: Item) -> None:
            while True:
                await until(self.noticed)
        async def watchdog(self) -> None:
            await until(crashed(self.worker, Item(2)))
            self.noticed = True
        @reaches
        def barks(self) -> bool:
            return self.noticed
        @invariant
        def only_for_the_third(self) -> bool:
            return not self.noticed or crashed(self.worker, Item(2))
        """)

    assert set(outcome.runs) == {"barks"}


def test_choice_on_one_branch_of_a_process_counts_once_on_the_other() -> None:
    compiled = system("""
        pick: Colour | None = None
        ready: bool = False
        async def chooser(self) -> None:
            await until(True)
            if self.ready:
                self.pick = choose(Colour)
            await until(self.pick is not None)
        @action
        def prepare(self) -> None:
            require(not self.ready)
            self.ready = True
        """)
    (start,) = initial_states(compiled)
    (prepared,) = [m.target for m in steps(compiled, start) if m.action.name == "prepare"]

    assert len([m for m in steps(compiled, start) if m.action.name != "prepare"]) == 1
    assert len([m for m in steps(compiled, prepared) if m.action.name != "prepare"]) == 3


def test_value_is_taken_when_it_is_sent_and_not_when_waiting_begins() -> None:
    outcome = explore("""
        n = integer(0, 2)
        wire = channel(Item)
        async def sender(self) -> None:
            await self.wire.send(Item(self.n))
        async def receiver(self) -> None:
            await until(self.n == 2)
            got = await self.wire.receive()
            self.n = 0 if got == Item(2) else 1
        @action
        def tick(self) -> None:
            require(self.n < 2)
            self.n += 1
        @reaches
        def fresh(self) -> bool:
            return finished(self.receiver) and self.n == 0
        """)

    assert "fresh" in outcome.runs


def test_range_holds_for_names_that_are_not_kept_and_for_what_is_sent() -> None:
    local = """
        n = integer(0, 9, start=7)
        async def p(self) -> None:
            await until(True)
            x: int = integer(0, 3)
            x = self.n
            self.n = 0 if x > 3 else 1
        """
    sent = """
        n = integer(0, 9, start=7)
        wire = channel(Item)
        async def sender(self) -> None:
            await self.wire.send(Item(self.n))
        async def receiver(self) -> None:
            await self.wire.receive()
        """
    wires = """
        n = integer(0, 9, start=7)
        wires = array(Item, channel(Item))
        async def sender(self) -> None:
            await self.wires[Item(self.n)].send(Item(0))
        async def receiver(self) -> None:
            await self.wires[Item(self.n)].receive()
        """

    for body in (local, sent, wires):
        assert set(explore(body).runs) == {"stays-in-range"}


def test_nested_loops_without_await_run_all_their_rounds() -> None:
    outcome = explore("""
        n = integer(0, 9)
        async def p(self) -> None:
            await until(True)
            for i in range(2):
                for j in range(2):
                    if self.n == 9:
                        await until(True)
                    self.n += 1
            for i in range(4):
                await until(True)
                self.n = i + 5
        @deadlock_free
        def counted(self) -> bool:
            return self.n == 8
        @reaches
        def four(self) -> bool:
            return self.n == 4
        """)

    assert set(outcome.runs) == {"four"}


def test_function_called_by_a_process_has_names_of_its_own() -> None:
    outcome = explore("""
        total = integer(0, 9)
        def add(self, n: int) -> None:
            m = n + 1
            self.total += m
        async def p(self) -> None:
            n: int = integer(0, 3)
            m: int = integer(0, 3)
            n = 1
            await until(True)
            self.add(2)
            self.total += n + m
        @deadlock_free
        def right(self) -> bool:
            return self.total == 4
        """)

    assert outcome.runs == {}


def test_symmetry_with_processes_that_hold_interchangeable_values() -> None:
    body = """
        wire = channel(Twin, 1)
        got = array(Twin, integer(0, 2))
        async def source(self, t: Twin) -> None:
            while True:
                await self.wire.send(t)
        async def sink(self) -> None:
            while True:
                t = await self.wire.receive()
                await until(self.got[t] < 2)
                self.got[t] += 1
        @invariant
        def small(self) -> bool:
            return all(self.got[t] < 2 for t in Twin)
        """
    compiled = system(body, twins=3)
    searches = [engine.search(compiled, symmetry=True) for engine in (ReferenceEngine(), NativeEngine())]

    assert len({search.coverage.states for search in searches}) == 1
    assert all(set(search.runs) == {"small"} for search in searches)


def test_readable_state_shows_local_variables_only_where_they_matter() -> None:
    compiled = system("""
        wire = channel(Parcel, 1)
        out = seq(Item, 3)
        async def source(self) -> None:
            await self.wire.send(Parcel(Item(2), Colour.BLUE, True))
        async def sink(self) -> None:
            parcel = await self.wire.receive()
            await until(True)
            self.out.append(parcel.item)
        """)
    (state,) = initial_states(compiled)
    shown = []
    while moves := steps(compiled, state):
        shown.append(decode(compiled, state)["sink"].get("parcel"))
        state = moves[0].target

    assert shown == [None, None, {"item": "i3"}]


def test_sequence_with_room_for_one_is_kept_whole() -> None:
    compiled = system("""
        async def giver(self) -> None:
            todo: Seq[Item] = seq(Item, 1)
            mine: Item = Item(1)
            await until(True)
            todo.append(mine)
            await until(len(todo) == 1)
        """)
    (start,) = initial_states(compiled)
    (step,) = steps(compiled, start)

    assert decode(compiled, step.target)["giver"]["todo"] == ["i2"]
