"""Recovery: tables for every failure, calculated before it happens, verified, and written for brokers.

Every failure has a number, its colour, and `recovered` calculates `tables` for all of them, stored as
`exceptions` from the healthy ones; `verified` proves that they deliver; `unprotected` lists what no table can
protect, and which links would; `overrides` are an operator's own entries. `compact` is how they are packed,
and `files` how brokers read them. `results` puts it into words for those who asked.
"""

__all__ = [
    "exceptions_core",
    "files",
    "overrides",
    "recovered",
    "results",
    "tables",
    "unprotected",
    "verified",
]
