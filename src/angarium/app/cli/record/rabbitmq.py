"""`angarium record rabbitmq`: record what a RabbitMQ says of itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from angarium.app.cli.record.options import recorder_options, run


@click.command()
@click.argument("url", default="amqp://guest:guest@localhost:5672/%2F")
@click.option(
    "--queues", multiple=True, metavar="PATTERN", help="Only these, such as 'orders.*'; repeatable."
)
@recorder_options
def command(url: str, queues: tuple[str, ...], **words: Any) -> int:  # noqa: ANN401 (the options)
    """Record a RabbitMQ at URL until Ctrl-C, SIGTERM, --for or --events.

    It reads the firehose and the event exchange of the address's virtual host. An operator turns them on:

    \b
      rabbitmqctl trace_on
      rabbitmq-plugins enable rabbitmq_event_exchange

    The firehose costs a broker two more messages for each one, and shows everybody's messages to whoever may
    read amq.rabbitmq.trace. It shows no acknowledgements: these only clients can record.

    \b
    Examples:
      angarium record rabbitmq --out history
      angarium record rabbitmq amqp://me:secret@broker/%2F --out history \\
          --queues 'orders.*' --format parquet --for 8h

    Exit codes: 0 it has ended as it was told to, 2 wrong usage or input.
    """
    from angarium.history.recorders.rabbitmq_link import record_rabbitmq

    return run(partial(record_rabbitmq, url, queues=queues), words)
