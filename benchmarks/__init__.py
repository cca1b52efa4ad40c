"""Benchmarks: everything that is promised about speed and memory, measured.

Every module of this folder is a benchmark. It has a dataclass that says how much is measured, two values of
it, FULL and TINY, and `rows(size)`, which measures and yields a row for each figure. What benchmarks share is
in folders: `common` measures and runs them, `inputs` makes what they work on, `peers` has what they are
compared with.
"""

ONLY_BY_NAME = ("audits", "live_audit")
"""They take many minutes, so they are run only when they are named."""
