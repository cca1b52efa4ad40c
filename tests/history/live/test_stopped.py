"""Ctrl-C or SIGTERM in the middle of a batch: what was found is told, and the next start goes on."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from angarium.history.live.follow import follow
from tests.history.live.streams import LIVE, PARAMETERS, alerts_in, expected, write
from tests.history.live.test_killed import many_files, stream
from tests.processes import ending
from tests.waiting import wait_until

PROGRAM = """
from dataclasses import replace
from angarium.app.cli import following, main
asked = following.live_of
following.live_of = lambda given: replace(asked(given), files_per_batch=1, every=0.1)
main()
"""
"""The command line, with a batch for every file."""
OPTIONS = """--lateness 200ms --remember 1s --redelivery-within 1s --balance-within 1s --ack-doubt 500ms
    --json -q""".split()


def interrupted(
    folder: Path, checkpoint: Path, moment: Path, number: signal.Signals
) -> tuple[int, dict[str, Any]]:
    """The exit code and the answer of a followed audit that gets a signal as soon as there is a file."""
    words = ["audit", "--follow", str(folder), "--checkpoint", str(checkpoint), *OPTIONS]
    with ending([sys.executable, "-c", PROGRAM, *words], stderr=None) as process:
        wait_until(f"there is {moment}", lambda: moment.exists() or process.poll() is not None)
        process.send_signal(number)
        said, _ = process.communicate()
    return process.returncode, json.loads(said)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_a_batch_it_tells_what_is_certain_and_goes_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    pytest.importorskip("pyarrow")
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    folder.mkdir()
    write(folder, list(many_files(seed=4)))
    (folder / "_END").touch()

    code, answer = interrupted(folder, checkpoint, checkpoint / "findings", number)

    before, verdicts = alerts_in(checkpoint), answer["verdicts"]
    assert code == 1 and not answer["ended"] and "no-loss" not in {each["guarantee"] for each in verdicts}
    assert {each["verdict"] for each in verdicts} == {"violated", "unknown"}
    # The batch that was under way may have told something, and not have come to its end.
    assert 0 < sum(each["violations"] for each in verdicts) <= sum(before.values())

    last = follow(folder, checkpoint, PARAMETERS, LIVE)

    assert last.ended and last.accepted == len(stream())
    assert alerts_in(checkpoint) == expected(stream()) > before
