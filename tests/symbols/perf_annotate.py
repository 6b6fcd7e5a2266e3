# SPDX-License-Identifier: GPL-2.0-or-later
"""perf_annotate.py PERF OURS: compares the instructions of one function and their shares, as `perf annotate --stdio` and `bt-annotate
--asm` wrote them: the instructions must be equal, and the shares within one point. Prints the differences, and at the end how many
instructions were compared."""
import re
import sys

perf = {}
with open(sys.argv[1]) as f:
    for line in f:
        found = re.match(r' *([0-9.]+) +: +([0-9a-f]+):', line)
        if found:
            perf[int(found.group(2), 16)] = float(found.group(1))
ours = {}
with open(sys.argv[2]) as f:
    for line in f:
        # the share may be empty; a source line has no address
        found = re.match(r'( *[0-9.]*)(?: +\d+ +\d+)? +([0-9a-f]+)  [a-z(]', line)
        if found:
            ours[int(found.group(2), 16)] = float(found.group(1).strip() or 0)
for address in sorted(perf.keys() | ours.keys()):
    if address not in perf or address not in ours:
        print('%x: only %s has it' % (address, 'perf' if address in perf else 'bt-annotate'))
    elif abs(perf[address] - ours[address]) > 1:
        print('%x: %.2f and %.2f' % (address, perf[address], ours[address]))
print(len(perf), 'instructions', 'with samples' if any(ours.values()) else 'without samples')
