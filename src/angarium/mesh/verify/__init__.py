"""Verification: every guarantee of a mesh, healthy and under every failure.

`verify.verify` answers. From bottom to top: `budget` (what may fail), `demands` (who wants what),
`violations` (the guarantees, and what breaks them), `fates` (what becomes of a demand, and what that breaks),
`carriers` (one way to ask where a message goes), `sweep` and `pairs` (every failure, by demands or by pairs
of brokers), `hop_limits`, and `doubts` (which verdicts could be otherwise, because files leave something
open). `difference` says what a change of a mesh changes, and `tracing` follows one topic.
"""

__all__ = [
    "budget",
    "carriers",
    "demands",
    "difference",
    "doubts",
    "fates",
    "pairs",
    "sweep",
    "tracing",
    "verify",
    "violations",
]
