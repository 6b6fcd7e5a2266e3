#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""server.py HOW LOG [FILE]: a debuginfod server on a free port of 127.0.0.1 that answers in a bad way.

LOG gets "port N" first, then "ask PATH with N" for each request, N of which are being answered, and "password HOST" if it came with one.
HOW:
file       FILE                           mute       never an answer
slow       FILE, a second later           close      the connection is closed instead
four       FILE to four at the same time  status-N   that status of HTTP
moved      FILE, behind a redirect        circle     a redirect to itself
drip       a byte of FILE a second        endless    bytes without end
hang       half of FILE, then nothing     short      half of FILE as if that were all
broken     half of FILE, then a reset     garbage    a page in its place
local      a redirect to file://FILE      announced  FILE, and 10 GB announced
packed     FILE as gzip'd content that inflates to 1 GB
elsewhere  FILE, behind a redirect to 127.0.0.2
"""
import gzip
import http.server
import signal
import socket
import struct
import sys
import threading
import time

how, log = sys.argv[1], open(sys.argv[2], "w", buffering=1)
data = open(sys.argv[3], "rb").read() if len(sys.argv) > 3 else b""
lock = threading.Lock()
four = threading.Barrier(4)
busy = 0


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def begin(self, length):
        self.send_response(200)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def whole(self, body):
        self.begin(len(body))
        self.wfile.write(body)

    def redirect(self, to):
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer_file(self):
        self.whole(data)

    def answer_slow(self):
        time.sleep(1)
        self.whole(data)

    def answer_four(self):
        four.wait()
        self.whole(data)

    def answer_moved(self):
        if "/moved" in self.path:
            self.whole(data)
        else:
            self.redirect(self.path + "/moved")

    def host(self):
        return self.headers.get("Host", "").split(":")[0]

    def answer_elsewhere(self):
        if self.host() == "127.0.0.2":
            self.whole(data)
        else:
            self.redirect(f"http://127.0.0.2:{other.server_address[1]}{self.path}")

    def answer_local(self):
        self.redirect("file://" + sys.argv[3])

    def answer_announced(self):
        self.begin(10**10)
        self.wfile.write(data)
        self.wfile.flush()
        time.sleep(1000)

    def answer_packed(self):
        packed = gzip.compress(data) + 1000 * gzip.compress(bytes(10**6))
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(packed)))
        self.end_headers()
        self.wfile.write(packed)

    def answer_mute(self):
        time.sleep(1000)

    def answer_drip(self):
        self.begin(len(data))
        for byte in data:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(1)

    def answer_hang(self):
        self.begin(len(data))
        self.wfile.write(data[: len(data) // 2])
        self.wfile.flush()
        time.sleep(1000)

    def answer_short(self):
        self.whole(data[: len(data) // 2])

    def answer_garbage(self):
        self.whole(b"<html>Please log in to this network</html>\n")

    def answer_circle(self):
        self.redirect(self.path)

    def answer_endless(self):
        self.begin(None)
        while True:
            self.wfile.write(bytes(65536))

    def answer_broken(self):
        self.begin(len(data))
        self.wfile.write(data[: len(data) // 2])
        self.wfile.flush()
        time.sleep(0.2)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def answer_close(self):
        pass

    def do_GET(self):
        global busy
        with lock:
            busy += 1
            log.write(f"ask {self.path} with {busy}\n")
            if "Authorization" in self.headers:
                log.write(f"password {self.host()}\n")
        try:
            if how.startswith("status-"):
                self.send_error(int(how[7:]))
            else:
                getattr(self, "answer_" + how)()
        except OSError:
            pass
        finally:
            with lock:
                busy -= 1


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


signal.signal(signal.SIGTERM, signal.SIG_DFL)
if how == "elsewhere":
    other = Server(("127.0.0.2", 0), Handler)
    threading.Thread(target=other.serve_forever, daemon=True).start()
server = Server(("127.0.0.1", 0), Handler)
log.write(f"port {server.server_address[1]}\n")
server.serve_forever()
