"""Stepping through a system: a state, the steps that are possible in it, and where each leads.

Everything is said by a path, as in a story's address: the number of the initial state, then the number of
each step among those that were possible. The interpreter that all engines are compared with gives the steps.
What it found out about a state is kept, so that the next step costs one state and not the whole run. It is
slow, and large parameters make it slower: what takes too long is refused, or told in fewer words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import Any

from angarium.app.report.sequence_svg.draw import drawn
from angarium.app.report.sequence_svg.sequence import shortened, steps_of
from angarium.app.report.story_text import without_counters
from angarium.checker.explore.addresses import parse_address
from angarium.checker.explore.arguments import told as told_arguments
from angarium.checker.explore.interpret import Expansion, Move, expand, hits, initial_states
from angarium.checker.explore.states import changes, decode
from angarium.checker.explore.stories import NOTHING_HIT, Followed, Taken, follow, told
from angarium.checker.export.step_text import step_sentences
from angarium.checker.ir.labels import Fields, Labels, Value, brief
from angarium.checker.ir.transition import Cells, TransitionSystem
from angarium.core.errors import WebError
from angarium.core.result import Change, State, Step, Story

LONGEST = 500
"""Steps of a run."""
SECONDS = 10.0
"""How long one answer may take."""
_TOLD, _TELLING = 32, 1.0
"""Of so many possible steps, if that takes no more seconds, it is said in words what each does and breaks;
else only what they change."""
_REMEMBERED = 4096
"""States of which the steps are kept."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stepper:
    """A system, and what was found out about its states."""

    subject: str
    system: TransitionSystem
    _known: dict[Cells, Expansion] = field(default_factory=dict, repr=False)

    def expansion(self, cells: Cells) -> Expansion:
        """What can happen in a state."""
        if cells not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[cells] = expand(self.system, cells)
        return self._known[cells]

    def run(self, path: Sequence[int]) -> Followed:
        """The run along a path; an AddressError if there is none."""
        if len(path) > LONGEST + 1:
            raise _too_much("the run is too long to be shown", "begin anew, or undo some steps")
        start, clock = follow(self.system, path[:1] or (0,)), Clock()
        taken: list[Taken] = []
        cells = start.initial
        for choice in path[1:]:
            clock.check()
            possible = self.expansion(cells).moves
            if choice >= len(possible):
                follow(self.system, path[: len(taken) + 2])  # says which step there is not
            taken.append(Taken(cells, choice, possible))
            cells = possible[choice].target
        return Followed(start.start, start.initial, tuple(taken))

    def story(self, run: Followed) -> Story:
        """The run as a story, about what its last state decides."""
        return told(self.system, run, None, subject=self.subject)


class Clock:
    """How long it has taken so far."""

    def __init__(self) -> None:
        self._began = perf_counter()

    @property
    def seconds(self) -> float:
        return perf_counter() - self._began

    def check(self) -> None:
        """Give up when it takes too long."""
        if self.seconds > SECONDS:
            raise _too_much(f"this takes longer than {SECONDS:g} s", "fewer steps, or smaller parameters")


def _too_much(what: str, remedy: str) -> WebError:
    return WebError("ANG154", what, possible=f"at most {LONGEST} steps, in {SECONDS:g} s", remedy=remedy)


# --- the view of a state ----------------------------------------------------------------------


def view(stepper: Stepper, path: Sequence[int]) -> Record:
    """All that the page shows at a path."""
    run = stepper.run(path)
    story = stepper.story(run)
    cells, clock = run.states[-1], Clock()
    decided = _decided(stepper.system, cells, story.summary)
    return {
        "subject": stepper.subject,
        "parameters": dict(parse_address(story.address).parameters),
        "path": [run.start, *(each.choice for each in run.taken)],
        "starts": len(initial_states(stepper.system)),
        "address": story.address,
        "state": state_table(stepper.system, story),
        "steps": possible_steps(stepper, cells, story.summary, clock.seconds),
        "run": [_in_words(step) for step in story.steps],
        "decided": decided,
        "diagram": drawn(shortened(steps_of(story))) if story.steps else "",
    }


