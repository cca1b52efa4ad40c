"""The page in a real browser: steps, keys, addresses, stories and reports; and no complaints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys

from angarium.app.pipeline.store import claim_folder
from tests.app.web.browsing import Browser, browsing, needs_browser, serving
from tests.app.web.jobs import claim, save

pytestmark = needs_browser

MODEL = "at_least_once.py"
RUN = "20261116-183000-0002"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page of the examples, with two runs to show."""
    out = tmp_path_factory.mktemp("out")
    broken = claim("once", "no-duplicates", "holds")
    save(out, "20261115-183000-0001", broken)
    save(out, RUN, broken, claim("arrives", "no-loss", "holds"))
    with serving(Path("examples"), "--out", str(out)) as address:
        yield address


@pytest.fixture(scope="module")
def light() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def browser(light: Browser) -> Iterator[Browser]:
    """One that has nothing to complain of at the end."""
    yield light
    assert light.complaints() == []


@pytest.fixture
def exploring(browser: Browser, server: str) -> Browser:
    """At the start of the example."""
    browser.open(f"{server}/explore?subject={MODEL}")
    browser.says("#said", "At the start.")
    return browser


def query(browser: Browser) -> str:
    return browser.driver.current_url.partition("?")[2]


def test_choosing_a_system(browser: Browser, server: str) -> None:
    browser.open(server)
    browser.one("#subject option[value='rabbitmq-sac']").click()
    browser.says("#said", "At the start.")

    assert query(browser) == "subject=rabbitmq-sac"
    assert "queues" in browser.text("#fields")


def test_who_has_not_chosen_yet_sees_what_there_is(browser: Browser, server: str) -> None:
    browser.open(f"{server}/explore")
    browser.says("#begin", "Every message reaches every channel of its topic")
    assert MODEL in browser.text("#begin .models")

    browser.click("#begin a[href='/explore?subject=nsq']")

    browser.says("#said", "At the start.")
    assert not browser.one("#begin").is_displayed()


def test_steps_by_mouse_and_undo_by_the_browsers_own_button(exploring: Browser) -> None:
    exploring.click("#steps button")
    exploring.says("#said", "Step 1: producer sends m1 to link.")
    assert query(exploring) == f"subject={MODEL}&path=0.0"
    assert "link" in exploring.text("#state tr.changed")

    exploring.driver.back()
    exploring.says("#said", "At the start.")
    exploring.driver.forward()
    exploring.says("#said", "Step 1:")


def test_words_of_others_are_shown_and_turn_nothing_round(browser: Browser, tmp_path: Path) -> None:
    model = (Path("examples") / MODEL).read_text(encoding="utf-8")
    turned = model.replace("A producer waits", "\u202eturned")
    (tmp_path / "turned.py").write_text(turned, encoding="utf-8")
    with serving(tmp_path) as address:
        browser.open(f"{address}/explore?subject=turned.py")
        browser.says("#about", "turned")
        browser.says("#said", "At the start.")
        words = str(browser.driver.execute_script("return document.body.textContent"))  # type: ignore[no-untyped-call]

    assert "\\u{202e}turned" in words
    assert "\u202e" not in words


def test_everything_by_keys(exploring: Browser) -> None:
    for key, said in (
        ("1", "Step 1:"),
        ("1", "Step 2:"),
        ("u", "Step 1:"),
        (Keys.BACKSPACE, "At the start."),
    ):
        exploring.press(key)
        exploring.says("#said", said)
    exploring.press("r")
    exploring.says("#said", "Step 1:")

    assert query(exploring) == f"subject={MODEL}&path=0.0"


def test_after_a_step_by_keyboard_the_focus_is_on_the_next_one(exploring: Browser) -> None:
    exploring.driver.execute_script("document.querySelector('#steps button').focus()")  # type: ignore[no-untyped-call]
    exploring.press(Keys.ENTER)
    exploring.says("#said", "Step 1:")

    exploring.until(
        lambda: exploring.driver.switch_to.active_element.get_attribute("data-choice") == "0", "focus"
    )


def test_keys_that_are_typed_into_a_field_take_no_step(exploring: Browser) -> None:
    exploring.press("1")
    exploring.says("#said", "Step 1:")
    exploring.press("/")
    exploring.press("loses")
    exploring.until(lambda: len(exploring.all("#steps button")) == 1, "one step matches")

    assert "Step 1:" in exploring.text("#said")
    assert "link loses m1" in exploring.text("#steps")
    assert "do not match" in exploring.text("#rest")


