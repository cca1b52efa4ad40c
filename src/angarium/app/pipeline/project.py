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

One claim of a project file, from TOML's table: every mistake is told with the line at which it stands.

The lines of a TOML file at which tables and keys stand, for errors that point at them.

Python's reader gives values without their places. The places are looked for in the text: the headers of
tables in their order, and keys at the beginning of a line below them. Text within a longer string may look
like one; so a line is only ever used to point at, never to read from.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from angarium.app.pipeline.bounds import POSSIBLE, is_statistic, runs_needed
from angarium.app.pipeline.claims import KINDS, STATISTIC, Bound, Claim, fits
from angarium.app.pipeline.possible import questions_of
from angarium.core import files
from angarium.core.errors import InputError, PipelineError, Place, did_you_mean
from angarium.core.result import Verdict
from angarium.core.units import seconds_of

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


# --- claim reader ---------------------------------------------------------------------------------


Table = Mapping[str, Any]

EXPECTED = (Verdict.HOLDS.value, Verdict.VIOLATED.value)
_COMMON = ("name", "expect", "budget")
_ENGINES = ("local", "spark")
_ENGINES_OF = {"check": ("auto", "local", "gpu", "spark"), "simulate": ("local", "gpu")}
"""The engines of claims, and where there are more of them."""
_NOT_ON_SPARK = ("config", "faults", "mesh", "mutate", "max-memory")
"""Options of `check` that the search on Spark does not take."""
_OPTION = re.compile(r"--([a-z][a-z-]*)")
"""How a verb names an option; a formula on the command line has it for its file."""


@dataclass(frozen=True, slots=True)
class Source:
    """The file, and where everything stands in it."""

    file: Path
    text: str
    lines: Lines

    def error(self, code: str, what: str, line: int, possible: str = "", remedy: str = "") -> PipelineError:
        rows = self.text.splitlines()
        source = rows[line - 1] if 0 < line <= len(rows) else ""
        column = len(source) - len(source.lstrip()) + 1
        place = Place(str(self.file), line, column, source)
        return PipelineError(code, what, possible=possible, remedy=remedy, place=place)

    def check_keys(self, table: Table, known: Mapping[str, int], of: str) -> None:
        """Refuse a key that is not known; the keys that are there are given with their lines."""
        for key, line in known.items():
            if key not in table:
                possible = did_you_mean(key, table)
                raise self.error("ANG141", f"there is no key {key!r} in {of}", line, possible)

    def text_of(self, table: Table, key: str, default: str, line: int) -> str:
        value = table.get(key, default)
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            raise self.error("ANG142", f"{key} = {value!r} is no text of one line", line)
        return value

    def time_of(self, table: Table, key: str, default: float, line: int) -> float:
        """Seconds."""
        value = table.get(key, default)
        seconds = (not isinstance(value, bool) and seconds_of(str(value))) or 0.0
        if seconds <= 0:
            possible = 'possible: "30s", "5min", or seconds as a number'
            raise self.error("ANG142", f"{key} = {value!r} is no time", line, possible)
        return seconds


