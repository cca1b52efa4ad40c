"""Where Spark is to run, and how it is set up there.

The search sends many small jobs, one a round, so what matters is what a small job costs.
"""

from __future__ import annotations

import os
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from angarium.core.errors import SparkError
from angarium.spark.reasons import LEAST_MEMORY

HEAP = "1g"
"""The memory of a Java of which nothing is said."""
_MASTER = re.compile(r"local(\[([1-9]\d*|\*)\])?|local-cluster\[[\d, ]+\]|spark://([^/,\s]+:\d+,?)+")
_MEMORY = re.compile(r"(\d+)([mgt])", re.IGNORECASE)
_MEGABYTES = {"m": 1, "g": 1 << 10, "t": 1 << 20}
_PROBE = 5.0
"""Seconds in which a master must answer a knock at its port."""


_NOTHING = b"/files/none"
_KNOCK = struct.pack(">QBI", 13 + len(_NOTHING), 6, len(_NOTHING)) + _NOTHING
"""Spark's frame: its length, the kind of message (6 asks for a stream), and the stream's name."""
_HEADER = 9
_ANSWERS = {bytes([kind]) for kind in (5, 7, 8)}
"""The kinds of answer: refused, here it is, there is none."""


@dataclass(frozen=True, slots=True)
class Place:
    """A master, the memory of each of Spark's Javas, and the folder under which it makes its own.

    With `long`, Java takes the time to optimise: for audits of many million rows, not for searches.
    """

    master: str = "local[*]"
    memory: str | None = None
    scratch: Path | None = None
    long: bool = False

    @property
    def heap(self) -> str:
        """The memory of a Java, as Java says it."""
        return self.memory or HEAP

    @property
    def megabytes(self) -> int:
        """The same as a number; 0 if it is no size."""
        size = _MEMORY.fullmatch(self.heap)
        return int(size[1]) * _MEGABYTES[size[2].lower()] if size else 0

    @property
    def local(self) -> bool:
        """Whether everything runs in the one Java of the session."""
        return self.master.startswith("local") and not self.master.startswith("local-cluster")

    @property
    def standalone(self) -> bool:
        """Whether it is a cluster of Spark's own kind."""
        return self.master.startswith("spark://")

    @property
    def loopback(self) -> bool:
        """Whether nothing needs to be heard outside this machine."""
        return self.master.startswith("local") or all(host in _LOOPBACK for host, _ in self.addresses)

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Host and port of each master of a standalone cluster."""
        if not self.standalone:
            return []
        pairs = (each.rsplit(":", 1) for each in self.master.removeprefix("spark://").split(",") if each)
        return [(host.strip("[]"), int(port)) for host, port in pairs]

    @property
    def cores(self) -> int:
        """How many tasks run at a time, if everything runs here; else a guess that Spark corrects."""
        count = re.search(r"\[(\d+)", self.master)
        return int(count[1]) if count else 1 if self.master == "local" else os.cpu_count() or 1


_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def check(place: Place) -> None:
    """Whether Spark can run there, as far as it can be said without starting it; SparkError if not."""
    if not _MASTER.fullmatch(place.master):
        raise no_master(f"{place.master!r} is no master of Spark")
    if place.megabytes < Place(memory=LEAST_MEMORY).megabytes:
        raise SparkError(
            "ANG074",
            f"too little memory for Spark: {place.heap}"
            if _MEMORY.fullmatch(place.heap)
            else f"{place.heap!r} is no size of memory",
            possible=f"possible: a number with m, g or t, {LEAST_MEMORY} or more",
            remedy="say it with --memory, for example --memory 2g",
        )
    if place.addresses and not any(map(_answers, place.addresses)):
        raise no_master(f"nobody answers at Spark's master {place.master}")


def _page(place: Place) -> int:
    """Kilobytes of a page, Spark's smallest piece of memory: 256 of them for each gigabyte.

    Whatever sorts or groups takes at least one, be it for a single row, and so does a table that is given to
    all tasks; an audit has hundreds of these at a time. A task can have 8,192 pages and no more.
    """
    return min(max(place.megabytes // 4, 128), 64 << 10)


def _answers(address: tuple[str, int]) -> bool:
    """Whether a master of Spark listens at an address. Spark would try for a minute or more.

    It is asked for a file that it cannot have, and says so; one that speaks only to who encrypts hangs up.
    """
    import socket

    try:
        with socket.create_connection(address, timeout=_PROBE) as line:
            line.sendall(_KNOCK)
            answer = line.recv(_HEADER)
    except ConnectionResetError:
        return True
    except (OSError, UnicodeError):  # the latter is a host's name that cannot be one
        return False
    return not answer or answer[_HEADER - 1 :] in _ANSWERS


def no_master(what: str) -> SparkError:
    """The error that a master is not there."""
    return SparkError(
        "ANG072",
        what,
        possible="possible: local[N], local[*], spark://HOST:PORT",
        remedy="start the cluster, or correct --master",
    )


def python_for(place: Place) -> str:
    """The Python of the workers: this one, unless the user knows better what the cluster has."""
    chosen = None if place.loopback else os.environ.get("PYSPARK_PYTHON")
    return chosen or sys.executable


def configuration(place: Place, folder: Path, flags: tuple[str, ...]) -> dict[str, str]:
    """Spark's settings for a place; what it writes goes into the folder."""
    return {
        "spark.app.name": "angarium",
        "spark.master": place.master,
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **_FORGETFUL,
        "spark.executor.memory": place.heap,
        "spark.executor.extraJavaOptions": " ".join(flags),
        # A task waits for the machine that has its states; where there is one machine it would wait in vain.
        "spark.locality.wait": "0" if place.loopback else "1s",
        "spark.sql.adaptive.enabled": "false",  # it would make several jobs of one, each with its latency
        "spark.sql.shuffle.partitions": str(max(2, place.cores)),
        # An audit has more plans than the hundred whose compiled code Spark would keep.
        "spark.sql.codegen.cache.maxEntries": "2000",
        "spark.buffer.pageSize": f"{_page(place)}k",
        # A map for the first 65,536 groups is one more to look in where there are millions of them.
        "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",
        # Looking for an encoding of numbers that hardly repeat takes longer than reading them does.
        "spark.sql.inMemoryColumnarStorage.compressed": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
    } | _safety(place)


def _safety(place: Place) -> dict[str, str]:
    """Who may talk to Spark. Its Javas believe each other: what one sends, another makes objects of.

    Another user of this machine can reach the loopback address, too. So everything asks for a secret, also
    where there is nobody but us to know it; on a cluster the secret is the user's to say.
    """
    heard = _LOOPBACK_ONLY if place.loopback else {}
    if place.standalone:
        return heard
    # Spark makes a secret where everything is in one Java; several must be told one.
    return heard | _SECRET_ASKED | ({} if place.local else {"spark.authenticate.secret": token_hex(32)})


_FORGETFUL = {
    "spark.ui.retainedJobs": "50",
    "spark.ui.retainedStages": "50",
    "spark.ui.retainedTasks": "1000",
    "spark.ui.dagGraph.retainedRootRDDs": "50",
}
"""Spark remembers a thousand jobs for its page, even if there is none."""
_LOOPBACK_ONLY = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_SECRET_ASKED = {
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",  # by AES; else it would be SASL with MD5
    "spark.network.crypto.saslFallback": "false",
}
