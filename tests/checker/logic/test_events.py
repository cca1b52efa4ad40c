"""Events: which steps are seen, by what names, and that numbers and names mean the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from textwrap import dedent

import pytest

from angarium.checker.explore.evaluate import evaluate
from angarium.checker.explore.interpret import initial_states, steps
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.logic.events import Alphabet
from angarium.core.errors import LimitError
from tests.models import system

ACTIONS = """
    held = array(Item, Colour)
    last: Item | None

    @action
    def paint(self, i: Item, c: Colour):
        require(self.held[i] != c)
        self.held[i] = c

    @action
    def pick(self):
        which: Item = choose(Item)
        self.last = which

    @action
    def give(self, to: Item | None):
        require(self.last != to)
        self.last = to
"""

CHANNELS = """
    desks = array(Item, channel(Parcel))
    losses = budget(1)
    shelf = channel(Parcel, 1, loses=losses)
    bell = channel(bool)

    async def sender(self, i: Item):
        while True:
            await until(True)
            c: Colour = choose(Colour.RED, Colour.BLUE)
            await self.desks[i].send(Parcel(item=i, colour=c, fragile=c == Colour.RED))

    async def clerk(self, i: Item):
        while True:
            parcel = await self.desks[i].receive()
            await self.shelf.send(parcel)
            await self.bell.send(True)

    async def helper(self):
        while True:
            await self.bell.receive()
            await self.shelf.receive()
"""


def seen(model: TransitionSystem) -> Counter[str | None]:
    """The names of the events of all steps that can happen; None stands for internal steps."""
    alphabet = Alphabet(model)
    found: Counter[str | None] = Counter()
    states = initial_states(model)
    known = set(states)
    for cells in states:
        for move in steps(model, cells):
            expr = alphabet.numbers.get(move.action.name)
            names = (parameter.name for parameter in move.action.parameters)
            local = dict(zip(names, move.arguments, strict=True))
            found[alphabet.name(evaluate(model, expr, cells, local)) if expr else None] += 1
            if move.target not in known:
                known.add(move.target)
                states.append(move.target)
    return found


def test_an_action_is_seen_with_its_arguments_but_not_with_its_choices() -> None:
    names = set(seen(system(ACTIONS, items=2)))

    painted = {f"paint({item}, {colour})" for item in ("i1", "i2") for colour in ("RED", "GREEN", "BLUE")}
    assert names == painted | {"pick", "give(None)", "give(i1)", "give(i2)"}


def test_channels_are_seen_with_what_they_carry() -> None:
    found = seen(system(CHANNELS, items=2))

    red, blue = "colour=RED, fragile=True", "colour=BLUE, fragile=False"
    parcels = {f"(item={item}, {rest})" for item in ("i1", "i2") for rest in (red, blue)}
    desks = {f"desks[{parcel[6:8]}].{parcel}" for parcel in parcels}
    shelf = {f"shelf{sign}{parcel}" for sign in "!?" for parcel in parcels}
    assert set(found) == {None, "bell.True"} | desks | shelf
    assert found[None] > 0, "who goes on by himself, and what is lost, is not seen"


def test_who_gives_and_who_takes_is_told_apart() -> None:
    found = Alphabet(system(CHANNELS, items=2)).seen

    signs = {name: kind.sign for name, (kind, _) in found.items()}
    assert signs == {
        "desks_sender_to_clerk": ".",
        "clerk_send_shelf": "!",
        "bell_clerk_to_helper": ".",
        "helper_receive_shelf": "?",
    }


@pytest.mark.parametrize(
    ("visible", "names"),
    [
        ((), {None}),
        (("bell",), {None, "bell.True"}),
        (("lose_shelf", "bell"), {None, "bell.True", "lose_shelf(0)"}),
    ],
)
def test_only_what_is_named_is_visible(visible: tuple[str, ...], names: set[str | None]) -> None:
    model = replace(system(CHANNELS, items=2), visible=visible)

    assert set(seen(model)) == names


TAKE = """
    @action
    def take(self, t: Twin):
        require(True)
"""


def test_labels_that_are_short_only_in_one_model_make_no_difference() -> None:
    alone = Alphabet(system(TAKE))
    ticket = "class Ticket(Index):\n    'Another thing.'\n"
    beside = Alphabet(
        system(f"tickets = count(Ticket, 1)\nheld = option(Ticket)\n{dedent(TAKE)}", head=ticket)
    )

    assert (alone.name(2), beside.name(2)) == ("take(t2)", "take(tw2)")
    assert alone.key(2) == beside.key(2)


def test_more_events_than_can_be_numbered_are_refused() -> None:
    numbers = "; ".join(f"n{digit}: int = integer(0, 1_000_000)" for digit in range(4))
    message = f"class Letter(Record):\n    {numbers}\n"
    model = system(
        """
        post = channel(Letter, 1)
        async def sender(self):
            await self.post.send(Letter(1, 2, 3, 4))
        """,
        head=message,
    )

    with pytest.raises(LimitError, match="too many events"):
        _ = Alphabet(model).numbers
