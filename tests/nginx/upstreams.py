# SPDX-License-Identifier: GPL-2.0-or-later
# upstreams.py CERT KEY CONF: answers FastCGI, uwsgi and HTTPS, and writes their upstream{} blocks into CONF. The answers make nginx work: a
# FastCGI record has eight bytes, uwsgi has hundreds of headers, and each request of HTTPS needs a handshake.
import os, socket, ssl, struct, sys, threading

BODY = b"what a line of text is like: 0123456789\n" * 100


def record(kind, number, content):
    return struct.pack(">BBHHBB", 1, kind, number, len(content), 0, 0) + content


def fastcgi_answer(number):
    text = b"Content-Type: text/plain\r\n\r\n" + BODY
    return (
        record(6, number, text[:64])
        + b"".join(record(6, number, text[i : i + 8]) for i in range(64, len(text), 8))
        + record(6, number, b"")
        + record(3, number, bytes(8))
    )


ANSWERS = {number: fastcgi_answer(number) for number in range(4)}
UWSGI = b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-Header-%d: value of it\r\n" % i for i in range(600)) + b"\r\n" + BODY
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


def fastcgi(s):
    read = s.makefile("rb")
    while True:
        head = read.read(8)
        if len(head) < 8:
            return
        _, kind, number, length, padding, _ = struct.unpack(">BBHHBB", head)
        read.read(length + padding)
        if kind == 5 and not length:
            s.sendall(ANSWERS[number])


def uwsgi(s):
    read = s.makefile("rb")
    _, length, _ = struct.unpack("<BHB", read.read(4))
    read.read(length)
    s.sendall(UWSGI)


def https(s):
    s = context.wrap_socket(s, server_side=True)
    data = b""
    while b"\r\n\r\n" not in data:
        more = s.recv(65536)
        if not more:
            return
        data += more
    s.sendall(HTTP)
    s.close()


def one(answer, s):
    with s:
        try:
            answer(s)
        except (OSError, struct.error):
            pass  # nginx has closed it


def serve(answer, listener):
    while True:
        threading.Thread(target=one, args=(answer, listener.accept()[0]), daemon=True).start()


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
with open(sys.argv[3] + ".new", "w") as conf:
    for name, answer in ("fcgi", fastcgi), ("uwsgi", uwsgi), ("tls", https):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(256)
        keepalive = "keepalive 16; " if name == "fcgi" else ""
        conf.write(f"upstream {name} {{ server 127.0.0.1:{listener.getsockname()[1]}; {keepalive}}}\n")
        threading.Thread(target=serve, args=(answer, listener), daemon=True).start()
os.rename(sys.argv[3] + ".new", sys.argv[3])
sys.stdin.read()
