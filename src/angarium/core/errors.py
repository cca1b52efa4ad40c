"""What can go wrong, by whose fault it is.

    AngariumError
    ├── InputError                what the user gave is wrong: exit code 2, no stack trace
    │   ├── UsageError    ANG01x  the command's words
    │   ├── ModelError    ANG1xx  a model's source, with file, line and column
    │   ├── ParameterError ANG02x a parameter's name or value
    │   ├── AddressError  ANG03x  a story's address
    │   ├── ExportError   ANG04x  what a target's language cannot say
    │   ├── LimitError    ANG05x  more than there is room for
    │   ├── SettingsError ANG06x  a broker's or client's own settings
    │   ├── SparkError    ANG07x  what Spark needs and does not find
    │   ├── ConformError  ANG09x  a real queue that is to be driven or watched, or its contract
    │   ├── MeshError     ANG12x  a mesh file, or a broker's own configuration, with file and line
    │   ├── HistoryError  ANG13x  a recorded history, or what is to record or follow one
    │   ├── PipelineError ANG14x  a project file, or a folder of results
    │   ├── WebError      ANG15x  the page, or what is asked of it
    │   └── CardError     ANG16x  a graphics card that is needed and not there, or that fails

Every message has four parts: what is wrong, the value, what was possible, what to do. Every code has
an entry in `CODES`, from which the reference page is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from angarium.core.escaping import shown, without_passwords
from angarium.core.records import HERE

CODES: dict[str, str] = {
    "ANG010": "no such file",
    "ANG011": "no such system",
    "ANG012": "no such guarantee",
    "ANG013": "an option's value is impossible",
    "ANG014": "a file cannot be written",
    "ANG015": "symmetry cannot judge guarantees over time",
    "ANG016": "a folder is of another search",
    "ANG017": "the system refuses what is needed",
    "ANG018": "a package that a verb needs is not installed",
    "ANG020": "no such parameter",
    "ANG021": "a parameter's value is impossible",
    "ANG030": "an address cannot be read",
    "ANG031": "an address belongs to another version of the model",
    "ANG032": "an address leads to no step",
    "ANG040": "the target's language cannot express the model",
    "ANG050": "the state needs more room than there is",
    "ANG051": "there are too many permutations of interchangeable values",
    "ANG052": "the formulas need more than there is room for",
    "ANG053": "a comparison of processes needs more than there is room for",
    "ANG054": "the figures of a simulation need more than there is room for",
    "ANG055": "a proof needs more than there is room for",
    "ANG060": "a settings file cannot be read",
    "ANG061": "no such setting",
    "ANG062": "a setting's value is impossible",
    "ANG063": "settings contradict each other",
    "ANG064": "the models do not have what a setting asks for",
    "ANG070": "Spark is not installed",
    "ANG071": "no Java that fits",
    "ANG072": "Spark's master cannot be reached",
    "ANG073": "the disk is full",
    "ANG074": "too little memory for Spark",
    "ANG075": "a worker of the cluster cannot run Angarium",
    "ANG076": "Spark failed",
    "ANG080": "the file has nothing to prove",
    "ANG081": "an implementation does not fit its specification",
    "ANG090": "a contract cannot be watched on real values",
    "ANG091": "an object and a contract do not fit",
    "ANG092": "a queue to be driven cannot be loaded or made",
    "ANG093": "a server that is to be driven is not there",
    "ANG100": "the file is not Python",
    "ANG101": "the file has no model",
    "ANG102": "the file has several models",
    "ANG103": "an import cannot be found",
    "ANG104": "the construct is not part of the language",
    "ANG105": "the name is not known here",
    "ANG106": "the types do not fit",
    "ANG107": "the declaration is incomplete or impossible",
    "ANG108": "the loop or recursion has no bound",
    "ANG109": "interchangeable values are told apart",
    "ANG110": "the formula cannot be understood",
    "ANG111": "something is nested too deeply",
    "ANG120": "a mesh or a broker's configuration cannot be read",
    "ANG121": "an entry of a mesh is not known, missing or of the wrong form",
    "ANG122": "a name is given twice",
    "ANG123": "a name leads nowhere",
    "ANG124": "a pattern or topic is illegal in its dialect",
    "ANG125": "a mesh needs more than there is room for",
    "ANG126": "files do not make one mesh together",
    "ANG127": "what is assumed or said by hand fits nothing in the files",
    "ANG128": "files leave something open, and --strict allows nothing of that",
    "ANG130": "no events can be read",
    "ANG131": "a history's file cannot be read",
    "ANG132": "a mapping file is wrong",
    "ANG133": "a recorder cannot attach",
    "ANG134": "a folder is of another audit",
    "ANG135": "the model has no message automaton",
    "ANG136": "a history cannot be audited in the process",
    "ANG140": "a project file cannot be read",
    "ANG141": "a project file has a key that is not known",
    "ANG142": "a claim cannot be as it is written",
    "ANG143": "a claim is about something that is not there",
    "ANG144": "results cannot be written to a folder, or it belongs to something else",
    "ANG150": "the page's libraries are not installed",
    "ANG151": "the page cannot be opened there",
    "ANG152": "the page may not read or write such a file",
    "ANG153": "a request to the page is refused, or cannot be understood",
    "ANG154": "the page has too much to do, or too much is asked at once",
    "ANG155": "what was sent to the page is no mesh, or no question about one",
    "ANG156": "a mesh is too large for the page",
    "ANG157": "a mesh file is there already",
    "ANG160": "there is no graphics card that can be used",
    "ANG161": "a graphics card failed",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something is wrong."""

    file: str
    line: int
    column: int
    source: str = field(default="", metadata=HERE)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class AngariumError(Exception):
    """The base of all errors that Angarium raises on purpose."""


