# SPDX-License-Identifier: GPL-2.0-or-later
"""perf.data files that are made record by record (tests/input/perfdata.py): the stacks and sums of the recording, and what is said."""
import collections
import os
import subprocess
import sys
import tempfile

from tap import check_eq, done

sys.path.insert(0, os.environ['TOP'] + '/tests/input')
from perfdata import (ALL, CASES, EVENTS, PROGRAM, SAMPLES, START, STACK_1, USER, comm, file, mmap, record, sample, words, zstd)  # noqa: E402

FOLDER = os.path.dirname(os.path.realpath(os.environ['BIN']))
CHAIN = 'server+1010 libx.so+20* server+1030*'
KERNEL = 'ffffffffff000000 ffffffffffe000000*'.replace('ffe', 'fe')
USUAL = ['server/11 cycles:u 2 15: ' + CHAIN, 'server/12 cycles:u 1 10: server+1010 libx.so+20* 99*',
         'server/11 cycles:u 1 10: ' + CHAIN + ' | ' + KERNEL, 'server/11 faults 1 1: server+1010']
UNNAMED = [row.replace('cycles:u', 'cycles').replace('faults', 'page-faults') for row in USUAL]  # the events' names are behind the data
NO_NAMES = "the kernel's functions have no names"
# case: rows, and the begins of the notes that are not about missing files
WANT = {
    'file': (USUAL, [NO_NAMES]),
    'pipe': (USUAL, [NO_NAMES]),
    'zstd': (USUAL, [NO_NAMES]),
    'zstd2': (USUAL, [NO_NAMES]),
    'crashed': (UNNAMED,
                [NO_NAMES, 'perf did not end its recording', 'the recording is not complete']),
    'cut': (UNNAMED[:3], [NO_NAMES, 'it ends in the middle of a record', 'the recording is not complete']),
    'damaged': (UNNAMED, [NO_NAMES, 'it has a damaged record', 'the recording is not complete']),
    'short-sample': (USUAL, [NO_NAMES, 'samples left out: 1', 'the recording is not complete']),
    'rounds': (['server/11 cycles:u 2 20: server+10 7f0000000020* server+30*'], []),
    'forks': (['child/20 cycles:u 2 20: ' + CHAIN, 'child/20 cycles:u 1 10: other+4 server+3004*', 'server/11 cycles:u 1 10: ' + CHAIN], []),
    'lost': (USUAL, [NO_NAMES, 'perf lost 12 events', 'the kernel has paused the events']),
    'cgroups': (['server/11 cycles 1 10 cgroup=/a.slice/b: ' + CHAIN, 'server/11 cycles 1 10: ' + CHAIN], []),
    'lbr': (['server/11 cycles 1 10: server+1008 server+1040 libx.so+50'], []),
    'deferred': (['server/11 cycles:u 1 10: ' + CHAIN + ' | ffffffffff000000', 'server/11 cycles:u 1 10:  | fffffffffe000000'], [NO_NAMES]),
    'copy': (['server/11 cycles 1 10: server+1077'], []),
    'off-cpu': (['server/11 cycles 1 10: ' + CHAIN, 'server/11 offcpu-time 1 5000: ' + CHAIN,
                 'server/11 offcpu-time 1 10: server+1001' + ' server+1001*' * 31], []),
    'off-cpu-raw': (['server/11 cycles 1 10: ' + CHAIN, 'server/12 offcpu-time 1 5000 cgroup=/a.slice/b: ' + CHAIN,
                     'server/12 offcpu-time 1 5000 cgroup=/a.slice/b: '], ['samples left out: 1', 'the recording is not complete']),
    'branches': (['server/11 cycles 2 20: ' + CHAIN], ['2 samples have branches of the processor']),
    'group': (['server/11 cycles 3 2600: ' + CHAIN, 'server/11 faults 2 5: ' + CHAIN, 'server/12 cycles 1 7: ' + CHAIN], []),
    'part': ([], ['its records are in the files beside it']),
    'no-build-id': (['server/11 cycles 1 10: ' + CHAIN], []),
    'flat': (['server/11 cycles 1 3: server+1004'], []),
    'traced': (USUAL, [NO_NAMES, '24 bytes of hardware traces']),
    'fields': (['server/11 sys:it 4 40: ' + CHAIN], []),
    'fields-behind': (['server/11 sys:it 2 20: ' + CHAIN], []),
    'damaged-fields': (['server/11 sys:it 1 10: ' + CHAIN], ['samples left out: 1', 'the recording is not complete']),
    'other-fields': ([], ['its events have different fields']),
    'bad-header': ([], ['its header is damaged']),
    'head': ([], ['it is cut inside its header']),
}