def test_variables_can_be_filtered(exploring: Browser) -> None:
    exploring.one("#state-filter").send_keys("delivered")
    exploring.until(lambda: len(exploring.all("#state tr")) == 2, "two places match")


def test_an_address_can_be_shared(browser: Browser, server: str) -> None:
    browser.open(f"{server}/explore?subject={MODEL}&set=messages=3&path=0.0.0.1")
    browser.says("#said", "Step 3:")

    assert "delivered[m3]" in browser.text("#state")
    assert browser.one("#set-messages").get_attribute("value") == "3"
    assert browser.text("#address").endswith(":messages=3,losses=1:0.0.0.1")
    assert browser.text("#run li") == "start"


def test_a_parameter_begins_anew(exploring: Browser) -> None:
    exploring.press("1")
    exploring.says("#said", "Step 1:")
    exploring.click("#parameters summary")
    field = exploring.one("#set-losses")
    field.clear()
    field.send_keys("3", Keys.TAB)
    exploring.until(lambda: query(exploring) == f"subject={MODEL}&set=losses=3", "the address")
    exploring.says("#said", "At the start.")


def test_a_check_leads_to_a_story_that_can_be_followed_to_its_end(exploring: Browser) -> None:
    exploring.click("#check")
    exploring.says("#checked", "Searched all 114 states")
    exploring.click("#checked tbody button")
    exploring.says("#along", "Step 0 of 6")
    for number in range(1, 7):
        exploring.press("n")
        exploring.says("#said", f"Step {number}:")

    assert "no-duplicates" in exploring.text("#decided .violated")
    assert not exploring.one("#story-next").is_enabled()
    assert exploring.one("#diagram img").get_attribute("naturalWidth") != "0"


@pytest.mark.thorough
def test_a_story_by_keyboard_alone(exploring: Browser) -> None:
    exploring.click("#check")
    exploring.says("#checked", "2 holds, 1 violated")
    run = exploring.driver.execute_script
    run("document.querySelector('#checked tbody button').focus()")  # type: ignore[no-untyped-call]
    exploring.press(Keys.ENTER)
    exploring.says("#along", "Step 0 of 6")

    assert not exploring.one("#checked table").is_displayed(), "verdicts make room"
    for number in range(1, 7):
        exploring.until(lambda: focused(exploring) == "story-next", "the next step is a key away")
        exploring.press(Keys.ENTER)
        exploring.says("#along", f"Step {number} of 6")
    exploring.until(lambda: focused(exploring) == "story-start", "there is no next one")


def focused(browser: Browser) -> str | None:
    return browser.driver.switch_to.active_element.get_attribute("id")


def test_a_system_is_chosen_by_keyboard_without_losing_the_focus(browser: Browser, server: str) -> None:
    browser.open(f"{server}/explore?subject=nsq")
    browser.says("#said", "At the start.")
    browser.one("#subject").send_keys("rabbitmq")
    browser.until(lambda: "subject=rabbitmq-sac" in query(browser), "the address")
    browser.says("#fields", "queues")

    browser.until(lambda: focused(browser) == "subject", "focus")


def test_of_a_long_run_the_newest_step_and_the_names_are_in_sight(browser: Browser, server: str) -> None:
    browser.open(f"{server}/explore?subject=nsq")
    browser.says("#said", "At the start.")
    browser.click("#wander")
    browser.says("#said", "Step 20")
    script = (
        "const d = document.getElementById('diagram'); return [d.scrollTop, d.scrollHeight - d.clientHeight]"
    )
    run = browser.driver.execute_script

    at, most = browser.until(lambda: (found := run(script))[0] and found, "it is scrolled")  # type: ignore[no-untyped-call]
    assert abs(at - most) < 2
    heads = browser.one("#diagram .heads").rect["y"]
    assert abs(heads - browser.one("#diagram").rect["y"]) < 2


def test_a_story_without_end_says_what_it_shows(browser: Browser, server: str) -> None:
    browser.open(f"{server}/explore?subject=rabbitmq-sac")
    browser.click("#check")
    browser.says("#checked", "Searched all")
    browser.click("#checked tbody button")
    browser.says("#along", "again for ever")

    assert "is false along this run" in browser.text("#summary")
    assert "~" in query(browser)


def test_many_places_that_hold_the_same_are_one_row(browser: Browser, server: str) -> None:
    browser.open(f"{server}/explore?subject=recovery")
    browser.says("#state", "owed: all 64")
    browser.one("#state-filter").send_keys("owed[b1]")
    browser.until(lambda: len(browser.all("#state tr")) == 16, "all places that match")


