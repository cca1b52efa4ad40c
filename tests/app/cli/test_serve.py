"""`angarium serve`: where it opens, where it refuses to, and how it ends."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.app.cli.running import run, start
from tests.waiting import PATIENCE

TOKEN = "a-long-and-random-word"


def test_it_has_help() -> None:
    assert "angarium serve examples --port 9000" in run("serve", "--help").stdout


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_other_machines_need_a_token(host: str) -> None:
    done = run("serve", "--host", host, "--port", "0")

    assert done.exit_code == 2
    assert "error[ANG151]" in done.stderr and "there is no token" in done.stderr
    assert "--token" in done.stderr


def test_a_port_that_is_used_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("serve", "--port", str(taken.getsockname()[1]))

    assert done.exit_code == 2
    assert "error[ANG151]" in done.stderr and "in use" in done.stderr
    assert "another --port" in done.stderr


def test_a_host_that_is_not_of_this_machine_is_said() -> None:
    done = run("serve", "--host", "192.0.2.7", "--token", TOKEN, "--port", "0")

    assert (done.exit_code, "error[ANG151]" in done.stderr) == (2, True)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    done = run("serve", str(tmp_path / "no"))

    assert (done.exit_code, "error[ANG010]" in done.stderr) == (2, True)


def test_without_the_libraries_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("angarium.core.extras.find_spec", lambda name: None)

    done = run("serve", "--port", "0")

    assert (done.exit_code, "error[ANG150]" in done.stderr) == (2, True)
    assert "pip install 'angarium[web]'" in done.stderr


def opened(server: subprocess.Popen[str]) -> tuple[str, int]:
    assert server.stdout is not None
    found = re.search(r"http://(\S+):(\d+)/", server.stdout.readline())
    assert found, "it did not say where it is"
    return found[1], int(found[2])


def ask(place: tuple[str, int], path: str, **headers: str) -> int:
    with closing(http.client.HTTPConnection(*place, timeout=PATIENCE)) as connection:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_it_answers_until_it_is_ended(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with start("serve", str(tmp_path), "--port", "0") as server:
        place = opened(server)
        statuses = [ask(place, path) for path in ("/explore", "/static/explore.js", "/no")]
        server.send_signal(number)
        _, said = server.communicate()

    assert statuses == [200, 200, 404]
    assert (server.returncode, said) == (code, "")


def test_with_a_token_it_asks_for_it(tmp_path: Path) -> None:
    with start("serve", str(tmp_path), "--port", "0", "--host", "0.0.0.0", "--token", TOKEN) as server:
        _, port = opened(server)
        place = "127.0.0.1", port
        statuses = [ask(place, "/explore"), ask(place, "/explore", Authorization=f"Bearer {TOKEN}")]
        server.send_signal(signal.SIGINT)
        _, said = server.communicate()

    assert statuses == [401, 200]
    assert (server.returncode, said) == (0, "")


def told(**given: Any) -> list[str]:  # noqa: ANN401 (fields of the settings)
    from angarium.app.cli.serve import _told
    from angarium.app.web.files import Folder
    from angarium.app.web.settings import Settings

    root = Path.cwd()
    return list(_told(Settings(Folder(root), **({"out": root / ".angarium"} | given))))


def test_the_address_that_is_said_lets_a_browser_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)

    first, warning, _ = told(host="0.0.0.0", token=f"{TOKEN}&b")
    assert first.endswith(f" at http://{socket.gethostname()}:8765/?token={TOKEN}%26b")
    assert "no TLS" in warning
    assert told(token=TOKEN)[0].endswith(f" at http://127.0.0.1:8765/?token={TOKEN}")
    assert told()[0].endswith(" at http://127.0.0.1:8765/")


def test_in_a_log_the_address_has_a_place_for_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)

    assert told(host="192.0.2.7", token=TOKEN)[0].endswith(" at http://192.0.2.7:8765/?token=TOKEN")


def test_whose_reports_are_shown_is_said_where_that_is_not_obvious(tmp_path: Path) -> None:
    assert f"Its reports are those in {tmp_path}" in told(out=tmp_path)
    assert len(told()) == 2


def test_help_says_that_there_is_no_tls() -> None:
    assert "There is no TLS" in run("serve", "--help").stdout


def test_it_does_not_wait_for_a_check_when_it_is_ended(tmp_path: Path) -> None:
    asked = {"subject": "rabbitmq-sac", "set": {"queues": "4", "apps": "4"}}
    with start("serve", str(tmp_path), "--port", "0") as server:
        place = opened(server)
        connection = http.client.HTTPConnection(*place, timeout=PATIENCE)
        connection.request(
            "POST", "/api/explore/check", json.dumps(asked), {"Content-Type": "application/json"}
        )
        assert ask(place, "/explore") == 200, "it answers while it computes"
        server.send_signal(signal.SIGINT)
        server.communicate()
        connection.close()

    assert server.returncode == 0
