"""Hostile requests: each is answered in time and says what is wrong; nothing outside is read, no bug is met.

The default run sends some, the same each time, and those that once found something; the thorough one sends
thousands from a new seed, which a failure tells.
"""

from __future__ import annotations

import json
import shutil
import socket
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random, SystemRandom

import pytest

from angarium.core.escaping import plain
from tests.app.web.asking import OWN, Page
from tests.app.web.hostile import GOT, LIKELY, TEXTS, asked, bytes_of
from tests.app.web.test_connections import serving
from tests.effort import is_thorough
from tests.waiting import PATIENCE

REQUESTS, BYTES = (10_000, 3_000) if is_thorough() else (250, 100)
SEED = SystemRandom().randrange(10**9) if is_thorough() else 22
SECRET = "of somebody else"
FOUND: list[tuple[str, object, int]] = [
    ("/api/mesh/save", {"file": "two\nlines.yaml", "mesh": LIKELY["mesh"]}, 400),
    ("/api/mesh/save", {"file": "gnp.\u202elmay.yaml", "mesh": LIKELY["mesh"]}, 400),
    ("/api/mesh/save", {"file": ".hidden.yaml", "mesh": LIKELY["mesh"]}, 400),
    ("/api/mesh/save", {"file": "gnp.\u202e.yaml", "mesh": {"brokers": {"a": {"x": 1}}}}, 400),
    ("/api/mesh/save", {"file": "m.yaml", "mesh": {"brokers": {"amqp://me:s3cr3t@host": {"x": 1}}}}, 400),
    ("/api/explore/view", {"subject": "imports.py"}, 400),
    ("/api/explore/check", {"subject": "imports.py"}, 400),
]
"""Requests that once were granted, and the status that they have now."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a model and a mesh, and a secret beside it."""
    made = tmp_path / "served"
    made.mkdir()
    shutil.copy("examples/at_least_once.py", made / "model.py")
    (made / "mesh.yaml").write_text("mesh: m\nbrokers: [a, b]\nlinks: [a - b]\n")
    (tmp_path / "x.yaml").write_text(f"mesh: {SECRET}\nbrokers: [a]\n")
    return made


def check(page: Page, path: str, what: object) -> int:
    """Ask, and see that the answer is one; its status."""
    headers = {**OWN, "Content-Type": "application/json"}
    answer = page.ask("POST", path, content=json.dumps(what).encode(), headers=headers)
    assert answer.status_code in (200, 400, 403, 404, 409, 413, 422), answer.text
    assert SECRET not in answer.text and "root:" not in answer.text
    told = json.loads(answer.text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert answer.status_code == 200 or (
        told["problem"] and set(told) == {"code", "problem", "possible", "remedy"}
    )
    assert answer.status_code == 200 or plain(answer.text) == answer.text
    return answer.status_code


def test_what_once_was_answered_wrongly_is_answered_well(folder: Path) -> None:
    (folder / "imports.py").write_text("from angarium import Model\nfrom ..x import Secret\n")
    (folder.parent / "x.py").write_text(f"Secret = {SECRET!r} !\n")
    for path, what, status in FOUND:
        assert check(Page(folder), path, what) == status


@pytest.mark.slow
def test_every_request_has_an_answer_that_says_what_is_wrong(folder: Path) -> None:
    page, random, seen = Page(folder), Random(SEED), Counter[int]()
    for number in range(REQUESTS):
        path, what = asked(random)
        try:
            seen[check(page, path, what)] += 1
        except BaseException as problem:
            problem.add_note(f"seed {SEED}, request {number}: {path} {json.dumps(what)}")
            raise

    assert seen[200] > REQUESTS // 20, "many come so far that something is computed"
    assert {each.name for each in folder.parent.iterdir()} == {"served", "x.yaml"}
    assert not [
        each for each in folder.rglob("*") if each.name.startswith(".") or not each.name.isprintable()
    ]


@pytest.mark.parametrize("path", GOT)
def test_what_is_asked_for_by_name_is_answered_too(folder: Path, path: str) -> None:
    page = Page(folder)
    for text in TEXTS[:: 1 if is_thorough() else 5]:
        answer = page.get(path, params={"run": text, "claim": text})
        assert answer.status_code in (200, 404) and SECRET not in answer.text


@pytest.mark.slow
def test_bytes_that_are_hardly_http_do_not_end_the_page_nor_fill_its_terminal(folder: Path) -> None:
    random = Random(SEED)
    with serving(folder) as page:
        for _ in range(BYTES):
            with (
                page.connect(bytes_of(random, page.port).replace(b"%d", b"%%")) as line,
                suppress(ConnectionError),
            ):
                line.shutdown(socket.SHUT_WR)
                line.settimeout(PATIENCE)
                while line.recv(1 << 16):
                    pass
        assert page.ask() == 200
        code, said = page.end()

    assert (code, said) == (0, ""), f"seed {SEED}"
