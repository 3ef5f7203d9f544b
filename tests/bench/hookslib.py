# SPDX-License-Identifier: LGPL-2.1-or-later
"""A server as users of MediaMTX have one behind authMethod: http, and that takes what the relay tells."""

import http.server
import json
import threading

FIELDS = {"ip", "user", "password", "token", "action", "path", "protocol", "id", "query"}


class Backend:
    """Knows who may do what: @users: {user: (password, {(action, path), ...})}. It is a program of its own to the relay:
    end() takes it away, start() brings it back at the same port."""

    def __init__(self, users=(), status=204):
        self.users, self.status = dict(users), status   # status: that of a yes
        self.asked = []         # questions
        self.told = []          # (path, headers, body) of all else
        self.answer = None      # a function of the handler, instead of what is below
        self.server, self.port = None, 0
        self.start()

    def decide(self, question):
        """Knows nothing but what MediaMTX sends."""
        assert set(question) >= FIELDS and all(isinstance(question[name], str) for name in FIELDS), question
        password, rights = self.users.get(question["user"], (None, ()))
        return question["password"] == password and (question["action"], question["path"]) in rights

    def start(self):
        backend = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                size = int(self.headers["Content-Length"])
                body = self.rfile.read(size)
                if len(body) < size:
                    return      # the relay has hung up
                if self.path.startswith("/auth"):
                    assert self.headers["Content-Type"] == "application/json"
                    backend.asked.append(json.loads(body))
                else:
                    backend.told.append((self.path, dict(self.headers), body))
                if backend.answer:
                    backend.answer(self)
                elif self.path.startswith("/auth"):
                    self.say(backend.status if backend.decide(backend.asked[-1]) else 401)
                else:
                    self.say(200)

            def do_GET(self):
                backend.told.append((self.path, dict(self.headers), None))
                self.say(200)

            def say(self, status, **headers):
                self.send_response(status)
                for name, value in {"Content-Length": "0", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *unused):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 100

            def handle_error(self, *unused):
                pass        # the relay has hung up
        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def end(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.end()
