"""Run every benchmark and print the ratios: `uv run python -m benchmarks` (a few minutes).

Counts are asserted as well, so that a fast wrong engine fails.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from angarium.explore.engine import Limits, Outcome
from angarium.explore.native import NativeEngine
from angarium.explore.reference import ReferenceEngine
from angarium.systems.registry import load, systems
from benchmarks import meshes, on_spark, packets, recovery, schemes, simulation
from benchmarks.estimates import PROMISE, inside, trials
from benchmarks.measure import Cost, in_turns, middle, of_command, of_python
from benchmarks.peers import Spin
from benchmarks.temporal import STATES, formula_seconds, plain_seconds

LARGE = {"mode": "sequential", "queues": "4", "apps": "3", "stops": "false"}
LARGE_STATES, LARGE_TRANSITIONS = 5_580_736, 31_262_871
REPEATS = 3

COMPILE = """
import time
from angarium.systems.registry import load
from angarium.compile.backend.kernel import compile_system
import angarium.compile.frontend.build
import angarium.explore.native
start = time.process_time()
compile_system(load({name!r}), symmetry=False)
print(time.process_time() - start)
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One promise: what was measured, and whether it is kept."""

    what: str
    figure: str
    promise: str
    kept: bool


def search(threads: int) -> Outcome:
    outcome = NativeEngine().search(load("rabbitmq-sac", LARGE), threads=threads)
    assert (outcome.coverage.states, outcome.coverage.transitions) == (LARGE_STATES, LARGE_TRANSITIONS)
    return outcome


def cpu_speed() -> float:
    coverage = search(1).coverage
    return coverage.states / coverage.cpu_seconds


def against_spin(folder: Path) -> Iterator[Row]:
    if not Spin.present():
        yield Row("states per CPU second, ours / SPIN's", "spin or gcc is not installed", "4 x", False)
        return
    spin = Spin.prepare(load("rabbitmq-sac", LARGE), folder)
    assert spin.states == LARGE_STATES
    ours, theirs = in_turns(REPEATS, cpu_speed, spin.states_per_cpu_second)
    ratio = middle(ours) / middle(theirs)
    figure = f"{middle(ours) / 1e6:.2f} M / {middle(theirs) / 1e6:.2f} M = {ratio:.1f} x"
    yield Row("states per CPU second, ours / SPIN's", figure, "4 x", ratio >= 4)


def by_threads() -> Iterator[Row]:
    one, two = in_turns(REPEATS, lambda: search(1).coverage.seconds, lambda: search(2).coverage.seconds)
    ratio = middle(one) / middle(two)
    yield Row("two threads / one thread", f"{ratio:.2f} x", "1.5 x", ratio >= 1.5)


def against_reference() -> Iterator[Row]:
    small = load("rabbitmq-sac", {"queues": "2", "apps": "3"})
    coverage = ReferenceEngine().search(small, limits=Limits(max_states=5_000)).coverage
    ratio = cpu_speed() / (coverage.states / coverage.cpu_seconds)
    yield Row("states per CPU second, native / reference", f"{ratio:,.0f} x", "100 x", ratio >= 100)


def compile_times(folder: Path) -> Iterator[Row]:
    for name in systems():
        cold, cached = [], []
        for number in range(REPEATS):
            env = {"XDG_CACHE_HOME": str(folder / f"{name}-{number}")}
            cold.append(float(of_python(COMPILE.format(name=name), env=env)))
            cached.append(float(of_python(COMPILE.format(name=name), env=env)))
        yield Row(f"{name}: model to kernel, cold", f"{middle(cold):.3f} CPU s", "0.3 s", middle(cold) < 0.3)
        yield Row(
            f"{name}: model to kernel, cached", f"{middle(cached):.3f} CPU s", "0.05 s", middle(cached) < 0.05
        )


def command_times(folder: Path) -> Iterator[Row]:
    angarium = [sys.executable, "-m", "angarium"]
    small = [*angarium, "check", "rabbitmq-sac", *"--set queues=2 --set apps=2 --only type-ok -q".split()]
    of_command(small)  # so that bytecode is there
    cold = [of_command(small, env={"XDG_CACHE_HOME": str(folder / f"check-{n}")}) for n in range(REPEATS)]
    help_ = [of_command([*angarium, "--help"]) for _ in range(REPEATS)]
    yield _seconds("angarium check of a small model, nothing cached", cold, 1.0)
    proof = [of_command([*angarium, "prove", "queue"]) for _ in range(REPEATS)]
    yield _seconds("angarium --help", help_, 0.3)
    yield _seconds("angarium prove queue, both implementations", proof, 2.0)


def _seconds(what: str, costs: list[Cost], promise: float) -> Row:
    figure = middle([cost.cpu for cost in costs])
    return Row(what, f"{figure:.2f} CPU s", f"{promise} s", figure < promise)


def over_time() -> Iterator[Row]:
    plain, formula = in_turns(REPEATS, plain_seconds, formula_seconds)
    speed, ratio = STATES / middle(formula), middle(formula) / middle(plain)
    yield Row(
        "LTL of two operators, kernel to verdict", f"{speed / 1e6:.2f} M states/s", "0.5 M", speed >= 5e5
    )
    yield Row("the same / a plain search", f"{ratio:.2f} x its time", "3 x", ratio <= 3)


def memory() -> Iterator[Row]:
    coverage = search(1).coverage
    figure = coverage.bytes / coverage.states
    yield Row(f"bytes a state at {coverage.states:,} states", f"{figure:.1f}", "24", figure <= 24)
    grid = NativeEngine().search(load(str(Path(__file__).with_name("grid.py"))), threads=2).coverage
    assert grid.states == 369**3
    gib = grid.bytes / 2**30
    yield Row(f"memory for {grid.states:,} states", f"{gib:.2f} GiB", "4 GiB", gib <= 4)


def estimates() -> Iterator[Row]:
    bounded = [each for each in trials() if each.said.high is not None]
    right = inside(bounded)
    yield Row(
        "estimates with the truth between their bounds", f"{right:.0%}", f"{PROMISE:.0%}", right >= PROMISE
    )


def on_spark_rows() -> Iterator[Row]:
    on_spark.warm()
    for places, promise in on_spark.PROMISES.items():
        found = [on_spark.search(places) for _ in range(REPEATS)]
        speed = middle([each.states / each.seconds for each in found])
        what = f"states a second on Spark, {found[0].states / 1e6:.1f} M states"
        yield Row(what, f"{speed:,.0f}", f"{promise:,}", speed >= promise)


def against_tlc(folder: Path) -> Iterator[Row]:
    for mode in simulation.MODES:
        what = f"walks a CPU second, ours / TLC's, {mode}"
        if not simulation.Tlc.present():
            yield Row(what, "Java or the specification is not there", "100 x", False)
            continue
        tlc = simulation.Tlc(folder / f"tlc-{mode}", mode).prepare()
        ours, theirs = in_turns(
            REPEATS, partial(simulation.walks_per_cpu_second, mode), tlc.behaviours_per_cpu_second
        )
        ratio = middle(ours) / middle(theirs)
        figure = f"{middle(ours):,.0f} / {middle(theirs):.1f} = {ratio:.0f} x"
        yield Row(what, figure, "100 x", ratio >= 100)


def of_meshes() -> Iterator[Row]:
    asked = {
        f"{meshes.LARGEST} routing brokers, all pairs": (meshes.largest_seconds, meshes.LARGEST_SECONDS),
        f"{meshes.BROKERS} brokers, {meshes.TOPICS:,} topics": (meshes.topics_seconds, meshes.TOPICS_SECONDS),
        f"{meshes.PATTERNS:,} topic patterns": (meshes.patterns_seconds, meshes.PATTERNS_SECONDS),
    }
    zoo = f"{meshes.ZOO_NETS} nets of the Zoo, every single failure"
    if meshes.ZOO.exists():
        asked[zoo] = meshes.zoo_seconds, meshes.ZOO_SECONDS
    else:
        yield Row(zoo, "the Topology Zoo is not there", f"{meshes.ZOO_SECONDS:g} s", False)
    for what, (measure, promise) in asked.items():
        seconds = middle([measure() for _ in range(REPEATS)])
        yield Row(what, f"{seconds:.2f} s", f"{promise:g} s", seconds < promise)


def of_packets() -> Iterator[Row]:
    promise, what = packets.PROMISE, "packet events a CPU second"
    if not packets.simpy_present():
        speed = middle([packets.events_per_cpu_second() for _ in range(REPEATS)])
        yield Row(what, f"{speed:,.0f}; no SimPy", f"{promise:,}", speed >= promise)
        return
    ours, theirs = in_turns(REPEATS, packets.events_per_cpu_second, packets.simpy_events_per_cpu_second)
    ratio = middle(ours) / middle(theirs)
    figure = f"{middle(ours) / 1e6:.1f} M / {middle(theirs) / 1e6:.2f} M = {ratio:.0f} x"
    yield Row(f"{what}, ours / SimPy's", figure, f"{promise:,}", middle(ours) >= promise)


def of_recovery() -> Iterator[Row]:
    asked = {
        f"recovery: {recovery.LARGEST:,} brokers, single links": (recovery.largest, recovery.LARGEST_SECONDS)
    }
    if meshes.ZOO.exists():
        asked["recovery: Kdl, single links and brokers"] = recovery.kdl, recovery.KDL_SECONDS
    for what, (make, promise) in asked.items():
        found = recovery.measured(what, *make())
        spent = found.tables
        yield Row(what, f"{spent.wall:.2f} s, {spent.cpu:.2f} CPU s", f"{promise:g} s", spent.wall < promise)
        ratio = recovery.anew(found.found) / spent.cpu
        yield Row("the same, all tables anew / only what differs", f"{ratio:.0f} x", "5 x", ratio >= 5)


def of_schemes() -> Iterator[Row]:
    what = f"schemes of recovery: {meshes.ZOO_NETS} nets of the Zoo"
    if meshes.ZOO.exists():
        spent, promise = schemes.zoo_cost(), schemes.ZOO_SECONDS
        yield Row(what, f"{spent.wall:.2f} s, {spent.cpu:.2f} CPU s", f"{promise:g} s", spent.wall < promise)


def main() -> int:
    kept = True
    print(f"{'what':<50} {'measured':<26} {'promise':<8} kept", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for rows in (
            against_spin(folder),
            by_threads(),
            against_reference(),
            compile_times(folder),
            command_times(folder),
            over_time(),
            memory(),
            estimates(),
            on_spark_rows(),
            against_tlc(folder),
            of_meshes(),
            of_recovery(),
            of_schemes(),
            of_packets(),
        ):
            for row in rows:
                kept &= row.kept
                print(
                    f"{row.what:<50} {row.figure:<26} {row.promise:<8} {'yes' if row.kept else 'NO'}",
                    flush=True,
                )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
