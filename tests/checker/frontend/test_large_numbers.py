"""Numbers that engines cannot compute with are refused where they stand; what grows so large fails."""

from __future__ import annotations

import pytest

from angarium.checker.ir.transition import STAYS_IN_RANGE
from angarium.core.errors import ModelError
from tests.models import system
from tests.verdicts import hit

LARGE = "4611686018427387903"
"""2**62 - 1, the largest number of the language."""
MODEL = """
    n = integer(0, 3)
    {}
    @action
    def act(self) -> None:
        {}
    """


@pytest.mark.parametrize(
    ("head", "declared", "statement"),
    [
        ("BIG = 99999999999999999999999", "", "self.n = (self.n + BIG) % 2"),
        (f"BIG = {LARGE} * {LARGE}", "", "self.n = (self.n + BIG) % 2"),
        (f"BIG = -{LARGE} - 1", "", "self.n = (self.n + BIG) % 2"),
        (f"BIG = max(1, {LARGE} + 1)", "", "self.n = (self.n + BIG) % 2"),
        ("", "", f"self.n = (self.n + {LARGE} * {LARGE}) % 2"),
        ("", "", f"self.n = (self.n + -({LARGE} * 2)) % 2"),
        ("", "", f"for i in range({LARGE} * 2):\n            self.n = 0"),
        ("", "", "self.n = self.n < 99999999999999999999999"),
        ("", "p = param(1, high=99999999999999999999999)", "self.n = self.p % 2"),
        ("", "s = setof(integer(0, 99999999999999999999999))", "self.n = 1"),
    ],
)
def test_a_number_that_is_too_large_is_refused_at_its_line(head: str, declared: str, statement: str) -> None:
    with pytest.raises(ModelError) as caught:
        system(MODEL.format(declared, statement), head=head)

    assert caught.value.code in ("ANG104", "ANG107")
    assert caught.value.place is not None
    assert any(text in caught.value.place.source for text in ("99999", LARGE))


def test_a_name_that_becomes_too_large_in_a_process_is_refused() -> None:
    with pytest.raises(ModelError, match=r"k \* k is too large to compute with"):
        system(f"""
            n = integer(0, 3)
            async def run(self) -> None:
                k = {LARGE}
                k *= k
                self.n = k % 2
                await until(True)
            """)


def test_large_numbers_can_be_computed_with() -> None:
    body = MODEL.format("big = integer(0, LARGE, LARGE)", "self.n = self.big % 3")
    assert not hit(body, head=f"LARGE = {LARGE}")


def test_what_grows_too_large_during_the_search_is_out_of_range() -> None:
    declared = "big = integer(0, LARGE, LARGE)"
    statement = "self.n = (self.big + self.big + self.big) % 3"
    assert STAYS_IN_RANGE in hit(MODEL.format(declared, statement), head=f"LARGE = {LARGE}")
