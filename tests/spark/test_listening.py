"""Who can talk to Spark: what listens is on the loopback address, in the documents, and asks for a secret."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from angarium.history.asked import Asked
from angarium.history.auditing import conduct
from angarium.spark.place import Place
from scripts.cluster import Cluster
from tests.processes import descendants
from tests.spark.programs import run_python

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LISTENS = "0A"
"""The state of a socket that listens, in /proc/net/tcp."""
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
"""127.0.0.1, the same as IPv6, and ::1, as the kernel writes them there."""
TABLE = Path("docs/how-to/spark.md")
HISTORY = Path("examples/histories/shop.jsonl")


def sockets(process: int) -> dict[str, int]:
    """The sockets of a process and all that it has started, by their inode."""
    found = {}
    for each in (process, *descendants(process)):
        with suppress(OSError):
            for file in Path(f"/proc/{each}/fd").iterdir():
                with suppress(OSError):
                    found[os.readlink(file)] = each
    return {name[8:-1]: each for name, each in found.items() if name.startswith("socket:[")}


def listening(process: int) -> set[tuple[str, int, int]]:
    """Address, port and owner of every socket of a family at which somebody may knock."""
    lines = [
        line.split()
        for kind in ("tcp", "tcp6", "udp", "udp6")
        for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]
        if kind.startswith("udp") or line.split()[3] == LISTENS
    ]
    owners = sockets(process)
    found = {(fields[1], owners[fields[9]]) for fields in lines if fields[9] in owners}
    return {(place.split(":")[0], int(place.split(":")[1], 16), owner) for place, owner in found}


@contextmanager
def watched(process: int) -> Iterator[set[tuple[str, int, int]]]:
    """All that listens at some moment of the block."""
    seen, over = set[tuple[str, int, int]](), threading.Event()

    def look() -> None:
        while not over.wait(0.02):
            seen.update(listening(process))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        over.set()
        looking.join()
        seen.update(listening(process))


def work(spark: SparkSession) -> None:
    """Jobs of every kind: Python workers, an accumulator, results by Arrow and one by one, and an audit."""
    context = spark.sparkContext
    total = context.accumulator(0)
    context.parallelize(range(100), 2).foreach(total.add)
    assert total.value == 4950
    assert context.parallelize(range(4), 2).map(lambda each: each + 1).collect() == [1, 2, 3, 4]
    assert len(spark.range(3).toPandas()) == 3
    assert len(list(spark.range(3).toLocalIterator())) == 3
    audited = conduct(Asked([HISTORY], engine="spark"), Place("local[2]"))
    assert audited.told.counts.read == 168


def name_of(port: int, owner: int, spark: SparkSession) -> str:
    """What listens at a port, as the documents call it."""
    context = spark.sparkContext
    jvm = context._jsc.sc()
    blocks = [each._1().rpartition(":")[2] for each in _pairs(jvm.getExecutorMemoryStatus())]
    gateway = context._gateway
    assert gateway is not None
    known = {
        int(context.getConf().get("spark.driver.port") or 0): "Spark's driver",
        int(blocks[0]): "its block manager",
        gateway.gateway_parameters.port: "the gateway",
        context._accumulatorServer.server_address[1]: "accumulators",
    }
    if port in known:
        return known[port]
    return "Python's workers" if "pyspark.daemon" in _command(owner) else "results"


def _pairs(scala: object) -> list[object]:
    iterator = scala.iterator()  # type: ignore[attr-defined]
    found = []
    while iterator.hasNext():
        found.append(iterator.next())
    return found


def _command(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text()
    return ""


def documented() -> set[str]:
    """The first column of the table of who listens."""
    section = TABLE.read_text(encoding="utf-8").partition("## Who listens")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("|")]
    return set(rows[2:])


def test_all_that_listens_is_on_loopback_and_in_the_table(spark: SparkSession) -> None:
    with watched(os.getpid()) as seen:
        work(spark)

    assert {address for address, _, _ in seen} <= LOOPBACK
    names = {name_of(port, owner, spark) for _, port, owner in seen}
    assert names <= documented()
    assert documented() - names <= {"results"}, "which are there at times only"


JAVA_OBJECT = bytes.fromhex("aced0005737200116a6176612e7574696c2e486173684d6170")
"""The beginning of a HashMap, as Java writes objects."""


def test_a_stranger_is_hung_up_on_before_anything_is_made_of_what_it_sends(spark: SparkSession) -> None:
    context = spark.sparkContext
    blocks = _pairs(context._jsc.sc().getExecutorMemoryStatus())[0]._1()  # type: ignore[attr-defined]
    for port in (context.getConf().get("spark.driver.port"), blocks.rpartition(":")[2]):
        with socket.create_connection(("127.0.0.1", int(port or 0)), timeout=60) as line:
            line.sendall(request(b"\x00\x00\x00\x0aHeartbeats" + JAVA_OBJECT))
            said = answer(line)
        assert b"Unknown challenge message" in said
        assert b"ObjectInputStream" not in said


def request(body: bytes) -> bytes:
    """A request of Spark's: length, kind 3, number, and length of the body."""
    head = struct.pack(">BQI", 3, 7, len(body))
    return struct.pack(">Q", 8 + len(head) + len(body)) + head + body


def answer(line: socket.socket) -> bytes:
    """All that comes before we are hung up on."""
    said = b""
    with suppress(ConnectionResetError):
        while piece := line.recv(1 << 16):
            said += piece
    return said


def test_the_gateway_asks_for_its_secret(spark: SparkSession) -> None:
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    with socket.create_connection(("127.0.0.1", gateway.gateway_parameters.port), timeout=60) as line:
        line.sendall(b"r\nu\njava.lang.Runtime\nrp\ne\n")
        said = line.recv(1 << 16)

    assert b"Authentication error" in said
    assert b"Runtime" not in said


PROGRAM = """
from angarium.spark.session import Place, session
spark = session(Place({master!r}, "512m"))
print(spark.sparkContext.parallelize(range(4), 2).map(lambda each: each + 1).sum())
"""


@pytest.mark.cluster
@pytest.mark.slow
def test_a_cluster_with_a_secret_is_used_by_who_knows_it() -> None:
    with Cluster(1, memory="512m", authenticated=True) as cluster:
        done = run_python(PROGRAM.format(master=cluster.master), SPARK_CONF_DIR=str(cluster.configuration))

    assert (done.returncode, done.stdout) == (0, "10\n"), done.stderr
