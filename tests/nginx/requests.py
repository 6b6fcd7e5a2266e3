# SPDX-License-Identifier: GPL-2.0-or-later
# requests.py PORT BACK SOCKET LUA: runs an upstream that answers /PLACE/MS/NAME after MS ms, and clients of nginx that send known requests,
# each with a name of its own; ends when all clients have their responses. Writes "PATH MS LEAST" for each request after which nginx closes
# the connection: how long the client waited for that, and how long the upstream took at least.
import socket, subprocess, sys, threading, time

port, back, h2, lua = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4] == "yes"


def answer(connection):
    data = b""
    while True:
        try:
            more = connection.recv(65536)
        except OSError:
            return
        if not more:
            return
        data += more
        while b"\r\n\r\n" in data:
            head, data = data.split(b"\r\n\r\n", 1)
            words = head.split()[1].decode().split("/")
            time.sleep(int(words[2]) / 1000 if words[2].isdigit() else 0)
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok")
                time.sleep(0.01)
                connection.sendall(b"ok")
            except OSError:
                return


def upstream(listener):
    while True:
        threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


def connect(text):
    s = socket.create_connection(("127.0.0.1", port))
    s.sendall(text.encode())
    return s


def get(path, last=True):
    return f"GET {path} HTTP/1.1\r\nHost: front.test\r\n{'Connection: close' if last else 'X: y'}\r\n\r\n"


def read_all(s):
    while s.recv(65536):
        pass


def ask(paths):
    for path in paths:
        began = time.monotonic()
        read_all(connect(get(path)))
        words = path.split("/")
        least = int(words[2]) + 10 if words[1] in ("back", "two") else 0
        waits.append((path, (time.monotonic() - began) * 1000, least))


# Sends TEXT, at first on a new connection. Returns the connection, or None if it was closed without an answer.
def asked(s, text):
    data = b""
    try:
        if s is None:
            s = connect(text)
        else:
            s.sendall(text.encode())
        while b"ok" not in data and b"\r\n\r\n" not in data:
            more = s.recv(65536)
            if not more:
                return None
            data += more
    except ConnectionError:
        return None
    return s


def keep(paths):  # one connection, one request after the other; nginx may close it if the machine stands still
    s = None
    for i, path in enumerate(paths):
        s = asked(s, get(path, i + 1 == len(paths)))
        if s is None:
            s = asked(None, get(path, i + 1 == len(paths)))
        time.sleep(0.005)
    if s:
        read_all(s)


def pipeline(paths):  # all requests at once
    read_all(connect("".join(get(path, i + 1 == len(paths)) for i, path in enumerate(paths))))


def abort(paths):
    for path in paths:
        s = connect(get(path))
        time.sleep(0.1)
        s.close()


def unfinished():
    read_all(connect("GET /static/unfinished HTTP/1.1\r\nHost: x"))  # until nginx's timeout
    s = connect("GET /static/closed HTTP/1.1\r\nHost: x")
    time.sleep(0.1)
    s.close()
    time.sleep(0.1)


def by_http2(paths):
    urls = "".join(f'url = "https://front.test{path}"\noutput = /dev/null\n' for path in paths)
    subprocess.run(["curl", "-s", "-k", "--http2", "--unix-socket", h2, "--parallel", "-K", "-"], input=urls.encode(), check=True, stderr=subprocess.DEVNULL)


def names(place, nr):
    return [f"{place}{i}" for i in range(nr)]


waits = []
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", back))
listener.listen(64)
threading.Thread(target=upstream, args=(listener,), daemon=True).start()

work = [
    (ask, names("/static/s", 20)),
    (keep, names("/static/k", 20)),
    (pipeline, names("/static/p", 20)),
    (ask, names("/gz/g", 15)),
    (ask, names("/back/20/a", 15)),
    (keep, names("/back/120/k", 8)),
    (ask, names("/two/30/t", 8)),
    (ask, names("/late/400/l", 3)),
    (ask, names("/auth/a", 5)),
    (ask, names("/ssi/i", 5)),
    (ask, names("/again/25/x", 4)),
    (ask, names("/missing/m", 5)),
    (abort, names("/back/20000/aborted", 6)),
    (by_http2, names("/static/h", 10) + names("/back/60/h", 10)),
]
if lua:
    work.append((ask, names("/lua/l", 10)))
threads = [threading.Thread(target=do, args=(paths,)) for do, paths in work] + [threading.Thread(target=unfinished)]
for t in threads:
    t.start()
for t in threads:
    t.join()
for wait in waits:
    print(*wait)
