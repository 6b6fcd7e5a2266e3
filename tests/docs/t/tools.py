# SPDX-License-Identifier: GPL-2.0-or-later
"""flametap-tools(7): has each tool of the lists in tests/docs/tools an answer, and do its commands exist with the options shown?"""
import glob
import os
import re
import shlex
import subprocess

from tap import check_eq, done

top, bin_dir = os.environ['TOP'], os.path.dirname(os.environ['BIN'])
helps = {}


def read(path):
    with open(os.path.join(top, path), encoding='utf-8') as file:
        return file.read()


def options_of(program, script):
    """Returns the options that --help lists, also those of the script."""
    words = [program] + (['--script', script] if script else [])
    key = ' '.join(words)
    if key not in helps:
        path = os.path.join(bin_dir, program)
        text = subprocess.run([path] + words[1:] + ['--help'], stdout=subprocess.PIPE, text=True).stdout if os.path.exists(path) else ''
        helps[key] = set(re.findall(r'(?:^ +|, )(--?[A-Za-z][a-z-]*)', text, re.M))
    return helps[key]


def unknown(command):
    """Returns the words of a command that are not there: its program, or its options."""
    words = shlex.split(command)
    words = words[:words.index('>')] if '>' in words else words
    script = 'at' if words[0] == 'sample-bt' and {'--at', '-e'} & set(words) else ''
    known = options_of(words[0], script)
    if not known:
        return [words[0]]
    return [word for word in words[1:] if re.match('--?[A-Za-z]', word) and word.split('=')[0] not in known]


page = read('man/flametap-tools.7').replace('\\(dq', '"').replace('\\&', '').replace('\\e', '\\')
sections = dict(re.findall(r'^\.Sh ([A-Z+-]+)\n(.*?)(?=^\.Sh )', page, re.M | re.S))
for path in sorted(glob.glob(top + '/tests/docs/tools/*')):
    name = os.path.basename(path)
    listed = {word for line in re.findall(r'^\.It (.*)', sections.get(name.upper(), ''), re.M) for word in line.split(' , ')}
    check_eq(name + ': tools without an answer', [], sorted(set(read(path).split('\n')[1:-1]) - listed))
commands = re.findall(r'^\.Dl [#$] (.*)', page, re.M)
check_eq('there are commands', True, len(commands) > 100)
check_eq('words that no program knows', [], sorted({'%s: %s' % (word, c) for c in commands for word in unknown(c)}))
done()
