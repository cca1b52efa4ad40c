"""Everything that can go wrong with Spark: one clear line, exit code 2, and no temporary files."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from angarium.core import extras
from angarium.core.errors import ModelError, SparkError
from angarium.core.errors import Place as Where
from angarium.spark import java, machine
from angarium.spark.failures import carried, translated
from angarium.spark.reasons import reason_in
from angarium.spark.session import Place, session
from tests.spark.programs import TIMEOUT, fake_java
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    Batches = Iterator[pa.RecordBatch]


def refused(place: Place) -> SparkError:
    """The error with which a place is refused."""
    with pytest.raises(SparkError) as caught:
        session(place)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2
    return caught.value


def failure_of(spark: SparkSession, work: Callable[[Batches], Batches]) -> Exception:
    """What a job fails with, as its caller sees it; the session must be as good as before."""
    with pytest.raises(Exception) as caught, translated():  # noqa: PT011 - which one is the caller's question
        spark.range(4).mapInArrow(work, "id long").collect()
    assert spark.range(3).count() == 3
    return caught.value


# --- before Spark starts ------------------------------------------------------------------------


def test_a_master_that_nobody_listens_for(scratch: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{closed.getsockname()[1]}"
        error = refused(Place(master, scratch=scratch))

    assert error.code == "ANG072"
    assert str(error) == (
        f"nobody answers at Spark's master {master}; possible: local[N], local[*], spark://HOST:PORT; "
        "start the cluster, or correct --master"
    )
    assert list(scratch.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.sample(1)
@pytest.mark.parametrize("greeting", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"], ids=["silent", "web server"])
def test_somebody_else_listens_where_the_master_should_be(greeting: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        other = threading.Thread(target=greet, args=(server, greeting))
        other.start()
        error = refused(Place(f"spark://127.0.0.1:{server.getsockname()[1]}"))
        other.join()

    assert error.code == "ANG072"


def greet(server: socket.socket, greeting: bytes) -> None:
    """Say something to the first who comes, and wait until he hangs up."""
    line, _ = server.accept()
    with line:
        line.sendall(greeting)
        with suppress(ConnectionResetError):
            while line.recv(1024):
                pass


@pytest.mark.parametrize("master", ["sprak://127.0.0.1:7077", "spark://", "local[two]", ""])
def test_what_is_no_master(master: str) -> None:
    error = refused(Place(master))

    assert (error.code, error.what) == ("ANG072", f"{master!r} is no master of Spark")


@pytest.mark.parametrize(
    ("memory", "what"),
    [
        ("100m", "too little memory for Spark: 100m"),
        ("511M", "too little memory"),
        ("lots", "'lots' is no size"),
    ],
)
def test_too_little_memory_for_spark_itself(memory: str, what: str, scratch: Path) -> None:
    error = refused(Place("local[1]", memory=memory, scratch=scratch))

    assert error.code == "ANG074"
    assert what in str(error)
    assert "512m or more" in str(error)
    assert list(scratch.iterdir()) == []


def test_a_java_that_is_too_old(scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "_bundled", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", "1.8")))
    monkeypatch.setenv("PATH", "")

    error = refused(Place("local[1]", scratch=scratch))

    assert error.code == "ANG071"
    assert "has Java 8; possible: Java 17, 21 or 25" in str(error)
    assert list(scratch.iterdir()) == []


def test_pyspark_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)

    with pytest.raises(SparkError) as caught:
        machine.spark_home()

    assert caught.value.code == "ANG070"
    assert "pip install 'angarium[spark]'" in str(caught.value)


def test_a_scratch_folder_that_cannot_be(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("", encoding="utf-8")

    with pytest.raises(SparkError, match=f"cannot write in {taken}"):
        machine.new_folder("angarium-", taken)


# --- while it works -----------------------------------------------------------------------------


def test_a_worker_that_is_killed(spark: SparkSession) -> None:
    def die(batches: Batches) -> Batches:
        os.kill(os.getpid(), signal.SIGKILL)
        yield from batches

    error = failure_of(spark, die)

    assert isinstance(error, SparkError) and error.code == "ANG074"
    assert "a Python worker of Spark was killed" in str(error)


def test_a_worker_that_lacks_a_package(spark: SparkSession) -> None:
    def need(batches: Batches) -> Batches:
        __import__("angarium_that_is_not_there")
        yield from batches

    error = failure_of(spark, need)

    assert isinstance(error, SparkError) and error.code == "ANG075"
    assert "lacks a Python package: angarium_that_is_not_there" in str(error)


def test_an_error_of_ours_comes_through_as_itself(spark: SparkSession) -> None:
    def find_a_mistake(batches: Batches) -> Batches:
        with carried():
            raise ModelError(
                "ANG105", "no x", possible="y", remedy="say y", place=Where("a.py", 3, 4, "x = 1")
            )
        yield from batches

    error = failure_of(spark, find_a_mistake)

    assert isinstance(error, ModelError)
    assert (error.code, error.possible, error.remedy) == ("ANG105", "y", "say y")
    assert str(error).startswith("a.py:3:4: no x")


def test_anything_else_is_told_in_its_own_last_line(spark: SparkSession) -> None:
    def stumble(batches: Batches) -> Batches:
        yield from batches
        raise ValueError("seven is not eight")

    error = failure_of(spark, stumble)

    assert isinstance(error, SparkError) and error.code == "ANG076"
    assert "ValueError: seven is not eight" in str(error)
    assert "\n" not in str(error)


def test_mistakes_in_our_own_code_are_not_sparks() -> None:
    with pytest.raises(ZeroDivisionError), translated():
        _ = 1 // 0


FULL_DISK = """
import sys
from pathlib import Path
from angarium.core.errors import SparkError
from angarium.spark.failures import translated
from angarium.spark.session import Place, session, stop
scratch = Path(sys.argv[1])
spark = session(Place("local[1]", scratch=scratch))
try:
    with translated():
        rows = spark.range(2_000_000).selectExpr("uuid() as name").repartition(2, "name")
        rows.write.format("noop").mode("overwrite").save()
