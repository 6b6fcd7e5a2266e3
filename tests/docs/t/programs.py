# SPDX-License-Identifier: GPL-2.0-or-later
"""Do --help, the man pages, the completions and the README name the same programs and options?"""
import glob
import os
import re
import shutil
import subprocess

from tap import check, check_eq, done

top, bin_dir = os.environ['TOP'], os.path.dirname(os.environ['BIN'])
COMMON = {'--help', '--usage', '--version'}


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more).stdout


def read(path):
    with open(os.path.join(top, path), encoding='utf-8') as file:
        return file.read()


def long_options(text):
    return set(re.findall(r'--[a-z][a-z-]+', text))


def documented(name):
    """Returns the long options in a man page: .It Fl Fl name, and --name in an example."""
    return long_options(read('man/%s.1' % name).replace('Fl Fl ', '--'))


def folders_below(*paths):
    """Returns the options of interpreters and of sources of labels, which other programs' man pages may leave to the page of sample-bt."""
    return {'--' + os.path.basename(path) for above in paths for path in glob.glob('%s/%s/*' % (top, above)) if os.path.isdir(path)}


def offered(*words):
    """Returns the words that bash offers to complete a command line, whose last word is incomplete."""
    script = '''. "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        "_flametap_${1//-/_}" 2>/dev/null # compopt is only there while the user types
        printf "%s\\n" "${COMPREPLY[@]}"'''
    return run('bash', '-c', script, 'bash', '%s/build/completion/bash/%s' % (top, words[0]), *words, cwd=top).split('\n')[:-1]


def same_options(name, text):
    helped, described = long_options(text), documented(name)
    left_out = set() if name == 'sample-bt' else folders_below('src/runtime', 'src/label')

    check_eq(name + ': options that the man page lacks', [], sorted(helped - described - left_out - COMMON))
    check_eq(name + ': options that only the man page has', [], sorted(described - helped - COMMON))


def completion(name, text):
    listed = {option for line in re.findall(r'^ +((?:-., )?(?:--[a-z-]+[^ ]*, )*--[a-z-]+)', text, re.M) for option in long_options(line)}

    check_eq(name + ': bash completes its options', sorted(listed), sorted({word.rstrip('=') for word in offered(name, '--')}))
    for shell in 'zsh', 'fish':
        file = 'build/completion/%s/%s' % (shell, name)
        completed = set(re.findall(r'(?:--| -l )([a-z][a-z-]*)\b', read(file)))
        check_eq('%s: options that %s does not complete' % (name, shell), [], sorted({o[2:] for o in long_options(text)} - completed))
        if shutil.which(shell):
            check_eq('%s: its completion is %s' % (name, shell), '', run(shell, '-n', file, cwd=top))


def program(name):
    path = '%s/%s' % (bin_dir, name)
    text = run(path, '--help')

    check(name + ': a man page', os.path.getsize('%s/man/%s.1' % (top, name)) > 0)
    # the options of the script at are described with --at
    same_options(name, text + (run('%s/%s' % (bin_dir, name), '--script', 'at', '--help') if name == 'sample-bt' else ''))
    completion(name, text)
    check(name + ': in the README', '\n| `%s` |' % name in read('README.md'))
    check(name + ': --help names it', text.startswith('Usage: %s ' % name), text[:80].split('\n')[0])
    check(name + ': --help has no gaps', '\n\n\n' not in text)
    check_eq(name + ': -h is --help', text, run(path, '-h'))
    check(name + ': --version', re.match(r'flametap [0-9]', run(path, '--version')))
    return text


def wrapper(name, text, of_sample_bt):
    check(name + ': --help says what it does itself', of_sample_bt.split('\n')[1] not in text.split('\n'))
    check(name + ': its examples have its name', not re.search('^  sample-bt ', text, re.M))
    check(name + ': its messages, too', (name + ': nothing to record') in run('%s/%s' % (bin_dir, name)))


def page(path):
    """Checks a page as man renders it.

    Examples come before the description. mandoc's lint takes that for a mistake unless the heading is "EXAMPLES\\&".
    """
    name = os.path.basename(path)
    man = subprocess.run(['man', '--warnings', '-l', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=dict(os.environ, MANROFFSEQ='', MANWIDTH='80'))
    sections = re.split(r'^(?=[A-Z])', man.stdout, flags=re.M)[1:5]

    check_eq(name + ': words that look like options', [], re.findall(
        r'(?:^|[ (])-(?:the|of|and|with|without|for|is|are|in|to|or)\b', man.stdout, re.M))
    check_eq(name + ': begins with three examples', 3, sum(
        len(re.findall('[:?]$', section, re.M)) for section in sections if section.startswith('EXAMPLES\n')))
    check_eq(name + ': escapes that are seen', [], re.findall(r'\S*\\&\S*', man.stdout))
    check_eq(name + ': man has no complaints', '', man.stderr)


texts = {name: program(name) for name in sorted(os.listdir(bin_dir))}
check_eq('completion: values of a choice', ['bpf', 'stap'], sorted(set(offered('sample-bt', '--engine', '=', '')) - {'auto'}))
check_eq('completion: keys of tables', ['category', 'cgroup', 'comm', 'container'], sorted(offered('bt-report', '--by', '=', 'c')))
check_eq('completion: names of threads', True, 'bash' in offered('bt-flame', '--comm', '=', 'bas'))
check_eq('completion: folders', [top + '/man'], offered('sample-bt', '--report', '=', top + '/ma'))
labels = set(offered('sample-bt', '--by', '=', '')) - {'comm', 'thread', 'process'}
described = re.findall(r'^\.It Cm (.*)', read('man/sample-bt-recording.5'), re.M)
check_eq('sample-bt-recording(5): labels of --by that it lacks', [], sorted(labels - set(' , '.join(described).split(' , '))))
check_eq('flametap: runs all programs', sorted(set(texts) - {'flametap', 'ngx-values'}),
         sorted(set(re.findall(r'\(([a-z-]+)\)$', texts['flametap'], re.M))))
check_eq('completion: commands', ['record', 'report', 'resolve'], sorted(offered('flametap', 're')))
for name in 'bt-top', 'lj-sample-bt', 'pl-sample-bt', 'php-sample-bt', 'py-sample-bt', 'rb-sample-bt', 'sample-bt-off-cpu', 'sample-bt-syscalls', \
            'sample-bt-faults', 'sample-bt-rss', 'sample-bt-vfs', \
            'sample-bt-alloc', 'sample-bt-leaks', 'sample-bt-mmap', 'sample-bt-wall', 'sample-bt-locks', 'sample-bt-wakers', 'sample-bt-block', \
            'sample-bt-tcp':
    wrapper(name, texts[name], texts['sample-bt'])
for path in sorted(glob.glob(top + '/man/*.[157]')):
    page(path)
done()
