"""What may be asked of each product, in one table.

A claim of a project file, a command line and a call from Python ask the same: the key `max-states`, the
option `--max-states` and the keyword `max_states` are one row here. What only the command line can do, such
as drawing a plot, is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from angarium.core.units import size_of


class Takes(Enum):
    """The values of an option, as a project file writes them."""

    TEXT = "a text"
    TEXTS = "a text or a list of texts"
    FILE = "a file"
    FILES = "a file or a list of files"
    SETTINGS = "a table such as { messages = 2 }"
    NUMBER = "a whole number, 0 or more"
    COUNT = "a whole number, 1 or more"
    SIZE = 'an amount of memory such as "500M" or "2G"'
    SWITCH = "true or false"

    @property
    def are_files(self) -> bool:
        """Whether the values name files."""
        return self in (Takes.FILE, Takes.FILES)


@dataclass(frozen=True, slots=True)
class Option:
    """Something that may be asked."""

    takes: Takes
    help: str
    metavar: str | None = None
    keyword: str = ""
    """What Python calls it, if not by the same name."""
    default: Any = None
    shows_default: bool = False
    one_of: tuple[str, ...] = ()
    most: int | None = None
    """The greatest number that can be given."""


Options = Mapping[str, Option]
"""By name."""


def keyword_of(options: Options, name: str) -> str:
    """What Python calls an option."""
    return options[name].keyword or name.replace("-", "_")


def keywords(options: Options, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a claim says, as Python says it: one text where several can be is a list of one."""
    return {keyword_of(options, name): _for_python(options[name], value) for name, value in given.items()}


def _for_python(option: Option, value: Any) -> Any:  # noqa: ANN401 (a project file's)
    match option.takes:
        case Takes.TEXTS | Takes.FILES if isinstance(value, str):
            return [value]
        case Takes.FILE if isinstance(value, list):
            return value[0]
        case Takes.SIZE:
            return int(size_of(value) or 0)
        case _:
            return value


ENGINES = ("auto", "local", "gpu", "spark", "reference")
"""Of searches: the local one, or a graphics card where that is worth it; native code on all cores, on a
graphics card, on Spark; and a slow, obvious interpreter to compare with."""
SET = Option(
    Takes.SETTINGS,
    "Give a parameter of the model a value; may be repeated. `angarium systems SUBJECT` lists them.",
    "NAME=VALUE",
    keyword="parameters",
)

