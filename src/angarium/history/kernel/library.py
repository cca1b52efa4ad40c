"""The kernel as machine code."""

from __future__ import annotations

from angarium.history.kernel import (
    again_core,
    arrival_core,
    encode_core,
    flight_core,
    knowledge_core,
    layout,
    life_core,
    matter_core,
    message_core,
    names_core,
    numbers_core,
    pairs_core,
    second_core,
    several_core,
    store_core,
    told_core,
)
from angarium.native import hash_core
from angarium.native.calls import Native

KERNEL = Native(
    second_core,
    (
        "scatter", "count_of", "export", "hash_names", "watch", "mark", "expand", "fold", "arrive",
        "follow_sequences", "follow_holders", "follow_units", "times", "matter", "tops", "first_of_strands",
        "mark_all", "mark_settlers", "renew", "sow", "among", "stored_since", "number_pairs", "encode",
        "count_rows",
    ),
    also=(
        hash_core, layout, store_core, pairs_core, encode_core, names_core, numbers_core, life_core,
        knowledge_core, arrival_core, again_core, flight_core, message_core, several_core, matter_core,
    ),
    thorough=True,
)  # fmt: skip
"""All functions that are called from Python."""

LIVES = Native(
    told_core,
    ("tell", "spell"),
    also=(
        layout, store_core, life_core, knowledge_core, arrival_core, again_core, flight_core, message_core,
    ),
    thorough=True,
)  # fmt: skip
"""What tells of every message, which few audits ask for."""
