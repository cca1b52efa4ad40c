"""Random transition systems that treat interchangeable values alike, to compare engines on.

A system is put together from parts. Each part is a name, the actions on it, and a condition that a
guarantee may state; all of them treat workers alike, and desks alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from angarium.checker.ir.syntax import Const, Expr, For, If, Let, Local, Not, Reduce, Require, Stmt, Write
from angarium.checker.ir.transition import Action, Guarantee, Parameter, TransitionSystem
from angarium.checker.ir.types import Array, Index, Int, Option, Record, Seq, SetOf, Type
from tests.zoo import ONE, ZERO, op, read, variables

W, V, D, EACH = Local("w"), Local("v"), Local("d"), Local("i")
NONE = Const(-1)


@dataclass(frozen=True)
class Part:
    """A name, what can happen to it, and something to say about it."""

    name: str
    type: Type
    actions: tuple[Action, ...]
    condition: Expr


@dataclass(frozen=True)
class World:
    """The interchangeable things."""

    worker: Index
    desk: Index

    def act(self, name: str, parameters: str, *body: Stmt) -> Action:
        types = {"w": self.worker, "v": self.worker, "d": self.desk}
        return Action(name, tuple(Parameter(p, types[p]) for p in parameters), body)

    def over_workers(self, operation: str, body: Expr) -> Expr:
        return Reduce(operation, "i", ZERO, Const(self.worker.size), ONE, body)


def counts(world: World) -> Part:
    """Each worker counts to two, and two workers may swap."""
    mine, yours = read("counts", W), read("counts", V)
    bump = world.act("bump", "w", Require(op(mine, "<", 2)), Write("counts", W, op(mine, "+", 1)))
    swap = world.act("swap", "wv", Let("t", mine), Write("counts", W, yours), Write("counts", V, Local("t")))
    total = world.over_workers("sum", read("counts", EACH))
    return Part("counts", Array(world.worker, Int(0, 2)), (bump, swap), op(total, "<", 3))


def owner(world: World) -> Part:
    """At most one worker owns it."""
    take = world.act("take", "w", Require(op(read("owner"), "==", NONE)), Write("owner", ZERO, W))
    drop = world.act("drop", "w", Require(op(read("owner"), "==", W)), Write("owner", ZERO, NONE))
    return Part("owner", Option(world.worker), (take, drop), op(read("owner"), "==", NONE))


def line(world: World) -> Part:
    """Workers stand in line, each once, and leave at the front."""
    length, last = read("line.len"), world.worker.size - 1
    waits = Reduce("any", "i", ZERO, length, ONE, op(read("line.at", EACH), "==", W))
    join = world.act(
        "join",
        "w",
        Require(Not(waits)),
        Write("line.at", length, W),
        Write("line.len", ZERO, op(length, "+", 1)),
    )
    shift = For("i", ZERO, Const(last), (Write("line.at", EACH, read("line.at", op(EACH, "+", 1))),))
    leave = world.act(
        "leave",
        "",
        Require(length),
        shift,
        Write("line.at", Const(last), ZERO),
        Write("line.len", ZERO, op(length, "-", 1)),
    )
    first = op(op(length, ">", 0), "and", op(read("line.at"), "==", read("line.at", Const(last))))
    return Part("line", Seq(world.worker, last + 1), (join, leave), Not(first))


def partners(world: World) -> Part:
    """Each worker may point at one, perhaps at itself."""
    point = world.act("point", "wv", Write("partner", W, V))
    clear = world.act("clear", "w", Write("partner", W, NONE))
    own = world.over_workers("any", op(read("partner", EACH), "==", EACH))
    return Part("partner", Array(world.worker, Option(world.worker)), (point, clear), Not(own))


def members(world: World) -> Part:
    """A set of workers."""
    has = read("members.has", W)
    flip = world.act("flip", "w", Write("members.has", W, Not(has)))
    everyone = world.over_workers("all", read("members.has", EACH))
    return Part("members", SetOf(world.worker), (flip,), Not(everyone))


def letter(world: World) -> Part:
    """A letter with its writer, or none."""
    some = read("letter.some")
    post = world.act(
        "post",
        "w",
        Require(Not(some)),
        Write("letter.some", ZERO, ONE),
        Write("letter.item.writer", ZERO, W),
        Write("letter.item.stamps", ZERO, ONE),
    )
    fetch = world.act(
        "fetch",
        "",
        Require(some),
        Write("letter.some", ZERO, ZERO),
        Write("letter.item.writer", ZERO, ZERO),
        Write("letter.item.stamps", ZERO, ZERO),
    )
    kind = Record("Letter", (("writer", world.worker), ("stamps", Int(0, 1))))
    return Part("letter", Option(kind), (post, fetch), Not(some))


def desks(world: World) -> Part:
    """Desks, interchangeable too, are taken by workers."""
    sits = read("desk", D)
    sit = world.act("sit", "wd", Require(op(sits, "==", NONE)), Write("desk", D, W))
    rise = world.act("rise", "d", If(op(sits, "!=", NONE), (Write("desk", D, NONE),)))
    free = Reduce("any", "i", ZERO, Const(world.desk.size), ONE, op(read("desk", EACH), "==", NONE))
    return Part("desk", Array(world.desk, Option(world.worker)), (sit, rise), free)


def inboxes(world: World) -> Part:
    """Workers write to each other until an inbox is too full: a step out of range."""
    length = read("inbox.len", V)
    send = world.act(
        "send",
        "wv",
        Let("n", length),
        Write("inbox.len", V, op(length, "+", 1)),
        Write("inbox.at", op(V, "+", op(V, "+", Local("n"))), W),
    )
    total = world.over_workers("sum", read("inbox.len", EACH))
    return Part("inbox", Array(world.worker, Seq(world.worker, 2)), (send,), op(total, "<", 2))


PARTS: tuple[Callable[[World], Part], ...] = (
    counts,
    owner,
    line,
    partners,
    members,
    letter,
    desks,
    inboxes,
)


@st.composite
def symmetric_systems(draw: Callable[[st.SearchStrategy], object]) -> TransitionSystem:
    """A system of one to three parts over two or three workers and two desks."""
    workers = Index("Worker", draw(st.integers(2, 3)), symmetric=True)
    world = World(workers, Index("Desk", 2, symmetric=True))
    chosen = draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=2, unique=True))
    parts = [part(world) for part in chosen]
    kinds = st.sampled_from(("invariant", "reaches", "at_rest"))
    state = [(part.name, part.type) for part in parts]
    return TransitionSystem(
        name="symmetric",
        parameters=(),
        state=tuple(state),
        variables=variables(state),
        setup=(),
        setup_body=(),
        actions=tuple(action for part in parts for action in part.actions),
        helpers=(),
        guarantees=tuple(Guarantee(part.name, draw(kinds), part.condition) for part in parts),
    )
