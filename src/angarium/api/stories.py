"""Stories found again: `replay` takes the address of any product's story.

An address begins with its product's prefix (`mesh:…`); one without is a run of a model. What stands behind
the prefix is read in the product's room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from angarium.api import checker, contracts, history, mesh
from angarium.core.result import Replay, Story

BY_PREFIX: Mapping[str, Callable[[str], Replay]] = {
    "history": history.replayed,
    "mesh": mesh.replayed,
    "proof": contracts.replayed,
}
"""What finds a product's stories by their addresses."""


def replayed(address: str) -> Replay:
    """The story at an address, with what it is of."""
    prefix = address.strip().partition(":")[0]
    return BY_PREFIX.get(prefix, checker.replayed)(address)


def replay(address: str) -> Story:
    """The story at an address: the run of a model with what it breaks, or another product's evidence.

    An address of something that has changed since is refused.
    """
    return replayed(address).story
