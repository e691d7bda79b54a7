"""A headless Chromium, driven by its own protocol over a pipe: no driver, no package, no port."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60.0
KEYS = {
    "ArrowDown": 40, "ArrowUp": 38, "End": 35, "Home": 36, "Enter": 13, "Escape": 27, "Tab": 9,
}  # fmt: skip


def find() -> str | None:
    """Return the path of a browser of Chromium's kind."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One browser with one tab; ``events`` holds what it told since the last :meth:`open`."""

    def __init__(self, path: str, profile: Path) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        flags = [
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars"),
            *("--window-size=1400,900", f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"),
        ]
        # The browser reads its commands from file 3 and answers on file 4.
        shell = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, path, *flags],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End the browser."""
        self._session = ""
        try:
            self.call("Browser.close")
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            os.close(self._to)
            os.close(self._from)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told["error"]
                return told["result"]
            self.events.append(told)

    def open(self, address: str) -> None:
        """Open a page, alone in the tab: an address that differs in its fragment only is loaded anew."""
        for one in ("about:blank", address):
            self.events.clear()
            self.call("Page.navigate", url=one)
            while not self.told("Page.loadEventFired"):
                self.events.append(self._next())

    def told(self, method: str) -> list[dict[str, Any]]:
        """Return what the browser told under a name."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def text(self, selector: str) -> str:
        """Return the text of the first element that fits, as a reader sees it."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements that fit."""
        return self.evaluate(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.innerText.trim())"
        )

    def press(self, key: str) -> None:
        """Press a key, as a person does."""
        event = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        if key == "Enter":
            event["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text: str) -> None:
        """Type text into what has the focus."""
        self.call("Input.insertText", text=text)

    def faults(self) -> list[str]:
        """Return errors of scripts and refusals of the content security policy, and warnings in the console."""
        self.evaluate("new Promise((done) => setTimeout(done, 50))")
        thrown = [event["exceptionDetails"].get("text", "") for event in self.told("Runtime.exceptionThrown")]
        logged = [event["entry"]["text"] for event in self.told("Log.entryAdded")]
        return thrown + logged + [str(event["args"]) for event in self.told("Runtime.consoleAPICalled")]

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for."""
        return [event["request"]["url"] for event in self.told("Network.requestWillBeSent")]

    def _next(self) -> dict[str, Any]:
        limit = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            assert time.monotonic() < limit, "the browser does not answer"
            part = os.read(self._from, 1 << 16)
            assert part, "the browser has ended"
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)
