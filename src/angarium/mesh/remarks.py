"""What files leave open: how each entry is called, and who takes responsibility for it.

Each remark of a mesh has a number, its position, which does not change when some are taken. Whoever knows
better than the files (`--assume`, `assume:` in a mesh file) names an entry by its number or by its text, in
which `*` stands for anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from angarium.core.errors import MeshError, Place, did_you_mean
from angarium.mesh.mesh import ASSUMED, Mesh, Remark

Numbered = tuple[int, Remark]
MOST_SHOWN = 8
"""Remarks that an error tells; the others are counted."""


def numbered(mesh: Mesh) -> list[Numbered]:
    """All remarks with their numbers."""
    return list(enumerate(mesh.remarks, 1))


def left_open(mesh: Mesh) -> list[Numbered]:
    """Those because of which something about messages is not known."""
    return [each for each in numbered(mesh) if each[1].leaves_open]


def sentence(remark: Remark) -> str:
    """The entry as it is printed: its place, and what it is."""
    return f"{remark.place}: {remark.what}" if remark.place else remark.what


def assuming(
    meshes: Sequence[Mesh], words: Iterable[str], option: str = "--assume", place: Place | None = None
) -> list[Mesh]:
    """The meshes for some of whose remarks somebody takes responsibility; each word is about one of them."""
    taken: list[set[int]] = [set() for _ in meshes]
    for word in words:
        found = [_meant(mesh, word.strip()) for mesh in meshes]
        if not any(found):
            raise _fits_nothing(meshes, word, option, place)
        for numbers, more in zip(taken, found, strict=True):
            numbers.update(more)
    return [_taken(mesh, numbers) for mesh, numbers in zip(meshes, taken, strict=True)]


def _taken(mesh: Mesh, numbers: set[int]) -> Mesh:
    remarks = (replace(each, taken=each.taken or number in numbers) for number, each in numbered(mesh))
    return replace(mesh, remarks=tuple(remarks)) if numbers else mesh


def trusting(mesh: Mesh) -> Mesh:
    """The mesh as the files tell it, as if they left nothing open."""
    return replace(mesh, remarks=tuple(replace(each, taken=True) for each in mesh.remarks))


def _meant(mesh: Mesh, word: str) -> list[int]:
    """The numbers of the entries that a word names."""
    fits = re.compile(".*".join(map(re.escape, word.split("*"))), re.DOTALL).fullmatch
    return [
        number
        for number, each in numbered(mesh)
        if word == str(number) or fits(each.what) or fits(sentence(each))
    ]


def _fits_nothing(meshes: Sequence[Mesh], word: str, option: str, place: Place | None) -> MeshError:
    entries = [f"{number} {each.what}" for mesh in meshes for number, each in numbered(mesh)]
    return MeshError(
        "ANG127",
        f"{option} {word!r} fits no entry that the files leave open",
        possible=did_you_mean(word, entries) if entries else "the files leave nothing open",
        remedy="give the number or the text of an entry as it is printed; * stands for anything",
        place=place,
    )


def refuse_any(mesh: Mesh) -> None:
    """Refuse a mesh whose files leave anything open, be it harmless, for which nobody is responsible."""
    left = [each for each in numbered(mesh) if not each[1].taken and each[1].kind != ASSUMED]
    if left:
        raise MeshError(
            "ANG128",
            "\n  ".join(["--strict, and the files leave something open:", *_listed(left)]),
            remedy="mend the files, or take responsibility for an entry: --assume NUMBER",
        )


def refuse_open(mesh: Mesh, what: str) -> None:
    """Refuse to make something of a mesh that would hold or not whatever the files leave open."""
    left = left_open(mesh)
    if left:
        raise MeshError(
            "ANG128",
            "\n  ".join([f"{what} cannot say what the files leave open:", *_listed(left)]),
            possible="possible: a mesh whose files leave nothing open, or for which somebody is responsible",
            remedy="write one: angarium mesh convert FILES --assume NUMBER --out mesh.yaml",
        )


def _listed(left: list[Numbered]) -> Iterator[str]:
    for number, remark in left[:MOST_SHOWN]:
        yield f"{number}. {sentence(remark)}"
    if len(left) > MOST_SHOWN:
        yield f"and {len(left) - MOST_SHOWN:,} more"
