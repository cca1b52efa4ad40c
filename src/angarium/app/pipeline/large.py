"""Claims that are jobs of their own: audits, and searches and sweeps that the project file gives to Spark.

They share the session with everything else, and run one after the other, each on all of the cluster. A
claim whose budget is over has its jobs cancelled; and if it is at work in the process, it is ended there.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from angarium.app.pipeline.claims import Claim, given_of
from angarium.app.pipeline.worker import Answer
from angarium.app.report.record import result_record
from angarium.core.control import INTERRUPTED, TimeIsUp, cut_by_time, time_limit
from angarium.core.errors import AngariumError, SparkError
from angarium.core.options import ABOUT_FILES, AUDIT, CHECK, VERIFY, keywords
from angarium.core.result import GuaranteeVerdict, Result
from angarium.spark.place import Place

Tell = Callable[[str], None]
SPARK_FAILED = "ANG076"
"""Spark itself failed, as when its Java dies: that is worth another try."""
GRACE = 1.0
"""Seconds beyond its budget in which a claim may end in better order than by an exception."""


def answer_of(claim: Claim, folder: Path, place: Place, tell: Tell) -> Answer:
    """Carry out a claim, with the project's folder as the current one: paths then are what the file says."""
    begin = time.monotonic()
    with contextlib.chdir(folder), _within(claim.budget) as clock:
        try:
            with time_limit(claim.budget, grace=GRACE):
                found = _KINDS[claim.kind](claim, place, tell)
        except TimeIsUp as problem:
            if problem.cut != cut_by_time(claim.budget):  # it is the time of the whole run
                raise
            return Answer(time.monotonic() - begin, problem=_over(claim), over=True)
        except AngariumError as problem:
            said = _over(claim) if clock.over else str(problem)
            died = isinstance(problem, SparkError) and problem.code == SPARK_FAILED and not clock.over
            return Answer(time.monotonic() - begin, problem=said, died=died, over=clock.over)
    if _interrupted(found):
        raise KeyboardInterrupt
    return Answer(time.monotonic() - begin, result_record(found))


def _over(claim: Claim) -> str:
    return f"its budget of {claim.budget:g} s is over"


def _interrupted(found: Result[GuaranteeVerdict]) -> bool:
    """Whether somebody pressed Ctrl-C: the verb then has a part of the answer, but the job is to end."""
    return INTERRUPTED in (found.extent.cut, *(why for each in found.verdicts for why in each.reasons))


@dataclass
class _Clock:
    over: bool = False
    done: threading.Event = field(default_factory=threading.Event)


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[_Clock]:
    """Cancel Spark's jobs when the time is over."""
    from angarium.spark.session import cancel_jobs

    clock = _Clock()

    def watch() -> None:
        if not clock.done.wait(seconds):
            clock.over = True
            while not clock.done.wait(0.5):
                cancel_jobs()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield clock
    finally:
        clock.done.set()
        thread.join()


def _audit(claim: Claim, place: Place, tell: Tell) -> Result[GuaranteeVerdict]:
    from angarium.api import OnSpark, audit

    spark = OnSpark(place.master, place.memory)
    return audit(claim.about, spark=spark, observe=tell, **keywords(AUDIT, claim.options))


def _check(claim: Claim, place: Place, tell: Tell) -> Result[GuaranteeVerdict]:
    from angarium.api import OnSpark, check
    from angarium.app.report.progress import line

    return check(
        claim.about[0],
        spark=OnSpark(place.master, place.memory),
        timeout=claim.budget,
        observe=lambda progress: tell(line(progress)),
        **keywords(CHECK, claim.options),
    )


def _mesh(claim: Claim, place: Place, tell: Tell) -> Result[GuaranteeVerdict]:
    from angarium.api import OnSpark, verify

    beside = (*ABOUT_FILES, "format")
    asked = {name: value for name, value in claim.options.items() if name not in beside}
    return verify(
        claim.about,
        given=given_of(claim),
        spark=OnSpark(place.master, place.memory),
        timeout=claim.budget,
        observe=tell,
        **keywords(VERIFY, asked),
    )


_KINDS: Mapping[str, Callable[[Claim, Place, Tell], Result[GuaranteeVerdict]]] = {
    "audit": _audit,
    "check": _check,
    "mesh": _mesh,
}
