"""Systems with something to observe of each walk, whatever their models say about walks themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from angarium.checker.ir.syntax import Binary, Call, Const, Expr, Read
from angarium.checker.ir.transition import Observation, Tally, TransitionSystem, Walks
from angarium.systems.registry import load
from tests.zoo import ZERO, op, read

SETTLED = Binary("and", Call("all_subscribed", ()), Call("balanced", ()))


def observed(
    system: TransitionSystem,
    *,
    goal: Expr | None = None,
    until: Expr | None = None,
    rates: Sequence[tuple[str, Expr]] = (),
) -> TransitionSystem:
    """Count every action, all steps and all time, and those until a condition; and a figure of each."""
    tallies = [Tally(f"times({each.name})", "times", each.name) for each in system.actions]
    tallies += [Tally("steps", "steps"), Tally("time", "time")]
    if until is not None:
        tallies += [Tally("steps until", "steps", condition=until)]
        tallies += [Tally("time until", "time", condition=until)]
    observations = [Observation(each.name, "", (("", Read(each.name, ZERO)),)) for each in tallies]
    first = system.variables[0].name
    together = op(op(read(tallies[0].name), "*", 3), "+", op(read(first), "-", read("steps")))
    observations.append(Observation("together", "", (("", together),)))
    walks = Walks(goal, "goal", "", tuple(observations), tuple(tallies), tuple(rates))
    return replace(system, walks=walks)


def sac(queues: int, apps: int, mode: str = "random", **settings: str) -> TransitionSystem:
    """RabbitMQ's apps, observed in every way, with the releases of each queue and rates of some actions."""
    given = {"queues": str(queues), "apps": str(apps), "mode": mode, **settings}
    system = observed(
        load("rabbitmq-sac", given),
        goal=SETTLED,
        until=Call("all_subscribed", ()),
        rates=[("release", Const(3)), ("start", read("next_id")), ("stop", ZERO)],
    )
    assert system.walks
    counts = [Tally(f"of {q}", "times", "release", (None, q)) for q in range(queues)]
    each = Observation(
        "per queue", "", tuple((f"q{n + 1}", read(tally.name)) for n, tally in enumerate(counts))
    )
    walks = replace(
        system.walks,
        tallies=(*system.walks.tallies, *counts),
        observations=(*system.walks.observations, each),
    )
    return replace(system, walks=walks)
