"""From a mesh to recovery tables that somebody may rely on.

    failures -> colours -> tables -> overrides -> every colour and every pair verified
                                               -> what cannot be protected, and what would
                                               -> how much room it takes

Nothing of this writes a file: whoever does asks `holds` first.

On Spark the failures are divided into slices; a task calculates the exceptions of its slice, by the same
compiled functions, and sends their words back. The tables of the first colours up to the first slice that is
missing are the answer when the time is up, or when somebody presses Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from angarium.core.control import Control, Cut
from angarium.core.errors import MeshError
from angarium.core.result import Verdict
from angarium.mesh.mesh import Failures, Mesh
from angarium.mesh.recovery.compact import Sizes, sizes
from angarium.mesh.recovery.exceptions import (
    TABLES,
    Packed,
    calculated,
    check_room,
    from_words,
)
from angarium.mesh.recovery.files.binary import fingerprint
from angarium.mesh.recovery.overrides import Override, overridden, wanted
from angarium.mesh.recovery.tables import Colours, Recovery, coloured, recovery
from angarium.mesh.recovery.unprotected import Unprotected, unprotected
from angarium.mesh.recovery.verified import ColourCheck, Verification, verified
from angarium.mesh.remarks import left_open
from angarium.mesh.routing.graph import graph_of
from angarium.mesh.routing.tables import Tables, shortest
from angarium.mesh.routing.walk import Walk, walk
from angarium.mesh.verify.budget import Budget, Size, counted
from angarium.spark.place import Place

MOST_COLOURS = 2_000_000
"""More would not fit into memory."""
REACHED, LOOP_FREE, SHORTEST = "reachability", "loop-free", "shortest-path"


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody wants tables for."""

    mesh: Mesh
    budget: Budget
    overrides: Sequence[str] = ()
    """In words: AT->DESTINATION=NEXT@COLOUR."""
    overrides_file: str | None = None
    place: Place | None = None
    """Where Spark is, if it shall calculate."""


@dataclass(frozen=True, slots=True)
class Broken:
    """What goes wrong in a colour."""

    checked: ColourCheck
    pairs: int
    """How many pairs of brokers are concerned."""
    walk: Walk
    """The path of a message of the first of them."""
    pair: tuple[str, str]


@dataclass(frozen=True)
class Recovered:
    """Recovery tables with everything that is known of them."""

    request: Request
    recovery: Recovery
    overrides: tuple[Override, ...]
    verification: Verification
    sizes: Sizes
    unprotected: Unprotected
    seconds: float

    @property
    def mesh(self) -> Mesh:
        return self.request.mesh

    @property
    def engine(self) -> str:
        return "local" if self.request.place is None else "spark"

    @property
    def cut(self) -> Cut | None:
        """What cut it short, if something did."""
        return self.recovery.cut or self.verification.cut

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """On what the tables must do. An override may lengthen a path, which is shown and breaks nothing."""
        broken = {REACHED: self.verification.lost, LOOP_FREE: self.verification.looping}
        if not self.overrides:
            broken[SHORTEST] = self.verification.longer
        return {name: self._verdict(count) for name, count in broken.items()}

    def _verdict(self, broken: int) -> Verdict:
        if broken:
            return Verdict.VIOLATED
        return Verdict.UNKNOWN if self.cut or left_open(self.mesh) else Verdict.HOLDS

    @property
    def holds(self) -> bool:
        return all(verdict is Verdict.HOLDS for verdict in self.verdicts.values())

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.mesh, self.recovery.colours, self.overrides)

    @property
    def counts(self) -> dict[Size, int]:
        """How many failures of each size there were to be."""
        return {size: size.count(self.mesh) for size in self.request.budget.sizes}

    def broken(self, guarantee: str) -> Iterator[Broken]:
        """The colours in which a guarantee is violated."""
        for checked in (
            self.verification.detours() if guarantee == SHORTEST else self.verification.violations()
        ):
            count, first = {
                REACHED: (checked.lost, checked.first_lost),
                LOOP_FREE: (checked.looping, checked.first_looping),
                SHORTEST: (checked.longer, checked.first_longer),
            }[guarantee]
            if first is not None:
                yield Broken(checked, count, self._walk(checked, first), first)

    def _walk(self, checked: ColourCheck, pair: tuple[str, str]) -> Walk:
        table = self.recovery.table(checked.colour)
        return walk(Tables(self.recovery.graph, checked.failures, table), *pair)

    def followed(self, broken: Broken) -> list[Override]:
        """The overrides that the first message of those concerned comes by."""
        at, to = set(broken.walk.brokers), broken.pair[1]
        return [
            each
            for each in self.overrides
            if each.broker in at and each.destination == to and each.colour in (None, broken.checked.colour)
        ]


