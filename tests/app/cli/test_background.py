"""What is said of a scenario before its verdicts."""

from __future__ import annotations

import pytest

from angarium.app.cli.telling import background
from angarium.systems.registry import find, load


@pytest.mark.parametrize(
    ("settings", "faults"),
    [
        ({"duplicates": "0"}, ()),
        ({"duplicates": "0", "sender_lives": "2"}, ("restart_sender",)),
        ({"duplicates": "0", "receiver_lives": "2"}, ("restart_receiver",)),
        ({}, ("duplicate_data", "duplicate_ack", "duplicate_notice")),
    ],
)
def test_a_fault_is_named_if_its_budget_is_not_empty(
    settings: dict[str, str], faults: tuple[str, ...]
) -> None:
    """Whatever else it writes: without a restart of the sender, `sender_known` has but one value."""
    said = background(find("transport"), load("transport", settings))

    assert said.faults == faults