def test_an_address_of_replay_leads_to_its_story(browser: Browser, server: str) -> None:
    browser.open(f"{server}/explore?subject={MODEL}&path=0.0.0.1")
    browser.says("#said", "Step 3:")
    address = browser.text("#address")
    browser.open(f"{server}/explore")
    browser.one("#story-address").send_keys(address, Keys.ENTER)
    browser.says("#along", "Step 3 of 3")
    browser.says("#said", "Step 3:")


def test_a_random_run_is_the_same_each_time(exploring: Browser) -> None:
    ways = []
    for _ in range(2):
        exploring.click("#wander")
        exploring.until(lambda: "path=" in query(exploring), "a path")
        exploring.says("#said", "Step")
        ways.append(query(exploring))
        exploring.driver.back()
        exploring.says("#said", "At the start.")

    assert ways[0] == ways[1]


def test_what_goes_wrong_is_said_and_can_be_closed(light: Browser, server: str) -> None:
    light.open(f"{server}/explore?subject={MODEL}&path=0.99")
    light.says("#problems", "step 1 is number 99")
    light.click("#problems button")

    assert light.text("#problems") == ""
    light.complaints()  # the browser notes the answer 400 by itself


def test_the_runs_their_claims_and_a_claims_story(browser: Browser, server: str) -> None:
    browser.open(f"{server}/report")
    browser.says("main", RUN)
    browser.click("main tbody a")
    browser.says("main", "Over the last runs")
    browser.click("main tbody a")
    browser.says("main h3", "once")

    assert browser.all("main svg.sequence")
    assert not browser.all("main img[src='x']"), "texts are no HTML"
    colour = browser.one("main svg.sequence .arrow").value_of_css_property("stroke")
    assert colour == "rgb(29, 34, 40)", "the diagram has its style"


def test_drawings_of_a_claim_are_shown(browser: Browser, server: str, tmp_path: Path) -> None:
    from angarium.mesh.draw import Drawing, svg
    from angarium.mesh.files.find import load

    drawn = {"the mesh": svg(Drawing(load("examples/meshes/triangle.yaml")))}
    save(tmp_path, RUN, replace(claim("drawn", "no-loss", "holds"), pictures=drawn))
    with serving(Path("."), "--out", str(tmp_path)) as address:
        browser.open(f"{address}/report?run={RUN}&claim=drawn")
        picture = browser.one("main .picture img")

        browser.until(lambda: picture.get_property("naturalWidth"), "it is drawn")


def test_a_story_of_a_report_can_be_stepped_through(browser: Browser, tmp_path: Path) -> None:
    save(tmp_path / "out", RUN, claim("once", "no-duplicates", "holds"))
    with serving(Path("."), "--out", str(tmp_path / "out")) as address:
        browser.open(f"{address}/report?run={RUN}&claim=once")
        browser.one(".stories a")
        order = [each.tag_name for each in browser.all("main h1, main h3, main .stories")]
        assert order[:3] == ["h1", "h3", "p"], "the claim is named before its stories"
        browser.click(".stories a")
        browser.says("#along", "Step 0 of 6")


def test_a_page_without_runs_says_where_some_are(browser: Browser, tmp_path: Path) -> None:
    project = tmp_path / "five" / ".angarium"
    claim_folder(project)
    save(project, RUN, claim("once", "no-duplicates", "holds"))
    with serving(tmp_path) as address:
        browser.open(f"{address}/report")
        browser.says("main", RUN)
    with serving(tmp_path, "--out", str(tmp_path / "out")) as address:
        browser.open(f"{address}/report")
        browser.says("main", "There are no runs in out yet.")

        assert browser.text("main li") == "five/.angarium"


def test_dark_is_dark(server: str) -> None:
    with browsing(dark=True) as browser:
        for view in ("explore?subject=nsq", "report"):
            browser.open(f"{server}/{view}")
            colour = browser.one("body").value_of_css_property("background-color")
            assert colour == "rgba(20, 23, 28, 1)"


def test_nothing_is_wider_than_a_narrow_window(server: str) -> None:
    with browsing(size=(500, 900)) as browser:
        for view in (
            f"explore?subject={MODEL}&path=0.0.0",
            f"report?run={RUN}",
            f"report?run={RUN}&claim=once",
        ):
            browser.open(f"{server}/{view}")
            browser.one("#steps button, main table")
            script = "return document.documentElement.scrollWidth - innerWidth"
            assert browser.driver.execute_script(script) <= 0, view  # type: ignore[no-untyped-call]