def recover(request: Request, control: Control | None = None) -> Recovered:
    """Calculate and verify the tables of all colours."""
    control = control or Control()
    plain, overrides = _calculated(request, control)
    tables = overridden(plain, overrides) if overrides else plain
    check = verified(tables, control)
    open_to = unprotected(request.mesh, tables.colours, plain, control)
    return Recovered(request, tables, overrides, check, sizes(tables), open_to, control.seconds)


def tables_with_overrides(request: Request) -> tuple[Recovery, tuple[Override, ...]]:
    """The tables of all colours with the overrides in them, which nobody has verified yet."""
    found, overrides = _calculated(request, Control())
    return (overridden(found, overrides) if overrides else found), overrides


def _calculated(request: Request, control: Control) -> tuple[Recovery, tuple[Override, ...]]:
    """The tables as they are calculated, and the overrides for them.

    What an operator wants is understood in the colours that were asked for. If the time is up before there
    are tables for all of them, what is wanted of the others cannot be done.
    """
    colours = colours_of(request.mesh, request.budget, control)
    if control.cut:
        return _of_colours(request, colours, control), ()
    overrides = tuple(wanted(request.mesh, colours, request.overrides, request.overrides_file))
    found = _of_colours(request, colours, control)
    if not control.cut:
        return found, overrides
    return found, tuple(
        each for each in overrides if each.colour is None or each.colour <= len(found.colours)
    )


def colours_of(mesh: Mesh, budget: Budget, control: Control) -> Colours:
    """A colour for every set of failures within a budget; that of the healthy mesh alone if time is up."""
    count = budget.count(mesh)
    if count > MOST_COLOURS:
        raise MeshError(
            "ANG125",
            f"recovery tables for {counted(count)} sets of failures",
            possible=f"up to {MOST_COLOURS:,}",
            remedy="protect against fewer failures at the same time: --failures one",
        )
    failures = [each for _, each in takewhile(lambda _: not control.is_over(), budget.failures(mesh))]
    return coloured(mesh, () if control.is_over() else failures)


def _of_colours(request: Request, colours: Colours, control: Control) -> Recovery:
    if request.place is None:
        return recovery(request.mesh, colours, control)
    return recovery_on_spark(request.mesh, colours, request.place, control)


LARGEST = 4_096
"""The most failures of a slice, so that answers come back now and then and are easily sent."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Some failures of a mesh."""

    mesh: Mesh
    failures: tuple[Failures, ...]


def words_of(part: Slice) -> Packed:
    """What a worker does with a slice."""
    return calculated(graph_of(part.mesh), part.failures, Control(), threads=1)


def parts_of(mesh: Mesh, failures: tuple[Failures, ...], cores: int) -> list[Slice]:
    """All failures, in slices of about the same size."""
    from angarium.spark.jobs import divided

    return [Slice(mesh, tuple(each)) for each in divided(failures, cores, LARGEST)]


def recovery_on_spark(mesh: Mesh, colours: Colours, place: Place, control: Control | None = None) -> Recovery:
    """Calculate the tables of every colour, as `tables.recovery` does."""
    from angarium.spark.jobs import Jobs
    from angarium.spark.session import session

    control = control or Control()
    failures, graph = colours.failures[1:], graph_of(mesh)
    spark = session(place)
    parts = parts_of(mesh, failures, spark.sparkContext.defaultParallelism)
    done: dict[int, Packed] = {}

    def receive(number: int, words: Packed) -> None:
        done[number] = words
        check_room(sum(map(len, done.values())), sum(len(parts[each].failures) for each in done))

    def tick() -> None:
        control.report(TABLES, sum(len(parts[number].failures) for number in done), len(failures))

    control.cut = Jobs(spark, words_of, receive, control, tick).run(parts)
    numbers = list(takewhile(done.__contains__, range(len(parts))))
    sizes = [len(parts[number].failures) for number in numbers]
    found = from_words([done[number] for number in numbers], sizes)
    return Recovery(graph, Colours(colours.failures[: sum(sizes) + 1]), shortest(graph), found, control.cut)
