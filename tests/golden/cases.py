# SPDX-License-Identifier: GPL-2.0-or-later
"""cases.py FORM [NAME]: the golden tests of a form of input, which are files of the folder FORM.

NAME.in, or the bytes of NAME.hex, go to a program on stdin; its output, then its stderr as lines "! ..." and its exit code as "= N",
must be NAME.want. NAME.args is the command line (first word: the program; default "bt-collapse"); it runs in the folder FORM. A file
NAME.args or NAME.want without an input is a mistake, and fails.
UPDATE=1 writes NAME.want anew and says which ones it changed: look at the difference before you keep it.
"""
import glob
import os
import subprocess
import sys

from tap import check_eq, done, result, skip


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def outcome(name):
    args = read(name + '.args').decode().split() if os.path.exists(name + '.args') else ['bt-collapse']
    given = bytes.fromhex(read(name + '.hex').decode()) if os.path.exists(name + '.hex') else read(name + '.in')
    run = subprocess.run([os.path.join(os.path.dirname(os.environ['BIN']), args[0])] + args[1:], input=given,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = [b'! ' + line for line in run.stderr.splitlines(True)]
    return run.stdout + b''.join(said) + b'= %d\n' % (run.returncode if run.returncode >= 0 else 128 - run.returncode)


def update(name, got):
    """Writes the expected outcome, and says whether it changed."""
    had = read(name + '.want') if os.path.exists(name + '.want') else None
    if had == got:
        result(name)
        return
    with open(name + '.want', 'wb') as file:
        file.write(got)
    skip(name, '%s.want was %s, not compared' % (name, 'made' if had is None else 'updated'))


def names_with(*endings):
    return {path.rsplit('.', 1)[0] for ending in endings for path in glob.glob('*.' + ending)}


form = sys.argv[1]
os.environ['DEBUGINFOD_URLS'] = ''  # no server of this machine's settings, which may be slow or know the programs
os.chdir(os.path.join(os.environ['TOP'], 'tests/golden', form))
cases = names_with('in', 'hex')
for name in sys.argv[2:] or sorted(cases):
    got = outcome(name)
    if os.environ.get('UPDATE'):
        update(name, got)
        continue
    want = read(name + '.want') if os.path.exists(name + '.want') else b''
    check_eq(name, *(data.decode('utf-8', 'surrogateescape') for data in (want, got)))
if not sys.argv[2:]:
    check_eq('every case has an input', [], sorted(names_with('args', 'want') - cases))
done()
