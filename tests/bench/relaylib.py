# SPDX-License-Identifier: LGPL-2.1-or-later
"""fasp-relay for tests and benchmarks: a process, its configuration, its figures."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import benchlib

PROGRAM = benchlib.installed("fasp-relay")


def receivers(stream):
    """How many there are at all outputs."""
    return sum(o["stats"].get("connected-callers", 0) for o in stream["outputs"] if o["stats"])


def passed(stream):
    """Bytes that came in."""
    return stream["input"]["stats"]["bytes-received-total"] if stream["input"]["stats"] else 0


class Relay:
    """@config: its streams. @more: of the section [relay]. @before: what its process does first. @command: what comes
    before the configuration."""

    def __init__(self, directory, config, more="", before=None, command=(PROGRAM,)):
        self.path, self.log = (os.path.join(directory, "relay" + x) for x in (".conf", ".log"))
        self.port, self.more, self.address = benchlib.free_port(kind=socket.SOCK_STREAM), more, "127.0.0.1"
        self.before, self.command, self.cookie = before, command, None
        self.write(config)
        self.start()

    def start(self):
        self.has_begun = False
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([*self.command, self.path], stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, env=benchlib.environment(ours=True),
                                            preexec_fn=self.before)

    def write(self, config):
        with open(self.path, "w") as f:
            f.write(f"[relay]\nstatus = http://{self.address}:{self.port}\n{self.more}\n{config}")

    def configure(self, config):
        self.write(config)
        self.process.send_signal(signal.SIGHUP)

    def text(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def get(self, path, method="GET", host=None, timeout=benchlib.LIMIT, **headers):
        """(status, headers, text). @host: the name to ask by."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method,
                                         headers={
            **headers, **{name: value for name, value in (("Host", host), ("Cookie", self.cookie)) if value}})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as page:
                return page.status, page.headers, page.read().decode()
        except urllib.error.HTTPError as page:
            return page.code, page.headers, page.read().decode()

    def ask(self, method, path, body=None, **headers):
        """(status, headers, what the API answers). @body: anything for JSON, or bytes."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/v1{path}", data, method=method, headers={
            "Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=benchlib.LIMIT) as page:
                code, head, text = page.status, page.headers, page.read().decode()
        except urllib.error.HTTPError as page:
            code, head, text = page.code, page.headers, page.read().decode()
        return code, head, json.loads(text) if text else None

    def log_in(self, user, password):
        """The pages that are asked for from now on are asked for by this user."""
        self.log_has("is in force")
        code, headers, answer = self.ask("POST", "/session", {"user": user, "password": password})
        assert code == 200, answer
        self.cookie = headers["Set-Cookie"].split(";")[0]

    def status(self):
        code, _, text = self.get("/status.json")
        if code == 503:
            raise ConnectionError(text)     # its configuration is not in force yet
        return json.loads(text)

    def happened(self, kind):
        """Events of this kind, the newest first."""
        return [e for e in json.loads(self.get("/happened.json")[2]) if e["kind"] == kind]

    def wait_status(self, good):
        until, status = time.monotonic() + benchlib.LIMIT, {}
        while True:
            assert self.process.poll() is None, self.text()[-2000:]
            why = None
            try:
                status = self.status()
                if good(status):
                    return status
            except (OSError, LookupError, TypeError) as error:
                why = error     # not started yet: no answer, or an end or its figures are missing
            assert time.monotonic() < until, (why, status, self.text()[-2000:])
            time.sleep(0.05)

    def wait(self, good):
        """Until @good of the streams, by name. The status is there before them."""
        def by_name(status):
            return {s["name"]: s for s in status["streams"]}

        def is_good(status):
            self.has_begun = self.has_begun or bool(status["streams"])
            return self.has_begun and good(by_name(status))
        return by_name(self.wait_status(is_good))

    def listen(self, good=lambda summary: True):
        """The first summary for the page that is @good. A listener sees each one, where polls may miss some."""
        until = time.monotonic() + benchlib.LIMIT
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/events", timeout=benchlib.LIMIT) as events:
            for line in events:
                if line.startswith(b"data: ") and good(summary := json.loads(line[len("data: "):])):
                    return summary
                assert time.monotonic() < until, self.text()[-2000:]
        raise AssertionError("the relay has closed the connection")

    def log_has(self, pattern):
        benchlib.wait_until(lambda: re.search(pattern, self.text()), lambda: f"no {pattern!r} in: {self.text()[-2000:]}")

    def end(self, sig=signal.SIGTERM):
        """Seconds that it took, in order."""
        start = time.monotonic()
        self.process.send_signal(sig)
        assert self.process.wait(benchlib.LIMIT) == 0, self.text()[-2000:]
        return time.monotonic() - start

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
