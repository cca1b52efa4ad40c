"""What the files of a mesh leave open, as people and programs read it: the same below every answer.

    Left out, so verdicts are unknown (--assume NUMBER takes responsibility):
      2. edge.conf:9:1: plugin of edge. It may do anything to messages: reachability, loop-free …

Harmless notes, what is taken for granted, and what somebody took responsibility for stand apart from these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from angarium.app.report.layout import wrapped
from angarium.core.records import Record, write
from angarium.mesh.mesh import ASSUMED, DANGLING, DECLARES, EFFECTS, Mesh, Remark
from angarium.mesh.remarks import Numbered, left_open, numbered, sentence
from angarium.mesh.results import remarks_of

MOST = 8
"""Entries of a kind that are told, unless everything is wanted."""
LEFT_OUT = "Left out, so what it could change is unknown (--assume NUMBER takes responsibility):"
_MARGIN = "  "
_DOES = {"carries": "carry", "drops": "drop", "copies": "copy", "renames": "rename", "reroutes": "reroute"}


def told_open(
    mesh: Mesh,
    *,
    width: int = 80,
    everything: bool = False,
    dangling: bool = True,
    changes: Mapping[int, Sequence[str]] | None = None,
) -> list[list[str]]:
    """Paragraphs: what makes verdicts unknown first. `changes`: which guarantees an entry makes unknown."""
    most = None if everything else MOST
    parts = [
        _listed(
            LEFT_OUT,
            left_open(mesh),
            lambda each, remedied: _doubt(each, remedied, changes or {}),
            width,
            most,
        ),
        _listed("Taken for granted:", _once(mesh, _is_assumption), _sentence, width, most),
        _listed("On your responsibility (--assume):", _those(mesh, _is_taken), _sentence, width, most),
        _listed("Worth knowing, and harmless:", _those(mesh, _is_harmless), _sentence, width, most),
    ]
    if dangling:
        parts.append(_listed("References to nothing:", _those(mesh, _dangles), _sentence, width, most))
    return parts


def _is_assumption(remark: Remark) -> bool:
    return remark.kind == ASSUMED and not remark.taken


def _is_taken(remark: Remark) -> bool:
    return remark.taken and (bool(remark.effects) or remark.kind == ASSUMED)


def _dangles(remark: Remark) -> bool:
    return remark.kind == DANGLING and not remark.effects


def _is_harmless(remark: Remark) -> bool:
    return not (remark.effects or remark.kind == ASSUMED or _dangles(remark))


def _those(mesh: Mesh, fits: Callable[[Remark], bool]) -> list[Numbered]:
    return [each for each in numbered(mesh) if fits(each[1])]


def _once(mesh: Mesh, fits: Callable[[Remark], bool]) -> list[Numbered]:
    """Of those that say the same, the first."""
    first: dict[str, Numbered] = {}
    for each in _those(mesh, fits):
        first.setdefault(each[1].what, each)
    return list(first.values())


def _sentence(entry: Numbered, remedied: bool = True) -> str:
    """The remark; with its remedy, unless the next one has the same."""
    number, remark = entry
    if not remedied:
        return f"{number}. {sentence(remark)}."
    end = f" {remark.remedy[0].upper()}{remark.remedy[1:].rstrip('.')}." if remark.remedy else ""
    return f"{number}. {sentence(remark)}.{end}"


def _doubt(entry: Numbered, remedied: bool, changes: Mapping[int, Sequence[str]]) -> str:
    """With why: what it may do, and to which verdicts."""
    number, remark = entry
    unknown = f": {', '.join(changes[number])}" if number in changes else ""
    return f"{_sentence(entry, remedied)} It may {_deeds(remark.effects)}{unknown}."


def _deeds(effects: frozenset[str]) -> str:
    if effects >= EFFECTS:
        return "do anything to messages"
    words = [word for effect, word in _DOES.items() if effect in effects]
    messages = [f"{' or '.join([', '.join(words[:-1]), words[-1]] if words[1:] else words)} messages"]
    names = ["say what names stand for"] if DECLARES in effects else []
    return " or ".join([*(messages if words else []), *names])


def _listed(
    heading: str,
    entries: Sequence[Numbered],
    tell: Callable[[Numbered, bool], str],
    width: int,
    most: int | None,
) -> list[str]:
    if not entries:
        return []
    lines = wrapped(heading, width)
    shown = entries[:most]
    for place, each in enumerate(shown):
        remedied = [after[1].remedy for after in shown[place + 1 : place + 2]] != [each[1].remedy]
        first, *more = wrapped(tell(each, remedied), width - len(_MARGIN), _MARGIN)
        lines += [first, *(f"{_MARGIN}{line}" for line in more)]
    left = len(entries[most:]) if most else 0
    return lines + ([f"{_MARGIN}and {left:,} more (--all)"] if left else [])


def caution(meshes: Iterable[Mesh]) -> str:
    """A sentence for answers that files could make other ones; none, if they leave nothing open."""
    return "This is what the files tell; what they leave open could change it." if any_open(meshes) else ""


def any_open(meshes: Iterable[Mesh]) -> bool:
    """Whether the files of some of the meshes leave anything open about messages."""
    return any(left_open(mesh) for mesh in meshes)


def remark_records(mesh: Mesh) -> list[Record]:
    """Every remark, with the number by which it can be assumed."""
    return [write(each) for each in remarks_of(mesh)]
