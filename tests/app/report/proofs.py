"""Proofs to show: one that holds, one that is refuted, and one that is not decided."""

from __future__ import annotations

from angarium.contracts.obligations import Counterexample, Judged, Proof, Snapshot
from angarium.contracts.results import ProofResult, Source, result_of
from angarium.contracts.terms import TRUE
from angarium.core.result import Verdict
from tests.contracts.obligations import obligation

TEXT = "(y in self.spec.contents) == ((y.num, y) in self.map.pairs)"
REFUTED = Counterexample(
    operation="delete_all",
    arguments={"seq": "0"},
    results={},
    sorts={"Message": ("m0", "m1"), "Number": ("0",)},
    facts={"num": {"m0": "0", "m1": "0"}},
    snapshots=(
        Snapshot("before", {"contents": ["m0"], "map.pairs": [["0", "m0"]], "full": True}),
        Snapshot("after", {"contents": [], "map.pairs": [["0", "m0"]], "full": False}),
    ),
)
HOLDS = Judged(obligation((), TRUE, name="enqueue keeps represents", text=TEXT), Verdict.HOLDS, 0.01)
VIOLATED = Judged(
    obligation((), TRUE, name="delete_all keeps represents", text=TEXT, operation="delete_all"),
    Verdict.VIOLATED,
    0.02,
    REFUTED,
)


def unknown(reason: str) -> Judged:
    claim = obligation((), TRUE, name="empty ensures", text="not res", kind="ensured", operation="empty")
    return Judged(claim, Verdict.UNKNOWN, 0.03, reason=reason)


def proved(*judged: Judged, seconds: float = 0.25) -> ProofResult:
    proofs = [Proof("MapQueue", "Keeps messages\nin a map.\n\nIn detail.", judged)] if judged else []
    return result_of(Source("queue", (__file__,)), proofs, seconds)
