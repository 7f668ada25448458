"""Chromium through chromedriver, by the WebDriver protocol over HTTP. Standard library only."""

import base64
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's key for a reference to an element


class Browser:
    """One headless window. `downloads` is the folder that exported files land in."""

    def __init__(self, downloads, width=1280, height=900):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        self.wait_for_driver()
        # containers have no sandbox and little shared memory
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},{height}", "--hide-scrollbars"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        options = {
            "args": arguments,
            "prefs": {"download.default_directory": str(downloads), "download.prompt_for_download": False},
            "perfLoggingPrefs": {"enableNetwork": True, "enablePage": False},
        }
        wanted = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                                  "unhandledPromptBehavior": "ignore"}}
        self.session = f"/session/{self.post('/session', {'capabilities': wanted})['sessionId']}"
        self.downloads = Path(downloads)
        self.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))

    def wait_for_driver(self):
        for _ in range(600):
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("chromedriver did not start")

    def call(self, verb, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{self.session}{path}", data, {"Content-Type": "application/json"}, method=verb)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def post(self, path, body):
        return self.call("POST", path, body)

    def devtools(self, command, **parameters):
        return self.post("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def open(self, page):
        """Opens a file, waits until it says that it is drawn, and returns the milliseconds that took."""
        self.log("browser"), self.log("performance")
        self.post("/url", {"url": Path(page).resolve().as_uri()})
        self.until("performance.getEntriesByName('ready').length === 1")
        return self.script("return performance.getEntriesByName('ready')[0].startTime")

    def script(self, code, *arguments):
        return self.post("/execute/sync", {"script": code, "args": list(arguments)})

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self.script(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.05)

    def log(self, kind):
        return self.post("/se/log", {"type": kind})

    def problems(self):
        """Messages of the console, and requests that left the file."""
        said = [entry["message"] for entry in self.log("browser")]
        for entry in self.log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                address = event["params"]["request"]["url"]
                if not address.startswith(("file:", "blob:", "data:")):
                    said.append(f"request: {address}")
        return said

    def dialog(self):
        try:
            return self.call("GET", "/alert/text")
        except RuntimeError:
            return None

    def find(self, selector):
        return self.post("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector, shift=False):
        self.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)
        box = self.box(selector)
        self.drag([(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)], shift=shift)

    def box(self, selector):
        return self.script("const {x, y, width, height} = document.querySelector(arguments[0]).getBoundingClientRect(); return {x, y, width, height}", selector)

    def type(self, selector, text):
        self.post(f"/element/{self.find(selector)}/value", {"text": text})

    def keys(self, *keys):
        """Presses keys where the focus is; a name such as `Shift+Tab` holds the first."""
        codes = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Shift": "\ue008", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
                 "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010", "Space": " "}
        actions = []
        for key in keys:
            parts = [codes.get(part, part) for part in (key.split("+") if len(key) > 1 else [key])]
            actions += [{"type": "keyDown", "value": part} for part in parts] + [{"type": "keyUp", "value": part} for part in reversed(parts)]
        self.post("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def move(self, x, y):
        self.post("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}]}]})

    def drag(self, places, shift=False):
        """Presses at the first place, moves along the others, and lets go; with one place it is a click."""
        moves = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 20} for x, y in places]
        steps = [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0}]
        actions = [{"type": "pointer", "id": "mouse", "actions": steps}]
        if shift:
            hold = [{"type": "keyDown", "value": "\ue008"}] + [{"type": "pause"}] * len(steps) + [{"type": "keyUp", "value": "\ue008"}]
            actions = [{"type": "pointer", "id": "mouse", "actions": [{"type": "pause"}, *steps]}, {"type": "key", "id": "keyboard", "actions": hold}]
        self.post("/actions", {"actions": actions})

    def wheel(self, x, y, by):
        scroll = {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": by, "duration": 0}
        self.post("/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [scroll]}]})

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, kind="", **features):
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.devtools("Emulation.setEmulatedMedia", media=kind, features=listed)

    def picture(self, path, whole=True):
        """A screenshot of the whole page, or of the window."""
        path.parent.mkdir(parents=True, exist_ok=True)
        shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=whole, **({"clip": self.whole()} if whole else {}))
        path.write_bytes(base64.b64decode(shot["data"]))

    def whole(self):
        size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}

    def pdf(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        printed = self.devtools("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)
        path.write_bytes(base64.b64decode(printed["data"]))
        return path.read_bytes()

    def downloaded(self, name):
        """Waits for an exported file and takes it away."""
        path = self.downloads / name
        end = time.monotonic() + 30
        # Chromium holds the name with an empty file and moves the whole download over it when it is done
        while not path.exists() or path.stat().st_size == 0:
            if time.monotonic() > end:
                raise TimeoutError(f"{path} did not arrive: {list(self.downloads.iterdir())}")
            time.sleep(0.05)
        content = path.read_bytes()
        path.unlink()
        return content