def stack_text(frames, maps, stack):
    places = []
    for number in stack:
        call, where, address = frames[number]
        name, offset = maps[where] if where != '-' else ('', 0)
        places.append('%s%x%s' % (name, offset + int(address, 16), '*' if call == 'call' else ''))
    return ' '.join(places)


def rows_of(recording):
    """Returns the rows of a recording as texts: TASK EVENT COUNT SUM LABELS: USER | KERNEL."""
    kinds, rows = collections.defaultdict(list), []
    for line in recording.splitlines():
        kind, *fields = line.split(' ')
        kinds[kind].append(fields)
    frames = [fields[2:] for fields in kinds['frame']]
    maps = {fields[0]: (fields[7].rsplit('/', 1)[-1] + '+', int(fields[5], 16)) for fields in kinds['map']}
    for event, task, stacks, labels, count, total in kinds['row']:
        parts = {'user': '', 'kernel': ''}
        for stack in [] if stacks == '-' else stacks.split(','):
            _, kind, _, _, *numbers = kinds['stack'][int(stack)]
            parts[kind] = stack_text(frames, maps, map(int, numbers))
        label = '' if labels == '-' else ' ' + '='.join(kinds['label'][int(labels)][1:])
        rows.append('%s/%s %s %s %s%s: %s' % (kinds['task'][int(task)][4], kinds['task'][int(task)][2], kinds['event'][int(event)][1], count,
                                              total, label, parts['user'] + (' | ' + parts['kernel'] if parts['kernel'] else '')))
    return rows


def notes_of(stderr, wanted):
    """Returns the notes about stdin, each cut to the length of the wanted one."""
    notes = [line.replace("'stdin': ", '') for line in stderr.splitlines()]
    notes = [note for note in notes if ' missing or unreadable' not in note and ' kept, ' not in note and ' % ' not in note]
    return [note[:len(want)] for note, want in zip(notes, wanted + [''] * len(notes))] if len(notes) == len(wanted) else notes


