"""What verification finds, and what it all comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from angarium.core.control import Cut
from angarium.core.errors import UsageError, did_you_mean
from angarium.core.result import Verdict, worst
from angarium.mesh.delivery.outcome import Path
from angarium.mesh.mesh import NOTHING, Failures, Mesh
from angarium.mesh.verify.budget import HEALTHY, Size
from angarium.mesh.verify.demands import Need

GUARANTEES = {
    "reachability": "What is published arrives at every subscriber that wants it.",
    "loop-free": "No message goes round for ever.",
    "no-duplicates": "No subscriber gets a message more than once.",
    "no-black-hole": "No broker takes a wanted message and hands it to nobody.",
    "hop-limit": "The hop limits let everything arrive that the links would carry.",
    "latency": "Everything arrives within its bound.",
    "publishers-have-subscribers": "Whatever is published is wanted by somebody.",
    "subscribers-have-publishers": "Whatever is wanted is published by somebody.",
    "no-dangling-references": "Every name in the configuration leads to something.",
}
"""Every guarantee of a mesh, and what it says."""
UNDER_FAILURES = ("reachability", "loop-free", "no-duplicates", "no-black-hole", "latency")
"""Those that a failure can break."""
FOLLOWED = (*UNDER_FAILURES, "hop-limit", "publishers-have-subscribers", "subscribers-have-publishers")
"""Those for which messages, and all their names, are followed."""
FAILOVER = "failover"
"""What is no guarantee but worth knowing: something arrives only because links that stood by take over."""


def check_guarantees(names: Iterable[str]) -> None:
    """Refuse names that no guarantee of meshes has."""
    for name in names:
        if name not in GUARANTEES:
            raise UsageError(
                "ANG012",
                f"meshes have no guarantee named {name!r}",
                possible=did_you_mean(name, GUARANTEES),
                remedy="give one of these names",
            )


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which a guarantee is broken."""

    guarantee: str
    what: str
    """One sentence."""
    failures: Failures = NOTHING
    size: Size = HEALTHY
    need: Need | None = None
    """Whose messages suffer, where that can be said."""
    path: Path = ()
    """How far a message comes."""
    round: Path = ()
    """And where it then goes round."""
    copies: int | None = 1
    pairs: int = 0
    """How many pairs of brokers suffer, where only these are counted."""
    takes: float = 0.0
    """Of a failover: milliseconds until links that stood by have taken over."""

    @property
    def cost(self) -> int:
        """How many demands suffer, or pairs of brokers."""
        return self.pairs or (len(self.need.demands) if self.need else 1)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdict on a guarantee, for the healthy mesh and for each size of failures."""

    guarantee: str
    verdicts: Mapping[Size, Verdict]
    violations: tuple[Violation, ...] = ()
    note: str = ""
    """Why a verdict is unknown, or what else is worth knowing."""
    because_of: tuple[int, ...] = ()
    """The numbers of the remarks because of which a verdict is unknown."""

    @property
    def verdict(self) -> Verdict:
        """The worst; `unknown`, though something was found, if all that was found may be otherwise."""
        return worst(self.verdicts.values())


@dataclass(frozen=True, slots=True)
class Looked:
    """How much was looked at."""

    classes: int
    demands: int
    needs: int
    failures: Mapping[Size, int]
    """How many sets of failures of each size."""
    out_of_service: int = 0
    """Demands, over all failures, whose publisher or subscriber is dead with its broker."""
    moved: int = 0
    """Demands, over all failures, whose publisher or subscriber moved to a substitute."""
    seconds: float = 0.0
    engine: str = "local"
    cut: Cut | None = None
    """Why not everything was looked at."""
    unfollowed: str | None = None
    """Why not all names were followed that links can give to topics."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What is known of a mesh."""

    mesh: Mesh
    with_clients: Mesh
    """The mesh with probes for clients that nobody names."""
    probed: bool
    """Whether there are such probes."""
    guarantees: tuple[Verdicts, ...]
    looked: Looked
    failovers: tuple[Violation, ...] = ()
    """What arrives under failures only because links that stood by take over."""

    @property
    def violations(self) -> tuple[Violation, ...]:
        return tuple(violation for verdicts in self.guarantees for violation in verdicts.violations)
