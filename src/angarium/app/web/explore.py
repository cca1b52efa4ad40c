"""The explore view's part of the JSON interface: subjects, states, random runs, stories, checks.

The address of the page says everything: subject, parameters, path. The server keeps nothing but what it found
out about states already.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from angarium.app.web import stepping, subjects
from angarium.app.web.asked import body, value
from angarium.app.web.files import Folder
from angarium.app.web.pages import page
from angarium.app.web.stepping import Record, Stepper
from angarium.app.web.work import compute
from angarium.checker.explore.addresses import Address, parse_address
from angarium.checker.ir.transition import TransitionSystem
from angarium.core.errors import AddressError, WebError
from angarium.core.result import CheckVerdict, Report

CHECK_SECONDS, CHECK_STATES, CHECK_BYTES = 10.0, 3_000_000, 1 << 28
_LARGEST_NUMBER = 10**9
_STEPPERS = 8
"""Systems of which the states that were looked at are kept."""


async def _subjects(request: Request) -> Response:
    return JSONResponse(await compute(request, subjects.every, _folder(request)))


async def _about(request: Request) -> Response:
    subject = value(body(request), "subject", str)
    return JSONResponse(await compute(request, subjects.described, _folder(request), subject))


async def _view(request: Request) -> Response:
    asked = body(request)
    return JSONResponse(await compute(request, _viewed, _folder(request), asked, _path(asked)))


async def _wander(request: Request) -> Response:
    asked = body(request)
    steps, seed = value(asked, "steps", int, 1), value(asked, "seed", int, 1)
    return JSONResponse(await compute(request, _wandered, _folder(request), asked, steps, seed))


async def _story(request: Request) -> Response:
    address = parse_address(value(body(request), "address", str))
    return JSONResponse(await compute(request, _found, _folder(request), address))


async def _check(request: Request) -> Response:
    return JSONResponse(await compute(request, _checked, _folder(request), body(request)))


def _folder(request: Request) -> Folder:
    folder: Folder = request.app.state.settings.folder
    return folder


# --- what is asked for ------------------------------------------------------------------------


def _path(asked: Record) -> tuple[int, ...]:
    path = value(asked, "path", list, [0])
    if not path or not all(type(each) is int and 0 <= each < _LARGEST_NUMBER for each in path):
        raise WebError(
            "ANG153",
            f"this is not a path: {str(path)[:80]}",
            possible="the number of an initial state, and of each step, from 0",
            remedy="begin with [0]",
        )
    return tuple(path)


def _settings(asked: Record) -> dict[str, str]:
    settings = value(asked, "set", dict, {})
    return {name: value(settings, name, str) for name in settings}


def _stepper(folder: Folder, asked: Record) -> Stepper:
    subject = value(asked, "subject", str)
    return _known(subject, _Hashed(subjects.load(folder, subject, _settings(asked))))


class _Hashed:
    """A system that is the same as another one if its text and its parameters are."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self._key = (system.hash, system.parameters)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashed) and self._key == other._key


@lru_cache(maxsize=_STEPPERS)
def _known(subject: str, hashed: _Hashed) -> Stepper:
    return Stepper(subject, hashed.system)


# --- what is answered -------------------------------------------------------------------------


def _viewed(folder: Folder, asked: Record, path: Sequence[int]) -> Record:
    return stepping.view(_stepper(folder, asked), path)


def _wandered(folder: Folder, asked: Record, steps: int, seed: int) -> Record:
    path = stepping.wander(_stepper(folder, asked), _path(asked), steps, seed)
    return {"path": path}


def _found(folder: Folder, address: Address) -> Record:
    """Where the page finds the story of an address, and what the story shows."""
    from angarium.checker.logic.replay import replay

    system = subjects.load(folder, address.subject, address.parameters)
    if system.hash != address.model_hash:
        raise AddressError(
            "ANG031",
            f"the address is of another version of {address.subject}",
            possible=f"the address says {address.model_hash}, the model is now {system.hash}",
            remedy="check the model again to get the address of its present story",
        )
    Stepper(address.subject, system).run(address.path)  # or it is too long, or takes too long
    story = replay(system, address.path, address.cycle, subject=address.subject)
    return {
        "subject": address.subject,
        "set": dict(address.parameters),
        "path": list(address.path),
        "cycle": address.cycle,
        "summary": story.summary,
    }


def _checked(folder: Folder, asked: Record) -> Record:
    """Verdicts of a bounded search."""
    from angarium.api import engine_named, usable_cores
    from angarium.checker.logic.check import check
    from angarium.core.control import Limits

    subject = value(asked, "subject", str)
    report = check(
        subjects.load(folder, subject, _settings(asked)),
        engine=engine_named("local"),
        subject=subject,
        limits=Limits(CHECK_STATES, CHECK_BYTES, CHECK_SECONDS),
        threads=usable_cores(),
    )
    return _summary(report)


def _summary(report: Report) -> Record:
    coverage = report.coverage
    return {
        "complete": coverage.complete,
        "cut": coverage.cut,
        "states": coverage.states,
        "seconds": round(coverage.seconds, 2),
        "verdicts": [_verdict(each) for each in report.verdicts],
    }


def _verdict(verdict: CheckVerdict) -> Record:
    """A verdict with the way to its story; the story's states are seen by stepping along it."""
    story = verdict.story
    way: dict[str, Any] | None = None
    if story is not None and len(story.steps) <= stepping.LONGEST:
        path = list(parse_address(story.address).path)
        way = {"path": path, "cycle": story.cycle, "summary": story.summary}
    return {
        "guarantee": verdict.guarantee,
        "verdict": verdict.verdict.value,
        "description": verdict.description,
        "fairness": verdict.fairness,
        "why": verdict.vacuous or verdict.untold or "",
        "story": way,
    }


ROUTES: Sequence[BaseRoute] = [
    page("/explore", "explore.html"),
    Route("/api/explore/subjects", _subjects),
    Route("/api/explore/about", _about, methods=["POST"]),
    Route("/api/explore/view", _view, methods=["POST"]),
    Route("/api/explore/wander", _wander, methods=["POST"]),
    Route("/api/explore/story", _story, methods=["POST"]),
    Route("/api/explore/check", _check, methods=["POST"]),
]