def _decided(system: TransitionSystem, cells: Cells, summary: str) -> Record:
    """The guarantees that a state breaks, those that it reaches, and a sentence about all of them."""
    reaches = {each.name for each in system.guarantees if each.kind == "reaches"}
    found = hits(system, cells)
    return {
        "broken": sorted(found - reaches),
        "reached": sorted(found & reaches),
        "says": "" if summary == NOTHING_HIT else summary,
    }


def state_table(system: TransitionSystem, story: Story) -> list[Record]:
    """The last state of a story, place by place, with what the last step has changed."""
    states = [story.initial, *(step.state for step in story.steps)]
    before = _places(states[-2], system) if len(states) > 1 else {}
    return [
        {"where": where, "value": value, "was": before[where] if before.get(where, value) != value else None}
        for where, value in _places(states[-1], system).items()
    ]


def _places(state: State, system: TransitionSystem) -> dict[str, str]:
    """What each place of a state holds, as text; parameters never change and are shown elsewhere."""
    settings = {name for name, _ in system.parameters}
    return {
        where: brief(value)
        for name, whole in state.items()
        if name not in settings
        for where, value in _leaves(name, whole)
    }


def _leaves(where: str, value: Value) -> Iterator[tuple[str, Value]]:
    """Arrays place by place and records field by field; what has nothing below it is a place itself."""
    if not isinstance(value, dict) or not value:
        yield where, value
        return
    for key, item in value.items():
        yield from _leaves(f"{where}.{key}" if isinstance(value, Fields) else f"{where}[{key}]", item)


# --- the possible steps -----------------------------------------------------------------------


def possible_steps(stepper: Stepper, cells: Cells, now: str, seconds: float) -> list[Record]:
    """Each step that is possible in a state: what it is, what it would change, and decide otherwise.

    `seconds` is how long it takes to find out what a state decides.
    """
    moves = stepper.expansion(cells).moves
    if len(moves) > _TOLD or len(moves) * seconds > _TELLING:
        return [_sketched(stepper.system, cells, choice, move) for choice, move in enumerate(moves)]
    return [_foretold(stepper, Taken(cells, choice, moves), now) for choice in range(len(moves))]


def _foretold(stepper: Stepper, taken: Taken, now: str) -> Record:
    story = stepper.story(Followed(0, taken.before, (taken,)))
    (step,) = without_counters(story).steps
    then = "" if story.summary in (NOTHING_HIT, now) else story.summary
    return {**_in_words(step), "choice": taken.choice, "changes": _changes(step.changes), "then": then}


def _sketched(system: TransitionSystem, cells: Cells, choice: int, move: Move) -> Record:
    """The same without words, which cost a look at what can happen behind each step."""
    words = told_arguments(Labels(system), move.action, move.arguments, cells)
    call = f"{move.action.name}({', '.join(words.values())})"
    changed = _changes(changes(decode(system, cells), decode(system, move.target)))
    fault = move.action.fault
    return {
        "says": call,
        "call": call,
        "who": "",
        "fault": fault,
        "choice": choice,
        "changes": changed,
        "then": "",
    }


def _in_words(step: Step) -> Record:
    return {
        "says": "; ".join(step_sentences(step)),
        "call": f"{step.action}({', '.join(step.arguments.values())})",
        "who": step.actor or "",
        "fault": step.fault,
    }


def _changes(changed: Sequence[Change]) -> list[Record]:
    return [
        {"where": each.where, "before": brief(each.before), "after": brief(each.after)} for each in changed
    ]


# --- walking at random ------------------------------------------------------------------------


def wander(stepper: Stepper, path: Sequence[int], steps: int, seed: int) -> list[int]:
    """A path that goes on at random.

    It ends after so many steps, where nothing more can happen, or where something breaks. The same seed at
    the same place goes the same way.
    """
    run = stepper.run(path)
    walked, cells = [run.start, *(each.choice for each in run.taken)], run.states[-1]
    random, clock = Random(f"{seed}:{walked}"), Clock()
    reaches = {each.name for each in stepper.system.guarantees if each.kind == "reaches"}
    for _ in range(min(steps, LONGEST + 1 - len(walked))):
        clock.check()
        moves = stepper.expansion(cells).moves
        if not moves:
            break
        choice = random.randrange(len(moves))
        walked.append(choice)
        cells = moves[choice].target
        if hits(stepper.system, cells) - reaches:
            break
    return walked
