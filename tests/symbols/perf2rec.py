# SPDX-License-Identifier: GPL-2.0-or-later
"""perf2rec.py PROGRAM: prints a recording of the samples in PROGRAM's code that `perf script -F pid,tid,ip --show-mmap-events` lists on
stdin."""
import collections
import re
import subprocess
import sys

program = sys.argv[1]
notes = subprocess.run(['readelf', '-n', program], capture_output=True, text=True, check=True).stdout
build_id = re.search(r'Build ID: ([0-9a-f]+)', notes).group(1)
mapping, samples = None, collections.Counter()
for line in sys.stdin:
    mapped = re.search(r'PERF_RECORD_MMAP2? .*\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (0x[0-9a-f]+|0) .* r-xp (.*)$', line)
    if mapped and mapped.group(4) == program:
        start, size, offset = (int(mapped.group(i), 16) for i in (1, 2, 3))
        mapping = start, start + size, offset
    sample = re.match(r' *\d+(?:/\d+| +\d+)? +([0-9a-f]+) *$', line)
    if sample and mapping and mapping[0] <= int(sample.group(1), 16) < mapping[1]:
        samples[int(sample.group(1), 16) - mapping[0]] += 1
if not samples:
    sys.exit('no samples')
lines = ['flametap-recording 2', 'event 0 cpu-clock samples 0 cpu', 'task 0 1 1 0 program',
         'map 0 1 1 %x %x %x %s %s -' % (*mapping, build_id, program)]
for i, (address, count) in enumerate(sorted(samples.items())):
    lines += ['frame %d user pc 0 %x' % (i, address), 'stack %d user root - %d' % (i, i),
              'row 0 0 %d - %d %d' % (i, count, count)]
print('\n'.join(lines))
print('end %d' % len(lines))
