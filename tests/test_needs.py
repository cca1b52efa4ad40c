"""The last line of a run: what was left out."""

from __future__ import annotations

from tests.effort import left_for_thorough
from tests.needs import NEEDS, left_out


def test_what_is_missing_is_counted_with_what_installs_it() -> None:
    spin = f"Skipped: {NEEDS['spin'].reason}"
    no_package = "Skipped: could not import 'pyspark': No module named 'pyspark'"

    assert left_out([spin, no_package, spin, "Skipped: this user may not mount"]) == (
        "Tests left out: 2 for want of SPIN (apt-get install spin gcc), 1 for want of pyspark (uv sync), "
        "1 for other reasons (pytest -rs)."
    )


def test_a_run_of_everything_has_nothing_to_say() -> None:
    assert left_out([]) is None


def test_what_only_the_thorough_run_has_is_counted_by_folder() -> None:
    assert left_for_thorough({"mesh": 2, "checker": 1200}) == (
        "Left for --thorough: 1,202 tests (checker 1,200, mesh 2)."
    )
    assert left_for_thorough({}) is None
