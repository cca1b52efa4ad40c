"""The engine that chooses: the local one, until a search proves large and a graphics card is there.

How large a search is nobody knows before. So it begins on the local engine, as it always does. If it is not
over after some seconds, and a card can take it, it begins again there: what was lost is little beside what a
large search takes. Where no driver of a card is installed nothing of this happens.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from angarium.checker.explore.engine import Engine, Observer, Outcome
from angarium.checker.explore.graph import Wish
from angarium.checker.explore.native import NativeEngine
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.control import Limits, cut_by_time
from angarium.core.errors import InputError
from angarium.native.card_driver import may_have_card

PATIENCE = 3.0
"""Seconds of the local engine after which a search is large."""
_NO_LIMITS = Limits()


def _gpu() -> Engine:
    from angarium.checker.explore.gpu.engine import GpuEngine

    return GpuEngine()


class AutoEngine:
    """Explores on this machine's processor, or on its graphics card if that is worth it."""

    name = NativeEngine.name

    def __init__(
        self,
        has_card: Callable[[], bool] = may_have_card,
        gpu: Callable[[], Engine] = _gpu,
        local: Engine | None = None,
    ) -> None:
        self._local, self._has_card, self._gpu = local or NativeEngine(), has_card, gpu

    def search(
        self,
        system: TransitionSystem,
        *,
        limits: Limits = _NO_LIMITS,
        threads: int = 1,
        symmetry: bool = False,
        observe: Observer | None = None,
        graph: Wish | None = None,
    ) -> Outcome:
        """Explore until nothing is new, every guarantee is hit, or a limit is met."""

        def on(engine: Engine, within: Limits) -> Outcome:
            return engine.search(
                system, limits=within, threads=threads, symmetry=symmetry, observe=observe, graph=graph
            )

        started = time.perf_counter()
        if limits.left(started) <= PATIENCE or not self._has_card():
            return on(self._local, limits)
        outcome = on(self._local, replace(limits, timeout=PATIENCE, begin=started))
        if cut_by_time(PATIENCE) not in (outcome.coverage.cut, outcome.graph_cut):
            return outcome
        limits = replace(limits, begin=started if limits.begin is None else limits.begin)
        try:
            found = on(self._gpu(), limits)
        except InputError as problem:
            return replace(on(self._local, limits), chosen=(self._local.name, problem.what))
        return replace(found, chosen=("gpu", f"not over after {PATIENCE:g} s on the processor"))
