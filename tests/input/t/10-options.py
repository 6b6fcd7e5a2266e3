# SPDX-License-Identifier: GPL-2.0-or-later
"""Each option of every program, with the values that it must reject: the rows of tests/input/options."""
import fnmatch
import glob
import os
import re
import shlex
import shutil
import subprocess
import tempfile

from tap import check_eq, done, note, result

TOP, FOLDER = os.environ['TOP'], os.path.dirname(os.path.realpath(os.environ['BIN']))
OF_ARGP = {'--help', '--usage', '--version'}
OF_KIND = {
    'count': ['', 'x', '-1', '+1', '1.5', '5x', '0x10', '1e3', 'nan', 'inf', ' 5', '5 ', '9' * 20],
    'decimal': ['', 'x', '-1', '+1', '5x', '0x10', '1e999', '1e', 'nan', 'inf', '-inf', ' 5', '5 ', '1,5', '.'],
    'other': [], 'any': []}
RECORDING = '''flametap-recording 1
event 0 on-cpu samples 1 cpu
task 0 1 1 0 a
frame 0 user pc - 10
name 0 main 0 - - 0
stack 0 user root - 0
row 0 0 0 - 5 5
end 7
'''


def rows():
    """Yields lists of programs, option, kind and values; a row of --VM stands for one row per interpreter."""
    with open(TOP + '/tests/input/options', encoding='utf-8') as file:
        table = [shlex.split(line) for line in file if not line.startswith('#')]
    vms = [os.path.basename(os.path.dirname(path)) for path in glob.glob(TOP + '/src/runtime/*/*_vm.c')]
    return [[row[0], '--' + vm] + row[2:] if row[1] == '--VM' else row for row in table for vm in (vms if row[1] == '--VM' else [''])]


def environment():
    """Options with which nothing is run: stap would leave a file."""
    os.mkdir('traced')
    with open('traced/stap', 'w', encoding='utf-8') as file:
        file.write('#!/bin/sh\ntouch "%s/ran"\n' % os.getcwd())
    os.chmod('traced/stap', 0o755)
    with open('good.rec', 'w', encoding='utf-8') as file:
        file.write(RECORDING)
    return dict(os.environ, PATH='%s/traced:%s' % (os.getcwd(), os.environ['PATH']), LC_ALL='C', FLAMETAP_ENGINE='stap',
                CALLS_OF=FOLDER, CALLS='calls', ASAN_OPTIONS='verify_asan_link_order=0')


def refusals(option, line, kind, values):
    """Returns pairs of an argument and the beginning of the message; the usage line is the line of --help."""
    if kind == 'flag':
        return [(option + '=x', "option '%s' doesn't allow an argument" % option)]
    if kind == 'refused':
        return [(option + '=x' if option + '=' in line else option, option + ' is refused: ')]
    return [('%s=%s' % (option, value), "invalid %s '%s': use " % (option, value)) for value in values + OF_KIND[kind]]


def outcomes(program, env, given):
    """Returns the output of a program and its exit code for each of these last arguments."""
    files = ['good.rec'] * (2 if program == 'bt-diff' else 1) if re.match('bt-(?!top)', program) else ['-p', '1']
    with open('calls', 'w', encoding='utf-8') as file:
        file.write(''.join(text + '\0' for text in given))
    run = subprocess.run([os.path.join(FOLDER, program)] + files, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, env=dict(env, LD_PRELOAD=os.environ['CASES'] + '/calls.so'))
    parts = run.stdout.split('\0')
    return list(zip(parts[::2], [os.waitstatus_to_exitcode(int(status)) for status in parts[1::2]]))


def check_program(program, env, table):
    """Checks a program; returns the rows that it has."""
    text = subprocess.run([os.path.join(FOLDER, program), '--help'], stdout=subprocess.PIPE, text=True, env=env).stdout
    lines = {option: line for line in re.findall(r'^ *(-[^ ].*?)(?:  .*)?$', text, re.M) for option in re.findall(r'--[a-z][a-z-]*', line)}
    wanted = []
    used = []

    for option in sorted(set(lines) - OF_ARGP):
        found = [row for row in table if row[1] == option and any(fnmatch.fnmatchcase(program, name) for name in row[0].split(','))]
        check_eq('%s %s: it has a row in tests/input/options' % (program, option), 1, len(found))
        used += found
        wanted += [(option, given, begins) for row in found for given, begins in refusals(option, lines[option], row[2], row[3:])]
    judge(program, wanted, outcomes(program, env, [given for _, given, _ in wanted]))
    return used


def judge(program, wanted, got):
    """Checks for exit code 64 and one line that begins with the program's name and the text."""
    wrong = {option: [] for option, _, _ in wanted}

    check_eq(program + ': there is an outcome of each call', len(wanted), len(got))
    for (option, given, begins), (said, code) in zip(wanted, got):
        if code != 64 or not re.match(r'(?:\S*/)?%s: %s.*\n\Z' % (program, re.escape(begins)), said):
            wrong[option].append('%s %s: exit %d: %s' % (program, given, code, said[:400]))
    for option, texts in wrong.items():
        result('%s %s: nonsense is refused' % (program, option), '%d are not' % len(texts) if texts else None)
        note('\n'.join(texts))
    check_eq(program + ': it runs nothing', False, os.path.exists('ran'))


work = tempfile.mkdtemp(prefix='flametap.')
os.chdir(work)
table = rows()
env = environment()
used = [row for program in sorted(os.listdir(FOLDER)) for row in check_program(program, env, table)]
check_eq('each row of tests/input/options is of an option', [], [' '.join(row) for row in table if row not in used])
shutil.rmtree(work)
done()
