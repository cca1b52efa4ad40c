"""Angarium from Python: what the command line does, as functions that return data.

    import angarium

    report = angarium.check("rabbitmq-sac", parameters={"queues": 2})
    assert report.worst is angarium.Verdict.HOLDS

One module a product. The command line, the page and the pipeline call these functions, and nothing below
them. Importing them is light: what is slow to import is imported when it is used.
"""

from angarium.api import notebooks
from angarium.api.checker import (
    ENGINES,
    ON_THREADS,
    asked_for,
    check,
    engine_named,
    refine,
    simulate,
    usable_cores,
    walks_here,
)
from angarium.api.contracts import conform, prove, state_machine, watch
from angarium.api.history import AuditParameters, audit
from angarium.api.mesh import recover, verify
from angarium.api.records import record_of, result_of
from angarium.api.spark import OnSpark
from angarium.api.stories import replay, replayed

notebooks.show()

__all__ = [
    "ENGINES",
    "ON_THREADS",
    "AuditParameters",
    "OnSpark",
    "asked_for",
    "audit",
    "check",
    "conform",
    "engine_named",
    "prove",
    "record_of",
    "recover",
    "refine",
    "replay",
    "replayed",
    "result_of",
    "simulate",
    "state_machine",
    "usable_cores",
    "verify",
    "walks_here",
    "watch",
]
