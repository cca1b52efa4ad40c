"""The program `angarium`: its verbs, loaded when they are used.

The verbs' modules import the rooms below inside their functions, so that `angarium VERB --help` is quick.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from angarium import __version__
from angarium.app.cli.failures import ExitCode, UnansweredError, explain
from angarium.app.cli.output import answer_is_lost, flush, open_streams
from angarium.app.cli.verbs import Verbs
from angarium.core.addresses import addresses_left
from angarium.core.control import Stopped, interrupt, terminate

VERBS = {
    "run": "Check every claim of a project file, and write a report.",
    "init": "Write a project file from what is in a folder.",
    "check": "Explore every run of a system and judge its guarantees.",
    "mesh": "Ask of brokers and links whether every message arrives.",
    "prove": "Prove an implementation right for any size, or show why not.",
    "audit": "Judge what really happened, from recorded histories.",
    "record": "Write down what a running broker does, for an audit.",
    "conform": "Drive a real queue and watch whether it keeps a contract.",
    "engines": "Say which engines this machine can use, and for what.",
    "systems": "List the bundled systems, or the parameters of one.",
    "simulate": "Make random walks through a system, and statistics of them.",
    "replay": "Show a story again, from its address.",
    "refine": "Ask whether a system does only what another one allows.",
    "trend": "Show how a project's claims fared over its runs.",
    "export": "Write a system in another checker's language.",
    "serve": "Explore models, meshes and reports on a page.",
}
"""Each verb and what it does, in the order in which a newcomer needs them."""
_LEAST = 160 * 2**20
"""Bytes of addresses that NumPy takes, and some."""


class Program(Verbs):
    """All verbs; turns failures into exit codes."""

    package = "angarium.app.cli"
    verbs = VERBS
    lasting = ("serve",)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:  # noqa: ANN401 (click's)
        """Run a verb and leave with its exit code."""
        words = list(sys.argv[1:] if args is None else args)
        _leave_in_order()
        if args is None:
            _own_the_process()
        extra = {"prog_name": "angarium", **extra, "standalone_mode": False}
        try:
            code = super().main(words, *rest, **extra)
        except SystemExit:  # click's, when nobody reads the help that it writes
            code = ExitCode.HOLDS
        except Exception as problem:
            code = explain(problem, words)
        flush()
        sys.exit(ExitCode.WRONG_INPUT if not code and answer_is_lost() else code)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 (click's)
        """Run a verb; what ended it before it had an answer is told apart from Ctrl-C."""
        _have_room()
        try:
            return _unwrapped(lambda: super(Program, self).invoke(ctx))
        except Stopped as stopped:
            raise UnansweredError(stopped) from stopped


def _unwrapped(work: Callable[[], Any]) -> Any:  # noqa: ANN401 (the verb's)
    """What the work gives. Python 3.11 makes a RuntimeError of what stops it where a class is being made."""
    try:
        return work()
    except RuntimeError as problem:
        if isinstance(problem.__cause__, KeyboardInterrupt):
            raise problem.__cause__ from None
        raise


def _have_room() -> None:
    """Load NumPy first where addresses are few (`ulimit -v`), or nothing.

    Its OpenBLAS ends the process where it gets none, with 1: that would say that something is violated.
    """
    left = addresses_left()
    if left is not None and left < _LEAST:
        raise MemoryError
    if left is not None:
        import_module("numpy")


def _leave_in_order() -> None:
    """Let Ctrl-C and SIGTERM end the program by way of all that tidies up, if nobody else deals with them."""
    if threading.current_thread() is threading.main_thread():
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, terminate)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, interrupt)


def _own_the_process() -> None:
    """What only a program may do, which shares its process with nobody: it takes a fifth off a small check.

    NumPy's OpenBLAS starts a thread for each core when it is imported, and they look busily for work that
    never comes: our matrices are small. Python looks for garbage in all that was ever loaded when a process
    ends, although its memory is given back anyway.
    """
    open_streams()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    atexit.register(gc.freeze)


@click.group(
    cls=Program,
    name="angarium",
    no_args_is_help=True,
    subcommand_metavar="VERB ...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Exit codes: 0 all hold, 1 something is violated, 2 wrong usage or input, 3 unknown.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Check that every message arrives.

    Angarium explores every run of a message-queue system, with every order of events and every fault
    that you allow, and says which guarantees hold. Where one does not, it shows the shortest story of
    how it breaks.

    \b
    Start here:
      angarium systems                      what comes with Angarium
      angarium check rabbitmq-sac           check one of them
      angarium check my_queue.py            check your own model
      angarium init && angarium run         check all that is in a folder
      angarium serve                        look at it on a page
    """
