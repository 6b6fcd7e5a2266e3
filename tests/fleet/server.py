# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that answers as it is told: server.py FOLDER. FOLDER/port gets its port; FOLDER/answers is a word for each request that
stores something: ok, error, refuse, a status such as 429, cut (takes it and closes the connection), slow, or drop (a collector says that it
dropped it). Afterwards all are ok, but those that contain the bytes of FOLDER/poison, if it exists, get the word in FOLDER/fault. Each
request that stores is kept as FOLDER/N, and noted in FOLDER/log, as are the questions, which FOLDER/count answers."""
import gzip
import http.server
import os
import sys
import time
import urllib.parse

folder = sys.argv[1]


def read(name):
    with open(folder + "/" + name, "rb") as file:
        return file.read()


def is_poisoned(body):
    try:
        return read("poison") in body
    except FileNotFoundError:
        return False


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stored = 0

    def reply(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def note(self, text):
        with open(folder + "/log", "a") as log:
            print(text, file=log)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        url = urllib.parse.urlparse(self.path)
        query = urllib.parse.parse_qs(url.query).get("query", [""])[0]
        is_question = url.path == "/" and not query
        if is_question:
            text = body.decode()
            self.note(text.split(" WHERE")[0])
            self.reply(200, "18.16.1\n" if "version" in text else read("count").decode())
            return
        Handler.stored += 1
        words = read("answers").decode().split()
        word = words[Handler.stored - 1] if Handler.stored <= len(words) else read("fault").decode() if is_poisoned(body) else "ok"
        self.note(" ".join([word, url.path] + query.split()[:3]))
        with open("%s/%d" % (folder, Handler.stored), "wb") as out:
            out.write(body)
        if word == "cut":
            self.close_connection = True
            self.connection.close()
            return
        if word == "slow":
            time.sleep(0.5)
        status = int(word) if word.isdigit() else {"error": 500, "refuse": 400}.get(word, 200)
        answers = {
            "drop": "\n\x0b\x08\x01\x12\x07no room",  # ExportProfilesServiceResponse of OTLP
            "503": "\x08\x0e\x12\x04busy",  # Status of OTLP
        }
        self.reply(status, answers.get(word, "" if status == 200 else "Code: 1, it failed\n"))

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(folder + "/port.new", "w") as port:
    print(server.server_port, file=port)
os.rename(folder + "/port.new", folder + "/port")
server.serve_forever()
