#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""inflate.py FILE MIB [gnu | BUILD-ID]: writes an ELF library for x86-64 whose compressed .debug_frame, or .zdebug_frame, inflates to MIB
of zeros. With BUILD-ID it is .debug_info that inflates, and the library has this build-id."""
import struct
import sys
import zlib

path, mib = sys.argv[1], int(sys.argv[2])
how = sys.argv[3] if len(sys.argv) > 3 else ""
gnu = how == "gnu"
build_id = b"" if gnu else bytes.fromhex(how)
size = mib << 20

# blocks that end with a full flush may be repeated
deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
block = deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
checksum = struct.pack(">HH", size % 65521, 1)
stream = b"\x78\xda" + block * mib + b"\x03\x00" + checksum
section = b"ZLIB" + struct.pack(">Q", size) if gnu else struct.pack("<IIQQ", 1, 0, size, 1)
section += stream

name = b".zdebug_frame" if gnu else b".debug_info" if build_id else b".debug_frame"
names = b"\0.shstrtab\0" + name + b"\0"
note = struct.pack("<III4s", 4, len(build_id), 3, b"GNU") + build_id if build_id else b""
note_at, code, frame = 0x800, 0x1000, 0x2000
strings = frame + len(section)
headers = strings + len(names) + -(strings + len(names)) % 8


def header(name, kind, flags, offset, length):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, 0, offset, length, 0, 0, 1, 0)


with open(path, "wb") as file:
    file.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, headers, 0, 64, 56, 2, 64, 3, 1))
    file.write(struct.pack("<IIQQQQQQ", 1, 5, code, code, code, 0x1000, 0x1000, 0x1000))
    file.write(struct.pack("<IIQQQQQQ", 4, 4, note_at, note_at, note_at, len(note), len(note), 4))
    file.seek(note_at)
    file.write(note)
    file.seek(frame)
    file.write(section + names)
    file.seek(headers)
    file.write(header(0, 0, 0, 0, 0) + header(1, 3, 0, strings, len(names)) + header(11, 1, 0 if gnu else 1 << 11, frame, len(section)))
