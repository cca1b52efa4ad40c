"""What settings guarantee, as an operator reads it: the settings, the table, the stories, what would help.

    kafka: what these settings guarantee, with the defaults of Kafka 4.1
      --set    acks=1

      when                no-loss   no-duplicates  order  availability
      one broker crashes  violated  violated       holds  holds

    no-loss, when one broker crashes: violated in 5 steps, and in no fewer.
      The producer sends m1; broker b1 receives m1; ...
      Mended by: acks=all.

A story that was told before is not told again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from angarium.app.report.layout import GAP, amount, duration, entry, paint, paragraphs, widest
from angarium.app.report.text import Teller
from angarium.core.result import Verdict
from angarium.settings.kafka.catalogue import KAFKA_VERSION, SETTINGS
from angarium.settings.kafka.guarantees import AVAILABILITY, FAULTS, Cell, Table, operator_text
from angarium.settings.kafka.remedies import Key, Remedy
from angarium.settings.kafka.results import Answer
from angarium.settings.setting import Scope

_MARGIN = "  "
_SHORT = {AVAILABILITY: "availability"}
"""What stands over a column, where the whole name has no room."""
_MORE = "Step by step: --story table. As sequence diagrams: --story mermaid. Both have addresses to replay."
_NOTHING_MENDS = "Nothing that was tried mends:"
_NOTHING_YET = "Not everything could be tried, and nothing was found that mends:"
_UNKNOWN = "Unknown is not holds: what was not searched to its end is not decided."


def render(
    answer: Answer, *, tell: Teller | None, brief: bool, width: int = 80, colourful: bool = False
) -> str:
    """The whole answer; stories of violated cells are in brief, or as `tell` shows them, or left out."""
    page = _Page(answer, width, colourful)
    parts = [
        page.header(),
        page.remarks(),
        page.table(),
        page.coverage(),
        *page.stories(tell, brief),
        *page.help(),
    ]
    if brief and answer.table.that_are(Verdict.VIOLATED):
        parts.append(wrap(_MORE, width))
    if answer.cut:
        parts.append(wrap(f"{_UNKNOWN} It was cut: {answer.cut}.", width))
    return paragraphs(parts)


@dataclass(frozen=True, slots=True)
class _Page:
    answer: Answer
    width: int
    colourful: bool

    # --- what was checked ---------------------------------------------------------------

    def header(self) -> list[str]:
        """The settings that count, by where they come from."""
        origins = _by_origin(self.answer.table)
        left = min(24, widest(list(origins)))
        lines = [f"{paint('kafka', 'title', self.colourful)}: what these settings guarantee"]
        for origin, settings in origins.items():
            lines += self.entry(origin, ", ".join(settings), left)
        return lines

    def entry(self, label: str, text: str, left: int) -> list[str]:
        """A label and a text behind it, or below it if the label is long."""
        room = self.width - len(_MARGIN)
        if len(label) <= left:
            return [f"{_MARGIN}{line}" for line in entry(label, text, left=left, width=room)]
        below = entry("", text, left=left, width=room)
        return [f"{_MARGIN}{label}", *(f"{_MARGIN}{line}" for line in below)]

    def remarks(self) -> list[str]:
        configuration = self.answer.table.configuration
        ignored = configuration.ignored
        said = [*configuration.remarks, *([f"not Kafka's, ignored: {', '.join(ignored)}"] if ignored else [])]
        return [line for each in said for line in self.wrapped(f"{_MARGIN}note: {each}", "        ")]

    def wrapped(self, text: str, indent: str = _MARGIN) -> list[str]:
        return wrap(text, self.width, subsequent_indent=indent, break_on_hyphens=False)

    # --- the table ----------------------------------------------------------------------

    def table(self) -> list[str]:
        table = self.answer.table
        left = widest([each.label for each in table.faults])
        heads = [_SHORT.get(each, each) for each in table.guarantees]
        columns = [max(8, len(head)) for head in heads]
        names = GAP.join(f"{head:<{room}}" for head, room in zip(heads, columns, strict=True))
        lines = [f"{'when':<{left}}{GAP}{names}".rstrip(), "-" * (self.width - len(_MARGIN))]
        for fault in table.faults:
            cells = [table.cell(guarantee, fault.name) for guarantee in table.guarantees]
            words = GAP.join(self.word(cell, room) for cell, room in zip(cells, columns, strict=True))
            lines.append(f"{fault.label:<{left}}{GAP}{words}".rstrip())
        return [f"{_MARGIN}{line}" for line in lines]

    def word(self, cell: Cell, room: int) -> str:
        word = cell.verdict.value
        return paint(word, word, self.colourful) + " " * (room - len(word))

    def coverage(self) -> list[str]:
        answer = self.answer
        searched = answer.table.searched
        missing = "" if all(each.coverage for each in answer.table.cells) else ", and not the others"
        states = sum(each.states for each in searched)
        every = "all " if all(each.complete for each in searched) else ""
        extent = f"Searched {every}{amount(states, 'state')} of {amount(len(searched), 'scenario')}{missing}."
        threads = amount(answer.threads, "thread")
        cost = f"Took {duration(answer.seconds)} on {threads} ({answer.engine} engine)."
        return [*self.wrapped(extent), *self.wrapped(cost)]

    # --- stories ------------------------------------------------------------------------

    def stories(self, tell: Teller | None, brief: bool) -> Iterator[list[str]]:
        told: dict[str, Cell] = {}
        for cell in self.answer.table.that_are(Verdict.VIOLATED):
            story = cell.found.story
            if story is None or not (brief or tell):
                continue
            words = operator_text(story)
            steps = f"violated in {amount(len(story.steps), 'step')}, and in no fewer."
            title = self.title(cell.guarantee, f", when {cell.fault.what}: {steps}")
            same = told.setdefault(f"{cell.guarantee}: {words}", cell)
            if same is not cell:
                shown = self.wrapped(f"{_MARGIN}As when {same.fault.what}.")
            elif tell:
                shown = [*tell(story).rstrip("\n").splitlines(), *_address(story.address)]
            else:
                shown = self.wrapped(f"{_MARGIN}{words[0].upper()}{words[1:]}.")
            yield [*title, *shown, *self.mended(cell.key)]

    def title(self, guarantee: str, rest: str) -> list[str]:
        first, *more = wrap(f"{guarantee}{rest}", self.width, break_on_hyphens=False)
        return [first.replace(guarantee, paint(guarantee, "title", self.colourful), 1), *more]

    def mended(self, key: Key) -> list[str]:
        found = self.answer.remedies.of(key) if self.answer.remedies else []
        ways = "; or ".join(f"{each}{_at_a_price(each)}" for each in found)
        return self.wrapped(f"{_MARGIN}Mended by: {ways}.") if found else []

    # --- what would help ----------------------------------------------------------------

    def help(self) -> Iterator[list[str]]:
        remedies = self.answer.remedies
        if remedies is None or not self.answer.table.that_are(Verdict.VIOLATED):
            return
        if remedies.found:
            yield ["What would help, each checked with all rows and columns:"]
        for remedy in remedies.found:
            yield list(self.remedy(remedy))
        red = [cell.key for cell in self.answer.table.that_are(Verdict.VIOLATED)]
        hopeless = [key for key in red if not remedies.of(key)]
        if hopeless:
            yield [_NOTHING_MENDS if remedies.complete else _NOTHING_YET, *self.keys("", hopeless)]

    def remedy(self, remedy: Remedy) -> Iterator[str]:
        yield f"{_MARGIN}{paint(str(remedy), 'title', self.colourful)}"
        yield from self.keys("mends", remedy.mends)
        nothing = [] if remedy.undecided else ["    breaks  nothing of the table"]
        yield from self.keys("breaks", remedy.breaks) or nothing
        yield from self.keys("unknown", remedy.undecided)
        for change in remedy.changes:
            yield from self.wrapped(f"    costs   {change.price}", " " * 12)

    def keys(self, label: str, keys: Sequence[Key]) -> list[str]:
        """Cells, by guarantee."""
        labels = {each.name: each.label for each in FAULTS}
        lines = []
        for guarantee in dict.fromkeys(guarantee for guarantee, _ in keys):
            faults = "; ".join(labels[name] for key, name in keys if key == guarantee)
            lines += self.wrapped(f"    {label:<7} {guarantee}: {faults}", " " * 12)
            label = ""
        return lines


def _by_origin(table: Table) -> Mapping[str, list[str]]:
    """What was given, by file or option, what follows from it, and the defaults that bear on delivery."""
    given: dict[str, list[str]] = {}
    usual: list[str] = []
    taken: list[str] = []
    for name, found in table.configuration.values.items():
        text = f"{name}={found.value}"
        origin, _, reason = found.origin.partition(",")
        if not found.value or not SETTINGS[name].becomes:
            continue
        if found.given:
            given.setdefault(origin.partition(" line")[0], []).append(text)
        elif reason:
            given.setdefault("as a consequence", []).append(f"{text} ({reason.strip()})")
        else:
            (taken if Scope.SCENARIO in SETTINGS[name].scopes else usual).append(text)
    return {**given, f"default in Kafka {KAFKA_VERSION}": usual, "taken here": taken}


def _at_a_price(remedy: Remedy) -> str:
    """What a change breaks, in short."""
    broken = dict.fromkeys(guarantee for guarantee, _ in remedy.breaks)
    return f" (but {', '.join(broken)})" if broken else ""


def _address(address: str) -> list[str]:
    return ["Show it again:", f"{_MARGIN}angarium replay '{address}'"]
