# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles of code, of a program whose every line and address is known: from branches and from samples, for clang and for BOLT."""
import os
import struct
import subprocess
import sys
import tempfile

from tap import check_eq, done

sys.path.insert(0, os.environ['TOP'] + '/tests/input')
from perfdata import BASE, BRANCH, CALLCHAIN, CYCLES, LIBRARY, comm, file, lbr, mmap, record, words  # noqa: E402

EXPORT = os.path.dirname(os.path.realpath(os.environ['BIN'])) + '/bt-export'
CODE, ANY, KERNEL = 0x401000, 1 << 3, 2**64 - 0x1000000
MISPREDICTED, WRONG_PATH = 1, 1 << 24
os.environ['DEBUGINFOD_URLS'] = ''
FOLDER = tempfile.TemporaryDirectory()  # removed at the end
os.chdir(FOLDER.name)

subprocess.run([os.environ.get('CC', 'cc'), '-nostdlib', '-static', '-no-pie', '-Wl,-Ttext=%#x' % CODE, '-Wl,--build-id=none', '-o', 'work',
                os.environ['TOP'] + '/tests/export/work.s'], check=True)
subprocess.run(['objcopy', '-O', 'binary', '-j', '.places', '--set-section-flags', '.places=alloc', 'work', 'places'], check=True)
with open('places', 'rb') as places:
    H0, H1, H2, H3, H4, H5, H6, S1, S2 = struct.unpack('<9Q', places.read())
PATH = os.path.realpath('work')
# hot() by its first branch, with an interrupt in it, and by its second one; a call from a library
FIRST = lbr((S2, S1), (H6, S2), (H4, H6), (KERNEL, H3), (H3, KERNEL), (S1, H0), (S2, S1))
SECOND = lbr((H6, S2), (H1, H5, MISPREDICTED), (H0, S2, WRONG_PATH), (S1, H0), (S2, S1))
THIRD = lbr((LIBRARY + 8, H0))


def sample(branches, address=H2, pid=11):
    return record(9, words(CYCLES, address) + struct.pack('<II', pid, pid) + words(1000, 10) + branches, 2)


def perfdata(samples, branch_type=ANY):
    start = b''.join(comm(pid, 'work', pid=pid) + mmap(CODE, 0x1000, PATH, 0x1000, pid=pid) +
                     mmap(LIBRARY, 0x1000, '/no/lib/libx.so', pid=pid) for pid in (11, 12))
    return file(start + samples, [(0, 0, BASE & ~CALLCHAIN | BRANCH, CYCLES, 'cycles:u', branch_type)])


RECORDING = '''flametap-recording 2
event 0 on-cpu samples 1000000 cpu
event 1 off-cpu us 0 monotonic
task 0 11 11 99 work
map 0 11 0 401000 402000 1000 - %s
frame 0 user pc 0 %x
frame 1 user pc 0 %x
frame 2 user call 0 %x
frame 3 user pc 0 %x
frame 4 kernel pc - ffffffff81000010
name 4 do_idle 4 [kernel] - 0
stack 0 user root - 0 2
stack 1 user root - 1 2
stack 2 user root - 3
stack 3 kernel root - 4
label 0 state S
row 0 0 0 - 7 7
row 0 0 1 - 4 4
row 0 0 2,3 - 5 5
row 1 0 0 0 1 900
end 20
''' % (PATH, H2 - CODE, H3 - CODE, S2 - CODE, S1 - CODE)


def export(data, *options):
    """Returns the output, and what is said, without the program's name."""
    run = subprocess.run([EXPORT, *options], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return run.returncode, run.stdout.decode(), run.stderr.decode().replace('bt-export: ', '').replace(PATH, 'work')


BRANCHES = perfdata(sample(FIRST) * 3 + sample(SECOND) * 2 + sample(THIRD))
HOT = '''hot:72:6
 1: 5
 2.1: 3
 4: 3
 5: 6
 6: 5
 3.2: step:9
  1: 3
'''
check_eq('autofdo: branches', (0, HOT + '_start:31:0\n 1: 0\n 2: 5 hot:5\n 3: 3\n',
                               "the profile is of 'work', which has 95.8 % of the 24 branches; --module selects another file\n"),
         export(BRANCHES, '--autofdo'))


def lines(entries):
    return ''.join(' '.join([kind, *('%x' % n if n else 'X:0' for n in addresses), *map(str, counts)]) + '\n'
                   for kind, addresses, *counts in entries)


check_eq('bolt: branches', lines([
    ('B', (0, H0), 1, 0), ('B', (H1, H5), 2, 2), ('B', (H4, H6), 3, 0), ('B', (H6, S2), 5, 0), ('B', (S1, H0), 5, 0), ('B', (S2, S1), 8, 0),
    ('F', (H5, H6), 2), ('F', (H6, H6), 3), ('F', (S1, S1), 5),
    ('f', (H0, H1), 2), ('f', (H0, H4), 3), ('f', (S2, S2), 3)]), export(BRANCHES, '--bolt')[1])
check_eq('a process', HOT.replace('72:6', '42:3').split('\n')[0],
         export(perfdata(sample(FIRST) * 3 + sample(SECOND, pid=12)), '--autofdo', '--pid=11')[1].split('\n')[0])
check_eq('the library', (2, '', "the profile is of '/no/lib/libx.so', which has 4.2 % of the 24 branches; --module selects another file\n"
                         "'/no/lib/libx.so' is not there: give its folder with --root\n"), export(BRANCHES, '--bolt', '--module=lib*'))
PART = export(BRANCHES, '--bolt', '--from=0s')
check_eq('a part of the time', ('E cycles:u\nS %x 6\n' % H2, True), (PART[1], 'its branches have no times: samples are used in their place' in PART[2]))
check_eq('no such module', (2, '', "no module matches 'wor'; did you mean 'work'?\n"), export(BRANCHES, '--bolt', '--module=wor'))

# ---- samples

SAMPLES = RECORDING.encode()
check_eq('autofdo: samples', (0, 'hot:11:0\n 2.1: 7\n 3.2: step:4\n  1: 4\n', "the profile is of 'work', which has 68.8 % of the 16 samples\n"),
         export(SAMPLES, '--autofdo'))
check_eq('bolt: samples', 'E on-cpu\nS %x 7\nS %x 4\n' % (H2, H3), export(SAMPLES, '--bolt')[1])
check_eq('branches by calls only are not used', 'E cycles:u\nS %x 3\n' % H2, export(perfdata(sample(FIRST) * 3, 1 << 4), '--bolt')[1])
check_eq('waits', (2, '', 'its samples are waits: samples of the CPU are needed\n'), export(SAMPLES, '--autofdo', '--event=off-cpu'))
check_eq('no samples', (2, '', 'no sample is in the code of a file\n'), export(perfdata(b''), '--autofdo'))
os.rename('work', 'moved')
check_eq('no file', (2, '', "the profile is of 'work', which has 68.8 % of the 16 samples\n'work' is not there: give its folder with --root\n"),
         export(SAMPLES, '--autofdo'))
subprocess.run(['strip', '-o', 'work', 'moved'], check=True)
check_eq('without names and lines', 2, export(SAMPLES, '--autofdo')[0])
done()
