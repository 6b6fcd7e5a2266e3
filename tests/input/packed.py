#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""packed.py: writes compressed files and profiles of pprof that are damaged or hostile into the current folder."""
import gzip
import subprocess


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


lines = "".join(f"main;function_{i} 1\n" for i in range(200000)).encode()
packed = gzip.compress(lines)
zst = subprocess.run(["zstd", "-qc"], input=lines, stdout=subprocess.PIPE, check=True).stdout
write("packed.gz", packed[:6])
write("packed.zst", zst[:5])
write("cut.gz", packed[:-12])
write("cut.zst", zst[:-12])
write("behind.gz", packed + b"main;f 1\n")
half = len(packed) // 2
write("damaged.gz", packed[:half] + b"\xff" * 1000 + packed[half + 1000 :])
# a window of 2^31 bytes; a block of one byte, the last one
write("window.zst", b"\x28\xb5\x2f\xfd\x00\xa8\x09\x00\x00x")
write("bomb.gz", gzip.compress(b"main;f 1\n" * 10000000))

strings = b"".join(field(6, s) for s in (b"", b"samples", b"count", b"f"))
types = field(1, b"\x08\x01\x10\x02")
function = field(5, b"\x08\x01\x10\x03")
sample = field(2, field(1, b"\x01") + field(2, b"\x05"))
location = field(4, b"\x08\x01" + field(4, b"\x08\x01"))
good = types + sample + location + function + strings
write("good.pb", good)
write("cut.pb", good[:-1])
write("untyped.pb", strings + sample + location + function)
# 200,000 calls in one location, under a hundred roots
calls = field(4, b"\x08\x01" + field(4, b"\x08\x01") * 200000)
names = b"".join(field(5, b"\x08" + varint(i) + b"\x10" + bytes([i + 2])) for i in range(2, 102))
roots = b"".join(field(4, b"\x08" + varint(i) + field(4, b"\x08" + varint(i))) for i in range(2, 102))
samples = b"".join(field(2, field(1, b"\x01" + varint(i)) + field(2, b"\x01")) for i in range(2, 102))
more = b"".join(field(6, b"root_%d" % i) for i in range(102))
write("inlines.pb", types + samples + calls + roots + function + names + strings + more)
write("inlines.pb.gz", gzip.compress(types + samples + calls + roots + function + names + strings + more))
# 4,000 samples with 202 times a location of 1,300 calls each: 3 KB when compressed
calls = field(4, b"\x08\x01" + field(4, b"\x08\x01") * 1300)
samples = field(2, field(1, b"\x01" * 202) + field(2, b"\x01")) * 4000
write("calls.pb.gz", gzip.compress(types + calls + samples + function + strings))
write("names.json", b'{"shared":{"frames":[{"name":"%s"}]},"profiles":[{"unit":"none","type":"sampled","samples":[[%s]]}]}'
      % (b"f" * 10000, b"0," * 99999 + b"0"))