except SparkError as problem:
    print(problem.code, problem)
stop()
print(list(scratch.iterdir()))
"""


@pytest.mark.thorough
@pytest.mark.slow
def test_a_disk_that_is_full(scratch: Path) -> None:
    """In a name space of its own, where this user may mount a disk of 8 MB."""
    if not shutil.which("unshare"):
        pytest.skip("unshare is not installed")
    mount = 'mount -t tmpfs -o size=8m none "$1" || exit 77; exec "$2" -c "$3" "$1"'
    words = ["sh", "-c", mount, "disk", str(scratch), sys.executable, FULL_DISK]
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", *words],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"this user may not mount: {done.stderr.strip()}")

    assert done.stdout.splitlines() == [
        "ANG073 the disk is full: no space left on device; what Spark had written there is removed; "
        "a --checkpoint stays as it was; make room, or set TMPDIR to a folder on a larger disk",
        "[]",
    ]


@pytest.mark.parametrize(
    ("said", "code", "told"),
    [
        ("java.lang.OutOfMemoryError: Java heap space\n\tat x", "ANG074", "out of memory: Java heap space"),
        ("System memory 259522560 must be at least 471859200.", "ANG074", "259522560 bytes of heap"),
        ("Error occurred during initialization of VM\nToo small maximum heap", "ANG074", "memory"),
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.12",
            "ANG075",
            "another Python",
        ),
        ('Cannot run program "/opt/python": error=2', "ANG075", "no program /opt/python"),
        ("All masters are unresponsive! Giving up.", "ANG072", "master cannot be reached"),
        ("Could not parse Master URL: 'x'", "ANG072", "cannot be reached: x"),
        ("Error: UnsupportedClassVersionError: org/apache", "ANG071", "Java does not fit"),
        (
            "ERROR: one\n\nCaused by: java.io.IOException: two\n\tat three",
            "ANG076",
            "java.io.IOException: two",
        ),
        ("An error occurred.\n: a.b.SomeException: two\n\tat java.base/x.Y.run(Y.java:1)", "ANG076", "two"),
        (': o.UnsupportedFileSystemException: No FileSystem for scheme "amqp"', "ANG075", "kind: amqp"),
        ("", "ANG076", "it gave no reason"),
    ],
)
def test_what_spark_says_and_how_we_say_it(said: str, code: str, told: str) -> None:
    error = reason_in(said)

    assert error.code == code
    assert told in str(error)
    assert "\n" not in str(error)
