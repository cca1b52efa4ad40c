"""`angarium audit`: what really happened, and whether every guarantee was kept.

The parameters of an audit as options of the command line, with their defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from angarium.app.cli.following import follow_options
from angarium.app.cli.options import json_option, options_of, quiet_option, spark_options
from angarium.core.options import AUDIT, AUDIT_TIMES
from angarium.core.units import in_words
from angarium.history.parameters import MILLISECOND
from angarium.history.said import DEFAULTS

F = TypeVar("F", bound=Callable[..., Any])


def parameter_options(function: F) -> F:
    """All parameters of an audit, under their own names, the times with their defaults."""
    function = options_of(AUDIT, "retry-limit", "single-active")(function)
    times = {name: replace(each, help=f"{each.help} {_default(name)}") for name, each in AUDIT_TIMES.items()}
    return options_of(times)(function)


def _default(name: str) -> str:
    default = DEFAULTS[name.replace("-", "_")]
    words = in_words(default / MILLISECOND) if isinstance(default, int) else "as the events say"
    return f"[default: {words}]"


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--table", multiple=True, metavar="NAME", help="A table that Spark knows; may be repeated.")
@options_of(AUDIT, "only", "format", "mapping", "run", "model")
@click.option("--out", type=click.Path(path_type=Path), help="Write the tables into this folder.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "local", "spark"]),
    default="auto",
    show_default=True,
    help="In the process, or on Spark; auto: in the process if that has what is asked, and room for it.",
)
@parameter_options
@follow_options
@spark_options
@json_option
@quiet_option
def command(paths: tuple[str, ...], as_json: bool, quiet: bool, **given: Any) -> int:  # noqa: ANN401 (options)
    """Audit recorded histories: was every message delivered, once, in order, in time?

    PATH is a file or a folder of events: JSON lines, CSV or Parquet in Angarium's event schema, or what
    RabbitMQ's firehose, NATS JetStream, OpenTelemetry or Jepsen write. Rows that cannot be understood are
    put into quarantine, counted and told. PATH may also be a URI that Spark opens, such as s3a://bucket/folder.

    \b
    Examples:
      angarium audit history.jsonl.gz
      angarium audit recordings/ --out audited --message-timeout 60s
      angarium audit nsq.jsonl --message-timeout 60s --model nsq
      angarium audit part-*.parquet --only no-loss --only order --json
      angarium audit --follow recordings/ --checkpoint audit-state/

    Exit codes: 0 all that could be judged holds, 1 something is violated, 2 wrong usage or input,
    3 unknown.
    """
    from angarium.app.cli.following import check

    check(paths, given)
    return _follow(given, as_json, quiet) if given["follow"] else _audit(paths, given, as_json, quiet)


def _follow(given: dict[str, Any], as_json: bool, quiet: bool) -> int:
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.following import follow, followed_result, told
    from angarium.app.cli.output import say, say_record
    from angarium.app.report.record import result_record
    from angarium.history.live.verdicts import verdict
    from angarium.history.said import parameters_of
    from angarium.spark.place import Place

    progress = follow(given, parameters_of(given), Place(given["master"], given["memory"]), quiet=quiet)
    if as_json:
        say_record(result_record(followed_result(progress, given["follow"])))
    else:
        say(told(progress, given["checkpoint"]))
    return EXIT_CODE_OF[verdict(progress)]


def _audit(paths: tuple[str, ...], given: dict[str, Any], as_json: bool, quiet: bool) -> int:
    from angarium.api import AuditParameters, OnSpark, audit
    from angarium.app.cli.failures import EXIT_CODE_OF
    from angarium.app.cli.output import is_colourful, say, say_record, width
    from angarium.app.cli.watching import telling
    from angarium.app.report.history_text import render
    from angarium.app.report.record import result_record

    parameters = {name: given[name] for name in AuditParameters.__annotations__}
    with telling(quiet) as tell:
        result = audit(
            paths,
            only=given["only"],
            format=given["format"],
            mapping=given["mapping"],
            run=given["run"],
            model=given["model"],
            out=given["out"],
            engine=_engine(given["engine"]),
            table=given["table"],
            spark=OnSpark(given["master"], given["memory"]),
            observe=tell,
            **parameters,
        )
    if as_json:
        say_record(result_record(result))
    else:
        say(render(result, width=width(), colourful=is_colourful(), out=given["out"]))
    return EXIT_CODE_OF[result.worst]


def _engine(given: str) -> str:
    """The engine; who names a master of Spark wants it."""
    said = click.get_current_context().get_parameter_source("master")
    return "spark" if given == "auto" and said is not ParameterSource.DEFAULT else given
