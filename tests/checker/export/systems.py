"""Small transition systems, written by hand, for the tests of the exporters."""

from __future__ import annotations

from angarium.checker.ir.syntax import (
    Binary,
    BinaryOp,
    Block,
    Call,
    Const,
    Expr,
    For,
    If,
    IfElse,
    Let,
    LetIn,
    Local,
    Not,
    Read,
    Reduce,
    ReduceOp,
    Require,
    Write,
)
from angarium.checker.ir.transition import (
    Action,
    Guarantee,
    Helper,
    Parameter,
    Position,
    TransitionSystem,
    Variable,
)
from angarium.checker.ir.types import Index, Int, Option

ZERO, ONE = Const(0), Const(1)


def op(left: Expr | int, operator: BinaryOp, right: Expr | int) -> Binary:
    return Binary(operator, number(left), number(right))


def number(value: Expr | int) -> Expr:
    return Const(value) if isinstance(value, int) else value


def read(variable: str, index: Expr | int = 0) -> Read:
    return Read(variable, number(index), at=7)


def write(variable: str, index: Expr | int, value: Expr | int) -> Write:
    return Write(variable, number(index), number(value), at=8)


def over(operator: ReduceOp, name: str, high: int, body: Expr, where: Expr = ONE) -> Reduce:
    return Reduce(operator, name, ZERO, Const(high), where, body)


def system(
    variables: tuple[Variable, ...],
    *actions: Action,
    helpers: tuple[Helper, ...] = (),
    guarantees: tuple[Guarantee, ...] = (),
    name: str = "test",
) -> TransitionSystem:
    positions = {at: Position("model.py", at, 5, "the line") for at in (7, 8, 9)}
    declared = name, (), (), variables, (), (), actions, helpers, guarantees
    return TransitionSystem(*declared, positions=positions)


def scalar(name: str, low: int, high: int, initial: int = 0) -> Variable:
    return Variable(name, Int(low, high), initial=(initial,))


def array(name: str, cells: int, low: int, high: int, initial: int = 0) -> Variable:
    return Variable(name, Int(low, high), (cells,), (None,), (initial,) * cells)


def act(name: str, *body: object, parameters: tuple[Parameter, ...] = ()) -> Action:
    return Action(name, parameters, body, at=9)  # type: ignore[arg-type]


def counter(*guarantees: Guarantee) -> TransitionSystem:
    """A number that goes up to 3 and falls back to -1."""
    x = read("x")
    return system(
        (scalar("x", -1, 3),),
        act("up", Require(op(x, "<", 3)), write("x", 0, op(x, "+", 1))),
        act("fall", Require(op(x, "==", 3)), write("x", 0, -1)),
        guarantees=guarantees,
        name="counter",
    )


def single_active_consumer(queues: int, apps: int, *guarantees: Guarantee) -> TransitionSystem:
    """RabbitMQ's single active consumer, after Vanlightly's specification, without `Stop`."""
    app, queue = Index("App", apps), Index("Queue", queues)
    a, q = Parameter("a", app), Parameter("q", queue)
    return system(
        (
            Variable("waiting.len", Int(0, apps), (queues,), (queue,), (0,) * queues),
            Variable("waiting.at", app, (queues, apps), (queue, None), (0,) * (queues * apps)),
            Variable("active", Option(app), (queues,), (queue,), (-1,) * queues),
            Variable("ids", Int(0, apps), (apps,), (app,), (0,) * apps),
            scalar("next", 1, apps + 1, 1),
        ),
        act("start", *_start(apps), parameters=(a,)),
        act("subscribe", *_subscribe(apps), parameters=(a, q)),
        act("release", *_release(apps), parameters=(a, q)),
        act("make_active", *_make_active(apps), parameters=(q,)),
        helpers=_helpers(queues, apps),
        guarantees=guarantees,
        name="rabbitmq-sac",
    )


A, Q, POSITION, B = Local("a"), Local("q"), Local("i"), Local("b")


def _start(apps: int) -> Block:
    return (
        Require(op(op(read("ids", A), "==", 0), "and", op(read("next"), "<=", apps))),
        write("ids", A, read("next")),
        write("next", 0, op(read("next"), "+", 1)),
    )


def _cell(apps: int, position: Expr | int) -> Expr:
    return op(op(Q, "*", apps), "+", position)


def _waits(apps: int) -> Reduce:
    inside = op(POSITION, "<", read("waiting.len", Q))
    return over("any", "i", apps, op(read("waiting.at", _cell(apps, POSITION)), "==", A), inside)


def _subscribe(apps: int) -> Block:
    end = read("waiting.len", Q)
    return (
        Require(op(read("ids", A), "!=", 0)),
        Require(op(read("active", Q), "!=", A)),
        Require(Not(_waits(apps))),
        write("waiting.at", _cell(apps, end), A),
        write("waiting.len", Q, op(end, "+", 1)),
    )


def _release(apps: int) -> Block:
    too_many = op(Call("active_count", (A,)), ">", Call("ideal", (A,)))
    keep = If(
        op(op(POSITION, "<", Local("n")), "and", op(Local("item"), "!=", A)),
        (
            write("waiting.at", _cell(apps, Local("k")), Local("item")),
            Let("k", op(Local("k"), "+", 1)),
        ),
    )
    shift = For("i", ZERO, Const(apps), (Let("item", read("waiting.at", _cell(apps, POSITION))), keep))
    clear = If(op(POSITION, ">=", Local("k")), (write("waiting.at", _cell(apps, POSITION), 0),))
    return (
        Require(op(op(read("active", Q), "==", A), "and", too_many)),
        write("active", Q, -1),
        Let("n", read("waiting.len", Q)),
        Let("k", ZERO),
        shift,
        write("waiting.len", Q, Local("k")),
        For("i", ZERO, Const(apps), (clear,)),
    )


def _make_active(apps: int) -> Block:
    following = read("waiting.at", _cell(apps, op(POSITION, "+", 1)))
    return (
        Require(op(op(read("active", Q), "==", -1), "and", op(read("waiting.len", Q), ">", 0))),
        write("active", Q, read("waiting.at", _cell(apps, 0))),
        For("i", ZERO, Const(apps - 1), (write("waiting.at", _cell(apps, POSITION), following),)),
        write("waiting.at", _cell(apps, apps - 1), 0),
        write("waiting.len", Q, op(read("waiting.len", Q), "-", 1)),
    )


def _helpers(queues: int, apps: int) -> tuple[Helper, ...]:
    a = (Parameter("a", Index("App", apps)),)

    def count(app: Expr) -> Call:
        return Call("active_count", (app,))

    rival = op(op(B, "!=", A), "and", op(read("ids", B), "!=", 0))
    above = op(op(count(B), ">", 0), "and", op(count(B), ">=", count(A)))
    present = over("any", "q", queues, op(op(read("active", Q), "==", A), "or", _waits(apps)))
    remainder = op(queues, "%", Local("n"))
    extra = op(op(remainder, "!=", 0), "and", op(remainder, ">", Call("position", (A,))))
    share = op(op(queues, "//", Local("n")), "+", IfElse(extra, ONE, ZERO))
    subscribers = over("sum", "b", apps, Call("subscribed", (B,)))
    return (
        Helper("active_count", a, over("sum", "q", queues, op(read("active", Q), "==", A))),
        Helper("subscribed", a, present),
        Helper("position", a, over("sum", "b", apps, ONE, op(rival, "and", above))),
        Helper("ideal", a, LetIn("n", subscribers, share)),
    )
