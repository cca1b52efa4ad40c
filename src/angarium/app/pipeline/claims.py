"""Claims: what a project file says must hold, and the words of the command line that ask for it.

A claim is a verb of ours with its options, and the verdict that is expected. The keys of a claim are the
names of the verb's options, so that whoever knows the one knows the other, and what a claim can say is a
table: KINDS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from angarium.core.result import Verdict
from angarium.core.units import size_of

if TYPE_CHECKING:
    from angarium.mesh.files.given import Given

Words = list[str]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a verb: which values it takes, and the words that they become."""

    expects: str
    """What stands in an error: "a list of texts"."""
    fits: Callable[[Any], bool]
    words: Callable[[str, Any], Words]
    """From the flag and the value."""
    files: bool = False
    """Whether the values name files."""


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


TEXT = Option("a text", _is_text, _each)
TEXTS = Option("a text or a list of texts", _are_texts, _each)
FILES = Option("a file or a list of files", _are_texts, _each, files=True)
FILE = Option("a file", _is_text, _each, files=True)
TABLE = Option(
    "a table such as { messages = 2 }",
    lambda value: isinstance(value, dict) and all(map(_is_plain, value.values())),
    _pairs,
)
NUMBER = Option("a whole number, 0 or more", lambda value: _is_count(value, 0), _each)
COUNT = Option("a whole number, 1 or more", lambda value: _is_count(value, 1), _each)
SIZE = Option(
    'an amount of memory such as "500M" or "2G"',
    lambda value: isinstance(value, str) and bool(size_of(value)),
    _each,
)
SWITCH = Option("true or false", lambda value: isinstance(value, bool), lambda flag, on: [flag] if on else [])

AUDIT_PARAMETERS = """message-timeout grace clock-skew in-flight-tail ack-doubt redelivery-within
    balance-within""".split()
MESHES = ("mesh", "recover")
"""The kinds that are about meshes."""
ABOUT_FILES = {"assume": TEXTS, "host": TEXTS, "strict": SWITCH}
"""What is said beside the names of brokers' own files."""
STATISTIC = ("observe", "statistic", "at-most", "at-least")
"""The keys that make a bound of a simulation: they are ours, not the verb's."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of claim: the verb, what it is about, and its options."""

    verb: tuple[str, ...]
    about: str
    """What its own key takes, for errors."""
    options: Mapping[str, Option]
    files: bool = False
    """Whether it is always about files; else about a bundled system or one file."""
    many: bool = False
    """Whether it takes several of them."""
    threaded: bool = False
    """Whether the verb has --threads."""


KINDS: Mapping[str, Kind] = {
    "check": Kind(
        ("check",),
        "a bundled system, or a file with a model",
        {
            "set": TABLE, "only": TEXTS, "ltl": TEXTS, "ctl": TEXTS, "fairness": TEXT, "config": FILES,
            "mesh": FILES, "faults": TEXTS, "symmetry": SWITCH, "max-states": COUNT, "max-memory": SIZE,
            "mutate": SWITCH, "engine": TEXT,
        },
        threaded=True,
    ),
    "mesh": Kind(
        ("mesh", "verify"),
        "a mesh file, or brokers' own configuration files",
        {"failures": TEXT, "only": TEXTS, "engine": TEXT, **ABOUT_FILES, "format": TEXT},
        files=True,
        many=True,
    ),
    "recover": Kind(
        ("mesh", "recover"),
        "a mesh file, or brokers' own configuration files",
        {"failures": TEXT, "override": TEXTS, "overrides": FILE, **ABOUT_FILES},
        files=True,
        many=True,
    ),
    "prove": Kind(("prove",), "a bundled system with proofs, or a file with proofs", {"only": TEXTS}),
    "simulate": Kind(
        ("simulate",),
        "a bundled system, or a file with a model",
        {"set": TABLE, "runs": COUNT, "steps": COUNT, "seed": NUMBER, "schedule": TEXT, "observe": TEXT,
            "engine": TEXT},
        threaded=True,
    ),
    "audit": Kind(
        ("audit",),
        "files or folders of recorded histories",
        {
            "only": TEXTS, "format": TEXT, "mapping": FILE, "run": TEXT, "model": TEXT, "retry-limit": COUNT,
            "single-active": TEXTS, **dict.fromkeys(AUDIT_PARAMETERS, TEXT),
        },
        files=True,
        many=True,
    ),
}  # fmt: skip
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
                yield from option.words(f"--{name}", self.options[name])

    def files(self) -> list[str]:
        """What it names that must be files or folders."""
        models = [each.rsplit(":", 1)[0] for each in self.about if ".py" in each]
        named = list(self.about) if self.how.files else models
        for name, option in self.how.options.items():
            if option.files:
                named += listed(self.options.get(name, []))
        return named

    def moved(self, place: Callable[[str], str]) -> Claim:
        """The same claim, with other paths for its files."""
        options = {
            name: [*map(place, listed(value))] if self.how.options[name].files else value
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
