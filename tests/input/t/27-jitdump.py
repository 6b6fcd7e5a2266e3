# SPDX-License-Identifier: GPL-2.0-or-later
"""perf.data of a process that has mapped the dump of its JIT compiler: the names of functions at the times of samples, and what is said."""
import os
import struct
import subprocess
import sys
import tempfile

from tap import check_eq, done

sys.path.insert(0, os.environ['TOP'] + '/tests/input')
from perfdata import (BASE, CYCLES, START, USER, comm, compiled, compiled_lines, dump, dumped, file, mmap, moved, pipe, record,  # noqa: E402
                      sample, words)

BIN = os.path.dirname(os.path.realpath(os.environ['BIN']))
CODE = 0x7e0000000000
MONOTONIC = [(0, 0, BASE, CYCLES, 'cycles', 0, 1 << 25, 1)]
OWN_CLOCK = [(0, 0, BASE, CYCLES, 'cycles')]
LOADS = [compiled(100, CODE, 'f'), compiled(200, CODE, 'g', 1), moved(300, CODE, CODE + 0x20, 1), compiled(400, CODE + 0x20, 'h', 2),
         dumped(3, 500, b'')]
SAMPLES = b''.join(sample(time, [USER, CODE + at]) for time, at in ((50, 4), (150, 4), (250, 5), (350, 0x24), (450, 0x24), (451, 0x40)))
AT_TIMES = ['[unknown] 10', 'f_[j] 20', 'g_[j] 20', 'h_[j] 10']


def ours(path, data, *options):
    """Returns the folded stacks, without [broken], and the notes that are about the dump."""
    run = subprocess.run([BIN + '/bt-export', '--folded', '--debuginfod=never', *options], input=data, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    stacks = [line.split(';', 1)[1].replace('[anonymous]', '[unknown]') for line in run.stdout.decode().splitlines()]
    return sorted(stacks), [line.split("'stdin': ")[1].replace(path, 'DUMP') for line in run.stderr.decode().splitlines() if 'jit-11.dump' in line]


with tempfile.TemporaryDirectory() as folder:
    path = folder + '/jit-11.dump'
    mapped = START + mmap(CODE, 0x10000, '//anon') + mmap(0x1000, 0x1000, path)

    def case(name, stacks, notes, data, content, *options):
        if content is not None:
            with open(path, 'wb') as out:
                out.write(content)
        got = ours(path, data, *options)
        check_eq(name + ': stacks', '\n'.join(stacks), '\n'.join(got[0]))
        check_eq(name + ': notes', '\n'.join(notes), '\n'.join(note[:len(want)] for note, want in zip(got[1], notes + [''] * 9)))

    last = ['[unknown] 10', 'g_[j] 30', 'h_[j] 20']
    mixed = ["'DUMP' has several functions at one address, and the last one is shown"]
    case('no dump', ['[unknown] 60'], ["cannot read the functions in 'DUMP': No such file"], file(mapped + SAMPLES, MONOTONIC), None)
    case('times', AT_TIMES, [], file(mapped + SAMPLES, MONOTONIC), dump(*LOADS))
    case("perf's own clock", last, mixed, file(mapped + SAMPLES, OWN_CLOCK), dump(*LOADS))
    case('another clock', last, mixed, file(mapped + SAMPLES, [(0, 0, BASE, CYCLES, 'cycles', 0, 1 << 25, 4)]), dump(*LOADS))
    case('a pipe', last, mixed, pipe(mapped + SAMPLES, OWN_CLOCK), dump(*LOADS))
    # 1000 + cycles * 8 / 16
    cycles = dump(compiled(100, CODE, 'f'), compiled(200, CODE, 'g', 1), flags=1)
    late = sample(1099, [USER, CODE]) + sample(1100, [USER, CODE])
    case('cycles', ['f_[j] 10', 'g_[j] 10'], [], file(record(79, words(4, 8, 1000, 0, 0, 1)) + mapped + late, OWN_CLOCK), cycles)
    case('cycles, and no clock for them', ['g_[j] 20'], mixed, file(mapped + late, OWN_CLOCK), cycles)
    case('cut', ['[unknown] 10', 'f_[j] 20', 'g_[j] 30'], ["'DUMP' has no end"], file(mapped + SAMPLES, MONOTONIC), dump(*LOADS[:3])[:-1] + LOADS[3][:20])
    case('the other byte order', ['[unknown] 60'], ["cannot read the functions in 'DUMP': it was written by a processor of the other byte order"],
         file(mapped + SAMPLES, MONOTONIC), dump(*LOADS, magic=0x4454694a))
    case('no dump at all', ['[unknown] 60'], ["cannot read the functions in 'DUMP': it is not a dump"], file(mapped + SAMPLES, MONOTONIC), b'x' * 50)
    case('lines', ['f a.js:3_[j] 20', 'f a.js:4_[j] 10'], [], file(mapped + b''.join(sample(50, [USER, CODE + at]) for at in (4, 7, 8)), MONOTONIC),
         dump(compiled_lines(9, CODE, (CODE + 4, 3, 'a.js'), (CODE + 8, 4, '/x/a.js')), LOADS[0]), '--lines')
    case('callers', ['g_[j];f_[j] 10'], [], file(mapped + sample(450, [USER, CODE + 8, CODE + 0x20]), MONOTONIC),
         dump(compiled(1, CODE, 'f'), compiled(1, CODE + 0x10, 'g', 1), compiled(1, CODE + 0x20, 'h', 2)))
    # addresses that no mapping has, and another process with the same addresses
    case('no mapping', ['f_[j] 10'], [], file(comm(11, 'server') + mmap(0x1000, 0x1000, path) + sample(150, [USER, CODE]), MONOTONIC), dump(*LOADS))
    case('another process', ['[unknown] 10'], [], file(mapped + comm(12, 'server', 0, 12) + sample(150, [USER, CODE], 12, pid=12), MONOTONIC), dump(*LOADS))
    if not os.geteuid():
        os.chown(path, 65534, 65534)
        inode = struct.pack('<IIQQQIIQQII', 11, 11, 0x1000, 0x1000, 0, 8, 1, os.stat(path).st_ino, 0, 5, 2)
        known = START + mmap(CODE, 0x10000, '//anon') + record(10, inode + path.encode() + bytes(8 - len(path) % 8) + struct.pack('<IIQQ', 11, 11, 0, CYCLES), 2)
        case("another user's", ['[unknown] 60'], ["cannot read the functions in 'DUMP': it belongs to another user"], file(mapped + SAMPLES, MONOTONIC), None)
        case("another user's, but mapped", AT_TIMES, [], file(known + SAMPLES, MONOTONIC), None)
done()
