"""Claims: what a project file says must hold, and the words of the command line that ask for it.

A claim is a verb of ours with its options, and the verdict that is expected. The keys of a claim are the
names of the verb's options, so that whoever knows the one knows the other: both are from one table
(`angarium.core.options`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from angarium.core.options import AUDIT, CHECK, PROVE, RECOVER, SIMULATE, VERIFY, Options, Takes
from angarium.core.result import Verdict
from angarium.core.units import size_of

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given

Words = list[str]


def listed(value: Any) -> list[Any]:  # noqa: ANN401 (TOML's)
    return value if isinstance(value, list) else [value]


def _is_text(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, str) and bool(value) and not value.startswith("-")


def _is_plain(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, int | str)


def as_word(value: Any) -> str:  # noqa: ANN401
    return str(value).lower() if isinstance(value, bool) else str(value)


def _each(flag: str, value: Any) -> Words:  # noqa: ANN401
    return [word for each in listed(value) for word in (flag, as_word(each))]


def _pairs(flag: str, value: Mapping[str, Any]) -> Words:
    return [word for name, each in value.items() for word in (flag, f"{name}={as_word(each)}")]


def _is_count(value: Any, least: int) -> bool:  # noqa: ANN401
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _are_texts(value: Any) -> bool:  # noqa: ANN401
    return bool(listed(value)) and all(map(_is_text, listed(value)))


def fits(takes: Takes, value: Any) -> bool:  # noqa: ANN401
    """Whether a value is one that an option takes."""
    match takes:
        case Takes.TEXT | Takes.FILE:
            return _is_text(value)
        case Takes.TEXTS | Takes.FILES:
            return _are_texts(value)
        case Takes.SETTINGS:
            return isinstance(value, dict) and all(map(_is_plain, value.values()))
        case Takes.NUMBER | Takes.COUNT:
            return _is_count(value, 0 if takes is Takes.NUMBER else 1)
        case Takes.SIZE:
            return isinstance(value, str) and bool(size_of(value))
        case Takes.SWITCH:
            return isinstance(value, bool)


def _words(name: str, takes: Takes, value: Any) -> Words:  # noqa: ANN401
    """An option on a command line."""
    flag = f"--{name}"
    if takes is Takes.SWITCH:
        return [flag] if value else []
    return _pairs(flag, value) if takes is Takes.SETTINGS else _each(flag, value)


MESHES = ("mesh", "recover")
"""The kinds that are about meshes."""
STATISTIC = ("observe", "statistic", "at-most", "at-least")
"""The keys that make a bound of a simulation: they are ours, not the verb's."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of claim: the verb, what it is about, and its options."""

    verb: tuple[str, ...]
    about: str
    """What its own key takes, for errors."""
    options: Options
    files: bool = False
    """Whether it is always about files; else about a bundled system or one file."""
    many: bool = False
    """Whether it takes several of them."""
    threaded: bool = False
    """Whether the verb has --threads."""


_ABOUT_MESHES = "a mesh file, or brokers' own configuration files"
KINDS: Mapping[str, Kind] = {
    "check": Kind(("check",), "a bundled system, or a file with a model", CHECK, threaded=True),
    "mesh": Kind(("mesh", "verify"), _ABOUT_MESHES, VERIFY, files=True, many=True),
    "recover": Kind(("mesh", "recover"), _ABOUT_MESHES, RECOVER, files=True, many=True),
    "prove": Kind(("prove",), "a bundled system with proofs, or a file with proofs", PROVE),
    "simulate": Kind(("simulate",), "a bundled system, or a file with a model", SIMULATE, threaded=True),
    "audit": Kind(("audit",), "files or folders of recorded histories", AUDIT, files=True, many=True),
}
"""Each kind by the key that begins such a claim."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a statistic of a simulation must keep to."""

    observation: str | None
    """None: the first that the model has."""
    statistic: str
    at_most: float | None = None
    at_least: float | None = None

    def wanted(self) -> str:
        """What it must keep to, in words."""
        limits = (("at most", self.at_most), ("at least", self.at_least))
        return " and ".join(f"{words} {value:g}" for words, value in limits if value is not None)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a project file."""

    name: str
    kind: str
    about: tuple[str, ...]
    """The system or the files."""
    options: Mapping[str, Any] = field(default_factory=dict)
    expect: Verdict = Verdict.HOLDS
    budget: float = 300.0
    """Seconds."""
    bound: Bound | None = None
    line: int = 0
    """Where the project file has it."""

    @property
    def how(self) -> Kind:
        return KINDS[self.kind]

    @property
    def large(self) -> bool:
        """Whether it is a job of its own on Spark, and not a task."""
        return self.kind == "audit" or self.options.get("engine") == "spark"

    def words(self) -> Words:
        """The words of the command line that ask for it, with `--json`."""
        return [*self.how.verb, *self.about, *self._options(), "--json", "--quiet"]

    def _options(self) -> Iterator[str]:
        for name, option in self.how.options.items():
            if name in self.options:
                yield from _words(name, option.takes, self.options[name])

    def files(self) -> list[str]:
        """What it names that must be files or folders."""
        models = [each.rsplit(":", 1)[0] for each in self.about if ".py" in each]
        named = list(self.about) if self.how.files else models
        for name, option in self.how.options.items():
            if option.takes.are_files:
                named += listed(self.options.get(name, []))
        return named

    def moved(self, place: Callable[[str], str]) -> Claim:
        """The same claim, with other paths for its files."""
        options = {
            name: [*map(place, listed(value))] if self.how.options[name].takes.are_files else value
            for name, value in self.options.items()
        }
        return replace(self, about=tuple(self._moved(each, place) for each in self.about), options=options)

    def _moved(self, about: str, place: Callable[[str], str]) -> str:
        if self.how.files or ".py" not in about:
            return place(about) if self.how.files else about
        file, colon, model = about.partition(".py:")
        return f"{place(f'{file}.py')}:{model}" if colon else place(about)

    def told(self) -> str:
        """What is asked, on one line."""
        chosen = {name: value for name, value in self.options.items() if name not in ("set", "only")}
        said = [f"{name}={as_word(value)}" for name, value in self.options.get("set", {}).items()]
        said += [f"{name} {', '.join(map(as_word, listed(value)))}" for name, value in chosen.items()]
        only = ", ".join(listed(self.options.get("only", [])))
        about = " ".join(self.about) + (f" with {', '.join(said)}" if said else "")
        must = f"{self.bound.statistic} {self.bound.wanted()}" if self.bound else only
        return f"{about}: {must}" if must else about


def given_of(claim: Claim) -> Given:
    """What a claim about a mesh says beside the names of its files."""
    from angarium.mesh.files.given import Given, brokers_by_host

    options = claim.options
    assume, host = (tuple(listed(options.get(key, []))) for key in ("assume", "host"))
    return Given(assume, options.get("strict", False), options.get("format"), hosts=brokers_by_host(host))
