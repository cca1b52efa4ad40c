"""Figures of a followed history, as Prometheus reads them: from a file, or from /metrics on this machine.

The file is for node_exporter's textfile collector, and is replaced at one blow.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from angarium.core.errors import UsageError
from angarium.history.guarantees import GUARANTEES
from angarium.history.live.progress import Progress
from angarium.history.parameters import SECOND

_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def text(progress: Progress, now: int) -> str:
    """All figures; `now` is the time of the clock on the wall, in nanoseconds."""
    lag = max(0, now - progress.watermark) / SECOND if progress.watermark else 0.0
    findings = {each.name: progress.findings.get(each.name, 0) for each in GUARANTEES if each.kinds}
    return "".join(
        [
            _single("events_total", "counter", "Events that were accepted.", progress.accepted),
            _single("rows_total", "counter", "Rows that were read.", progress.read),
            _labelled("quarantined_total", "Rows in quarantine.", "reason", progress.quarantined),
            _single("late_total", "counter", "Rows behind the watermark.", progress.late),
            _labelled("findings_total", "Violations.", "guarantee", findings),
            _single("batches_total", "counter", "Batches that are finished.", progress.batch + 1),
            _single("batch_duration_seconds", "gauge", "Time of the last batch.", progress.seconds),
            _single("watermark_lag_seconds", "gauge", "How far behind now all is judged.", lag),
            _single("open_messages", "gauge", "Messages that are not settled.", progress.open_messages),
            _single("overdue_messages", "gauge", "Confirmed, not delivered in time.", progress.overdue),
            _single("retained_events", "gauge", "Events that still matter.", progress.retained),
            _single("ended", "gauge", "1 if the stream has ended.", int(progress.ended)),
        ]
    )


def _single(name: str, kind: str, meaning: str, value: float) -> str:
    return f"{_head(name, kind, meaning)}angarium_{name} {value}\n"


def _labelled(name: str, meaning: str, label: str, values: Mapping[str, int]) -> str:
    lines = (f'angarium_{name}{{{label}="{_quoted(key)}"}} {count}\n' for key, count in values.items())
    return _head(name, "counter", meaning) + "".join(lines)


def _head(name: str, kind: str, meaning: str) -> str:
    return f"# HELP angarium_{name} {meaning}\n# TYPE angarium_{name} {kind}\n"


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


@contextmanager
def served(port: int | None, current: Callable[[], str]) -> Iterator[int | None]:
    """Serve the current text on loopback, at /metrics; the port at which that is."""
    if port is None:
        yield None
        return

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path.split("?")[0] == "/metrics"
            body = (current() if found else "there is only /metrics here\n").encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", _TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody wants a line for every scrape."""

    with _bound(port, Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def _bound(port: int, handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as problem:
        raise UsageError(
            "ANG013",
            f"metrics cannot be served at port {port}: {problem}",
            possible="possible: a free port of 127.0.0.1; 0 takes any",
            remedy="name another port",
        ) from None
