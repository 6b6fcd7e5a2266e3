# SPDX-License-Identifier: GPL-2.0-or-later
"""clang takes the profiles of --autofdo: it says nothing, knows how often a function has run, and which of its branches."""
import os
import re
import shutil
import subprocess
import tempfile

from tap import check, check_eq, done, note, skip

EXPORT = os.path.dirname(os.path.realpath(os.environ['BIN'])) + '/bt-export'
PROGRAM = '''static inline unsigned mix(unsigned x) { return x * 2654435761u ^ x >> 13; }
__attribute__((noinline)) unsigned hot(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		if (i % 16 == 3)
			__asm__ volatile("nop" : "+r"(sum));
		else
			sum += mix(i);
	return sum;
}
__attribute__((noinline)) unsigned never(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		if (i % 8 == 3)
			__asm__ volatile("nop" : "+r"(sum));
	return sum;
}
int main(int argc, char **argv)
{
	return hot(argc) == never(argc);
}
'''
COMPILE = ['clang', '-O2', '-gline-tables-only', '-fdebug-info-for-profiling']
os.environ['DEBUGINFOD_URLS'] = ''


def output(*command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if run.returncode:
        note(run.stdout.decode())
    return run.stdout.decode()


def recording():
    """Returns a recording with a sample at each byte of the code of hot()."""
    code = next(line.split() for line in output('readelf', '-lW', 'program').splitlines() if re.search('LOAD.* R E ', line))
    offset, address, size = (int(number, 16) for number in (code[1], code[2], code[4]))
    start, length = next((int(line.split()[0], 16), int(line.split()[1], 16)) for line in output('nm', '-S', 'program').splitlines()
                         if line.endswith(' hot'))
    lines = ['flametap-recording 2', 'event 0 on-cpu samples 1000000 cpu', 'task 0 11 11 99 program',
             'map 0 11 0 %x %x %x - %s' % (address, address + size, offset, os.path.realpath('program'))]
    for i in range(length):
        lines.append('frame %d user pc 0 %x' % (i, start + i - address))
    lines += ['stack %d user root - %d' % (i, i) for i in range(length)]
    lines += ['row 0 0 %d - 100 100' % i for i in range(length)]
    return '\n'.join(lines + ['end %d' % len(lines)]) + '\n'


def body(code, name):
    """Returns the function in LLVM's code, with its head."""
    found = re.search('^define [^\n]*@%s\\(.*?^}' % name, code, re.M | re.S)
    return found.group(0) if found else ''


FOLDER = tempfile.TemporaryDirectory()  # removed at the end
os.chdir(FOLDER.name)
if not shutil.which('clang'):
    skip('clang', 'it is not installed')
    done()
with open('program.c', 'w') as source:
    source.write(PROGRAM)
subprocess.run(COMPILE + ['-o', 'program', 'program.c'], check=True)
with open('program.rec', 'w') as made:
    made.write(recording())
check_eq('the profile is made', 0, subprocess.run([EXPORT, '-o', 'program.afdo', 'program.rec'], check=False).returncode)
check_eq('clang says nothing', '', output(*COMPILE, '-fprofile-sample-use=program.afdo', '-S', '-emit-llvm', '-o', 'program.ll', 'program.c'))
with open('program.ll') as text:
    LLVM = text.read()
HOT, NEVER = body(LLVM, 'hot'), body(LLVM, 'never')
check('hot() has run', re.search('^define .*!prof ', HOT), HOT.split('\n')[0])
check('hot() has weights of branches', re.search('^ *br i1 .*!prof ', HOT, re.M), 'there are none')
check('never() has no weights of branches', NEVER and not re.search('^ *br i1 .*!prof ', NEVER, re.M), 'there are some')
if shutil.which('llvm-profdata'):
    shown = output('llvm-profdata', 'show', '--sample', '--function=hot', 'program.afdo')
    check('llvm-profdata: hot()', re.match(r'Function: hot: [1-9]', shown), shown)
    check('llvm-profdata: mix(), which is inlined', 'mix' in shown, shown)
else:
    skip('llvm-profdata', 'it is not installed')
done()
