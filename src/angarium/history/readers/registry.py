"""The readers of text formats, in the order in which they are asked whether a file is theirs."""

from __future__ import annotations

from angarium.history.readers import jepsen, json_lines, nats, otlp, rabbitmq
from angarium.history.readers.reader import Reader

TEXT_READERS: tuple[Reader, ...] = (
    otlp.READER,
    jepsen.READER,
    rabbitmq.READER,
    nats.READER,
    json_lines.READER,
)
"""The particular ones first: JSON lines of the event schema take whatever is an object."""