class InputError(AngariumError):
    """Something that the user gave is wrong."""

    exit_code = 2

    def __init__(
        self,
        code: str,
        what: str,
        *,
        possible: str = "",
        remedy: str = "",
        place: Place | None = None,
    ) -> None:
        assert code in CODES, code
        what, possible, remedy = map(without_passwords, (what, possible, remedy))
        super().__init__(code, what)  # as it is made again where it comes from another process
        self.code, self.what, self.possible, self.remedy, self.place = code, what, possible, remedy, place

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        parts = [f"{where}{self.what}"]
        if self.place and self.place.source.strip():
            parts += self._excerpt(self.place)
        parts += [part for part in (self.possible, self.remedy) if part]
        return "\n  ".join(parts)

    @staticmethod
    def _excerpt(place: Place) -> list[str]:
        line = without_passwords(place.source.rstrip())
        excerpt = f"{place.line:>5} | {shown(line)}"
        is_as_it_was = line == place.source.rstrip() == shown(line)
        return [excerpt, f"      | {' ' * (place.column - 1)}^"] if is_as_it_was else [excerpt]


class UsageError(InputError):
    """The command's words do not fit together."""


class ModelError(InputError):
    """A model's source cannot be understood."""


class ParameterError(InputError):
    """A parameter does not exist or cannot have this value."""


class AddressError(InputError):
    """A story's address cannot be followed."""


class ExportError(InputError):
    """The target's language has no way to say what the model says."""


class LimitError(InputError):
    """The model needs more than there is."""


class SettingsError(InputError):
    """What an operator has set for a broker or a client cannot be, or cannot be together."""


class SparkError(InputError):
    """Spark cannot start here, or cannot go on."""

    def __str__(self) -> str:
        """All in one line: it is about the machine, which has no source to point at."""
        return "; ".join(part for part in (self.what, self.possible, self.remedy) if part)


class CardError(InputError):
    """There is no graphics card that fits, or it cannot go on."""

    def __str__(self) -> str:
        """All in one line: it is about the machine, which has no source to point at."""
        return "; ".join(part for part in (self.what, self.possible, self.remedy) if part)


class ConformError(InputError):
    """A real queue cannot be driven or watched, or not by this contract."""


class MeshError(InputError):
    """A mesh cannot be understood, or not be at all."""


class HistoryError(InputError):
    """A history cannot be read, recorded, followed or held against a model."""


class PipelineError(InputError):
    """A project file cannot be understood, or its results cannot be kept."""


class WebError(InputError):
    """The page cannot be opened, or does not do what is asked of it; `status` is what HTTP calls that."""

    def __init__(
        self, code: str, what: str, *, possible: str = "", remedy: str = "", status: int = 400
    ) -> None:
        super().__init__(code, what, possible=possible, remedy=remedy)
        self.status = status


def shortened(text: str, most: int = 200) -> str:
    """What somebody gave, as far as a message has room for it."""
    return text if len(text) <= most else f"{text[:most]}…"


def did_you_mean(given: str, possible: Iterable[str], also: Iterable[str] = ()) -> str:
    """A hint: the nearest of the possible words, or of others that are too many to list; and the words."""
    words = sorted(possible)
    near = get_close_matches(given, [*words, *also], n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{hint}possible: {', '.join(words) or 'none'}"
