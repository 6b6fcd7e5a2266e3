# SPDX-License-Identifier: GPL-2.0-or-later
# states.py: a thread has the GIL, has released it, and collects garbage, each in a line that it does not leave before take has looked:
# tests/replay/README.
import gc
import os
import sys
import zlib

NULL = os.open('/dev/null', os.O_WRONLY)
VERSION = sys.version_info[:3] if sys.version_info >= (3, 11) else sys.version_info[:2]
COLLECTS = 'gc' if sys.version_info >= (3, 13) else 'gil'  # earlier versions do not tell it
DATA = bytes(1 << 24)
LISTS = [[] for _ in range(100000)]


def tells(name, state):
    frames = []
    frame = sys._getframe(1)
    while frame:
        code = frame.f_code
        module = os.path.basename(code.co_filename).replace('.py', '')
        frames.append('%s:%s %s:%d' % (module, getattr(code, 'co_qualname', code.co_name), code.co_filename, frame.f_lineno))
        frame = frame.f_back
    os.write(NULL, ('replay: moment %s\t-\tvmstate=%s\t%s' % (name, state, '\t'.join(frames))).encode())


def computes(name):
    tells(name, 'gil'); sum(range(1000000))


def releases(name):
    tells(name, 'no-gil'); zlib.crc32(DATA)


def collects(name):
    tells(name, COLLECTS); gc.collect()


gc.disable()
os.write(NULL, ('replay: found python %s' % '.'.join(map(str, VERSION))).encode())
computes('computes')
releases('released the GIL')
computes('computes again')
collects('collects garbage')
