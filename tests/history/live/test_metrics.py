"""The metrics: every line is one that Prometheus can read, and they are served on loopback."""

from __future__ import annotations

import re
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from angarium.core.errors import UsageError
from angarium.history.live import metrics
from angarium.history.live.progress import Progress
from angarium.history.parameters import SECOND

NAME = r"angarium_[a-z_]+"
LABEL = r'\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"\}'
SAMPLE = re.compile(rf"({NAME})({LABEL})? (-?\d+(?:\.\d+)?)")
COMMENT = re.compile(rf"# (?:HELP ({NAME}) .+|TYPE ({NAME}) (?:counter|gauge))")

PROGRESS = Progress(
    batch=1,
    watermark=90 * SECOND,
    accepted=10,
    quarantined={'late: "so"': 2, "not JSON": 1},
    found=(("a", "order", "inversion", 3),),
    open_messages=4,
    overdue=5,
)


def read(text: str) -> dict[str, float]:
    """The samples; every line must be a sample, or say what those after it are."""
    samples, described = {}, set[str]()
    for line in text.splitlines():
        if comment := COMMENT.fullmatch(line):
            described |= {name for name in comment.groups() if name}
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample and sample[1] in described, line
        samples[sample[1] + (sample[2] or "")] = float(sample[3])
    return samples


def test_every_line_can_be_read() -> None:
    samples = read(metrics.text(PROGRESS, 100 * SECOND))
    assert samples["angarium_events_total"] == 10
    assert samples["angarium_rows_total"] == 13
    assert samples["angarium_late_total"] == 2
    assert samples['angarium_quarantined_total{reason="late: \\"so\\""}'] == 2
    assert samples['angarium_findings_total{guarantee="order"}'] == 3
    assert samples['angarium_findings_total{guarantee="no-loss"}'] == 0
    assert samples["angarium_watermark_lag_seconds"] == 10
    assert samples["angarium_open_messages"] == 4
    assert samples["angarium_overdue_messages"] == 5
    assert samples["angarium_ended"] == 0


def test_there_is_no_lag_before_the_first_event() -> None:
    assert read(metrics.text(Progress(), 100 * SECOND))["angarium_watermark_lag_seconds"] == 0


def test_they_are_served_on_loopback_as_they_are_now() -> None:
    texts = iter(["one 1\n", "two 2\n"])
    with metrics.served(0, lambda: next(texts)) as port:
        for expected in (b"one 1\n", b"two 2\n"):
            with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                assert answer.read() == expected
                assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        with pytest.raises(HTTPError, match="404") as caught:
            urlopen(f"http://127.0.0.1:{port}/")
        caught.value.close()


def test_nothing_is_served_unless_asked_for() -> None:
    with metrics.served(None, lambda: "") as port:
        assert port is None


def test_a_port_that_is_taken_is_named() -> None:
    with (
        metrics.served(0, lambda: "") as port,
        pytest.raises(UsageError, match=f"cannot be served at port {port}"),
        metrics.served(port, lambda: ""),
    ):
        pass
