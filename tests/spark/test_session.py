"""One session, on the loopback address, quiet, interruptible, and gone without a trace."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from angarium.spark.failures import translated
from angarium.spark.session import Place, session
from tests.spark.programs import TIMEOUT, processes_that_name, run_python
from tests.waiting import wait_until

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


def test_everybody_gets_the_same_session(spark: SparkSession) -> None:
    assert session(Place("local[2]")) is spark
    assert spark.range(10).selectExpr("sum(id)").first() == (45,)


def test_no_plan_is_noted_for_a_page_that_is_not_shown(spark: SparkSession) -> None:
    assert spark.range(3).count() == 3
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    assert spark._jsparkSession.sharedState().statusStore().executionsCount() == 0


@pytest.mark.parametrize(
    ("memory", "page"), [("512m", "128k"), ("1g", "256k"), ("2g", "512k"), ("1t", "65536k")]
)
def test_pages_are_small_where_memory_is(tmp_path: Path, memory: str, page: str) -> None:
    from angarium.spark.place import configuration

    assert configuration(Place(memory=memory), tmp_path, ())["spark.buffer.pageSize"] == page


def test_it_is_heard_only_on_this_machine(spark: SparkSession) -> None:
    settings = spark.sparkContext.getConf()

    assert settings.get("spark.driver.host") == "127.0.0.1"
    assert settings.get("spark.driver.bindAddress") == "127.0.0.1"
    assert spark.sparkContext.uiWebUrl is None


def test_workers_run_this_python_and_can_import_angarium(spark: SparkSession) -> None:
    def tell(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        import angarium

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"told": [f"{sys.executable} {angarium.__version__}"]})

    import angarium

    rows = spark.range(2).coalesce(1).mapInArrow(tell, "told string").collect()

    assert {row.told for row in rows} == {f"{sys.executable} {angarium.__version__}"}


def test_spark_does_not_take_over_ctrl_c(spark: SparkSession) -> None:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert spark.sparkContext is not None


def test_ctrl_c_cancels_the_job_and_reaches_the_caller(spark: SparkSession) -> None:
    def sleep(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            time.sleep(TIMEOUT)
            yield batch

    tracker = spark.sparkContext.statusTracker()
    interrupt = threading.Thread(target=_interrupt_when, args=(lambda: tracker.getActiveJobsIds(),))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt), translated():
        spark.range(1).mapInArrow(sleep, "id long").collect()
    interrupt.join()

    wait_until("no job is active", lambda: not tracker.getActiveJobsIds())
    assert spark.range(5).count() == 5


def test_ctrl_c_that_was_dealt_with_does_not_come_again() -> None:
    with translated():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        dealt_with = True

    assert dealt_with


def _interrupt_when(there: object) -> None:
    assert callable(there)
    while not there():
        time.sleep(0.1)
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)


PROGRAM = """
import os, signal, sys
from pathlib import Path
from angarium.spark.session import Place, session
spark = session(Place("local[2]", scratch=Path({scratch!r})))
assert any(Path({scratch!r}).iterdir())
numbers = spark.range(100).repartition(2, "id")
print(numbers.mapInArrow(lambda batches: batches, "id long").count(), flush=True)
{end}
"""

ENDS = {
    "by itself": ("", 0),
    "with an error": ("raise SystemExit(9)", 9),
    "by Ctrl-C": ("os.kill(os.getpid(), signal.SIGINT); signal.pause()", -signal.SIGINT),
    "by kill": ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    "by kill -9": ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
}


@pytest.mark.sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
def test_however_a_program_ends_nothing_stays_behind(end: str, scratch: Path) -> None:
    statement, code = ENDS[end]

    done = run_python(PROGRAM.format(scratch=str(scratch), end=statement))

    assert (done.returncode, done.stdout.strip()) == (code, "100")
    assert done.stderr == "" or "by Ctrl-C" in end
    wait_until("nothing is left", lambda: not [*scratch.iterdir(), *processes_that_name(scratch)])


@pytest.mark.thorough
@pytest.mark.slow
def test_another_place_ends_the_session_and_starts_anew(scratch: Path) -> None:
    program = (
        "from pathlib import Path\n"
        "from angarium.spark.session import Place, session\n"
        f"first = Path({str(scratch)!r}) / 'first'\n"
        "one = session(Place('local[1]', scratch=first))\n"
        "assert one.range(3).count() == 3 and list(first.iterdir())\n"
        "two = session(Place('local[2]', memory='600m', long=True))\n"
        "assert two is not one and not list(first.iterdir())\n"
        "print(two.sparkContext.defaultParallelism, two.range(4).count())"
    )

    done = run_python(program)

    assert (done.stdout.strip(), done.stderr) == ("2 4", "")


@pytest.mark.thorough
@pytest.mark.slow
def test_a_java_that_has_died_is_replaced(scratch: Path) -> None:
    program = (
        "import os, signal\n"
        "from angarium.spark import session as module\n"
        "from angarium.spark.session import Place, session\n"
        "session(Place('local[1]'))\n"
        "machine = module._running.machine\n"
        "os.killpg(machine.process.pid, signal.SIGKILL)\n"
        "machine.process.wait()\n"
        "print(session(Place('local[1]')).range(3).count())"
    )

    done = run_python(program)

    assert (done.stdout.strip(), done.stderr) == ("3", "")


@pytest.mark.slow
def test_a_program_that_never_needs_spark_starts_none() -> None:
    done = run_python("import angarium.spark.session, sys; print('pyspark' in sys.modules)")

    assert (done.stdout.strip(), done.stderr) == ("False", "")
