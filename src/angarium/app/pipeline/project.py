"""The project file, `angarium.toml`: what a team says must hold, read and validated.

    [project]
    name = "orders"

    [[claim]]
    name = "no order is lost when a broker crashes"
    check = "kafka"
    config = ["server.properties", "producer.properties"]
    faults = ["one-crash"]
    only = ["no-loss"]
    expect = "holds"
    budget = "2min"

Whether what a claim is about is there, and has the parameters and guarantees that it names, is looked at
here, before anything runs; what is wrong inside a model, a mesh or a history is told by the verb.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from angarium.app.pipeline.claim_reader import ClaimReader, Source, Table
from angarium.app.pipeline.claims import Claim
from angarium.app.pipeline.toml_lines import lines_of
from angarium.core import files
from angarium.core.errors import PipelineError, Place

NAME = "angarium.toml"
BUDGET = 300.0
"""Seconds of a claim that does not say how long it may take."""
_LARGEST = 1 << 20
"""Bytes of a project file: people write them."""
_TABLES = ("project", "claim")
_PROJECT = ("name", "budget")


@dataclass(frozen=True, slots=True)
class Project:
    """A project file."""

    name: str
    folder: Path
    claims: tuple[Claim, ...]
    file: Path = Path(NAME)
    """Where it was read, as it was named."""

    def unreadable(self, claim: Claim, problem: OSError) -> PipelineError:
        """The error of a claim whose files cannot be read."""
        return PipelineError(
            "ANG010",
            f"{problem.filename} cannot be read: {problem.strerror or problem}",
            remedy="name files that can be read",
            place=Place(str(self.file), claim.line, 1),
        )


def read_project(path: Path) -> Project:
    """The project of a file, or of the folder that has it. PipelineError if it cannot be understood."""
    file = path / NAME if path.is_dir() else path
    text = _text(file)
    source = Source(file, text, lines_of(text))
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise _no_toml(source, problem) from None
    return _project(source, table)


def _text(file: Path) -> str:
    if not file.is_file():
        raise PipelineError(
            "ANG010",
            f"there is no project file {file}",
            remedy="`angarium init` writes one from what it finds in a folder",
        )
    try:
        return files.read_text(file, _LARGEST)
    except files.TooLargeError:
        what = f"{file} has more than {_LARGEST >> 20} MiB: it is no project file"
        raise PipelineError("ANG140", what) from None
    except UnicodeDecodeError as problem:
        raise PipelineError("ANG140", f"{file} is no UTF-8 text: byte {problem.start}") from None


def _no_toml(source: Source, problem: tomllib.TOMLDecodeError) -> PipelineError:
    place = re.search(r" \(at (?:line (\d+)|end of document).*\)$", str(problem))
    what = str(problem).removesuffix(place[0]) if place else str(problem)
    line = int(place[1]) if place and place[1] else len(source.text.splitlines()) or 1
    return source.error("ANG140", f"this is no TOML: {what}", line)


def _project(source: Source, table: Table) -> Project:
    tops = {key: source.lines.keys.get(("", 0, key)) or source.lines.of(key) for key in table}
    source.check_keys(dict.fromkeys(_TABLES), tops, "a project file")
    about, rows = table.get("project", {}), table.get("claim", [])
    if (
        not isinstance(about, dict)
        or not isinstance(rows, list)
        or not all(isinstance(r, dict) for r in rows)
    ):
        raise source.error("ANG140", "a project file has one [project] and any number of [[claim]]", 1)
    lines = {key: source.lines.of("project", 0, key) for key in (*about, *_PROJECT)}
    source.check_keys(dict.fromkeys(_PROJECT), {key: lines[key] for key in about}, "[project]")
    if not rows:
        raise source.error("ANG140", "there is no claim", 1, remedy="add one that begins with [[claim]]")
    budget = source.time_of(about, "budget", BUDGET, lines["budget"])
    folder = source.file.parent.resolve()
    name = source.text_of(about, "name", folder.name or "project", lines["name"])
    claims = tuple(ClaimReader(source, row, number).claim(budget) for number, row in enumerate(rows))
    _check_names(source, claims)
    return Project(name, folder, claims, source.file)


def _check_names(source: Source, claims: tuple[Claim, ...]) -> None:
    seen: dict[str, int] = {}
    for each in claims:
        if each.name in seen:
            what = f"two claims are named {each.name!r}, the other in line {seen[each.name]}"
            raise source.error("ANG142", what, each.line, remedy="give each its own `name`")
        seen[each.name] = each.line
