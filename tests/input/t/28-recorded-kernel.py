# SPDX-License-Identifier: GPL-2.0-or-later
"""perf.data of another machine: the kernel's functions are named by perf's cache, or by the folder that perf record --kcore makes."""
import os
import struct
import subprocess
import sys
import tempfile

from tap import check_eq, done

sys.path.insert(0, os.environ['TOP'] + '/tests/input')
from perfdata import ALL, KERNEL, START, file, record, sample, text  # noqa: E402

BIN = os.path.dirname(os.path.realpath(os.environ['BIN']))
TEXT, MODULE, ID = 0xffffffff93000000, 0xffffffffc0300000, 'cd' * 20
SYMBOLS = [(0, 'T', '_text', ''), (0, 'T', '_stext', ''), (0x100, 'T', 'first', ''), (0x200, 't', 'second', ''), (0x300, 'T', 'third', '')]


def kallsyms(start=TEXT, module=MODULE, symbols=None):
    rows = [(start + at, kind, name, where) for at, kind, name, where in symbols or SYMBOLS] + [(module, 't', 'of_module', '\t[mod]')]
    return ''.join('%x %s %s%s\n' % row for row in rows)


def kernel(symbol, place=TEXT):
    """The mapping of the kernel, with the address of its first symbol, and its build-id."""
    head = struct.pack('<iIQQQ', -1, 0, TEXT, 0x1000000, place)
    ident = struct.pack('<i20sB3x', -1, bytes.fromhex(ID), 20)
    return record(1, head + text('[kernel.kallsyms]' + symbol) + bytes(24), 1) + record(67, ident + text('[kernel.kallsyms]'), 1 << 15 | 1)


def mapped_kernel():
    """The same with the build-id in the mapping, as by perf record --buildid-mmap."""
    head = struct.pack('<iIQQQB3x20sII', -1, 0, TEXT, 0x1000000, TEXT, 20, bytes.fromhex(ID), 5, 2)
    return record(10, head + text('[kernel.kallsyms]_text') + bytes(24), 1 << 14 | 1)


def perfdata(symbol='_text', place=TEXT, mapping=None):
    return file((mapping or kernel(symbol, place)) + START + sample(20, [KERNEL, TEXT + 0x104, TEXT + 0x208, MODULE + 8], misc=1))


def put(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w' if isinstance(content, str) else 'wb') as out:
        out.write(content)


def stacks(home, path, *options):
    """Returns the stacks and what is said."""
    run = subprocess.run([BIN + '/bt-export', '--folded', '--debuginfod=never', *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env={**os.environ, 'HOME': home})
    said = [line.split(': ', 2)[2] for line in run.stderr.decode().splitlines() if 'no names' in line or run.returncode > 1]
    return run.stdout.decode().splitlines() + said


NO_NAMES = ["the kernel's functions have no names: view it on the machine that recorded, as root, or bring perf's ~/.debug from there"]
SAME = ['of_module_[k];second_[k];first_[k] 10']
OTHER = ['[unknown]_[k];second_[k];first_[k] 10']  # modules are elsewhere in each boot

with tempfile.TemporaryDirectory() as folder:
    def caches(name, **files):
        """Makes a folder with perf's cache, and returns it."""
        for kind, content in files.items():
            put('%s/%s/.debug/[kernel.%s]/%s/%s' % (folder, name, kind, ID, '2026010203040506/kallsyms' if kind == 'kcore' else 'kallsyms'), content)
        return folder + '/' + name

    put(folder + '/data', perfdata())
    given = folder + '/data'
    other_boot, own_boot = kallsyms(TEXT + 0x200000, MODULE + 0x50000), kallsyms()
    check_eq('no cache', ['[unknown]_[k];[unknown]_[k];[unknown]_[k] 10'] + NO_NAMES, stacks(folder + '/none', given))
    check_eq('the cache of perf record', SAME, stacks(caches('same', kallsyms=own_boot), given))
    put(folder + '/mapped', perfdata(mapping=mapped_kernel()))
    check_eq('a build-id in the mapping', SAME, stacks(folder + '/same', folder + '/mapped'))
    check_eq('the cache of another boot', OTHER, stacks(caches('other', kallsyms=other_boot), given))
    check_eq('perf buildid-cache --kcore', SAME, stacks(caches('kcore', kcore=own_boot), given))
    check_eq('kcore of this boot', SAME, stacks(caches('both', kallsyms=other_boot, kcore=own_boot), given))
    check_eq('kcore of another boot', SAME, stacks(caches('both2', kallsyms=own_boot, kcore=other_boot), given))
    check_eq('hidden addresses', ['[unknown]_[k];[unknown]_[k];[unknown]_[k] 10'] + NO_NAMES,
             stacks(caches('hidden', kallsyms=kallsyms(0, 0, [(0, 'T', 'first', '')])), given))
    check_eq('perf archive, in another folder', SAME, stacks('/no', given, '--debug-path=/no:' + folder + '/same/.debug'))
    check_eq('another folder only', 1, len(stacks(folder + '/same', given, '--debug-path=/no')) - 1)

    # arm64 has 64 KiB between the two
    apart = [(-0x10000, 'T', '_text', '')] + SYMBOLS[1:]
    put(folder + '/text', perfdata('_text', TEXT - 0x10000))
    put(folder + '/stext', perfdata('_stext'))
    for name in 'text', 'stext':
        check_eq('the address of _' + name, SAME, stacks(caches('apart', kallsyms=kallsyms(symbols=apart)), folder + '/' + name))

    put(folder + '/made/data', perfdata())
    check_eq('a folder without kcore', SAME, stacks(folder + '/same', folder + '/made'))
    put(folder + '/made/kcore_dir/kallsyms', own_boot)
    check_eq('perf record --kcore', SAME, stacks('/no', folder + '/made'))
    check_eq("the folder's own symbols first", SAME, stacks(folder + '/other', folder + '/made'))
    put(folder + '/made/data.0', ALL)
    check_eq('a file that the header does not tell of', SAME, stacks('/no', folder + '/made'))
    check_eq('another folder', ['Is a directory'], stacks('/no', folder + '/same'))
done()
