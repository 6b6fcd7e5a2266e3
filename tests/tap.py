# SPDX-License-Identifier: GPL-2.0-or-later
"""TAP for tests in Python: functions for results, and done() for the end."""
import difflib
import sys

results, failures = 0, 0
sys.stdout.reconfigure(encoding='utf-8', errors='backslashreplace')


def result(name, problem=None):
    """Prints a result; PROBLEM is one line that says what is wrong."""
    global results, failures
    results += 1
    if problem is None:
        print('ok - ' + name)
    else:
        failures += 1
        print('not ok - %s: %s' % (name, problem))


def note(text):
    for line in str(text).splitlines()[:40]:
        print('# ' + line)


def check(name, holds, problem='it is not so'):
    result(name, None if holds else problem)


def check_eq(name, expected, actual):
    """Compares; texts of more than one line are shown as a diff."""
    if expected == actual:
        result(name)
    elif '\n' not in '%s%s' % (expected, actual):
        result(name, 'expected %r, got %r' % (expected, actual))
    else:
        result(name, 'differs from what was expected (-)')
        note('\n'.join(list(difflib.unified_diff(expected.splitlines(), actual.splitlines(), lineterm=''))[2:]))


def skip(name, reason):
    global results
    results += 1
    print('ok - %s # SKIP %s' % (name, reason))


def done():
    print('1..%d' % results)
    sys.exit(1 if failures else 0)
