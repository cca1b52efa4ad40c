"""Reads what can be read: a broker whose file is broken is unknown, and the others are judged.

Which file is to blame the error says by its place. Without it the others are read again, and its broker is
one that may do anything. Values that somebody was to fill in (`${HOST}`, `{{ .Values.host }}`, `@HOST@`)
leave a broker unknown, too, unless they only say who may log in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from angarium.core.errors import MeshError, Place
from angarium.mesh.importers import common
from angarium.mesh.importers.common import ByHand
from angarium.mesh.mesh import NOT_READ, Broker, Mesh, Remark

Read = Callable[[Sequence[Path], ByHand], Mesh]
PLACEHOLDER = re.compile(
    r"\$\{[^}\n]{1,100}\}|\{\{[^}\n]{1,200}\}\}|(?<!\w)@@?[A-Z][A-Z0-9_]*@@?|(?<!\w)<[A-Z][A-Z0-9_]*>"
)
_LOGIN = re.compile(r"(?<=//)[^@/\s\"',]*@")
_SECRET = re.compile(
    r"pass|secret|token|credential|user|keyfile|certfile|cafile|keystore|truststore|jaas", re.I
)
_COMMENTS = ("#", "//", "!", "<!--", "%")
_BEGIN = re.compile(r".*[,;{]", re.DOTALL)
"""Up to the key that a value has."""
LONGEST_KEY = 100
MOST_BROKEN = 50
"""Files of one call; each is a reason to read all others again."""


def read_what_can_be(
    read: Read, files: Sequence[Path], hand: ByHand, templates: re.Pattern[str] | None = None
) -> Mesh:
    """The mesh of the files that can be read, with those brokers in it whose files cannot.

    What fits `templates` is the broker's own to fill in.
    """
    broken: dict[Path, MeshError] = {}
    left = list(files)
    while True:
        try:
            mesh = read(left, replace(hand, unread=tuple(_name(path, hand) for path in broken)))
            break
        except MeshError as error:
            path = _blamed(left, error)
            others = [each for each in left if path is None or _key(each, hand) != _key(path, hand)]
            if path is None or not others or len(broken) == MOST_BROKEN:
                raise
            broken[path], left = error, others
    for path, why in broken.items():
        mesh = _with_unknown(mesh, _name(path, hand), path, why)
    return replace(mesh, remarks=(*mesh.remarks, *_placeholders(mesh, left, templates)))


def _key(path: Path, hand: ByHand) -> str:
    """Files of one broker are broken together."""
    return hand.names.get(path, str(path))


def _name(path: Path, hand: ByHand) -> str:
    return hand.names.get(path) or common.name_of(path)


def _blamed(files: Sequence[Path], error: MeshError) -> Path | None:
    """The file that an error is about: the one that it names, or the only one that may include that."""
    if error.place is None and error.code == "ANG122":  # two files of one name are no mistake of either
        return None
    if error.place is None:
        return next((path for path in files if error.what.startswith(str(path))), None)
    at = Path(error.place.file)
    if at in files:
        return at
    above = [path for path in files if at.resolve().is_relative_to(path.resolve().parent)]
    return above[0] if len(above) == 1 else None


def _with_unknown(mesh: Mesh, name: str, path: Path, error: MeshError) -> Mesh:
    """The mesh with a broker of which nothing is known but that it is there."""
    place = error.place or Place(str(path), 1, 1)
    remark = common.unread(f"{error.what}: nothing is known of {name}", place, error.remedy, [name])
    others = [each for each in mesh.remarks if not (each.kind == NOT_READ and each.brokers == (name,))]
    brokers = mesh.brokers
    if name not in {broker.name for broker in brokers}:
        brokers = (*brokers, Broker(name, brokers[0].dialect, place=place))
    return replace(mesh, brokers=brokers, remarks=(remark, *others))


def _placeholders(mesh: Mesh, files: Sequence[Path], templates: re.Pattern[str] | None) -> Iterator[Remark]:
    """Values that are not filled in, one remark for each of them in a file."""
    for path in files:
        brokers = _described(mesh, path)
        seen: dict[str, Place] = {}
        for number, line in enumerate(common.text_of(path, common.LARGEST_DEFINITIONS).splitlines(), 1):
            for found in _unfilled(line):
                if templates is None or not templates.fullmatch(found[0]):
                    seen.setdefault(found[0], common.place(path, number, found.start() + 1, line))
        for text, place in seen.items():
            what = f"{text} is not filled in: what it stands for is not known"
            yield common.unread(what, place, "Put its value there.", brokers)


def _unfilled(line: str) -> Iterator[re.Match[str]]:
    """The placeholders of a line that is no comment, but those of who logs in and how."""
    if "$" in line or "{{" in line or "@" in line or "<" in line:
        bare = _LOGIN.sub(lambda found: " " * len(found[0]), line)
        for found in () if bare.lstrip().startswith(_COMMENTS) else PLACEHOLDER.finditer(bare):
            before = bare[max(0, found.start() - LONGEST_KEY) : found.start()]
            if not _SECRET.search(_BEGIN.sub("", before)):
                yield found


def _described(mesh: Mesh, path: Path) -> list[str]:
    """The brokers that a file describes: those that it only names come in later lines."""
    lines = {
        broker.name: broker.place.line
        for broker in mesh.brokers
        if broker.place and broker.place.file == str(path)
    }
    return [name for name, line in lines.items() if line == min(lines.values())]
