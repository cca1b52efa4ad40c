"""What runs on a card to make walks of a system: its kernel and the walk loop, as one text for one target."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cached_property

from angarium.checker.backend.kernel import check_instances, fan_out, layout_of, without_beginning
from angarium.checker.backend.layout import Layout
from angarium.checker.explore.gpu.program import MOST_OF_ITS_OWN, one_text, translated
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.walks import walk_core
from angarium.checker.walks.gpu import card_walk_core
from angarium.checker.walks.questions import Questions
from angarium.native import jit, ptx
from angarium.native.jit import Library
from angarium.native.lowlevel import constants_in
from angarium.native.targets import CARD, PROCESSOR, Target

STARTED = {"walk_on_card": 1}
_MODULES = (walk_core, card_walk_core)


@dataclass(frozen=True)
class WalkProgram:
    """A system and what its walks are asked, ready to be compiled for a target."""

    questions: Questions

    def __post_init__(self) -> None:
        check_instances(self.questions.labelled_system)

    @cached_property
    def layout(self) -> Layout:
        """Of a successor: the state, and what is told of the step."""
        return layout_of(self.questions.labelled_system, self.questions.apart)

    @cached_property
    def fan_out(self) -> int:
        return fan_out(self.questions.labelled_system)

    @property
    def bytes_per_thread(self) -> int:
        """Memory for the successors of a state."""
        return 8 * max(1, self.fan_out) * self.layout.words

    @property
    def is_roomy(self) -> bool:
        """Whether that is more than a thread should have of its own."""
        return self.bytes_per_thread > MOST_OF_ITS_OWN

    def library(self) -> Library:
        """Compiled for this machine's processor."""
        return jit.build(lambda: self._text(PROCESSOR), STARTED, made_from=self._made_from)

    def ptx(self, capability: tuple[int, int]) -> bytes:
        """Compiled for a card."""
        return ptx.build(lambda: self._text(CARD), STARTED, capability, made_from=self._made_from)

    @cached_property
    def _constants(self) -> dict[str, int]:
        room = self.bytes_per_thread // 8
        return {
            **constants_in(vars(walk_core)),
            **constants_in(vars(card_walk_core)),
            "WORDS": self.layout.words - self.questions.apart,
            "STRIDE": self.layout.words,
            "BY_ACTION": int(self.questions.schedule == "by-action"),
            "RATES": int(self.questions.schedule == "rates"),
            "ON_CARD": 1,
            "ROOM": room,
            "OWN_ROOM": 1 if self.is_roomy else room,
            "SCRATCH": int(self.is_roomy),
        }

    @property
    def _told(self) -> TransitionSystem:
        return without_beginning(self.questions.labelled_system)

    @property
    def _made_from(self) -> str:
        sources = [inspect.getsource(module) for module in _MODULES]
        return repr((self._told, self.questions.apart, sources, self._constants))

    def _text(self, target: Target) -> str:
        loop = translated(_MODULES, dict.fromkeys(STARTED, self._constants), target)
        return one_text(self._told, self.questions.apart, loop)
