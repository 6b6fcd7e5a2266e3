#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""starts.py NM RECORDING: compares the starts of functions in RECORDING, whose frames' addresses are link addresses, with the symbols in NM
(nm -S). Prints a sum; exits 1 if a start differs, or if many frames have none."""
import bisect
import sys


def read_symbols(path):
    """Returns (start, end, name) of the functions, ascending."""
    symbols = []
    for line in open(path):
        fields = line.split()
        if len(fields) == 4 and fields[2] in 'tTwWiuV':
            symbols.append((int(fields[0], 16), int(fields[0], 16) + int(fields[1], 16), fields[3]))
    return sorted(symbols)


def read_recording(path):
    address, start, named = {}, {}, set()
    for line in open(path):
        fields = line.split()
        if fields[0] == 'frame':
            address[fields[1]] = int(fields[5], 16)
        elif fields[0] == 'start':
            start[fields[1]] = (int(fields[2], 16), fields[3] == 'cold')
        elif fields[0] == 'name':
            named.add(fields[1])
    return address, start, named


def main():
    symbols = read_symbols(sys.argv[1])
    address, start, named = read_recording(sys.argv[2])
    keys = [s[0] for s in symbols]
    right = wrong = without = 0
    for frame, at in address.items():
        i = bisect.bisect_right(keys, at) - 1
        if frame in named or i < 0 or at >= symbols[i][1]:
            continue  # padding has no function
        if frame not in start:
            without += 1
        elif start[frame][0] == symbols[i][0] and (
                symbols[i][2].endswith('.cold') or not start[frame][1]):
            right += 1  # a part without a stack frame of its own cannot be distinguished from a function
        else:
            wrong += 1
            print('%x: %x %s' % (at, symbols[i][0], symbols[i][2]), start[frame])
    print('%d right, %d wrong, %d without a start' % (right, wrong, without))
    return wrong or without > right / 50 or right < 1000


sys.exit(bool(main()))
