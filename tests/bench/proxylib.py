# SPDX-License-Identifier: LGPL-2.1-or-later
"""A proxy in front of a relay, which shows it below a path of its own."""

import http.client
import http.server
import threading

LIMIT = 30              # s that the relay may take for a piece
PASSED = ("Content-Type", "Location", "Content-Security-Policy", "X-Accel-Buffering", "ETag")


class Proxy:
    """What is asked for below @path goes to @port without it, as with `location PATH/ { proxy_pass http://.../; }' of nginx."""

    def __init__(self, port, path):
        self.asked = []         # methods and paths that were not below @path

        class Handler(http.server.BaseHTTPRequestHandler):
            def pass_on(handler):  # pylint: disable=no-self-argument
                if not (handler.path + "/").startswith(path + "/"):
                    self.asked.append((handler.command, handler.path))
                    return handler.send_error(404)
                relay = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
                body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
                relay.request(handler.command, handler.path[len(path):] or "/", body or None, dict(handler.headers))
                answer = relay.getresponse()
                handler.send_response(answer.status)
                for name in PASSED:
                    if answer.getheader(name):
                        handler.send_header(name, answer.getheader(name))
                handler.end_headers()
                try:
                    while piece := answer.read1():
                        handler.wfile.write(piece)
                except OSError:
                    pass        # one of both has gone
                relay.close()
                return None

            do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = pass_on

            def log_message(self, *unused):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *unused: None         # a listener that goes
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}{path}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.server.shutdown()
        self.server.server_close()
