"""`angarium mesh`: everything about brokers that are linked to each other."""

from __future__ import annotations

import click

from angarium.app.cli.verbs import Verbs

VERBS = {
    "verify": "Judge every guarantee, healthy and under every failure.",
    "trace": "Follow a topic: where it arrives, how often, over which path.",
    "links": "List which topics cross which link.",
    "draw": "Draw it, with what is dead and what goes wrong.",
    "diff": "Say what a change gains, loses, doubles or slows.",
    "repair": "Find the smallest change that mends it.",
    "locate": "Find the dead link or broker from what does not arrive.",
    "convert": "Write brokers' own configuration as one mesh file.",
    "export": "Write it in another checker's language.",
    "recover": "Calculate and verify tables for every failure beforehand.",
    "node": "Run one broker's recovery daemon, over UDP.",
    "simulate": "Send packets while links fail and heal, under several schemes.",
    "schemes": "Compare schemes of recovery, over every link that fails.",
    "latency": "Say how likely topics miss their bounds.",
    "heartbeats": "Compare dead intervals: false alarms against detection time.",
}


class MeshVerbs(Verbs):
    """What can be asked of a mesh."""

    package = "angarium.app.cli.mesh"
    verbs = VERBS


@click.group(
    cls=MeshVerbs,
    name="mesh",
    no_args_is_help=True,
    subcommand_metavar="VERB ...",
)
def command() -> None:
    """Ask of brokers and links whether every message arrives.

    A mesh is a mesh file (YAML), or the brokers' own configuration: RabbitMQ definitions.json,
    mosquitto.conf, nats.conf, MirrorMaker 2, Qpid Dispatch or Skupper, Artemis; several files for
    several brokers, or a folder.

    \b
    Examples:
      angarium mesh verify mesh.yaml
      angarium mesh verify eu.json us.json ap.json --failures links=1
      angarium mesh draw mesh.yaml --out mesh.svg
      angarium mesh diff old.yaml new.yaml
      angarium mesh recover mesh.yaml --out tables
    """
