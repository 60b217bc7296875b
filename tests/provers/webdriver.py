"""A headless Chromium through chromedriver, by the WebDriver protocol. Uses the standard library."""
import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request


class Browser:
    """One window. `run` executes JavaScript, `type` presses keys on the focused element."""

    @classmethod
    def start(cls, folder):
        """None where the browser or its driver is missing."""
        driver = shutil.which("chromedriver")
        browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if driver is None or browser is None:
            return None
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self = cls()
        self.process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        self.session = None
        for _ in range(300):
            try:
                self.call("GET", "/status")
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        options = {
            "binary": browser,
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--user-data-dir={folder}/profile"],
        }  # fmt: skip
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})  # fmt: skip
        self.session = answer["sessionId"]
        return self

    def call(self, method, path, body=None):
        where = self.base + (f"/session/{self.session}" if getattr(self, "session", None) else "") + path
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(where, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise AssertionError(e.read().decode()[:2000]) from None

    def open(self, path):
        self.call("POST", "/url", {"url": f"file://{os.path.abspath(path)}"})

    def run(self, code):
        return self.call("POST", "/execute/sync", {"script": code, "args": []})

    def size(self, width, height):
        """Of the window's inside, as a phone has it."""
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}})  # fmt: skip

    def type(self, keys):
        actions = [{"type": t, "value": k} for k in keys for t in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("GET", "/screenshot")))

    def errors(self):
        """What the pages wrote to the console as errors or warnings, but what reading pixels causes."""
        log = self.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if entry["level"] in ("SEVERE", "WARNING")
                and "willReadFrequently" not in entry["message"]]  # fmt: skip

    def stop(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(timeout=30)
