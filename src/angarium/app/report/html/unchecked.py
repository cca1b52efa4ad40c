"""What was not checked: the most important section for who wants to rely on the others."""

from __future__ import annotations

from angarium.app.report.html.elements import Html, element, joined, listed
from angarium.app.report.job import JobResult
from angarium.app.report.left_open import left_open

NOTHING_LEFT = "All claims were looked at, to the end, and no verdict is unknown."
_LIMITS = "A verdict is about the parameters, faults and events that its section names, and about no others."


def unchecked(job: JobResult) -> Html:
    """The section: claims that nobody looked at, and what the others leave open."""
    items = [
        f"The run was cut: {job.cut}." if job.cut else None,
        *(joined(element("strong", name), ": was not looked at in this run") for name in job.unchecked),
        *(
            joined(element("strong", claim.name), f": {why}")
            for claim in job.claims
            for why in left_open(claim)
        ),
    ]
    body = listed(items) or element("p", NOTHING_LEFT)
    return joined(element("h2", "What was not checked", id="unchecked"), body, element("p", _LIMITS))
