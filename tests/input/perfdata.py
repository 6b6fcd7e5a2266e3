# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes perf.data files record by record. CASES has one of each form; perfdata.py FOLDER writes them to FOLDER and prints their paths."""
import struct
import subprocess
import sys

IP, TID, TIME, ID, CALLCHAIN, PERIOD, RAW, BRANCH, REGS, STACK, IDENTIFIER, CGROUP = (
    1 << 0, 1 << 1, 1 << 2, 1 << 6, 1 << 5, 1 << 8, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 16, 1 << 21)
KERNEL, USER, DEFERRED = 2**64 - 128, 2**64 - 512, 2**64 - 640
PROGRAM, LIBRARY = 0x400000, 0x7f0000000000
BASE = IP | TID | TIME | PERIOD | CALLCHAIN | IDENTIFIER
CYCLES, FAULTS = 101, 102  # identifiers


def words(*numbers):
    return struct.pack('<%dQ' % len(numbers), *numbers)


def text(string):
    data = string.encode() + b'\0'
    return data + bytes(-len(data) % 8)


def record(kind, body, misc=0):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def trailer(pid, tid, time, ident=CYCLES):
    return struct.pack('<IIQQ', pid, tid, time, ident)


def attr(kind, config, sample_type, callstack=0, flags=1 << 34, clock=0, read=0):
    """struct perf_event_attr of 128 bytes: a period of 1000, sample_id_all, and the flag build_id."""
    data = struct.pack('<IIQQQQQ', kind, 128, config, 1000, sample_type, read, 1 << 18 | flags)
    return (data + struct.pack('<IIQQQQIIQ', 0, 0, 0, 0, callstack, 1 << 7 | 1 << 8, 16, clock, 0)).ljust(128, b'\0')


def comm(tid, name, time=0, pid=11):
    return record(3, struct.pack('<II', pid, tid) + text(name) + trailer(pid, tid, time))


def exit(tid, time, pid=11):
    return record(4, struct.pack('<IIIIQ', pid, 1, tid, 1, time) + trailer(pid, tid, time))


def fork(pid, tid, ppid, time):
    return record(7, struct.pack('<IIIIQ', pid, ppid, tid, ppid, time) + trailer(pid, tid, time))


def mmap(start, size, path, offset=0, time=0, pid=11, build_id=None):
    """MMAP2 with a build-id, or MMAP."""
    head = struct.pack('<IIQQQ', pid, pid, start, size, offset)
    if build_id:
        more = struct.pack('<BBH20sII', len(build_id), 0, 0, build_id, 5, 2)
        return record(10, head + more + text(path) + trailer(pid, pid, time), 1 << 14 | 2)
    return record(1, head + text(path) + trailer(pid, pid, time), 2)


def sample(time, chain, tid=11, period=10, ident=CYCLES, more=b'', pid=11, misc=2):
    ip = next((address for address in chain if address < KERNEL - 4000), 0)
    return record(9, words(ident, ip) + struct.pack('<II', pid, tid) + words(time, period, len(chain), *chain) + more, misc)


START = comm(11, 'server') + mmap(PROGRAM, 0x3000, '/no/bin/server', 0x1000) + \
    mmap(LIBRARY, 0x5000, '/no/lib/libx.so', build_id=b'\xab' * 20)
STACK_1 = [USER, PROGRAM + 0x10, LIBRARY + 0x20, PROGRAM + 0x30]
ROUND = record(68, b'')
EVENTS = [(0, 0, BASE, CYCLES, 'cycles:u'), (1, 2, BASE, FAULTS, 'faults')]


def file(records, events=None, size=None, features=True, traced=b'', folder=None):
    """The file; SIZE is what its header tells of the size of the data. TRACED is its section of tracing data, FOLDER the version of its folder."""
    events = events or EVENTS
    at = 104
    ids = b''.join(words(event[3]) for event in events)
    attrs = b''.join(attr(*event[:3], *event[5:]) + words(at + 8 * i, 8) for i, event in enumerate(events))
    data = at + len(ids) + len(attrs)
    names = struct.pack('<II', len(events), 128) + b''.join(
        attr(*event[:3], *event[5:]) + struct.pack('<II', 1, 16) + event[4].encode().ljust(16, b'\0') + words(event[3])
        for event in events)
    end = data + len(records)
    head = b'PERFILE2' + words(104, 144, at + len(ids), len(attrs), data, len(records) if size is None else size, 0, 0,
                               (1 << 12 if features else 0) | (2 if traced else 0) | (0 if folder is None else 1 << 24), 0, 0, 0)
    sections = [section for section in (traced, names if features else b'', b'' if folder is None else words(folder)) if section]
    places = [end + 16 * len(sections) + sum(map(len, sections[:i])) for i in range(len(sections))]
    return head + ids + attrs + records + b''.join(words(place, len(section)) for place, section in zip(places, sections)) + b''.join(sections)


