"""Who may ask the page, and what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from angarium.app.web.files import Folder
from angarium.app.web.guard import LARGEST, parse
from angarium.app.web.settings import Settings
from angarium.core.errors import WebError
from tests.app.web.asking import ADDRESS, OWN, Page

VIEW = "/api/explore/view"
ASKED = {"subject": "queue"}
TOKEN = "a-long-and-random-word"


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return Page(tmp_path)


def test_the_page_itself_may_ask(page: Page) -> None:
    assert page.post(VIEW, ASKED).status_code == 200


def test_so_may_a_program_that_is_no_browser(page: Page) -> None:
    assert page.ask("POST", VIEW, json=ASKED).status_code == 200


@pytest.mark.parametrize("path", ["/explore", "/", "/static/common.js", "/api/explore/subjects", "/nowhere"])
def test_every_answer_forbids_frames_guesses_and_scripts_from_elsewhere(page: Page, path: str) -> None:
    headers = page.get(path).headers

    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_no_page_has_script_or_style_within() -> None:
    pages = sorted(Path("src/angarium/app/web/static").glob("*.html"))

    assert {path.stem for path in pages} >= {"explore", "report"}
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert "<style" not in text and "onclick" not in text and " style=" not in text
        assert text.count("<script") == text.count('<script type="module" src="/static/')


# --- names of hosts -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"])
def test_this_machine_has_several_names(page: Page, name: str) -> None:
    assert page.get("/explore", headers={"Host": name}).status_code == 200


@pytest.mark.parametrize(
    "name",
    [
        "evil.example:8765",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1.evil.example:8765",
        "localhost.:8765",
        "x:y",
        "",
    ],
)
def test_a_name_that_was_made_to_lead_here_is_refused(page: Page, name: str) -> None:
    for path in ("/explore", "/api/explore/subjects"):
        assert page.get(path, headers={"Host": name}).status_code == 421


# --- other pages --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": ADDRESS.replace("http:", "https:")},
    ],
)
def test_another_page_may_not_ask(page: Page, headers: dict[str, str]) -> None:
    posted = page.post(VIEW, ASKED, headers=headers)
    got = page.get("/api/explore/subjects", headers=headers)

    assert (posted.status_code, got.status_code) == (403, 403)
    assert set(posted.json()) == {"code", "problem", "possible", "remedy"}


def test_but_it_may_link_here(page: Page) -> None:
    assert page.get("/explore", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


# --- bodies -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_a_body_must_be_said_to_be_json(page: Page, kind: str) -> None:
    answer = page.ask("POST", VIEW, content=json.dumps(ASKED), headers={**OWN, "Content-Type": kind})

    assert answer.status_code == 415


def test_json_may_name_its_letters(page: Page) -> None:
    headers = {**OWN, "Content-Type": "Application/JSON; charset=utf-8"}

    assert page.ask("POST", VIEW, content=json.dumps(ASKED), headers=headers).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[1]",
        b"null",
        b'{"subject": NaN}',
        b'{"subject": "\xff"}',
        b'{"subject": "\\ud800"}',
        b'{"path": [' + b"9" * 5000 + b"]}",
        b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    ],
)
def test_a_body_that_is_no_object_of_json_is_refused(page: Page, body: bytes) -> None:
    answer = page.ask("POST", VIEW, content=body, headers={**OWN, "Content-Type": "application/json"})

    assert answer.status_code == 400
    assert "the body cannot be read" in answer.json()["problem"]
    assert answer.json()["remedy"]


def test_what_is_parsed_is_what_was_sent() -> None:
    assert parse('{"a": [1, "ä"], "b": null}'.encode()) == {"a": [1, "ä"], "b": None}


def test_a_body_that_is_too_large_is_refused(page: Page) -> None:
    assert page.post(VIEW, {"subject": "x" * LARGEST}).status_code == 413


def test_also_if_it_does_not_say_how_large_it_is(page: Page) -> None:
    async def pieces() -> Iterator[bytes]:  # type: ignore[misc]
        for _ in range(17):
            yield b" " * (LARGEST // 16)

    answer = page.ask("POST", VIEW, content=pieces(), headers={**OWN, "Content-Type": "application/json"})

    assert answer.status_code == 413


@pytest.mark.parametrize("asked", [{}, {"subject": 7}, {"subject": None}, {"subject": "queue", "path": "0"}])
def test_a_value_of_another_kind_is_refused(page: Page, asked: dict[str, object]) -> None:
    answer = page.post(VIEW, asked)

    assert (answer.status_code, answer.json()["code"]) == (400, "ANG153")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods_are_not_possible(page: Page, method: str) -> None:
    assert page.ask(method, VIEW, json=ASKED, headers=OWN).status_code == 405


def test_what_is_not_there_is_said(page: Page) -> None:
    assert page.get("/api/nothing").json()["problem"] == "there is nothing at /api/nothing"
    assert page.get("/nothing").status_code == 404


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2fapi.py"])
def test_static_files_are_only_those_of_the_page(page: Page, path: str) -> None:
    assert page.get(path).status_code == 404


# --- tokens -------------------------------------------------------------------------------------

ELSEWHERE = "http://192.0.2.7:8765"


@pytest.fixture
def public(tmp_path: Path) -> Page:
    return Page(tmp_path, host="0.0.0.0", token=TOKEN)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "example.org"])
def test_other_machines_need_a_token(tmp_path: Path, host: str) -> None:
    with pytest.raises(WebError, match="there is no token"):
        Settings(Folder(tmp_path), tmp_path, host)


@pytest.mark.parametrize(
    "token",
    [
        "",
        " ",
        "brief",
        "a-longer-word-a"[:15],
        "a" * 40,
        "abababababababababab",
        "a long word\nin two lines",
        "häuserzeilenende",
    ],
)
def test_a_token_that_can_be_guessed_is_refused(tmp_path: Path, token: str) -> None:
    with pytest.raises(WebError, match="too short") as refused:
        Settings(Folder(tmp_path), tmp_path, "0.0.0.0", token=token)

    assert "at least 16" in refused.value.possible and "openssl rand -hex 16" in refused.value.remedy
    assert not token.strip() or token not in str(refused.value)


@pytest.mark.parametrize("token", ["5d41402abc4b2a76b9719d911017c592", "correct horse & battery?"])
def test_a_long_random_token_is_taken(tmp_path: Path, token: str) -> None:
    assert Settings(Folder(tmp_path), tmp_path, "0.0.0.0", token=token).token == token


@pytest.mark.parametrize("path", ["/explore", "/api/explore/subjects", "/static/common.js", "/"])
def test_without_the_token_nothing_is_shown(public: Page, path: str) -> None:
    assert public.get(path, address=ELSEWHERE).status_code == 401
    wrong = {"Authorization": "Bearer wrong"}
    assert public.get(path, address=ELSEWHERE, headers=wrong).status_code == 401
    assert public.get(f"{path}?token=wrong", address=ELSEWHERE).status_code == 401
    assert public.get(path, address=ELSEWHERE, headers={"Cookie": "angarium-8765="}).status_code == 401


def test_the_header_is_enough(public: Page) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}

    assert public.get("/explore", address=ELSEWHERE, headers=headers).status_code == 200


def test_the_token_in_the_address_is_changed_for_a_cookie(public: Page) -> None:
    welcome = public.get(f"/explore?subject=nsq&token={TOKEN}", address=ELSEWHERE)
    cookie = welcome.headers["set-cookie"]

    assert (welcome.status_code, welcome.headers["location"]) == (303, "/explore?subject=nsq")
    assert "httponly" in cookie.lower() and "samesite=strict" in cookie.lower()
    assert TOKEN not in cookie
    kept = {"Cookie": cookie.partition(";")[0]}
    assert public.get("/explore", address=ELSEWHERE, headers=kept).status_code == 200


def test_the_welcome_leads_nowhere_else(public: Page) -> None:
    welcome = public.get(f"{ELSEWHERE}//evil.example/?token={TOKEN}", address=ELSEWHERE)

    assert welcome.headers["location"] == "/evil.example/"


def test_a_token_does_not_let_other_pages_in(public: Page) -> None:
    cookie = public.get(f"/?token={TOKEN}", address=ELSEWHERE).headers["set-cookie"].partition(";")[0]
    headers = {"Cookie": cookie, "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}

    assert public.post(VIEW, ASKED, address=ELSEWHERE, headers=headers).status_code == 403


def test_a_token_on_loopback_is_asked_for_too(tmp_path: Path) -> None:
    page = Page(tmp_path, token=TOKEN)

    assert page.get("/explore").status_code == 401
    assert page.get("/explore", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
