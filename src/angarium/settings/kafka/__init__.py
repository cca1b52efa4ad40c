"""Kafka's settings: what they mean for delivery, how they fit together, and which parameters they become.

`configuration` is the entrance: from `operator_files` and defaults (`catalogue`, `known_names`) to the
values that count, with their `contradictions`. `guarantees` checks them under `faults`, by the parameters
that `translate` makes of them, and `remedies` looks for the cheapest change.
"""