for name, (rows, notes) in WANT.items():
    run = subprocess.run([FOLDER + '/bt-resolve', '--debuginfod=never'], input=CASES[name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check_eq(name + ': rows', '\n'.join(rows), '\n'.join(rows_of(run.stdout.decode())))
    check_eq(name + ': notes', '\n'.join(notes), '\n'.join(notes_of(run.stderr.decode().replace('bt-resolve: ', ''), notes)))
for name, want in (('file', 'ab' * 20), ('no-build-id', '-')):
    run = subprocess.run([FOLDER + '/bt-resolve', '--debuginfod=never'], input=CASES[name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    check_eq(name + ': build-id', want, [line.split()[7] for line in run.stdout.decode().splitlines() if line.endswith('libx.so -')][0])


def lines_of(name, kind):
    """Returns the lines of one KIND in the recording of a case."""
    run = subprocess.run([FOLDER + '/bt-resolve', '--debuginfod=never'], input=CASES[name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [line for line in run.stdout.decode().splitlines() if line.startswith(kind + ' ')]


check_eq('off-cpu: the unit', ['ns'] * 2, [line.split()[3] for line in lines_of('off-cpu', 'event') if 'offcpu-time' in line] * 2)
check_eq('off-cpu: samples without times are no duration', ['0.000'], [line.split()[-1] for line in lines_of('off-cpu', 'meta') if 'seconds' in line])
check_eq('off-cpu: a chain of 32 frames is cut', ['depth'], [line.split()[4] for line in lines_of('off-cpu', 'stack') if ' cut ' in line][-1:])


def folder_case(name, files, rows, notes):
    """Checks the recording of a folder with these FILES."""
    with tempfile.TemporaryDirectory() as folder:
        for number, content in enumerate(files):
            with open(folder + '/data' + ('.%d' % (number - 1) if number else ''), 'wb') as out:
                out.write(content)
        run = subprocess.run([FOLDER + '/bt-resolve', '--debuginfod=never', folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = run.stderr.decode().replace('bt-resolve: ', '').replace("'%s/data': " % folder, '')
    check_eq(name + ': rows', '\n'.join(rows), '\n'.join(rows_of(run.stdout.decode())))
    check_eq(name + ': notes', '\n'.join(notes), '\n'.join(notes_of(said, notes)))


# perf record --threads: what is mapped comes from one file, and the samples before and after it from another
PARTS = [mmap(PROGRAM, 0x3000, '/no/bin/server', time=1500), sample(1000, STACK_1[:2]) + sample(2000, STACK_1[:2])]
MERGED = ['server/11 cycles:u 1 10: 400010', 'server/11 cycles:u 1 10: server+10']
HEAD = comm(11, 'server')
folder_case('a folder', [file(HEAD, folder=1), *PARTS], MERGED, [])
folder_case('a folder in one file', [file(ALL, folder=0)], USUAL, [NO_NAMES])
folder_case('a folder of compressed files', [file(zstd(HEAD, 83), folder=1), zstd(PARTS[0], 83), zstd(PARTS[1], 83)], MERGED, [])
folder_case('a folder with a cut file', [file(HEAD, folder=1), PARTS[0], PARTS[1][:-1]], MERGED[:1],
            ['data.1 ends in the middle of a record', 'the recording is not complete'])
folder_case('the folder of a perf that did not end', [file(HEAD, size=0, features=False), *PARTS], [row.replace(':u', '') for row in MERGED],
            ['perf did not end its recording', 'the recording is not complete'])
folder_case('a folder without its files', [file(HEAD, folder=1)], [], ["cannot open 'data.0' of this folder, which has records: No such file"])
folder_case('a folder of a later version', [file(HEAD, folder=2), *PARTS], [], ["version 2 of perf's folders is not known"])

# 5 GiB of hardware traces, a hole in the file: places behind them have more than 32 bits
with tempfile.NamedTemporaryFile() as made:
    trace = 5 << 30
    data = file(START + record(71, words(trace, 0, 0, 0, 0)) + SAMPLES, size=len(START) + 48 + trace + len(SAMPLES))
    hole = data.index(SAMPLES)
    tail = bytearray(data[hole + len(SAMPLES):])
    tail[:8] = words(len(data) - len(tail) + trace + 16)
    made.write(data[:hole])
    made.seek(trace, os.SEEK_CUR)
    made.write(SAMPLES + tail)
    made.flush()
    run = subprocess.run([FOLDER + '/bt-resolve', '--debuginfod=never', made.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check_eq('a large file: rows', '\n'.join(USUAL), '\n'.join(rows_of(run.stdout.decode())))
    check_eq('a large file: what is left out', True, '%d bytes of hardware traces' % trace in run.stderr.decode())


def labels_of(case, *options):
    """Returns the values of the labels of CASE, and what is said of fields."""
    run = subprocess.run([FOLDER + '/bt-resolve', '--debuginfod=never', *options], input=case, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    values = [line.split(' ', 2)[2] for line in run.stdout.decode().splitlines() if line.startswith('label ')]
    return values + [line.split("'stdin': ")[1] for line in run.stderr.decode().splitlines() if ' these fields ' in line]


for key, values in {'comm': ['swapper/1'], 'delta': ['-5'], 'dev': ['8,3'], 'at': ['0xabc'], 'state': ['R', 'S|D', 'S'], 'mask': ['9'],
                    'action': ['SCHED', '8', 'HI'], 'path': ['/a/b', 'a/b'], 'last': ['/a/b']}.items():
    check_eq('the field ' + key, [key + ' ' + value for value in values], labels_of(CASES['fields'], '--by=label:' + key))
check_eq('fields that --label names', ['delta -5', 'state R', 'state S', 'state S|D'],
         sorted(labels_of(CASES['fields'], '--label=state=S', '--label=delta=-5')))
LIST = 'sys:it has these fields for --by and --label: comm, delta, dev, at, state, action, path, last, mask'
check_eq('the fields are listed', [LIST], labels_of(CASES['fields'], '--by=args'))
# a file has the formats behind the samples: they are known only if it can be read twice
LATE = 'the formats of these fields are behind the samples, which were read first: give the file itself instead of a pipe'
check_eq('a file as a pipe', [LIST, LATE], labels_of(CASES['fields-behind'], '--by=state'))
with tempfile.NamedTemporaryFile() as made:
    made.write(CASES['fields-behind'])
    made.flush()
    for key, values in {'state': ['R', 'S|D'], 'action': ['SCHED'], 'path': ['/a/b']}.items():
        check_eq('a file: the field ' + key, [key + ' ' + value for value in values], labels_of(b'', '--by=label:' + key, made.name))
    check_eq('a file: all of its samples', ['server/11 sys:it 1 10 state=R: ' + CHAIN, 'server/11 sys:it 1 10 state=S|D: ' + CHAIN],
             rows_of(subprocess.run([FOLDER + '/bt-resolve', '--debuginfod=never', '--by=state', made.name], stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL).stdout.decode()))
check_eq('a place that is not in the data', [LIST], labels_of(CASES['damaged-fields'], '--by=path'))
check_eq('a field that is not in the data', [LIST], labels_of(CASES['damaged-fields'], '--by=delta'))
check_eq('every case is here', sorted(CASES), sorted(WANT))
done()
