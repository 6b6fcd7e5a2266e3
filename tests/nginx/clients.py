# SPDX-License-Identifier: GPL-2.0-or-later
# clients.py PORT BACK: runs an upstream that answers only /back/quick, and clients of nginx that wait, a different number of each kind.
# Writes "PATH SENT SEEN" for each request: the times since 1970 before it was sent and when it was known to be processed; then writes
# "ready". Ends at the end of its input.
import socket, sys, threading, time

port, back = int(sys.argv[1]), int(sys.argv[2])
seen = {}
arrived = threading.Condition()


def answer(connection):
    data = b""
    while True:
        more = connection.recv(65536)
        if not more:
            return
        data += more
        while b"\r\n\r\n" in data:
            head, data = data.split(b"\r\n\r\n", 1)
            path = head.split()[1].decode()
            with arrived:
                seen[path] = time.time()
                arrived.notify_all()
            if path == "/back/quick":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def upstream(listener):
    while True:
        threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


def connect(text, window=None):
    s = socket.socket()
    if window:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    s.connect(("127.0.0.1", port))
    s.sendall(text.encode())
    return s


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: front.test\r\n\r\n"


listener = socket.socket()
listener.bind(("127.0.0.1", back))
listener.listen(64)
threading.Thread(target=upstream, args=(listener,), daemon=True).start()

kept = []
for i in range(2):  # headers that do not end
    kept.append(connect("GET /reading HTTP/1.1\r\nHost: x"))
for i in range(3):  # kept alive
    s = connect(get("/small"))
    s.recv(1)
    kept.append(s)
for i in range(4):  # clients that do not read the response
    path, sent = f"/big?{i}", time.time()
    s = connect(get(path), 4096)
    s.recv(1)
    print(path.split("?")[0], sent, time.time())
    kept.append(s)
for path in [f"/back/slow{i}" for i in range(5)] + ["/auth/small"]:
    sent = time.time()
    kept.append(connect(get(path)))
    asked = "/back/check" if path.startswith("/auth") else path
    with arrived:
        while asked not in seen:
            arrived.wait()
    print(path, sent, seen[asked])
s = connect(get("/back/quick"))  # the last request, so that no other one takes its connection to the upstream
s.recv(1)
kept.append(s)
print("ready", flush=True)
sys.stdin.read()
