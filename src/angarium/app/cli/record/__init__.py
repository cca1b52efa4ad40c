"""`angarium record`: write down what a running broker does."""

from __future__ import annotations

import click

from angarium.app.cli.verbs import Verbs

VERBS = {
    "rabbitmq": "Record a RabbitMQ: its firehose and its event exchange.",
    "nats": "Record a NATS JetStream: streams, acknowledgements, advisories.",
    "recover": "Finish the files of recorders that died.",
}


class RecordVerbs(Verbs):
    """What can be recorded."""

    package = "angarium.app.cli.record"
    verbs = VERBS
    lasting = ("rabbitmq", "nats")


@click.group(cls=RecordVerbs, name="record", no_args_is_help=True, subcommand_metavar="VERB ...")
def command() -> None:
    """Write down what a running broker does, for `angarium audit`.

    A recorder attaches to a broker and writes a history: JSON lines or Parquet, in files that rotate, until
    it is stopped. It comes back when the broker does, and what it may have missed shows as a gap in its
    numbers.

    \b
    Examples:
      angarium record rabbitmq amqp://guest:guest@localhost --out history
      angarium record nats nats://localhost --stream ORDERS --out history
      angarium audit history
    """