CHECK: Options = {
    "set": SET,
    "mesh": Option(
        Takes.FILES,
        "With overlay: a mesh file, or a broker's own configuration; several files may make one mesh.",
        "FILE",
    ),
    "config": Option(
        Takes.FILES,
        "Kafka's settings, as an operator has them (server.properties, producer.properties, ...):"
        " judge what they promise.",
        "FILE",
    ),
    "faults": Option(
        Takes.TEXTS,
        "With settings: only what happens under these faults (one-crash, lost-request, ...).",
        "NAME",
    ),
    "only": Option(
        Takes.TEXTS, "Judge only this guarantee (and stays-in-range); may be repeated.", "GUARANTEE"
    ),
    "ltl": Option(
        Takes.TEXTS,
        "Judge only this formula along every run: '[] (sent -> <> received)'; may be repeated.",
        "FORMULA",
    ),
    "ctl": Option(
        Takes.TEXTS, "Judge only this formula on the tree of runs: 'AG EF idle'; may be repeated.", "FORMULA"
    ),
    "fairness": Option(
        Takes.TEXT,
        "Which runs count for --ltl and --ctl: 'weak by process', 'strong by instance of release'.",
        "DEMANDS",
    ),
    "engine": Option(
        Takes.TEXT,
        "local is native code; gpu is the same on a graphics card; auto is local, and gpu where a search is"
        " large and a card is there; spark is for more states than one machine holds; reference is slow.",
        default=ENGINES[0],
        shows_default=True,
        one_of=ENGINES,
    ),
    "symmetry": Option(Takes.SWITCH, "Merge states that differ only in which is which."),
    "max-states": Option(Takes.COUNT, "Stop after so many states."),
    "max-memory": Option(Takes.SIZE, "Stop at so much memory: 500M, 2G.", "SIZE", keyword="max_bytes"),
    "mutate": Option(Takes.SWITCH, "Break the model on purpose; see what notices."),
}
FAILURES = Option(
    Takes.TEXT,
    "What may be dead at the same time: one (any single link or broker), none, links=K, brokers=K,"
    " links=K,brokers=K for both, or risks (the shared risks that the mesh names), also as in one,risks.",
    "BUDGET",
    default="one",
    shows_default=True,
)
MESH_ENGINE = Option(Takes.TEXT, "", default="local", shows_default=True, one_of=("local", "spark"))
ABOUT_FILES: Options = {
    "assume": Option(
        Takes.TEXTS,
        "Take responsibility for an entry that the files leave open: its number or text; * stands for"
        " anything. May be repeated.",
        "ENTRY",
    ),
    "strict": Option(Takes.SWITCH, "Refuse files that leave anything open, harmless or not."),
    "host": Option(Takes.TEXTS, "Which broker is at an address. May be repeated.", "HOST[:PORT]=NAME"),
}
"""What is said beside the names of brokers' own files: together they are `given`."""
VERIFY: Options = {
    "failures": FAILURES,
    "only": Option(Takes.TEXTS, "Judge only this; may be repeated.", "GUARANTEE"),
    "engine": MESH_ENGINE,
    **ABOUT_FILES,
    "format": Option(Takes.TEXT, "What the files are, if they do not tell.", "FORM"),
}
RECOVER: Options = {
    "failures": FAILURES,
    "override": Option(
        Takes.TEXTS,
        "At AT, send what is for TO to NEXT, wherever a link there lives; AT->TO=NEXT@COLOUR: in one"
        " colour only. May be repeated.",
        "AT->TO=NEXT",
    ),
    "overrides": Option(Takes.FILE, "A YAML file with such overrides.", "FILE"),
    **ABOUT_FILES,
}
PROVE: Options = {
    "only": Option(
        Takes.TEXTS,
        "Decide only this obligation, or those of this operation or conjecture; may be repeated.",
        "NAME",
    )
}
_MOST = 10**12
"""Walks, and steps of one."""
SIMULATE: Options = {
    "set": SET,
    "runs": Option(Takes.COUNT, "How many walks.", default=10_000, shows_default=True, most=_MOST),
    "steps": Option(
        Takes.COUNT,
        "A walk that has taken so many steps ends there.",
        default=10_000,
        shows_default=True,
        most=_MOST,
    ),
    "seed": Option(Takes.NUMBER, "Which walks.", default=1, shows_default=True),
    "schedule": Option(
        Takes.TEXT,
        "How the next step is chosen: an action and then one of its instances, or any"
        " instance, or by the rates that the model gives.",
        default="by-action",
        shows_default=True,
        one_of=("by-action", "uniform", "rates"),
    ),
    "observe": Option(
        Takes.TEXT,
        "Whose histogram, comparison, plot or table of a sweep is shown; by default the first (and"
        " all are compared).",
        "OBSERVATION",
    ),
    "engine": Option(
        Takes.TEXT,
        "local is this machine; gpu its graphics card; spark is the default for sweeps. The figures are the"
        " same.",
        one_of=("local", "gpu", "spark"),
    ),
}
AUDIT_TIMES: Options = {
    "message-timeout": Option(
        Takes.TEXT, "The broker takes an unsettled message back after this time.", "TIME"
    ),
    "grace": Option(Takes.TEXT, "What a client's word may need to reach the broker.", "TIME"),
    "clock-skew": Option(Takes.TEXT, "How much clocks of different domains may differ.", "TIME"),
    "in-flight-tail": Option(
        Takes.TEXT, "What was confirmed so shortly before the end is unseen, not lost.", "TIME"
    ),
    "ack-doubt": Option(
        Takes.TEXT, "An unconfirmed ack is in doubt if its client ends within this time.", "TIME"
    ),
    "redelivery-within": Option(Takes.TEXT, "How long a redelivery may take.", "TIME"),
    "balance-within": Option(Takes.TEXT, "How long an assignment may be uneven.", "TIME"),
}
"""What an audit is told of a broker: see `AuditParameters`."""
AUDIT: Options = {
    "only": Option(Takes.TEXTS, "Judge only this; may be repeated.", "GUARANTEE"),
    "format": Option(Takes.TEXT, "The files' format, if their names do not tell it.", "NAME"),
    "mapping": Option(Takes.FILE, "Which columns of other tables are ours."),
    "run": Option(Takes.TEXT, "The run, where events do not name it.", "NAME"),
    "model": Option(Takes.TEXT, "Compare each message's life with this system's model.", "SYSTEM"),
    **AUDIT_TIMES,
    "retry-limit": Option(
        Takes.COUNT, "How often a message may be delivered. [default: as the events say]", "N"
    ),
    "single-active": Option(Takes.TEXTS, "Queues with a single active consumer.", "PATTERN"),
}
