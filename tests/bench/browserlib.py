# SPDX-License-Identifier: LGPL-2.1-or-later
"""A page in a headless Chromium, driven by the DevTools protocol over a pipe."""

import base64
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time

LIMIT = 30              # s that anything here may take
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Without a sandbox of its own, as root has none; what it shows is the relay's own page
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
           "--force-color-profile=srgb", "--lang=en-GB", "--remote-debugging-pipe")


def find():
    """The program; None: there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. @width, @height: CSS pixels. @dark: what the reader prefers. @scale: pixels of a picture for each."""

    def __init__(self, url, width=1280, height=900, dark=False, scale=1, mobile=False):
        self.home = tempfile.mkdtemp(prefix="fasp-browser-")
        self.last, self.answers, self.console = 0, {}, []
        self.changed = threading.Condition()
        self.sent = queue.SimpleQueue()
        self.start()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)

    # --- the pipe ---

    def start(self):
        theirs, self.to = os.pipe()
        self.of, written = os.pipe()

        def arrange():          # it reads 3 and writes 4
            read, write = os.dup(theirs), os.dup(written)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.session = None
        self.process = subprocess.Popen([find(), *OPTIONS, f"--user-data-dir={self.home}"], preexec_fn=arrange, close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": self.home})
        os.close(theirs)
        os.close(written)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        rest = b""
        while True:
            try:
                piece = os.read(self.of, 1 << 20)
            except OSError:
                piece = b""
            if not piece:
                return
            *messages, rest = (rest + piece).split(b"\0")
            for message in messages:
                self.take(json.loads(message))

    def take(self, message):
        with self.changed:
            if "id" in message:
                self.answers[message["id"]] = message
            elif message["method"] == "Runtime.exceptionThrown":
                self.console.append(json.dumps(message["params"]["exceptionDetails"])[:1000])
            elif message["method"] == "Log.entryAdded" and message["params"]["entry"]["level"] in ("error", "warning"):
                entry = message["params"]["entry"]
                self.console.append(f"{entry['text']} {entry.get('url', '')}")
            elif message["method"] == "Runtime.consoleAPICalled" and message["params"]["type"] in ("error", "warning", "assert"):
                self.console.append(json.dumps(message["params"]["args"])[:1000])
            self.changed.notify_all()

    def call(self, method, limit=LIMIT, **params):
        with self.changed:
            self.last += 1
            number = self.last
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        with self.changed:
            assert self.changed.wait_for(lambda: number in self.answers, limit), f"{method}: the browser does not answer"
            answer = self.answers.pop(number)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    # --- the page ---

    def run(self, expression, limit=LIMIT):
        """The value of an expression of JavaScript."""
        result = self.call("Runtime.evaluate", limit, expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (expression, result["exceptionDetails"])
        return result["result"].get("value")

    def describe(self):
        """For a test that fails: what the page shows, and what its videos do."""
        shown = self.run("document.body.innerText")
        videos = self.run("""[...document.querySelectorAll("video")].map(v => ({
            hidden: v.hidden, paused: v.paused, time: v.currentTime, ready: v.readyState, error: v.error?.message,
            frames: v.getVideoPlaybackQuality().totalVideoFrames, near: v.parentNode.innerText,
            has: [...Array(v.buffered.length).keys()].map(i => [v.buffered.start(i), v.buffered.end(i)])}))""")
        return f"{shown[-1000:]}\n{videos}\n"

    def wait(self, expression, limit=LIMIT):
        """Until it is true; its value."""
        until = time.monotonic() + limit
        while True:
            value = self.run(expression)
            if value:
                return value
            assert time.monotonic() < until, f"{self.describe()}{expression} does not become true"
            time.sleep(0.05)

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.textContent")

    def click(self, selector, until=None):
        """As a mouse does, in the middle of it. @until: what becomes true then. A page that moves meanwhile may have had
        the click elsewhere: it is repeated, if it is still there."""
        deadline, clicked = time.monotonic() + LIMIT, None
        while not clicked or not self.run(until or "true"):
            now = time.monotonic()
            if (not clicked or now > clicked + 2) and self.click_once(selector):
                clicked = now
            assert now < deadline, f"{self.describe()}a click on {selector} does not make true: {until}"
            time.sleep(0.02)

    def click_once(self, selector):
        """False: it is not seen."""
        place = self.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;"
                         " e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
                         " const p = {x: b.x + b.width / 2, y: b.y + b.height / 2};"
                         " return b.width && e.contains(document.elementFromPoint(p.x, p.y)) ? p : null; })()")
        for kind in ("mousePressed", "mouseReleased") if place else ():
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
        return bool(place)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def key(self, name, code=0, text=None):
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, code=name, windowsVirtualKeyCode=code, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=name, windowsVirtualKeyCode=code)

    def picture(self, path, whole=False, height=None):
        """A PNG of what is seen, or of the whole page (down to @height)."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], height or size["height"]), "scale": 1}}
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **(clip if whole else {}))
        with open(path, "wb") as f:
            f.write(base64.b64decode(answer["data"]))

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        shutil.rmtree(self.home, ignore_errors=True)
