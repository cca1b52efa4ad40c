"""Tiny transition systems whose counts can be worked out by hand, for every test that needs one."""

from __future__ import annotations

from collections.abc import Sequence

from angarium.checker.ir.syntax import (
    Binary,
    BinaryOp,
    Block,
    Const,
    Expr,
    Let,
    Local,
    Not,
    Read,
    Reduce,
    Require,
    Write,
)
from angarium.checker.ir.transition import (
    Action,
    Guarantee,
    GuaranteeKind,
    Lifeline,
    Message,
    Parameter,
    Position,
    TransitionSystem,
    Variable,
)
from angarium.checker.ir.types import (
    Array,
    Bool,
    Enumeration,
    Index,
    Int,
    Option,
    Record,
    Seq,
    SetOf,
    Type,
    leaves,
)

ZERO, ONE = Const(0), Const(1)


def variables(state: Sequence[tuple[str, Type]], **initial: tuple[int, ...]) -> tuple[Variable, ...]:
    """The variables of a structured state, at their lowest values unless told otherwise."""
    return tuple(
        Variable(
            name + leaf.suffix,
            leaf.type,
            leaf.dims,
            leaf.keys,
            initial.get(name + leaf.suffix, (leaf.type.low,) * leaf.cells),
        )
        for name, type_ in state
        for leaf in leaves(type_)
    )


def system(
    name: str,
    state: Sequence[tuple[str, Type]],
    actions: Sequence[Action],
    guarantees: Sequence[Guarantee] = (),
    *,
    positions: dict[int, Position] | None = None,
    setup: Sequence[Parameter] = (),
    setup_body: Block = (),
    **initial: tuple[int, ...],
) -> TransitionSystem:
    """A system with one variable per leaf of its state."""
    return TransitionSystem(
        name=name,
        parameters=(),
        state=tuple(state),
        variables=variables(state, **initial),
        setup=tuple(setup),
        setup_body=setup_body,
        actions=tuple(actions),
        helpers=(),
        guarantees=tuple(guarantees),
        positions=positions or {},
    )


def read(name: str, index: Expr = ZERO) -> Read:
    """A cell."""
    return Read(name, index)


def op(left: Expr, operator: BinaryOp, right: Expr | int) -> Binary:
    """An operation, written in the order people read it."""
    return Binary(operator, left, Const(right) if isinstance(right, int) else right)


def guarantee(name: str, kind: GuaranteeKind, condition: Expr, description: str = "") -> Guarantee:
    """A guarantee."""
    return Guarantee(name, kind, condition, description)


def counter(high: int = 3, *, stops: bool = False) -> TransitionSystem:
    """Counts 0, 1 .. high, and then once too often unless it stops: high + 1 states in a row."""
    n = read("n")
    guard = (Require(op(n, "<", high)),) if stops else ()
    return system(
        "counter",
        [("n", Int(0, high))],
        [Action("tick", (), (*guard, Write("n", ZERO, op(n, "+", 1), at=7)))],
        [
            guarantee("small", "invariant", op(n, "<", 3), "n is below 3"),
            guarantee("natural", "invariant", op(n, ">=", 0)),
            guarantee("two", "reaches", op(n, "==", 2)),
            guarantee("hundred", "reaches", op(n, "==", 100)),
            guarantee("finished", "at_rest", op(n, "==", high)),
            guarantee("unfinished", "at_rest", op(n, "!=", high), "it never ends"),
        ],
        positions={7: Position("counter.py", 12, 5, "    self.n += 1")},
    )


