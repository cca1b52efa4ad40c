"""The text of a model that explores what becomes of a message in a mesh."""

from __future__ import annotations

from collections.abc import Iterator

from angarium.core.errors import MeshError
from angarium.mesh.as_model import forwarded, routed
from angarium.mesh.as_model.parts import IMPORTS, Cast, Wants, cast, failures, homes, kinds, parameters, wants
from angarium.mesh.delivery.legs import refuse_choices
from angarium.mesh.mesh import FORWARD, Mesh

MOST_BROKERS, MOST_LINKS = 128, 1_000
"""A model of so many is compiled in a minute or two; `angarium mesh verify` takes as many as you have."""


def model_source(mesh: Mesh, wanted: Wants | None = None) -> str:
    """A model of the mesh in Angarium's language; what may fail are its parameters.

    `wanted` says what is asked of the mesh; what its publishers and subscribers want, unless it is given.
    """
    refuse_choices(mesh, "a model of one message")
    if wanted is None:
        mesh, wanted = wants(mesh)
    if len(mesh.brokers) > MOST_BROKERS or len(mesh.links) > MOST_LINKS:
        raise MeshError(
            "ANG125",
            f"{mesh.name} has {len(mesh.brokers):,} brokers and {len(mesh.links):,} links",
            possible=f"up to {MOST_BROKERS:,} and {MOST_LINKS:,} in a model whose states are explored",
            remedy="ask angarium mesh verify, which follows messages directly",
        )
    if not wanted.needs:
        raise MeshError(
            "ANG121",
            f"nobody in {mesh.name} wants anything that is published there",
            possible="a model follows a message from where it is published to where it is wanted",
            remedy="give the mesh publishers, and subscribers whose patterns match what they publish",
        )
    return "\n".join(_lines(cast(mesh, wanted)))


def _lines(cast: Cast) -> Iterator[str]:
    kind = forwarded if cast.mesh.routing.kind == FORWARD else routed
    yield '"""What becomes of a message in a mesh, made from the mesh by Angarium."""'
    yield ""
    yield IMPORTS
    for each in (*kinds(cast), *(forwarded.kinds(cast) if kind is forwarded else ()), kind.FATES):
        yield f"\n\n{each}"
    yield "\n"
    yield "class Overlay(Model):"
    yield f'    """{_title(cast.mesh)}"""'
    yield ""
    yield from parameters(cast)
    yield from kind.state(cast)
    yield ""
    yield from failures(cast)
    yield from homes(cast)
    yield from kind.steps(cast)


def _title(mesh: Mesh) -> str:
    """What the model says of itself; a mesh's name may be anything, and must not end the text."""
    name = "".join(each if each.isprintable() and each not in '"\\' else " " for each in mesh.name)
    return f"A message in {name.strip() or 'a mesh'}, from where it is published to where it is wanted."