def pipe(records, events=None):
    """The same as a pipe: events and their names are records."""
    made = b''.join(record(64, attr(*event[:3]) + words(event[3])) + record(78, words(2, event[3]) + text(event[4]))
                    for event in events or EVENTS)
    return b'PERFILE2' + words(16) + made + records


def zstd(records, kind):
    """Records in two compressed records of one stream; a record is cut in the middle."""
    packed = subprocess.run(['zstd', '-q', '--no-check'], input=records, stdout=subprocess.PIPE, check=True).stdout
    half = len(packed) // 2
    parts = packed[:half], packed[half:]
    return b''.join(record(kind, (words(len(part)) if kind == 83 else b'') + part + (bytes(-len(part) % 8) if kind == 83 else b''))
                    for part in parts)


# Every kind of field, with its offset and its size.
FIELDS = [('unsigned short common_type', 0, 2), ('char comm[16]', 8, 16), ('int delta', 24, 4), ('dev_t dev', 28, 4), ('void * at', 32, 8),
          ('long state', 40, 8), ('unsigned char action', 48, 1), ('__data_loc char[] path', 52, 4), ('__rel_loc char[] last', 56, 4),
          ('unsigned long args[6]', 60, 0), ('unsigned short mask', 60, 2)]
PRINTED = """print fmt: "%s %s", (REC->state & (8 - 1)) ? __print_flags(REC->state & (8 - 1), "|", { 0x1, "S" }, { 0x2, "D" }) : "R", """ + \
    """__print_symbolic(REC->action_2, { 7, "wrong" }), __print_symbolic(REC->action, { 0, "HI" }, { 7, "SCHED" }), """ + \
    """__print_flags(REC->mask, "|", { 1UL << 3, "eight" })"""


def tracing(ident=7, fields=None, printed=PRINTED):
    """The section of tracing data, with the format of one event."""
    lines = ''.join('\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' % (*field, field[0].startswith(('int', 'long')))
                    for field in fields or FIELDS)
    event = ('name: it\nID: %d\nformat:\n%s\n%s\n' % (ident, lines, printed)).encode()
    data = b'\x17\x08\x44tracing0.6\0\0\x08' + struct.pack('<I', 4096)
    data += b''.join(name + b'\0' + words(4) + b'text' for name in (b'header_page', b'header_event'))
    data += struct.pack('<I', 1) + words(4) + b'text' + struct.pack('<I', 1) + b'sys\0' + struct.pack('<I', 1) + words(len(event)) + event
    return data + bytes(12)


