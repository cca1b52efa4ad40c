"""The library of systems, and how a subject is found: a bundled name, or a user's file.

Every `expected*.toml` in a folder beside this file declares a system: its model, and what is expected of it.
A folder may hold several that belong together. A subject is a system's name, or `path/to/model.py`, or
`path/to/model.py:Class`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from angarium.checker.language.declarations import ModelDecl, find_model
from angarium.checker.language.source import read
from angarium.core.errors import UsageError, did_you_mean
from angarium.core.files import read_text

if TYPE_CHECKING:
    from angarium.checker.ir.formula import Question
    from angarium.checker.ir.transition import TransitionSystem

Offer = TypeVar("Offer")


@dataclass(frozen=True, slots=True)
class Scenario:
    """One choice of parameters of a bundled system, and what must come out."""

    parameters: Mapping[str, str]
    states: int
    transitions: int
    depth: int
    verdicts: Mapping[str, str]
    symmetric_states: int | None = None


@dataclass(frozen=True, slots=True)
class System:
    """A bundled system."""

    name: str
    file: Path
    source: str
    """The published work that it comes from."""
    scenarios: tuple[Scenario, ...]
    proofs: tuple[str, ...] = ()
    """Files with what is proved of it for any size."""
    contract: str | None = None
    """The specification that real things of this kind are held against: FILE:CLASS."""

    @property
    def decl(self) -> ModelDecl:
        return find_model(read(str(self.file)))


@cache
def systems() -> dict[str, System]:
    """Every bundled system by its name."""
    return {system.name: system for system in map(_system, _declarations())}


def _declarations() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*/expected*.toml"))


def _bundled(name: str) -> System | None:
    """The system of that name. It is looked for first where it is likely: reading them all takes a while."""
    likely = sorted(_declarations(), key=lambda path: path.parent.name != name.partition("-")[0])
    return next((system for system in map(_system, likely) if system.name == name), None)


@cache
def _system(path: Path) -> System:
    import tomllib  # which a user's own file does not need

    expected = tomllib.loads(read_text(path))
    about = expected["system"]
    scenarios = tuple(_scenario(each) for each in expected["scenario"])
    here = path.parent
    proofs = tuple(str(here / each) for each in about.get("proofs", ()))
    contract = str(here / about["contract"]) if "contract" in about else None
    return System(about["name"], here / about["model"], about["source"], scenarios, proofs, contract)


def _scenario(entry: dict[str, Any]) -> Scenario:
    parameters = {name: _as_setting(value) for name, value in entry["parameters"].items()}
    return Scenario(
        parameters,
        entry["states"],
        entry["transitions"],
        entry["depth"],
        entry["verdicts"],
        entry.get("symmetric_states"),
    )


def _as_setting(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def find(subject: str, within: Path | None = None) -> ModelDecl:
    """The model that a subject names; a user's may import from one folder only, if that is said."""
    path, _, name = subject.partition(".py:")
    if name:
        return find_model(read(path + ".py", within), name)
    if subject.endswith(".py"):
        return find_model(read(subject, within))
    bundled = _bundled(subject)
    if bundled is not None:
        return bundled.decl
    if Path(subject).exists():
        return find_model(read(subject))
    raise UsageError(
        "ANG011",
        f"there is no system named {subject!r}",
        possible=did_you_mean(subject, systems()),
        remedy="give one of these names, or the path of a Python file with a model",
    )


def proof_files(subject: str) -> tuple[str, ...]:
    """The files, or FILE:CLASS, with what is to be proved: those of a bundled system, or the user's own."""
    if _is_file(subject):
        return (subject,)
    proved = {name: system.proofs for name, system in systems().items() if system.proofs}
    name, _, wanted = subject.partition(":")
    files = _offered(name, proved, "proof")
    return tuple(f"{file}:{wanted}" for file in _with_class(files, wanted)) if wanted else files


def _with_class(files: Sequence[str], name: str) -> Sequence[str]:
    """The files that have a class; the last of them if none has, which will say so."""
    classes = {file: [node.name for node in read(file).classes()] for file in files}
    return [file for file in files if name in classes[file]] or files[-1:]


def contract_file(subject: str) -> str:
    """The specification, as FILE:CLASS or FILE, that a bundled system or a user's file offers."""
    if _is_file(subject):
        return subject
    return _offered(subject, {name: s.contract for name, s in systems().items() if s.contract}, "contract")


def _is_file(subject: str) -> bool:
    return ".py" in subject or Path(subject).exists()


def _offered(subject: str, offered: Mapping[str, Offer], what: str) -> Offer:
    if subject in offered:
        return offered[subject]
    raise UsageError(
        "ANG011",
        f"there is no bundled system {subject!r} with a {what}",
        possible=did_you_mean(subject, offered),
        remedy="give one of these names, or the path of a Python file",
    )


def load(
    subject: str, settings: Mapping[str, str] | None = None, questions: Sequence[Question] = ()
) -> TransitionSystem:
    """The transition system of a subject, with its parameters set."""
    from angarium.checker.frontend.build import build

    return build(find(subject), settings, questions)