def handoff() -> TransitionSystem:
    """A producer sends 1 and 2 through a box of one place, and is thanked: six states in a row."""
    box, made, taken, done = "box", read("made"), read("taken"), read("done")
    producer = Lifeline("producer")
    consumer = Lifeline("consumer", (ZERO,), (Index("Consumer", 1),))
    item = Int(1, 2)
    produce = Action(
        "produce",
        (),
        (
            Require(op(op(made, "<", 2), "and", op(read("box.len"), "==", 0))),
            Write("box.len", ZERO, ONE),
            Write("box.at", ZERO, op(made, "+", 1)),
            Write("made", ZERO, op(made, "+", 1)),
        ),
        producer,
        (Message(box, (), (), (op(made, "+", 1),), item, producer, None),),
    )
    consume = Action(
        "consume",
        (),
        (
            Require(read("box.len")),
            Write("taken", ZERO, read("box.at")),
            Write("box.at", ZERO, ONE),
            Write("box.len", ZERO, ZERO),
        ),
        consumer,
        (Message(box, (), (), (read("box.at"),), item, None, consumer),),
    )
    thank = Action(
        "thank",
        (),
        (Require(op(op(taken, "==", 2), "and", Not(done))), Write("done", ZERO, ONE)),
        consumer,
        (Message("thanks", (), (), (), None, consumer, producer),),
    )
    return system(
        "handoff",
        [(box, Seq(item, 1)), ("made", Int(0, 2)), ("taken", Int(0, 2)), ("done", Bool())],
        [produce, consume, thank],
        [
            guarantee("all-arrived", "at_rest", done, "every message arrives"),
            guarantee("in-order", "invariant", op(taken, "<=", made)),
            guarantee("never-thanked", "invariant", Not(done), "nobody says thank you"),
        ],
    )


QUEUE = Index("Queue", 2)


def overflow() -> TransitionSystem:
    """Two queues of two places that anything can be appended to: 9 states, 12 transitions."""
    q = Local("q")
    length = read("waiting.len", q)
    append = Action(
        "append",
        (Parameter("q", QUEUE),),
        (
            Let("n", length),
            Write("waiting.len", q, op(length, "+", 1), at=3),
            Write("waiting.at", op(op(q, "*", 2), "+", Local("n")), op(q, "+", 1)),
        ),
        fault=True,
    )
    return system(
        "overflow",
        [("waiting", Array(QUEUE, Seq(Int(1, 2), 2)))],
        [append],
        [guarantee("short", "invariant", op(read("waiting.len"), "<=", 2))],
        positions={3: Position("overflow.py", 4, 9, "self.waiting[q].append(1)")},
    )


def symmetric(workers: int = 3, *, interchangeable: bool = True) -> TransitionSystem:
    """Workers join a line: 1 + 3 + 6 + 6 = 16 lines of three, four up to renaming."""
    worker = Index("Worker", workers, symmetric=interchangeable)
    w, i, length = Local("w"), Local("i"), read("line.len")
    waits = Reduce("any", "i", ZERO, length, ONE, op(read("line.at", i), "==", w))
    join = Action(
        "join",
        (Parameter("w", worker),),
        (
            Require(Not(waits)),
            Write("line.at", length, w),
            Write("line.len", ZERO, op(length, "+", 1)),
        ),
    )
    return system(
        "symmetric",
        [("line", Seq(worker, workers))],
        [join],
        [guarantee("room", "invariant", op(length, "<", workers), "there is room")],
    )


def division() -> TransitionSystem:
    """Shares six among 2, 1 and 0: three states; the last one's share and split have no value."""
    n = read("n")
    lower = Action("lower", (), (Require(op(n, ">", 0)), Write("n", ZERO, op(n, "-", 1))))
    split = Action("split", (), (Require(op(op(Const(6), "%", n), "==", 0)),))
    return system(
        "division",
        [("n", Int(0, 2))],
        [lower, split],
        [guarantee("fair", "invariant", op(op(Const(6), "//", n), ">=", 3))],
        n=(2,),
    )


MESSAGE = Record("Message", (("id", Int(1, 3)), ("owner", Option(QUEUE))))


def menagerie() -> TransitionSystem:
    """One name of every type; its one action does nothing."""
    return system(
        "menagerie",
        [
            ("flags", Array(QUEUE, Bool())),
            ("line", Seq(MESSAGE, 2)),
            ("members", SetOf(QUEUE)),
            ("last", Option(MESSAGE)),
            ("owner", Option(QUEUE)),
            ("table", Array(Int(1, 2), MESSAGE)),
            ("colour", Enumeration("Colour", ("red", "green"))),
        ],
        [Action("nothing", (), ())],
    )
