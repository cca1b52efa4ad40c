"""`angarium simulate`: random walks, and statistics of what the model observes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from angarium.app.cli.options import (
    json_option,
    options_of,
    quiet_option,
    read_settings,
    spark_options,
    subject_argument,
    threads_option,
    timeout_option,
)
from angarium.checker.walks.plan import Plan
from angarium.core.errors import UsageError
from angarium.core.options import SIMULATE

if TYPE_CHECKING:
    pass

STORIES = ("table", "brief", "mermaid", "none")


@click.command()
@subject_argument
@options_of(SIMULATE, "set", "runs", "steps", "seed", "schedule", "observe")
@click.option(
    "--compare",
    multiple=True,
    metavar="NAME=VALUE",
    help="The same with this parameter changed (or several: a=1,b=2), and the difference; may be repeated.",
)
@click.option(
    "--sweep",
    multiple=True,
    metavar="NAME=VALUES",
    help="Every value of a parameter: queues=2..20, queues=2..20..2, rule=always,poorer; with several, every"
    " combination.",
)
@options_of(SIMULATE, "engine")
@spark_options
@threads_option
@timeout_option
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE.svg",
    help="Draw a histogram; of a sweep a line or, over two parameters, a heat map.",
)
@click.option(
    "--raw",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the figures of every walk: FILE.csv or FILE.parquet.",
)
@click.option(
    "--story",
    type=click.Choice(STORIES),
    default=STORIES[0],
    show_default=True,
    help="How to show a violation that a walk has met.",
)
@json_option
@quiet_option
def command(
    subject: str,
    parameters: dict[str, str],
    runs: int,
    steps: int,
    seed: int,
    schedule: str,
    observe: str | None,
    compare: tuple[str, ...],
    sweep: tuple[str, ...],
    engine: str | None,
    master: str,
    memory: str | None,
    threads: int | None,
    timeout: float | None,
    plot: Path | None,
    raw: Path | None,
    story: str,
    as_json: bool,
    quiet: bool,
) -> int:
    """Make random walks through SUBJECT and report what its model observes.

    SUBJECT is a bundled system (see `angarium systems`), or a Python file with a model, or
    FILE:CLASS if the file has several.

    The same seed gives the same walks, on any number of threads or machines. The figures depend on the
    schedule, so it is shown with them. Walks prove nothing: a guarantee that no walk has violated stays
    unknown; `angarium check` decides it.

    \b
    Examples:
      angarium simulate rabbitmq-sac --set queues=10 --set apps=10
      angarium simulate rabbitmq-sac --schedule uniform --plot releases.svg
      angarium simulate rabbitmq-sac --compare rule=poorer
      angarium simulate rabbitmq-sac --sweep queues=2..20 --plot releases.svg
      angarium simulate rabbitmq-sac --sweep queues=2..9 --sweep apps=2..9
      angarium simulate my_queue.py --runs 1000000 --raw figures.parquet
      angarium simulate my_queue.py --runs 100000000 --engine gpu

    Exit codes: 0 all walks were made and met no violation, 1 one met a violation, 2 wrong usage or
    input, 3 cut before all walks were made.
    """
    from angarium.api import OnSpark, engine_named, usable_cores
    from angarium.app.cli import simulating
    from angarium.checker.walks.sweep import read_axis

    chosen = engine or ("spark" if sweep else "local")
    if chosen != "spark":
        engine_named(chosen, OnSpark(master, memory))
    request = simulating.Request(
        subject,
        parameters,
        Plan(runs, steps, seed, schedule),
        tuple(_changes(each) for each in compare),
        tuple(read_axis(each) for each in sweep),
        observe,
        chosen,
        master,
        memory,
        1 if chosen == "gpu" else threads or usable_cores(),
        timeout,
        plot,
        raw,
        story,
        as_json,
        quiet,
    )
    return simulating.run(request)


def _changes(words: str) -> dict[str, str]:
    """What an alternative changes, from words such as rule=poorer,stops=false."""
    try:
        return read_settings(words.split(","))
    except UsageError:
        raise UsageError(
            "ANG013",
            f"--compare {words!r} does not say which parameter gets which value",
            possible="name=value, or several with commas between them, each name once",
            remedy="for example --compare rule=poorer",
        ) from None