@dataclass(frozen=True, slots=True)
class ClaimReader:
    """Reads the claim of a number."""

    source: Source
    row: Table
    number: int

    def claim(self, budget: float) -> Claim:
        """The claim. `budget`: its seconds, if it says nothing else."""
        kind = self._kind()
        known = (kind, *_COMMON, *KINDS[kind].options, *(STATISTIC if kind == "simulate" else ()))
        given = {key: self._line(key) for key in self.row}
        self.source.check_keys(dict.fromkeys(known), given, f"a claim of `{kind}`")
        options = {key: self._option(kind, key) for key in KINDS[kind].options if key in self.row}
        about = self._about(kind)
        bound = self._bound() if kind == "simulate" else None
        told = Claim("", kind, about, options, bound=bound).told()
        claim = Claim(
            self.source.text_of(self.row, "name", f"{kind} {told}", self._line("name")),
            kind,
            about,
            options,
            self._expect(),
            self.source.time_of(self.row, "budget", budget, self._line("budget")),
            bound,
            self._line(),
        )
        self._check_subject(claim)
        self._check_questions(claim)
        return claim

    def _line(self, key: str | None = None) -> int:
        return self.source.lines.of("claim", self.number, key)

    def _wrong(self, what: str, key: str | None, possible: str = "", remedy: str = "") -> PipelineError:
        return self.source.error("ANG142", what, self._line(key), possible, remedy)

    # --- what it is about --------------------------------------------------------------------------

    def _kind(self) -> str:
        kinds = [each for each in KINDS if each in self.row]
        if not kinds:
            possible = f"possible: {', '.join(KINDS)}"
            raise self._wrong("the claim does not say what it is about", None, possible)
        first, *others = kinds
        if strange := [each for each in others if each not in KINDS[first].options]:
            what = f"the claim is of two kinds, `{first}` and `{strange[0]}`"
            raise self._wrong(what, strange[0], remedy="make two claims of it")
        return first

    def _about(self, kind: str) -> tuple[str, ...]:
        value, how = self.row[kind], KINDS[kind]
        words = [value] if isinstance(value, str) else value
        texts = isinstance(words, list) and all(isinstance(each, str) for each in words)
        fit = texts and all(each and not each.startswith("-") for each in words)
        if not fit or not words or (len(words) > 1 and not how.many):
            raise self._wrong(f"{kind} = {value!r} is not {how.about}", kind)
        return tuple(os.path.normpath(each) if how.files or ".py" in each else each for each in words)

    def _check_subject(self, claim: Claim) -> None:
        """Refuse files and systems that are not there."""
        for name in claim.files():
            if not (self.source.file.parent / name).exists():
                line = self._line(self._key_of(claim, name))
                raise self.source.error("ANG010", f"there is no file {name}", line)
        if not claim.how.files and ".py" not in claim.about[0]:
            self._check_system(claim)

    def _key_of(self, claim: Claim, name: str) -> str:
        lists = {key: [value] if isinstance(value, str) else value for key, value in claim.options.items()}
        named = (key for key, value in lists.items() if isinstance(value, list) and name in value)
        return next(named, claim.kind)

    def _check_system(self, claim: Claim) -> None:
        """Refuse a system that is not there; of a proof also one that has none."""
        from angarium.systems.registry import systems

        proved = claim.kind == "prove"
        known = [name for name, each in systems().items() if each.proofs or not proved]
        name = claim.about[0].partition(":")[0] if proved else claim.about[0]
        if name not in known:
            what = f"there is no system {name!r}{' with a proof' if proved else ''}"
            raise self.source.error("ANG011", what, self._line(claim.kind), did_you_mean(name, known))

    def _check_questions(self, claim: Claim) -> None:
        """Refuse what cannot be asked. What a file says that a claim names is looked at by the verb."""
        for key, ask in questions_of(claim.moved(lambda name: str(self.source.file.parent / name))):
            try:
                ask()
            except InputError as problem:
                option = _OPTION.fullmatch(problem.place.file) if problem.place else None
                if problem.place and not option:
                    return
                raise self._rephrased(problem, option[1] if option else key) from None

    def _rephrased(self, problem: InputError, key: str) -> PipelineError:
        """What a verb says of its option, said of the key."""
        what, possible, remedy = (
            _OPTION.sub(r"`\1`", part) for part in (problem.what, problem.possible, problem.remedy)
        )
        return self.source.error(problem.code, what, self._line(key), possible, remedy)

    # --- what it says of it ------------------------------------------------------------------------

    def _option(self, kind: str, key: str) -> object:
        option, value = KINDS[kind].options[key], self.row[key]
        if not fits(option.takes, value):
            raise self._wrong(f"{key} = {value!r} is not {option.takes.value}", key)
        if key == "engine":
            self._check_engine(kind, value)
        if not option.takes.are_files:
            return value
        return [os.path.normpath(each) for each in ([value] if isinstance(value, str) else value)]

    def _check_engine(self, kind: str, engine: str) -> None:
        engines = _ENGINES_OF.get(kind, _ENGINES)
        if engine not in engines:
            raise self._wrong(f"there is no engine {engine!r}", "engine", did_you_mean(engine, engines))
        strange = [key for key in _NOT_ON_SPARK if key in self.row]
        if engine == "spark" and kind == "check" and strange:
            what = f"the search on Spark takes no `{strange[0]}`"
            raise self._wrong(what, strange[0], remedy="leave out the engine: it runs as a task")

    def _expect(self) -> Verdict:
        value = self.row.get("expect", EXPECTED[0])
        if value not in EXPECTED:
            possible = did_you_mean(str(value), EXPECTED)
            raise self._wrong(f"nothing can be expected to be {value!r}", "expect", possible)
        return Verdict(value)

    def _bound(self) -> Bound | None:
        limits = {key: self._number(key) for key in ("at-most", "at-least")}
        statistic = self.row.get("statistic", "mean")
        if not isinstance(statistic, str) or not is_statistic(statistic):
            raise self._wrong(f"there is no statistic {statistic!r}", "statistic", f"possible: {POSSIBLE}")
        if any(value is not None for value in limits.values()):
            bound = Bound(self.row.get("observe"), statistic, limits["at-most"], limits["at-least"])
            self._check_bound(bound)
            return bound
        self._check_boundless()
        return None

    def _check_bound(self, bound: Bound) -> None:
        """Refuse a bound that nothing can keep to, and one on which so few walks cannot decide."""
        from angarium.checker.walks.plan import Plan

        if bound.at_most is not None and bound.at_least is not None and bound.at_most < bound.at_least:
            what = f"nothing is at most {bound.at_most:g} and at least {bound.at_least:g}"
            raise self._wrong(what, "at-least", remedy="exchange the two, or leave one out")
        runs = self.row.get("runs", Plan().runs)
        if runs < (needed := runs_needed(bound, self._expect(), runs)):
            what = f"{runs:,} runs cannot show that {bound.statistic} keeps to its bound"
            what = what if self._expect() is Verdict.HOLDS else what.replace("keeps to", "does not keep to")
            raise self._wrong(what, "runs", remedy=f"write runs = {needed}, or more")

    def _number(self, key: str) -> float | None:
        value = self.row.get(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if value is not None and not is_number:
            raise self._wrong(f"{key} = {value!r} is no number", key)
        return value

    def _check_boundless(self) -> None:
        """Walks prove nothing: without a bound they can show that something is violated, and no more."""
        if "statistic" in self.row:
            remedy = "add at-most or at-least, or leave out the statistic"
            raise self._wrong("the statistic has no bound", "statistic", remedy=remedy)
        if self.row.get("expect") != Verdict.VIOLATED.value:
            raise self._wrong(
                "a simulation without a bound cannot hold",
                "expect" if "expect" in self.row else "simulate",
                'possible: a bound (at-most, at-least) of a statistic, or expect = "violated"',
                "add a bound, or use `check`, which looks at every run",
            )


# --- lines ----------------------------------------------------------------------------------------


_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\-\"']+)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w\-]+|\"[^\"]+\"|'[^']+')\s*(?:\.[\w\-.\"']+\s*)?=")


@dataclass(frozen=True, slots=True)
class Lines:
    """Where things stand, counted from 1."""

    headers: Mapping[tuple[str, int], int]
    """A table's name and which one of that name it is."""
    keys: Mapping[tuple[str, int, str], int]

    def of(self, table: str, number: int = 0, key: str | None = None) -> int:
        """The line of a key, or else of its table, or else the first."""
        header = self.headers.get((table, number), 1)
        return header if key is None else self.keys.get((table, number, key), header)


def lines_of(text: str) -> Lines:
    """The places of all tables and keys."""
    headers: dict[tuple[str, int], int] = {}
    keys: dict[tuple[str, int, str], int] = {}
    for line, table, number, key in _places(text):
        if key is None:
            headers[table, number] = line
        else:
            keys.setdefault((table, number, key), line)
    return Lines(headers, keys)


def _places(text: str) -> Iterator[tuple[int, str, int, str | None]]:
    """Line, table, which of that name, and key (None for the header itself)."""
    table, number = "", 0
    counts: dict[str, int] = {}
    for line, words in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(words):
            table = header[2]
            number = counts.get(table, 0)
            counts[table] = number + 1
            yield line, table, number, None
        elif key := _KEY.match(words):
            yield line, table, number, key[1].strip("\"'")
