"""A model with what can be set and judged in it."""

from __future__ import annotations

from pathlib import Path

from angarium.app.report.catalogue import KINDS, about, render_one
from angarium.app.report.record import result_record

MODEL = """
from angarium import *

class Sample(Model):
    "A sample."

    steps = param(2, high=3)
    n = integer(0, 3)

    @action
    def go(self) -> None:
        require(self.n < self.steps)
        self.n += 1

    @invariant
    def small(self) -> bool:
        "It stays small."
        return self.n <= 3

    @eventually(fairness=weak("process"))
    def ends(self) -> bool:
        "It ends."
        return self.n == self.steps

    @ltl
    def goes_on(self) -> bool:
        "It ends for good."
        return eventually(always(self.n == self.steps))

    @ctl
    def can_end(self) -> bool:
        "It can always end."
        return AG(EF(self.n == self.steps))

    @divergence_free
    def visible(self) -> bool:
        "Something is seen."

    @deterministic
    def certain(self) -> bool:
        "Nothing is left to chance."
"""


def test_every_guarantee_is_shown_with_its_kind(tmp_path: Path) -> None:
    file = tmp_path / "sample.py"
    file.write_text(MODEL, encoding="utf-8")
    one = about(str(file))
    assert {claim.name: claim.kind for claim in one.guarantees} == {
        "stays-in-range": "range",
        "small": "invariant",
        "ends": "ltl",
        "goes-on": "ltl",
        "can-end": "ctl",
        "visible": "divergence",
        "certain": "determinism",
    }
    assert [each["kind"] for each in result_record(one)["guarantees"]] == [c.kind for c in one.guarantees]
    lines = render_one(one).splitlines()
    for claim in one.guarantees:
        when = lines.index(f"  {KINDS[claim.kind]}")
        assert any(line.startswith(f"    {claim.name}  ") for line in lines[when:])
