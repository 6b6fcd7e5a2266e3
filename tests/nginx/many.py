# SPDX-License-Identifier: GPL-2.0-or-later
# many.py PORT CLIENTS BUSY PLACE…: opens CLIENTS connections, kept alive. BUSY connections at a time, in turn, wait for a response to a
# request for one of the places, each with one of 64 numbers. A connection that the server closes is opened again. Writes "ready" when all
# are connected, then a line for every 100 responses; ends when it is killed.
import re, resource, select, socket, sys

port, clients, busy, places = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
files = [max(limit, clients + 100) for limit in resource.getrlimit(resource.RLIMIT_NOFILE)]
resource.setrlimit(resource.RLIMIT_NOFILE, files)
poll = select.epoll()
sockets = {}  # by descriptor
resting = {}  # sockets, in the order in which they are used
waiting = {}  # socket -> the part of the response that was received
sent = answered = 0


def connect():
    s = socket.create_connection(("127.0.0.1", port))
    sockets[s.fileno()] = s
    poll.register(s, select.EPOLLIN)
    resting[s] = None


def connect_again(s):
    waiting.pop(s, None)
    resting.pop(s, None)
    poll.unregister(s)
    del sockets[s.fileno()]
    s.close()
    connect()


def ask(s):
    global sent
    del resting[s]
    waiting[s] = b""
    path = f"{places[sent % len(places)]}{sent * 7 % 64}"
    sent += 1
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: front.test\r\nAccept-Encoding: gzip\r\n\r\n".encode())


def is_whole(response):
    head, end, body = response.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.I)
    if not end:
        return False
    return len(body) >= int(length[1]) if length else body.endswith(b"0\r\n\r\n")


def receive(s):
    global answered
    data = s.recv(1 << 18)
    if not data or s not in waiting:
        raise ConnectionResetError
    waiting[s] += data
    if is_whole(waiting[s]):
        del waiting[s]
        resting[s] = None
        answered += 1
        if answered % 100 == 0:
            print(answered, flush=True)


def attempt(do, s):
    try:
        do(s)
    except OSError:
        connect_again(s)


for _ in range(clients):
    connect()
print("ready", flush=True)
while True:
    while len(waiting) < busy:
        attempt(ask, next(iter(resting)))
    for fd, _ in poll.poll():
        attempt(receive, sockets[fd])
