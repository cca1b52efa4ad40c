"""A real browser, and a real server for it to talk to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.app.cli.running import PROGRAM
from tests.needs import CHROMIUM, DRIVER, needs
from tests.processes import running
from tests.waiting import PATIENCE

needs_browser = needs("browser")
Found = TypeVar("Found")


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[str]:
    """The address of a page that is served by a process of its own."""
    command = [*PROGRAM, "serve", str(folder), "--port", "0", *words]
    with running(command, stderr=None) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found, "the server did not say where it is"
        yield found[0].rstrip("/")


@contextmanager
def browsing(*, dark: bool = False, size: tuple[int, int] = (1400, 1000)) -> Iterator[Browser]:
    """A browser without a window."""
    options = Options()
    options.binary_location = str(CHROMIUM)
    more = ["--blink-settings=preferredColorScheme=0"] if dark else []
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", *more):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    try:
        driver.set_window_size(*size)
        yield Browser(driver)
    finally:
        driver.quit()


class Browser:
    """What tests do with a browser."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get(address)

    def one(self, selector: str) -> WebElement:
        """An element, when it is there."""
        return self.until(lambda: self.all(selector), selector)[0]

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """What an element says now; hidden or not."""
        script = "return document.querySelector(arguments[0])?.textContent ?? ''"
        return str(self.driver.execute_script(script, selector))  # type: ignore[no-untyped-call]

    def says(self, selector: str, words: str) -> None:
        """Wait until an element says it."""
        self.until(lambda: words in self.text(selector), f"{selector} says {words!r}")

    def click(self, selector: str) -> None:
        self.until(lambda: self.one(selector).is_enabled(), selector)
        self.one(selector).click()

    def press(self, key: str) -> None:
        """A key, wherever the focus is."""
        self.driver.switch_to.active_element.send_keys(key)

    def until(self, true: Callable[[], Found], what: str) -> Found:
        return WebDriverWait(self.driver, PATIENCE).until(lambda _: true(), f"waited for: {what}")

    def complaints(self) -> list[str]:
        """What the browser has written to its console: errors of scripts, what the policy has refused."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