def raw(state, action, path=b'/a/b\0', place=64):
    """The data of such an event, whose path is at PLACE, with their size."""
    data = struct.pack('<HHi16siIQqBxxxIIHH', 7, 0, 11, b'swapper/1', -5, 8 << 20 | 3, 0xabc, state, action, len(path) << 16 | place,
                       len(path) << 16 | 4, 9, 0) + path + b'\0'
    return (struct.pack('<I', len(data)) + data).ljust((len(data) + 11) // 8 * 8, b'\0')


def lbr(*branches):
    """Branches from, to and, unless they are 0, flags; the last one first."""
    return words(len(branches), *(number for branch in branches for number in (*branch, 0)[:3]))


def dump(*records, flags=0, magic=0x4a695444):
    """A dump of a JIT compiler, jit-11.dump."""
    return struct.pack('<IIIIIIQQ', magic, 1, 40, 62, 0, 11, 5, flags) + b''.join(records)


def dumped(kind, time, body):
    return struct.pack('<IIQ', kind, 16 + len(body), time) + body


def compiled(time, start, name, index=0, size=16):
    return dumped(0, time, struct.pack('<IIQQQQ', 11, 11, start, start, size, index) + name.encode() + b'\0' + b'\xcc' * size)


def compiled_lines(time, start, *lines):
    """The lines of the function that is compiled next: their addresses, numbers and files."""
    return dumped(2, time, words(start, len(lines)) + b''.join(struct.pack('<Qii', at, line, 0) + name.encode() + b'\0' for at, line, name in lines))


def moved(time, start, to, index=0):
    return dumped(1, time, struct.pack('<IIQQQQQ', 11, 11, start, start, to, 16, index))


# what perf record --off-cpu adds: a thread's waits, added up, which come at the end and have no times
WAITS = 103
OFF_CPU = [(0, 0, BASE | CGROUP, CYCLES, 'cycles'), (1, 10, BASE | CGROUP, WAITS, 'offcpu-time')]
# the same of newer versions, in a raw field, with what the thread did next beside it
RAW_OFF_CPU = OFF_CPU[:1] + [(1, 10, BASE & ~CALLCHAIN | RAW | CGROUP, WAITS, 'offcpu-time')]


def waits(chain, length=None):
    data = struct.pack('<II', 11, 12) + words(5000, len(chain) if length is None else length, *chain, 77) + bytes(4)
    return record(9, words(WAITS, 9) + struct.pack('<II', 1, 1) + words(2500, 1) + struct.pack('<I', len(data)) + data + words(0), 1)


READ = 1 << 4
GROUP = [(0, 0, BASE | READ, CYCLES, 'cycles', 0, 1 << 1, 0, 12), (1, 2, BASE | READ, FAULTS, 'faults', 0, 1 << 1, 0, 12)]


def group(time, tid, cycles, faults):
    """A sample of the first of two inherited events, with what both have counted for the thread."""
    return record(9, words(CYCLES, PROGRAM + 0x10) + struct.pack('<II', 11, tid) +
                  words(time, 1, 2, cycles, CYCLES, faults, FAULTS, len(STACK_1), *STACK_1), 2)


TRACEPOINT = [(2, 7, BASE | RAW, 77, 'sys:it')]


def traced_samples(*data):
    return START + b''.join(sample(20, STACK_1, more=one, ident=77) for one in data)


def traced(*data):
    """A pipe with samples of a tracepoint, which have this raw data."""
    section = tracing()
    section += bytes(-len(section) % 8)
    return pipe(record(66, struct.pack('<I4x', len(section))) + section + traced_samples(*data), TRACEPOINT)


SAMPLES = sample(2000, STACK_1) + sample(3000, STACK_1, period=5) + sample(2500, STACK_1[:2] + [LIBRARY + 0x20, 0x99], tid=12) + \
    sample(2600, [KERNEL, 2**64 - 0x1000000, 2**64 - 0x2000000] + STACK_1) + sample(2700, STACK_1[:2], ident=FAULTS, period=1)
ALL = START + SAMPLES
COPY = struct.pack('<QQQ', 2, LIBRARY - 0x1000, PROGRAM + 0x77) + words(16, 7, 7, 16)

CASES = {
    'file': file(ALL + ROUND),
    'pipe': pipe(ALL),
    'zstd': file(zstd(ALL, 81) + ROUND),
    'zstd2': pipe(zstd(ALL, 83)),
    'crashed': file(ALL, size=0, features=False),
    'cut': file(ALL, features=False)[:-30],
    'damaged': file(ALL + bytes(8) + ALL),
    'short-sample': file(ALL + sample(4000, STACK_1)[:-8].replace(struct.pack('<H', 88), struct.pack('<H', 80), 1)),
    # what is older than the round before is delivered: the mapping of the second processor comes first
    'rounds': file(comm(11, 'server') + sample(2000, STACK_1) + ROUND + mmap(PROGRAM, 0x3000, '/no/bin/server', time=1500) + ROUND +
                   sample(3000, STACK_1) + ROUND),
    'forks': file(START + fork(20, 20, 11, 100) + comm(20, 'child', 200, 20) + sample(300, STACK_1, tid=20, pid=20) +
                  mmap(PROGRAM + 0x1000, 0x1000, '/no/bin/other', 0, 400, 20) + sample(500, STACK_1, tid=20, pid=20) +
                  sample(501, [USER, PROGRAM + 0x1004, PROGRAM + 0x2004], tid=20, pid=20) + sample(600, STACK_1)),
    'lost': file(ALL + record(2, words(0, 7) + trailer(11, 11, 4000)) + record(13, words(5) + trailer(11, 11, 4001)) +
                 record(5, words(4002, 0, 0) + trailer(11, 11, 4002))),
    'cgroups': file(START + record(19, words(77) + text('/a.slice/b') + trailer(11, 11, 10)) + sample(20, STACK_1, more=words(77)) +
                    sample(30, STACK_1, more=words(78)), [(0, 0, BASE | CGROUP, CYCLES, 'cycles')]),
    'lbr': file(START + sample(20, STACK_1[:2], more=lbr((PROGRAM + 0x40, PROGRAM + 0x8), (LIBRARY + 0x50, PROGRAM + 0x3c))),
                [(0, 0, BASE | BRANCH, CYCLES, 'cycles', 1 << 11)]),
    'deferred': file(START + sample(20, [KERNEL, 2**64 - 0x1000000, DEFERRED, 5]) + sample(21, [KERNEL, 2**64 - 0x2000000, DEFERRED, 6]) +
                     record(22, words(5, 4, *STACK_1) + trailer(11, 11, 30))),
    'copy': file(START + sample(20, [], more=COPY), [(0, 0, BASE | REGS | STACK, CYCLES, 'cycles')]),
    # a kernel's mistake: the flag of a build-id, and what it has asked for, which is none
    'no-build-id': file(START + sample(20, STACK_1), [(0, 0, BASE, CYCLES, 'cycles', 0, 0)]),
    'flat': file(START + record(9, words(CYCLES, PROGRAM + 4, 11 << 32 | 11, 9, 3), 2), [(0, 0, BASE & ~CALLCHAIN, CYCLES, 'cycles')]),
    'off-cpu': pipe(START + sample(2000, STACK_1, more=words(0)) + exit(11, 3000) + ROUND + ROUND + sample(2**64 - 2**32 + 1, STACK_1, period=5000,
                    ident=WAITS, more=words(0)) + sample(2**64 - 2**32 + 2, [USER] + [PROGRAM + 1] * 32, ident=WAITS, more=words(0)), OFF_CPU),
    'off-cpu-raw': pipe(START + record(19, words(77) + text('/a.slice/b') + trailer(11, 11, 10)) + sample(2000, STACK_1, more=words(0)) +
                        waits(STACK_1) + waits(STACK_1, 99) + waits([]), RAW_OFF_CPU),
    'branches': file(START + sample(20, STACK_1, more=lbr((PROGRAM + 0x40, PROGRAM + 0x8))) * 2, [(0, 0, BASE | BRANCH, CYCLES, 'cycles', 1 << 3)]),
    # events that are read together: what the fault's event has counted since the sample before
    'group': file(START + b''.join(group(time, tid, *counts) for time, tid, counts in
                                   ((20, 11, (1000, 3)), (30, 11, (2500, 3)), (40, 11, (2600, 5)), (50, 12, (7, 0)))), GROUP),
    'part': file(ALL, folder=1),
    'traced': pipe(record(66, struct.pack('<I', 16) + bytes(4)) + b'x' * 16 + START + record(71, words(24, 0, 0, 0, 0)) + b'y' * 24 + SAMPLES),
    'fields': traced(raw(0, 7), raw(3, 7), raw(3, 8, place=65), raw(1, 0, b'')),
    'fields-behind': file(traced_samples(raw(0, 7), raw(3, 7)), TRACEPOINT, traced=tracing()),
    'damaged-fields': traced(raw(0, 7)[:8 * 3], raw(0, 7, place=60000)).replace(b'offset:24;', b'offset:99;'),
    'other-fields': file(ALL, [(0, 0, BASE & ~IDENTIFIER, CYCLES, 'a'), (0, 1, BASE & ~(IDENTIFIER | IP), FAULTS, 'b')]),
    'bad-header': file(ALL)[:104].replace(words(144), words(3)) + bytes(400),
    'head': file(ALL)[:50],
}

if __name__ == '__main__':
    for name, data in CASES.items():
        with open(sys.argv[1] + '/' + name + '.data', 'wb') as out:
            out.write(data)
        print(sys.argv[1] + '/' + name + '.data')
