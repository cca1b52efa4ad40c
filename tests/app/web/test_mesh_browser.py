"""The mesh view in a real browser: by mouse, by keyboard, light and dark, wide and narrow."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from angarium.mesh.files.find import load
from tests.app.web.browsing import Browser, browsing, needs_browser, serving

pytestmark = [needs_browser, pytest.mark.xdist_group("mesh view")]
EXAMPLES = ("six-brokers.yaml", "triangle.yaml", "bridged-triangle.yaml", "fifty-brokers.yaml")
TABLE = "#failures .tables tbody"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("meshes")
    for name in EXAMPLES:
        shutil.copy(Path("examples/meshes", name), made)
    shutil.copytree("examples/meshes/rabbitmq/triangle", made / "rabbitmq")
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(folder) as found:
        yield f"{found}/mesh"


@pytest.fixture(scope="module")
def shared() -> Iterator[Browser]:
    with browsing(size=(1280, 800)) as browser:
        yield browser


@pytest.fixture
def browser(shared: Browser) -> Iterator[Browser]:
    shared.open("about:blank")
    shared.complaints()
    yield shared
    assert shared.complaints() == []


def _run(browser: Browser, script: str, *given: object) -> Any:  # noqa: ANN401 (whatever the script returns)
    return browser.driver.execute_script(script, *given)  # type: ignore[no-untyped-call]


@contextmanager
def _seen(
    browser: Browser, *, dark: bool = False, motion: bool = True, size: tuple[int, int] = (1280, 800)
) -> Iterator[None]:
    """By somebody who prefers this, on a screen of this size."""
    wanted = {
        "prefers-color-scheme": "dark" if dark else "light",
        "prefers-reduced-motion": "no-preference" if motion else "reduce",
    }
    screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
    features = [{"name": name, "value": value} for name, value in wanted.items()]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        yield
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def _opened(browser: Browser, address: str) -> None:
    """Open a mesh and wait until it is judged."""
    browser.open(address)
    browser.one(".judged")


def _drawn(browser: Browser, kind: str) -> list[str]:
    script = (
        "return [...document.querySelectorAll(`[data-${arguments[0]}]`)].map((e) => e.dataset[arguments[0]])"
    )
    return list(_run(browser, script, kind))


def _broker(browser: Browser, name: str) -> WebElement:
    return browser.one(f'[data-broker="{name}"] .card')


def _hands(browser: Browser) -> ActionChains:
    return ActionChains(browser.driver, duration=50)


def _press(browser: Browser, *keys: str) -> None:
    for key in keys:
        _hands(browser).send_keys(key).perform()


def _with_control(browser: Browser, *keys: str) -> None:
    hands = _hands(browser).key_down(Keys.CONTROL)
    for key in keys:
        hands.key_down(key)
    for key in reversed(keys):
        hands.key_up(key)
    hands.key_up(Keys.CONTROL).perform()


def _double_click(browser: Browser, x: int, y: int) -> None:
    _hands(browser).move_to_element_with_offset(browser.one("#drawing"), x, y).double_click().perform()


# --- drawing ----------------------------------------------------------------------------------------


def test_two_brokers_and_a_link_by_keyboard(browser: Browser, address: str, folder: Path) -> None:
    browser.open(address)
    browser.says("#hint", "Double-click")

    _press(browser, "n", "n", "l")
    _hands(browser).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
    _press(browser, Keys.ENTER)

    assert (_drawn(browser, "broker"), _drawn(browser, "link")) == (["b1", "b2"], ["b2-b1"])
    browser.says("#verdicts", "reachability")
    _with_control(browser, "s")
    browser.one("#save-name")
    _press(browser, "by-keys", Keys.ENTER)
    browser.says("#status", "Saved as by-keys.yaml")
    saved = load(str(folder / "by-keys.yaml"))
    assert [broker.name for broker in saved.brokers] == ["b1", "b2"]
    assert saved.cables == ("b2-b1",)


def test_two_brokers_and_a_link_by_mouse(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.says("#hint", "Double-click")

    _double_click(browser, -150, -60)
    _double_click(browser, 150, 60)
    first, second = _broker(browser, "b1"), _broker(browser, "b2")
    rim = first.size["width"] // 2 + 5
    _hands(browser).move_to_element_with_offset(first, rim, 0).click_and_hold().move_to_element(
        second
    ).perform()
    _hands(browser).release().perform()

    assert (_drawn(browser, "broker"), _drawn(browser, "link")) == (["b1", "b2"], ["b1-b2"])
    before = first.location
    _hands(browser).drag_and_drop_by_offset(first, -40, 30).perform()
    assert (first.location["x"] - before["x"], first.location["y"] - before["y"]) == (-40, 30)
    browser.click("#undo")
    assert first.location == before
    browser.click("#undo")
    assert _drawn(browser, "link") == []
    _with_control(browser, Keys.SHIFT, "z")
    assert _drawn(browser, "link") == ["b1-b2"]


def test_a_topic_is_added_and_named_and_wanted_by_forms(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")

    _broker(browser, "b3").click()
    _press(browser, "t", "orders", Keys.TAB)
    _run(
        browser,
        "const add = document.querySelector('[aria-label=\"Wanted at: add a broker\"]');"
        "add.value = 'b2'; add.dispatchEvent(new Event('change'));",
    )

    assert "orders" in browser.text('[data-broker="b3"] .publishes')
    assert "orders" in browser.text('[data-broker="b2"] .subscribes')


def test_what_is_deleted_goes_with_its_links_and_comes_back(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=six-brokers.yaml")

    _broker(browser, "b4").click()
    _press(browser, Keys.DELETE)
    assert _drawn(browser, "link") == ["b1-b2", "b2-b3"]
    _with_control(browser, "z")

    assert _drawn(browser, "link") == ["b1-b2", "b2-b3", "b2-b4", "b4-b5", "b4-b6"]


def test_arrows_move_a_broker_and_are_undone_together(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    place = "return document.querySelector('[data-broker=b1]').getAttribute('transform')"
    _broker(browser, "b1").click()
    before = _run(browser, place)

    _press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert _run(browser, place) != before
    _with_control(browser, "z")

    assert _run(browser, place) == before


def test_tab_goes_round_and_shows_where_it_is(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    at = "const { broker, link } = document.activeElement.dataset; return broker ?? link ?? null"
    ring = "return getComputedStyle(document.activeElement.querySelector('.rim, .hit')).stroke"
    _run(browser, "document.getElementById('drawing').focus()")

    visited = []
    for _ in range(6):
        _press(browser, Keys.TAB)
        visited.append(_run(browser, at))
        assert _run(browser, ring) == "rgb(11, 99, 176)"

    assert sorted(visited) == ["b1", "b1-b2", "b1-b3", "b2", "b2-b3", "b3"]
    _press(browser, Keys.ESCAPE)
    assert _run(browser, "return document.activeElement.id") == "side"


# --- judging ----------------------------------------------------------------------------------------


def test_verdicts_follow_what_is_edited(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    row = "#verdicts .judged tbody tr:first-child"
    assert browser.text(row) == "reachability✓ holds✓ holds"

    _run(browser, "document.querySelector('[data-link=\"b1-b2\"]').focus()")
    _press(browser, Keys.DELETE)

    browser.says(row, "✗ violated")


COUNT = """
const real = window.fetch;
window.now = 0;
window.most = 0;
window.fetch = async (path, asked) => {
  if (path !== "/api/mesh/verify") return real(path, asked);
  window.now += 1;
  window.most = Math.max(window.most, window.now);
  await new Promise((done) => setTimeout(done, 700));
  return real(path, asked).finally(() => { window.now -= 1; });
};
"""


@pytest.mark.thorough
def test_while_one_edits_one_question_is_asked_at_a_time_and_the_last_counts(
    browser: Browser, address: str
) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    _run(browser, COUNT)
    for name in ("b1-b2", "b1-b3", "b2-b3"):
        _run(browser, "document.querySelector(`[data-link='${arguments[0]}']`).focus()", name)
        _press(browser, Keys.DELETE)
        browser.until(lambda: _run(browser, "return window.most"), "the first question")

    browser.until(lambda: not browser.all("#verdicts .waiting"), "the last answer")

    assert browser.text("#verdicts .judged tbody tr:first-child") == "reachability✗ violated✗ violated"
    assert _run(browser, "return window.most") == 1


def test_a_violation_shows_its_path(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=bridged-triangle.yaml")

    browser.click(".violation")

    marked = _run(
        browser, "return [...document.querySelectorAll('.mark-loop .label')].map((e) => e.textContent).sort()"
    )
    assert marked == ["1", "2", "3"]
    browser.click(".violation")
    assert browser.all(".marked") == []


def test_what_may_fail_is_chosen(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")

    browser.one("#may-fail").send_keys("one broker")

    browser.says("#verdicts thead", "1 broker")
    browser.until(lambda: "may=brokers" in browser.driver.current_url, "the address says it")


# --- failing ----------------------------------------------------------------------------------------


def test_a_link_fails_and_tables_change(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    browser.says(TABLE, "b2b2")

    _run(browser, "document.querySelector('[data-link=\"b1-b2\"]').focus()")
    _press(browser, "f")

    browser.says(TABLE, "b2b2b3")
    browser.says("#failures", "All brokers come to use colour 2 of 7.")
    browser.says(".paths", "b1 \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} b3")
    browser.says(".moment", "switch")
    _press(browser, "f")
    browser.says("#failures", "Nothing is dead.")
    browser.until(lambda: browser.text(TABLE).startswith("b2b2b3"), "the tables are the healthy ones")


def test_a_failure_is_undone_like_every_other_change(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    _broker(browser, "b1").click()
    _press(browser, "n", "f")
    assert browser.all('[data-broker="b4"].dead')

    _with_control(browser, "z")
    assert (browser.all(".dead"), len(_drawn(browser, "broker"))) == ([], 4)
    browser.says("#failures", "Nothing is dead.")
    _with_control(browser, "z")
    assert len(_drawn(browser, "broker")) == 3
    _with_control(browser, "y")
    _with_control(browser, "y")
    assert browser.all('[data-broker="b4"].dead')
    browser.says("#failures", "Mend broker b4")


def test_a_dead_broker_that_was_deleted_comes_back_dead(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    _broker(browser, "b2").click()
    _press(browser, "f", Keys.DELETE)
    assert browser.all(".broker.dead") == []

    _with_control(browser, "z")

    assert browser.all('[data-broker="b2"].dead')


def test_another_mesh_begins_with_nothing_dead(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    _broker(browser, "b2").click()
    _press(browser, "f")
    browser.click("#open")
    browser.until(lambda: browser.all("dialog .file"), "files")
    next(each for each in browser.all("dialog .file") if each.text == "six-brokers.yaml").click()

    browser.until(lambda: len(_drawn(browser, "broker")) == 6, "the other mesh")
    assert browser.all(".dead") == []


def test_the_news_is_shown_step_by_step(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    _hands(browser).context_click(_broker(browser, "b3")).perform()
    browser.says(".moment", "Step")

    for _ in range(9):
        browser.click(".flood button:last-of-type")

    browser.says(".moment", "Step")
    assert {each.text for each in browser.all(".broker:not(.dead) .badge text")} == {"7"}
    assert browser.all(".broker.dead") != []


def test_who_wants_no_motion_gets_none(browser: Browser, address: str) -> None:
    with _seen(browser, motion=False):
        _opened(browser, f"{address}?file=triangle.yaml")
        _hands(browser).context_click(_broker(browser, "b3")).perform()
        shown = browser.until(lambda: re.search(r"Step (\d+) of (\d+)", browser.text(".moment")), "a step")

        assert shown[1] == shown[2] != "0"
        assert browser.text(".flood button:nth-of-type(2)") == "Play"
        assert _run(browser, "return document.getAnimations().length") == 0
        assert browser.all(".letter") == []


# --- files and addresses ----------------------------------------------------------------------------


def test_a_wrong_text_is_told_with_its_line(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    browser.click("#text")

    area = browser.one("dialog textarea")
    area.clear()
    area.send_keys("brokers: [a, b]\nlinks:\n  - a - x\n")
    browser.click("dialog .first")
    browser.says("dialog .problem", "text:3:9")
    browser.complaints()  # the refusal is on the console, as it should be

    area.clear()
    area.send_keys("brokers: [a, b]\nlinks: [a - b]\n")
    browser.click("dialog .first")
    browser.until(lambda: _drawn(browser, "broker") == ["a", "b"], "the new mesh")


def test_configuration_files_of_brokers_are_imported(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.click("#open")

    for name in ("one", "two", "three"):
        browser.click(f'dialog input[value="rabbitmq/{name}.json"]')
    browser.click("dialog .first")

    browser.until(lambda: len(_drawn(browser, "broker")) == 3, "three brokers")
    browser.says("#verdicts", "reachability")


def test_what_the_files_leave_open_is_told_beside_verdicts_that_are_unknown(
    browser: Browser, address: str, folder: Path
) -> None:
    remark = "remarks: [{kind: not understood, what: a plugin}]\n"
    (folder / "open.yaml").write_text(f"brokers: [a, b]\nlinks: [a -> b]\n{remark}")

    _opened(browser, f"{address}?file=open.yaml")

    browser.says("#verdicts .judged tbody tr:first-child", "unknown")
    browser.says("#verdicts .left-open", "a plugin")


def test_a_mesh_file_is_not_replaced_unasked(browser: Browser, address: str, folder: Path) -> None:
    shutil.copy("examples/meshes/three-brokers.yaml", folder / "mine.yaml")
    before = (folder / "mine.yaml").read_text(encoding="utf-8")
    _opened(browser, f"{address}?file=mine.yaml")
    browser.click("#save")

    browser.click("dialog .first")
    browser.says("dialog .problem", "is there already")
    browser.complaints()
    assert (folder / "mine.yaml").read_text(encoding="utf-8") == before

    browser.click("dialog label input[type=checkbox]")
    browser.click("dialog .first")
    browser.says("#status", "Saved as mine.yaml")
    assert load(str(folder / "mine.yaml")).cables == load("examples/meshes/three-brokers.yaml").cables


def test_the_address_can_be_shared(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=triangle.yaml")
    _broker(browser, "b1").click()
    _press(browser, "n", "f")
    browser.until(
        lambda: "mesh=" in browser.driver.current_url and "fail=" in browser.driver.current_url, "all"
    )
    place = "return document.querySelector('[data-broker=b4]').getAttribute('transform')"
    shared, before = browser.driver.current_url, _run(browser, place)

    browser.open("about:blank")
    _opened(browser, shared)

    assert _drawn(browser, "broker") == ["b1", "b2", "b3", "b4"]
    assert _run(browser, place) == before
    assert browser.one('[data-broker="b4"].dead')


def _renamed(browser: Browser, seed: int) -> str:
    """Give the mesh a name that no address has room for."""
    rename = "const name = document.querySelector('#selected input'); name.value = arguments[0];"
    noise = "".join(chr(0x4E00 + number * (number + seed) % 20_000) for number in range(3_000))
    _run(browser, f"{rename} name.dispatchEvent(new Event('change'))", noise)
    browser.until(lambda: "draft=" in browser.driver.current_url, "the address says so")
    return noise


def test_what_is_too_large_for_an_address_stays_in_the_browser(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=fifty-brokers.yaml")
    noise = _renamed(browser, 0)
    assert browser.one("#unshared").is_displayed()

    browser.driver.refresh()

    browser.says("#title", f"{noise} · fifty-brokers.yaml · not saved")
    assert len(_drawn(browser, "broker")) == 50


@pytest.mark.thorough
def test_two_large_drafts_do_not_overwrite_each_other(browser: Browser, address: str) -> None:
    drafts = {}
    for seed in (1, 2):
        _opened(browser, f"{address}?file=fifty-brokers.yaml")
        noise = _renamed(browser, seed)
        drafts[browser.driver.current_url] = noise

    assert len(drafts) == 2
    for there, noise in drafts.items():
        browser.open("about:blank")
        browser.open(there)
        browser.says("#title", noise)


def test_old_drafts_make_room_for_new_ones(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=fifty-brokers.yaml")
    _run(
        browser, "for (let n = 10; n < 40; n += 1) localStorage.setItem(`angarium-mesh-draft:a${n}`, 'null')"
    )
    _renamed(browser, 3)

    kept = _run(
        browser, "return Object.keys(localStorage).filter((key) => key.startsWith('angarium-mesh-draft:'))"
    )
    assert len(kept) == 12 and "angarium-mesh-draft:a10" not in kept


def test_a_draft_of_another_browser_is_told_and_not_taken_for_the_file(
    browser: Browser, address: str
) -> None:
    browser.open(f"{address}?file=triangle.yaml#draft=of-somebody-else")

    browser.says("#problems", "only the browser that drew it has it")
    assert _drawn(browser, "broker") == ["b1", "b2", "b3"]


@pytest.mark.parametrize("hash_", ["#mesh=AAAA", "#mesh=q1YqS8zNVbKqrQUA"])
def test_an_address_that_holds_no_mesh_is_told(browser: Browser, address: str, hash_: str) -> None:
    browser.open(f"{address}{hash_}")

    browser.says("#problems", "no mesh that can be read")
    assert _drawn(browser, "broker") == []


# --- many brokers, and how it looks -----------------------------------------------------------------

WATCH = """
window.touched = new Set();
new MutationObserver((all) => all.forEach(({ target }) => {
  const { broker, link } = target.closest?.("[data-broker], [data-link]")?.dataset ?? {};
  touched.add(broker ?? link ?? target.id);
})).observe(document.getElementById("drawing"), { subtree: true, childList: true, attributes: true });
"""


def test_of_fifty_brokers_only_the_dragged_one_and_its_links_are_touched(
    browser: Browser, address: str
) -> None:
    _opened(browser, f"{address}?file=fifty-brokers.yaml")
    mine = {name for name in _drawn(browser, "link") if "b10" in name.split("-")}
    _broker(browser, "b10").click()
    _run(browser, WATCH)

    _hands(browser).drag_and_drop_by_offset(_broker(browser, "b10"), 30, 20).perform()

    assert mine
    assert set(_run(browser, "return [...touched]")) == {"b10", *mine}


def test_a_broker_is_found_by_its_name(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=fifty-brokers.yaml")

    _press(browser, "/")
    browser.one("#find-name")
    _press(browser, "b", Keys.ENTER)
    browser.says("dialog .problem", "Several are: b1, b2")
    _press(browser, "33", Keys.ENTER)

    at = "return document.activeElement.dataset.broker"
    browser.until(lambda: _run(browser, at) == "b33", "the focus is there")
    assert browser.one("#selected input").get_attribute("value") == "b33"


def test_names_of_fifty_brokers_can_be_read(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=fifty-brokers.yaml")
    heights = (
        "return [...document.querySelectorAll('.far-name')].map((e) => e.getBoundingClientRect().height)"
    )

    assert min(_run(browser, heights)) > 11
    assert _run(browser, "return getComputedStyle(document.querySelector('.publishes')).display") == "none"
    _opened(browser, f"{address}?file=triangle.yaml")
    assert _run(browser, "return getComputedStyle(document.querySelector('.publishes')).display") != "none"


def test_who_lets_something_fail_sees_what_becomes_of_it(browser: Browser, address: str) -> None:
    _opened(browser, f"{address}?file=six-brokers.yaml")
    _broker(browser, "b4").click()
    _press(browser, "f")
    browser.says("#failures", "Mend broker b4")

    side, failures = (browser.one(each).rect for each in ("#side", "#failures"))
    assert side["y"] - 2 <= failures["y"] < side["y"] + side["height"] / 2


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [(1280, 800), (800, 600)])
def test_everything_has_room_on_light_and_dark_ground(
    browser: Browser, address: str, dark: bool, size: tuple[int, int]
) -> None:
    with _seen(browser, dark=dark, size=size):
        _opened(browser, f"{address}?file=six-brokers.yaml")

        ground = _run(browser, "return getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(20, 23, 28)" if dark else "rgb(255, 255, 255)")
        assert _run(browser, "return [innerWidth, document.documentElement.scrollWidth]") == [size[0]] * 2
        assert _run(browser, OUTSIDE) == []
        assert _run(browser, COVERED) == []


def test_in_a_narrow_window_the_panel_is_below_the_drawing(browser: Browser, address: str) -> None:
    with _seen(browser, size=(600, 900)):
        _opened(browser, f"{address}?file=six-brokers.yaml")

        side, ground = (browser.one(each).rect for each in ("#side", "#ground"))
        assert (side["width"], ground["width"]) == (600, 600)
        assert side["y"] > ground["y"] + ground["height"] - 1
        assert _run(browser, "return [innerWidth, document.documentElement.scrollWidth]") == [600, 600]


OUTSIDE = """
return [...document.querySelectorAll(".broker")].filter((broker) => {
  const card = broker.querySelector(".card").getBoundingClientRect();
  return [...broker.querySelectorAll(".name, .publishes, .subscribes")].some((text) => {
    const box = text.getBoundingClientRect();
    return box.left < card.left || box.right > card.right || box.bottom > card.bottom + 1;
  });
}).map((broker) => broker.dataset.broker);
"""
"""Brokers whose words are wider than their cards."""
COVERED = """
const things = [...document.querySelectorAll("#tools button, header a, #title, .card")];
const boxes = things.map((each) => [each, each.getBoundingClientRect()]);
const over = (low, high, a, b) => a[low] < b[high] - 1 && b[low] < a[high] - 1;
const meet = (a, b) => over("left", "right", a, b) && over("top", "bottom", a, b);
return boxes.flatMap(([one, a], place) => boxes.slice(place + 1)
  .filter(([, b]) => meet(a, b))
  .map(([other]) => `${one.textContent} ${other.textContent}`));
"""
"""Buttons, names and cards that cover each other."""
