"""Recovery tables as the JSON record of the command line's contract."""

from __future__ import annotations

from angarium.app.report.mesh_open import remark_records
from angarium.app.report.mesh_recovery import MEANINGS
from angarium.app.report.record import Record, envelope
from angarium.core.records import write
from angarium.mesh.recovery.files.write import Written
from angarium.mesh.recovery.loading import can_load
from angarium.mesh.recovery.recovered import Broken, Recovered
from angarium.mesh.results import dead_of


def recovery_record(recovered: Recovered, failures: str, written: Written | None) -> Record:
    """What `angarium mesh recover` has calculated, verified and written."""
    mesh, check = recovered.mesh, recovered.verification
    more: Record = {
        "brokers_can_load": can_load(mesh),
        "engine": recovered.engine,
        "complete": recovered.cut is None,
        "cut": recovered.cut,
        "seconds": round(recovered.seconds, 3),
        "brokers": len(mesh.brokers),
        "links": len(mesh.cables),
        "failures": {str(size): count for size, count in recovered.counts.items()},
        "colours": len(recovered.recovery.colours),
        "overridden_entries": len(recovered.overrides),
        "delivered": check.delivered,
        "cut_off": check.cut_off,
        "longer": check.longer,
        "fingerprint": recovered.fingerprint,
        "unprotected": _unprotected(recovered),
        "sizes": _sizes(recovered),
        "written": _written(written),
        "remarks": remark_records(mesh),
    }
    verdicts = [_verdict(recovered, name, verdict.value) for name, verdict in recovered.verdicts.items()]
    return envelope("mesh recover", mesh.name, {"failures": failures}, more, verdicts)


def _unprotected(recovered: Recovered) -> Record:
    found = recovered.unprotected
    cuts = [
        {
            "colour": cut.colour,
            "dead": write(dead_of(cut.failures)),
            "pairs": cut.pairs,
            "parts": [list(part) for part in cut.parts],
        }
        for cut in found.cuts
    ]
    added = [[each.one, each.other] for each in found.additions]
    return {"failures": cuts, "links_to_add": added, "smallest": found.smallest}


def _sizes(recovered: Recovered) -> Record:
    sizes = recovered.sizes
    return {
        "plain": {"entries": int(sizes.plain_entries.sum()), "bytes": int(sizes.plain.sum())},
        "condensed": {"entries": int(sizes.condensed_entries.sum()), "bytes": int(sizes.condensed.sum())},
        "compact": {"bytes": int(sizes.compact.sum())},
    }


def _written(written: Written | None) -> Record | None:
    if written is None:
        return None
    return {"folder": str(written.folder), "files": written.files, "bytes": written.size}


def _verdict(recovered: Recovered, name: str, verdict: str) -> Record:
    return {
        "guarantee": name,
        "verdict": verdict,
        "description": MEANINGS[name],
        "story": None,
        "findings": [_finding(each) for each in recovered.broken(name)],
    }


def _finding(broken: Broken) -> Record:
    """A colour in which a guarantee is violated, with the way of the first message concerned."""
    return {
        "colour": broken.judged.colour,
        "dead": write(dead_of(broken.judged.failures)),
        "pairs": broken.pairs,
        "first": list(broken.pair),
        "way": list(broken.walk.brokers),
        "end": broken.walk.end,
        "reason": broken.walk.reason,
    }
