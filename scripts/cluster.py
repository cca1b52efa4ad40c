"""A Spark cluster on this machine, for trying things: a master and workers, until Ctrl-C.

uv run python -m scripts.cluster --workers 2
uv run angarium check nsq --engine spark --master spark://127.0.0.1:PORT
"""

from __future__ import annotations

import argparse
import signal
import sys
from types import FrameType

from angarium.core.errors import SparkError
from angarium.spark.cluster import Cluster

_ENDING = (signal.SIGINT, signal.SIGTERM)


def main() -> int:
    """Start the cluster that the arguments ask for, say where it is, and wait."""
    parser = argparse.ArgumentParser(description="A Spark cluster on this machine, until Ctrl-C.")
    parser.add_argument("--workers", type=int, default=2, help="how many workers (2)")
    parser.add_argument("--cores", type=int, default=1, help="cores of each worker (1)")
    parser.add_argument("--memory", default="1g", help="memory of each worker (1g)")
    asked = parser.parse_args()
    for each in _ENDING:
        signal.signal(each, _end_once)
    try:
        with Cluster(asked.workers, asked.cores, asked.memory) as cluster:
            print(
                f"{cluster.master}  ({asked.workers} workers, page {cluster.page}; Ctrl-C ends it)",
                flush=True,
            )
            signal.pause()
    except KeyboardInterrupt:
        print("the cluster has ended")
    except SparkError as problem:
        print(f"error[{problem.code}]: {problem}", file=sys.stderr)
        return problem.exit_code
    return 0


def _end_once(number: int, frame: FrameType | None) -> None:
    """End in good order, and let nobody who is impatient, or says it twice as `uv run` does, disturb that."""
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
