"""A project through `spark-submit`: the Java that started us is used, and where it runs is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import angarium.__main__

PROJECT = """\
[[claim]]
name = "one at a time"
check = "rabbitmq-sac"
set = { queues = 2, apps = 2 }
only = ["type-ok"]
"""


@pytest.mark.slow
def test_a_submitted_program_uses_the_java_that_started_it(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    from angarium.spark.java import fitting_java
    from angarium.spark.machine import spark_home, variables

    (tmp_path / "angarium.toml").write_text(PROJECT, encoding="utf-8")
    home, program = spark_home(), str(angarium.__main__.__file__)
    quiet = ("--conf", "spark.ui.enabled=false", "--conf", "spark.log.level=OFF")
    asked = ("run", str(tmp_path), "--json", "--quiet", "--master", "local[7]")
    done = subprocess.run(
        [str(home / "bin" / "spark-submit"), "--master", "local[1]", *quiet, program, *asked],
        env={**os.environ, **variables(fitting_java(), home), "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout[done.stdout.index("{") :])
    assert record["master"] == "local[1]"
    assert [(each["guarantee"], each["verdict"]) for each in record["verdicts"]] == [
        ("one at a time", "holds")
    ]
