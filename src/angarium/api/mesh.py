"""Meshes from Python: `verify` and `recover`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from angarium.api.spark import OnSpark, place_of
from angarium.core.control import Control, in_lines
from angarium.core.errors import AddressError
from angarium.core.result import Replay

if TYPE_CHECKING:
    from angarium.core.control import Tell
    from angarium.mesh.files.given import Given
    from angarium.mesh.mesh import Failures, Mesh
    from angarium.mesh.recovery.results import RecoveryResult
    from angarium.mesh.results import Address, MeshResult, Source
    from angarium.mesh.verify.budget import Budget

FORMS = (".tables", ".json")
"""The endings of the files that each broker gets."""


def verify(
    mesh: str | Sequence[str] | Mesh,
    *,
    failures: str = "one",
    only: Collection[str] = (),
    given: Given | None = None,
    engine: str = "local",
    spark: OnSpark | None = None,
    timeout: float | None = None,
    observe: Tell | None = None,
) -> MeshResult:
    """Judge every guarantee of a mesh, healthy and under every failure.

    `mesh` is a mesh file, or brokers' own configuration files, or folders of them. `failures` is what may be
    dead at the same time: "one", "none", "links=2", "links=1,brokers=1", "risks" or "one,risks". `given` is
    what is said beside the files' names. `observe` is called with a line of progress.
    """
    from angarium.mesh.results import result_of
    from angarium.mesh.verify.budget import read_budget
    from angarium.mesh.verify.verify import verify as judged
    from angarium.mesh.verify.violations import check_guarantees

    check_guarantees(only)
    budget, place = read_budget(failures), place_of(engine, spark)
    found, source = _loaded(mesh, given)
    verification = judged(found, budget, only=only, place=place, observe=observe, timeout=timeout)
    return result_of(verification, failures, source)


def recover(
    mesh: str | Sequence[str] | Mesh,
    *,
    failures: str = "one",
    override: Sequence[str] = (),
    overrides: str | None = None,
    out: Path | None = None,
    forms: Collection[str] = FORMS,
    tables: Sequence[str] = (),
    given: Given | None = None,
    engine: str = "local",
    spark: OnSpark | None = None,
    timeout: float | None = None,
    observe: Tell | None = None,
) -> RecoveryResult:
    """Calculate recovery tables for every failure, verify them, and write them into a folder if there is one.

    Nothing is written unless all that the tables must do holds. `override` has entries that an operator
    wants (`AT->TO=NEXT`), `overrides` the name of a file with such. `forms` are the endings of the files that
    each broker gets. `tables` names brokers whose super tables are wanted in the answer.
    """
    from angarium.mesh.recovery.files.folder import check_place
    from angarium.mesh.recovery.recovered import Request
    from angarium.mesh.recovery.recovered import recover as calculated
    from angarium.mesh.recovery.results import result_of
    from angarium.mesh.routing.graph import graph_of
    from angarium.mesh.verify.budget import read_budget

    if out is not None:
        check_place(out)
    place = place_of(engine, spark)
    found, _ = _loaded(mesh, given)
    request = Request(found, read_budget(failures), override, overrides, place)
    for name in tables:
        graph_of(found).number(name)  # complains of who is not there before anything is calculated
    control = Control(timeout, in_lines(observe))
    result = result_of(calculated(request, control), failures, tables)
    return result if out is None else _with_files(result, out, forms, control)


def _with_files(
    result: RecoveryResult, out: Path, forms: Collection[str], control: Control
) -> RecoveryResult:
    """The answer, with the files written if the tables may be relied on."""
    from angarium.mesh.recovery.files import write_tables
    from angarium.mesh.recovery.results import written_of

    found = result.found
    if found is None or not found.holds:
        return result

    written = write_tables(found.recovery, out, found.fingerprint, forms=forms, control=control)
    return written_of(result, written)


def _loaded(mesh: str | Sequence[str] | Mesh, given: Given | None) -> tuple[Mesh, Source | None]:
    """The mesh, and the files that it is from if it is."""
    from angarium.mesh.files.find import load
    from angarium.mesh.files.given import NOTHING_SAID
    from angarium.mesh.mesh import Mesh
    from angarium.mesh.results import Source

    if isinstance(mesh, Mesh):
        return mesh, None
    source = Source((mesh,) if isinstance(mesh, str) else tuple(mesh), given or NOTHING_SAID)
    return load(*source.files, given=source.given), source


def replayed(address: str) -> Replay:
    """What goes wrong at an address: the mesh is looked at once more, under that failure alone."""
    from angarium.mesh.results import number_of, parse_address, story_of
    from angarium.mesh.verify.budget import failed
    from angarium.mesh.verify.verify import verify as judged

    asked = parse_address(address)
    mesh, _ = _loaded(asked.source.files, asked.source.given)
    _refuse_another(asked, mesh)
    dead = failed(mesh, asked.dead)
    found = judged(mesh, _just(dead))
    for violation in found.violations:
        if (violation.guarantee, violation.failures, number_of(violation)) == (
            asked.guarantee,
            dead,
            asked.number,
        ):
            story = story_of(found, address.strip(), violation)
            return Replay(subject=mesh.name, engine=found.looked.engine, story=story)
    raise AddressError(
        "ANG032",
        f"nothing in the mesh {mesh.name} breaks {asked.guarantee} in this way",
        remedy="copy the address from what angarium mesh verify finds",
    )


def _refuse_another(asked: Address, mesh: Mesh) -> None:
    from angarium.mesh.results import version_of

    if (now := version_of(mesh)) != asked.version:
        raise AddressError(
            "ANG031",
            f"the address is of another version of the mesh {mesh.name}",
            possible=f"the address says {asked.version}, the mesh is now {now}",
            remedy="verify it again to get the address of what is wrong now",
        )


def _just(failures: Failures) -> Budget:
    """One set of failures, and no other."""
    from angarium.mesh.verify.budget import NONE, Just, Size

    size = Size(len(failures.cables), len(failures.brokers))
    return Just((size,), failures) if failures else NONE
