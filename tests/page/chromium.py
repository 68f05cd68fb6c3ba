"""A headless Chromium that is driven over a pipe: it opens a page, returns what that shows, and takes pictures."""
import base64
import fcntl
import json
import os
import select
import subprocess
import tempfile
import time

PATIENCE = 60


def high_pipe():
    """A pipe whose descriptors are none of those that the browser is given."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return high


class Chromium:
    """The browser with one page; `with` ends it."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="ink-page-", ignore_cleanup_errors=True)
        commands_read, self.commands = high_pipe()
        self.heard, heard_write = high_pipe()
        # The browser reads commands from descriptor 3 and answers at 4. Run by root it has no sandbox to offer.
        words = [program, "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                 "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
                 f"--user-data-dir={self.folder.name}", "about:blank"]
        if os.geteuid() == 0:
            words.append("--no-sandbox")
        script = f'exec "$@" 3<&{commands_read} 4>&{heard_write} {commands_read}<&- {heard_write}>&-'
        self.process = subprocess.Popen(["bash", "-c", script, "chromium", *words], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        pass_fds=(commands_read, heard_write), env=dict(os.environ, HOME=self.folder.name))
        os.close(commands_read)
        os.close(heard_write)
        self.rest, self.number, self.events = b"", 0, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(PATIENCE)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.heard)
        self.folder.cleanup()

    def message(self, until):
        """The next message of the browser, None if none comes in time."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.heard], [], [], max(0, until - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self.heard, 1 << 20)
            assert piece, f"Chromium ended with exit code {self.process.wait(PATIENCE)}"
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        """The result of a command; events that come meanwhile are kept."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None and not method.startswith(("Target.", "Browser.")):
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            message = self.message(until)
            assert message is not None, f"{method}: Chromium does not answer"
            if message.get("id") == self.number:
                assert "error" not in message, f"{method}: {message.get('error')}"
                return message["result"]
            self.events.append(message)

    def value(self, expression):
        """What an expression is in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait_for(self, expression, seconds=PATIENCE):
        """Waits until an expression is true in the page."""
        until = time.monotonic() + seconds
        while not self.value(expression):
            assert time.monotonic() < until, f"{expression} does not become true"
            until_next = time.monotonic() + 0.1
            while (message := self.message(until_next)) is not None:
                self.events.append(message)

    def open(self, address):
        """Goes there."""
        result = self.call("Page.navigate", url=address)
        assert "errorText" not in result, f"{address}: {result['errorText']}"
        self.wait_for("document.readyState === 'complete'")

    def look(self, width, height, scheme="light"):
        """Makes the window so large, and the page light or dark, and waits until that is drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.value("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")

    def picture(self, path):
        """The whole page, also what is below the window."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        image = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                          clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))

    def complaints(self):
        """What the console has so far: errors, exceptions, and what a policy refused."""
        found = []
        for event in self.events:
            method, what = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = what["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                found.append(f"{what['entry']['text']} {what['entry'].get('url', '')}")
            elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
                found.append(str(what["args"]))
        return found
