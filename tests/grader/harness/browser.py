"""A headless browser, if one is installed, for tests."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "headless=new no-sandbox disable-gpu no-first-run disable-background-networking disable-component-update disable-sync disable-quic "
    "hide-scrollbars force-device-scale-factor=1"
).split()
UNFOLD = "for (const each of document.querySelectorAll('details')) each.open = true;"
TAB, SHIFT, LEFT, UP, RIGHT, DOWN = "\ue004", "\ue008", "\ue012", "\ue013", "\ue014", "\ue015"  # as WebDriver names keys


class Browser:
    """A headless browser with the actions and questions of tests."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def show(self, page: Path, width: int = 1400, scheme: str = "light", media: str = "screen", scripts: bool = True) -> None:
        """Open a file on a device with this width, colour scheme and medium."""
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.driver.get("about:blank")  # else the same file with another fragment would only scroll
        self.driver.get_log("browser"), self.driver.get_log("performance")
        self.driver.get(page.as_uri())

    def ask(self, command: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, parameters)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys: str, held: str = "") -> None:
        from selenium.webdriver import ActionChains

        actions = ActionChains(self.driver, duration=0)
        (actions.key_down(held).send_keys(*keys).key_up(held) if held else actions.send_keys(*keys)).perform()

    def move_to(self, selector: str) -> Any:
        from selenium.webdriver import ActionChains

        [element] = self.driver.find_elements("css selector", selector)
        ActionChains(self.driver, duration=0).move_to_element(element).perform()
        return element

    def messages(self, until: str = "") -> list[str]:
        """Return the messages of the console. With `until`, wait up to 10 s for a message that contains it."""
        said: list[str] = []
        deadline = time.monotonic() + 10
        while True:
            said += [entry["message"] for entry in self.driver.get_log("browser")]
            if any(until in message for message in said) or not until or time.monotonic() > deadline:
                return said

    def requests(self) -> list[str]:
        """Return the addresses requested since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]


def open_browser(folder: Path) -> Iterator[Browser]:
    """Yield Chromium with its files in a folder. Skip the test if it is not installed."""
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("chromium or chromedriver is not on PATH: the page is not tried in a browser")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: the page is not tried in a browser")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (*QUIET, f"user-data-dir={folder}"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
