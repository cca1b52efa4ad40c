"""What is known of a mesh, as people read it.

    guarantee      healthy   1 link    1 broker
    --------------------------------------------
    reachability   holds     violated  violated

Below the table stands what goes wrong, by guarantee and by failure, those that cost most first: an operator
asks "who loses what if this dies". One loss may break several guarantees; it is told under the first of them,
and the others point there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from angarium.app.report.layout import GAP, amount, duration, entry, paint, paragraphs, widest, wrapped
from angarium.app.report.mesh_open import told_open
from angarium.core.result import Verdict
from angarium.mesh.delivery.outcome import Path
from angarium.mesh.mesh import FORWARD, Failures, Link, Mesh
from angarium.mesh.results import MeshResult, topic_of
from angarium.mesh.routing.graph import moves
from angarium.mesh.verify.budget import HEALTHY, Size
from angarium.mesh.verify.demands import Demand, Need
from angarium.mesh.verify.violations import GUARANTEES, Verdicts, Verification, Violation

LOSSES = ("reachability", "loop-free", "no-black-hole", "hop-limit")
"""Guarantees that are broken by a message that does not arrive."""
MOST_FAILURES, MOST_LINES = 8, 5
"""How much of what goes wrong is told, unless everything is wanted."""
_MARGIN = "  "
_CARRIES = {
    "forward": "links hand on what their filters let through",
    "shortest": "shortest path first",
    "tables": "given tables",
}


def render(
    result: MeshResult,
    *,
    files: Sequence[str] = (),
    width: int = 80,
    colourful: bool = False,
    everything: bool = False,
) -> str:
    """The whole answer; with the files of the mesh, also how to go on."""
    verification = result.found
    assert verification, "what was read from a record has lost its mesh"
    page = _Page(verification, width, colourful, everything, " ".join(files))
    broken = [each for each in verification.guarantees if each.violations]
    parts = [
        page.header(),
        page.table(),
        page.notes(),
        page.summary(),
        *(page.violated(verdicts) for verdicts in broken),
        page.failovers(),
        *page.left_open(),
        page.more(),
    ]
    return paragraphs(parts)


@dataclass(frozen=True)
class _Page:
    verification: Verification
    width: int
    colourful: bool
    everything: bool
    command: str

    def wrapped(self, text: str, margin: str = "") -> list[str]:
        return wrapped(text, self.width, margin)

    # --- verdicts ---------------------------------------------------------------------------

    def header(self) -> list[str]:
        mesh = self.verification.mesh
        counts = [amount(len(mesh.brokers), "broker"), amount(len(mesh.cables), "link")]
        counts += [amount(len(mesh.publishers), "publisher")] if mesh.publishers else []
        counts += [amount(len(mesh.subscribers), "subscriber")] if mesh.subscribers else []
        lines = self.wrapped(f"{mesh.name}: {', '.join(counts)}; {_CARRIES[mesh.routing.kind]}.")
        lines[0] = lines[0].replace(mesh.name, paint(mesh.name, "title", self.colourful), 1)
        return [*lines, *self.probes()]

    def probes(self) -> list[str]:
        mesh = self.verification.mesh
        if not self.verification.probed:
            return []
        nobody = " or ".join(
            verb
            for clients, verb in ((mesh.publishers, "publishes"), (mesh.subscribers, "subscribes"))
            if not clients
        )
        return self.wrapped(
            f"Nothing says who {nobody}: every broker has a probe for all topics, which should get what the"
            f" {'links' if mesh.routing.kind == FORWARD else 'routers'} would bring."
        )

    def table(self) -> list[str]:
        guarantees = self.verification.guarantees
        if not self.fits():
            return self.by_size()
        sizes = list(dict.fromkeys(size for each in guarantees for size in each.verdicts))
        left = widest([each.guarantee for each in guarantees], len("guarantee"))
        columns = [max(len("violated"), len(str(size))) for size in sizes]
        heads = GAP.join(f"{size!s:<{column}}" for size, column in zip(sizes, columns, strict=True))
        lines = [
            f"{'guarantee':<{left}}{GAP}{heads}".rstrip(),
            "-" * (left + sum(columns) + len(GAP) * len(columns)),
        ]
        lines += [self.row(each, sizes, columns, left) for each in guarantees]
        return [f"{_MARGIN}{line}" for line in lines]

    def by_size(self) -> list[str]:
        """What does not hold under failures of each size, one below the other."""
        guarantees = self.verification.guarantees
        sizes = list(dict.fromkeys(size for each in guarantees for size in each.verdicts))
        left = widest([str(size) for size in sizes])
        lines = [f"{_MARGIN}{'dead':<{left}}{GAP}what does not hold"]
        lines.append(f"{_MARGIN}{'-' * (self.width - len(_MARGIN))}")
        for size in sizes:
            verdicts = {each.guarantee: each.verdicts.get(size, Verdict.HOLDS) for each in guarantees}
            bad = [
                f"{name} {verdict.value}"
                for name, verdict in verdicts.items()
                if verdict is not Verdict.HOLDS
            ]
            text = ", ".join(bad) or "all hold"
            lines += [
                f"{_MARGIN}{line}"
                for line in entry(str(size), text, left=left, width=self.width - len(_MARGIN))
            ]
        return lines

    def fits(self) -> bool:
        """Whether all verdicts have room side by side."""
        sizes = {size for each in self.verification.guarantees for size in each.verdicts}
        left = widest([each.guarantee for each in self.verification.guarantees])
        return left + sum(max(10, len(str(size)) + 2) for size in sizes) + len(_MARGIN) <= self.width

    def row(self, verdicts: Verdicts, sizes: Sequence[Size], columns: Sequence[int], left: int) -> str:
        cells = [f"{verdicts.guarantee:<{left}}"]
        for size, column in zip(sizes, columns, strict=True):
            verdict = verdicts.verdicts.get(size)
            word = verdict.value if verdict else ""
            cells.append(paint(f"{word:<{column}}", word, self.colourful) if verdict else " " * column)
        return GAP.join(cells).rstrip()

    def notes(self) -> list[str]:
        return [
            line
            for each in self.verification.guarantees
            if each.note
            for line in self.wrapped(f"{each.guarantee}: {each.note}.")
        ]

    def summary(self) -> list[str]:
        looked = self.verification.looked
        tried = [
            amount_of_failures(count, size) for size, count in looked.failures.items() if size != HEALTHY
        ]
        text = f"{amount(looked.demands, 'demand')} of {_classes(looked.classes)} of topics"
        text += f", under {' and '.join(tried)}" if tried else ""
        lines = self.wrapped(f"{text}.")
        lines.append(f"Took {duration(looked.seconds)} ({looked.engine} engine).")
        if looked.cut:
            lines += self.wrapped(f"Not everything was looked at: {looked.cut}.")
        if looked.moved:
            lines += self.wrapped(f"{amount(looked.moved, 'demand')} moved to a substitute of a dead broker.")
            lines += [line for each in self.moves() for line in self.wrapped(each, _MARGIN)]
        if looked.out_of_service:
            lines += self.wrapped(
                f"{amount(looked.out_of_service, 'demand')} whose publisher or subscriber is dead with its"
                " broker are not counted as lost."
            )
        return lines

    def moves(self) -> Iterator[str]:
        """Who goes where if a broker dies alone, and back when it returns."""
        mesh = self.verification.mesh
        for broker in mesh.brokers:
            gone = [each for each in moves(mesh, Failures(frozenset({broker.name}))) if each.home]
            told = [f"{each.client} ({each.kind}) to {each.home}" for each in gone[:MOST_LINES]]
            more = f" and {len(gone) - MOST_LINES:,} more" if len(gone) > MOST_LINES else ""
            if gone:
                yield f"while {broker.name} is dead: {', '.join(told)}{more}"

    # --- what goes wrong ----------------------------------------------------------------------

    def violated(self, verdicts: Verdicts) -> list[str]:
        word = verdicts.verdict.value
        lines = self.wrapped(f"{verdicts.guarantee} {word}: {GUARANTEES[verdicts.guarantee]}")
        lines[0] = lines[0].replace(word, paint(word, word, self.colourful), 1)
        if verdicts.verdict is not Verdict.VIOLATED:
            lines += self.wrapped(
                "What the files tell breaks it; what they leave open may mend that:", _MARGIN
            )
        anew = [each for each in verdicts.violations if self.told_under(each) == verdicts.guarantee]
        lines += self.pointers(verdicts)
        groups = _by_failure(anew)
        shown = groups if self.everything else groups[:MOST_FAILURES]
        for failures, violations in shown:
            lines += self.group(failures, violations, self.meanwhile(failures))
        left = len(groups) - len(shown)
        return lines + ([f"{_MARGIN}and under {amount(left, 'more failure')} (--all)"] if left else [])

    def told_under(self, violation: Violation) -> str:
        """Under which guarantee a loss is told: the first that it breaks, be it under a smaller failure.

        A round is more than a loss: it is told elsewhere only where the same failure is.
        """
        if violation.need is None or violation.guarantee not in LOSSES:
            return violation.guarantee
        dead, round_ = violation.failures, violation.guarantee == "loop-free"
        return next(
            name
            for name, failures in self.losses[violation.need]
            if failures == dead or (failures.within(dead) and not round_)
        )

    @cached_property
    def losses(self) -> dict[Need, list[tuple[str, Failures]]]:
        """By whose messages are lost: the guarantees that this breaks, in order, and under what."""
        found: dict[Need, list[tuple[str, Failures]]] = {}
        for violation in self.verification.violations:
            if violation.need and violation.guarantee in LOSSES:
                found.setdefault(violation.need, []).append((violation.guarantee, violation.failures))
        return found

    def pointers(self, verdicts: Verdicts) -> Iterator[str]:
        """How much of what breaks a guarantee is told under others, above."""
        again: dict[str, set[Need]] = {}
        for violation in verdicts.violations:
            told = self.told_under(violation)
            if violation.need and told != verdicts.guarantee:
                again.setdefault(told, set()).add(violation.need)
        for told, needs in again.items():
            count = amount(sum(len(need.demands) for need in needs), "demand")
            yield from self.wrapped(f"{count} lost: told under {told}.", _MARGIN)

    def group(self, failures: Failures, violations: Sequence[Violation], meanwhile: str) -> Iterator[str]:
        margin = _MARGIN
        if failures:
            cost = sum(each.cost for each in violations if each.need)
            count = f" ({amount(cost, 'demand')})" if cost > 1 else ""
            yield from self.wrapped(f"without {failures}{count}{meanwhile}:", margin)
            margin = _MARGIN * 2
        shown = violations if self.everything else violations[:MOST_LINES]
        for violation in shown:
            yield from self.violation(violation, margin)
        if len(violations) > len(shown):
            yield f"{margin}and {len(violations) - len(shown):,} more (--all)"

    def meanwhile(self, failures: Failures) -> str:
        """What becomes of messages while something is dead, beside it."""
        fate = self.fate(failures)
        words = {"": "", "kept": ", kept meanwhile", "lost": ", lost for good"}
        return words.get(fate, f", kept for {fate}")

    def fate(self, failures: Failures) -> str:
        """What becomes of messages while only links are dead, where links hand them on."""
        mesh = self.verification.mesh
        if failures.brokers or mesh.routing.kind != FORWARD:
            return ""
        dead = {link.buffering for link in mesh.links if link.fails_as in failures.cables}
        return dead.pop() if len(dead) == 1 else ""

    def violation(self, violation: Violation, margin: str) -> Iterator[str]:
        told = hops(self.verification.mesh, violation.path, violation.round)
        yield from self.wrapped(f"{violation.what}, {told}." if told else f"{violation.what}.", margin)
        if violation.need:
            yield from self.wrapped(self.clients(violation.need.demands), margin + _MARGIN)

    def clients(self, demands: Sequence[Demand]) -> str:
        """The topics and, where they have names, who publishes and who wants them."""
        mesh = self.verification.with_clients
        if self.verification.probed:
            topics = dict.fromkeys(topic_of(mesh, each) for each in demands[:MOST_LINES])
            return f"for example {', '.join(topics)}"
        told = [
            f"{topic_of(mesh, each)} ({each.publisher} to {each.subscriber})" for each in demands[:MOST_LINES]
        ]
        more = f" and {len(demands) - MOST_LINES:,} more" if len(demands) > MOST_LINES else ""
        return f"{', '.join(told)}{more}"

    def failovers(self) -> list[str]:
        """What is not lost, and for how long it does not arrive."""
        groups = _by_failure(self.verification.failovers)
        if not groups:
            return []
        shown = groups if self.everything else groups[:MOST_FAILURES]
        lines = ["Arrives after failover, when links that stood by have taken over:"]
        for failures, violations in shown:
            fate = self.fate(failures)
            words = {
                "": "",
                "kept": "; until then it is kept",
                "lost": "; what is published until then is lost",
            }
            lines += self.group(failures, violations, words.get(fate, f"; until then it is kept for {fate}"))
        left = len(groups) - len(shown)
        return lines + ([f"{_MARGIN}and under {amount(left, 'more failure')} (--all)"] if left else [])

    # --- the rest ---------------------------------------------------------------------------------

    def left_open(self) -> list[list[str]]:
        """What the files leave open, with the guarantees that are unknown because of it."""
        changes: dict[int, list[str]] = {}
        for verdicts in self.verification.guarantees:
            for number in verdicts.because_of:
                changes.setdefault(number, []).append(verdicts.guarantee)
        mesh, everything = self.verification.mesh, self.everything
        return told_open(mesh, width=self.width, everything=everything, dangling=False, changes=changes)

    def more(self) -> list[str]:
        if not self.command or not any(each.violations for each in self.verification.guarantees):
            return []
        return [
            f"Look at it: angarium mesh draw {self.command} --problems",
            f"Mend it: angarium mesh repair {self.command}",
        ]


def _classes(count: int) -> str:
    return "1 class" if count == 1 else f"{count:,} classes"


def amount_of_failures(count: int, size: Size) -> str:
    """`5 failures of 1 link`."""
    return f"{amount(count, 'failure')} of {size}"


def hops(mesh: Mesh, path: Path, round_: Path = ()) -> str:
    """The brokers on a path, and those of a round in brackets."""
    links = {link.name: link for link in mesh.links}
    before = _brokers(links, path)
    if not round_:
        return " > ".join(before)
    circle = _brokers(links, round_)
    return " > ".join([*before[:-1], f"({' > '.join(circle)} > …)"])


def _brokers(links: dict[str, Link], path: Path) -> list[str]:
    return [links[path[0]].source, *(links[name].target for name in path)] if path else []


def _by_failure(violations: Iterable[Violation]) -> list[tuple[Failures, list[Violation]]]:
    """Findings by what is dead: the healthy mesh first, then small failures, of these the costly ones."""
    groups: dict[Failures, list[Violation]] = {}
    for violation in violations:
        groups.setdefault(violation.failures, []).append(violation)
    return sorted(groups.items(), key=lambda group: (len(group[0]), -_cost(group[1]), str(group[0])))


def _cost(violations: Iterable[Violation]) -> int:
    return sum(each.cost for each in violations)
