"""`angarium record nats`: record what a NATS JetStream says of itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from angarium.app.cli.record.options import recorder_options, run


@click.command()
@click.argument("url", default="nats://localhost:4222")
@click.option("--stream", "streams", multiple=True, metavar="NAME", help="Only this; repeatable.")
@recorder_options
def command(url: str, streams: tuple[str, ...], **words: Any) -> int:  # noqa: ANN401 (the options)
    """Record the JetStream of a NATS server at URL until Ctrl-C, SIGTERM, --for or --events.

    It reads what is stored from the streams, and what becomes of it from metrics and advisories. A consumer
    tells of its acknowledgements only if it is told to:

    \b
      nats consumer edit STREAM CONSUMER --sample 100

    \b
    Examples:
      angarium record nats --out history
      angarium record nats nats://broker:4222 --stream ORDERS --out history --for 10min

    Exit codes: 0 it has ended as it was told to, 2 wrong usage or input.
    """
    from angarium.history.recorders.nats_link import record_nats

    return run(partial(record_nats, url, streams=streams), words)
