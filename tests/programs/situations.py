# SPDX-License-Identifier: GPL-2.0-or-later
# situations.py FILE [MS]: a program that goes through situations. In each it tells its stack, as Python's own frame objects report it, and
# then keeps a processor busy in these very frames for about MS (150) milliseconds. situations-judge --python judges its recordings.
#
# It prints "ready PID" and goes on when FILE.go exists. FILE gets "subs" and then a line for each situation, as situations.pl says. With
# REPLAY=1 in the environment each situation is also a message for tests/replay/take. It runs on CPython 3.6 to 3.15.
#
# Rules for situations: the line after begins() is the busy one, a loop "for _ in range(n): pass", and ends() follows; nothing else takes
# noticeable time.
import asyncio, ctypes, functools, os, signal, sys, threading, time

FILE = sys.argv[1]
MS = int(sys.argv[2]) if len(sys.argv) > 2 else 150
REPLAY = os.environ.get('REPLAY')
OUT = open(FILE, 'a')
n = 200000
told = threading.local()


def escaped(text):
    return ''.join(r'\x%02x' % ord(c) if c <= ' ' or c in '\\\x7f' else c for c in text)


def module(path):
    name = path.replace('<frozen ', '<')
    for folder in 'site-packages/', 'dist-packages/', 'python3.%d/' % sys.version_info[1], '/':
        if folder in name:
            name = name.rpartition(folder)[2]
            break
    if path.startswith('<'):
        return name[1:-1] if path.startswith('<frozen ') else path
    return name[:-3].replace('/__init__', '').replace('/', '.') if name.endswith('.py') else name


# The frames from the caller's caller on, innermost first. The innermost one is about to be at its next line.
def stack(frame):
    first, frames = 1, []
    while frame:
        code = frame.f_code
        name = module(code.co_filename) + ':' + getattr(code, 'co_qualname', code.co_name)
        frames.append('%s %s:%d' % (escaped(name), escaped(code.co_filename), frame.f_lineno + first))
        frame, first = frame.f_back, 0
    return frames


def begins(name):
    told.name, told.frames = name, stack(sys._getframe(1))
    if REPLAY:
        os.write(NULL, ('\t'.join(['replay: moment ' + name, '-'] + told.frames) + '\n').encode('utf-8', 'surrogateescape'))


def ends():
    OUT.write('\t'.join([told.name, str(os.getpid()), str(tid()), '-'] + told.frames) + '\n')
    OUT.flush()


def tid():
    return ctypes.CDLL(None).syscall(186)


def rounds():
    begun = time.perf_counter()
    for _ in range(n): pass
    return MS / 1000 / (time.perf_counter() - begun)


def plain():
    begins('a function')
    for _ in range(n): pass
    ends()


def outer(depth, work):
    return outer(depth - 1, work) if depth else work()


def several_lines():
    return outer(
        2,
        plain,
    )


class Things(object):
    def method(self):
        begins('a method')
        for _ in range(n): pass
        ends()

    @classmethod
    def of_class(cls):
        begins('a class method')
        for _ in range(n): pass
        ends()

    @staticmethod
    def static():
        begins('a static method')
        for _ in range(n): pass
        ends()

    @property
    def calculated(self):
        begins('a property')
        for _ in range(n): pass
        ends()
        return 1

    def __getattr__(self, name):
        begins('an attribute that is not there')
        for _ in range(n): pass
        ends()
        return name

    def __lt__(self, other):
        begins('a comparison of sort()')
        for _ in range(n): pass
        ends()
        return True

    def __enter__(self):
        begins('the beginning of with')
        for _ in range(n): pass
        ends()

    def __exit__(self, *exception):
        begins('the end of with')
        for _ in range(n): pass
        ends()


class Made(object):
    def __init__(self):
        begins('an object that is made')
        for _ in range(n): pass
        ends()

    def __del__(self):
        begins('an object that is freed')
        for _ in range(n): pass
        ends()


def generator():
    begins('a generator')
    for _ in range(n): pass
    ends()
    yield 1


def delegates():
    yield from generator()


def called_back(*args):
    begins('called by C')
    for _ in range(n): pass
    ends()
    return 1


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **more):
        return function(*args, **more)
    return wrapper


@decorated
def wrapped(*args, **more):
    begins('a decorated function')
    for _ in range(n): pass
    ends()


async def awaits():
    await asyncio.sleep(0)
    begins('a coroutine')
    for _ in range(n): pass
    ends()


async def gives():
    begins('an asynchronous generator')
    for _ in range(n): pass
    ends()
    yield 1


async def gathers():
    await asyncio.gather(awaits(), awaits())
    async for _ in gives(): pass
    await asyncio.wait_for(awaits(), 60)


def catches():
    try:
        raise ValueError
    except ValueError:
        begins('an exception that was caught')
        for _ in range(n): pass
        ends()
    finally:
        begins('finally')
        for _ in range(n): pass
        ends()


def closure():
    captured = 1

    def inner():
        begins('a function in a function')
        for _ in range(captured * n): pass
        ends()
    inner()


def handles(number, frame):
    begins('a signal handler')
    for _ in range(n): pass
    ends()


def interrupted():
    signal.signal(signal.SIGUSR1, handles)
    os.kill(os.getpid(), signal.SIGUSR1)
    time.sleep(0)


SOURCE = '''
def %s():
    begins(%r)
    for _ in range(n): pass
    ends()
%s()
'''


def texts():
    exec(SOURCE % ('f', 'a function in a text', 'f'), dict(globals()))
    exec(compile(SOURCE % ('\u0192\u00fc\u00df', 'characters beyond ASCII', '\u0192\u00fc\u00df'), '/tmp/\u0192ile \u00fc.py', 'exec'), dict(globals()))
    exec(compile(SOURCE % ('\u00fc', 'characters of Latin-1', '\u00fc'), '/tmp/\u00fc.py', 'exec'), dict(globals()))
    exec(compile(SOURCE % ('\U0001d4d0', 'characters beyond 16 bits', '\U0001d4d0'), '/tmp/\U0001f600.py', 'exec'), dict(globals()))
    # differences of lines that no single byte has, forwards and backwards
    exec(compile('\n' * 70000 + SOURCE % ('far', 'a line far down', 'far'), 'far.py', 'exec'), dict(globals()))
    many = ''.join('    x%d = (%s\n  1)\n' % (i, '\n' * (i * 37 % 400)) for i in range(200))
    exec(compile('def long():\n%s    begins("a long function")\n    for _ in range(n): pass\n    ends()\nlong()' % many, 'long.py', 'exec'), dict(globals()))


def by_c():
    sum(generator())
    next(delegates())
    list(map(called_back, [1]))
    sorted([2], key=called_back)
    [Things(), Things()].sort()
    functools.partial(called_back, 2)()
    functools.reduce(called_back, [1, 2])
    ctypes.CFUNCTYPE(ctypes.c_int)(called_back)()
    eval('called_back()')


def comprehensions():
    [called_back(i) for i in range(1)]
    {called_back(i): i for i in range(1)}
    list(called_back(i) for i in range(1))
    (lambda: called_back())()


def in_thread(work):
    thread = threading.Thread(target=work, name='worker')
    thread.start()
    thread.join()


def goes_through():
    plain()
    several_lines()
    outer(60, plain)
    things = Things()
    things.method()
    Things.of_class()
    Things.static()
    things.calculated
    things.unknown
    with things: pass
    made = Made()
    del made
    for _ in generator(): pass
    for _ in delegates(): pass
    by_c()
    comprehensions()
    wrapped(1, more=2)
    asyncio.new_event_loop().run_until_complete(gathers())
    catches()
    closure()
    interrupted()
    texts()
    in_thread(plain)
    in_thread(by_c)


OUT.write('\t'.join(['subs'] + [escaped('situations:' + name) for name in globals()]) + '\n')
if REPLAY:
    NULL = os.open('/dev/null', os.O_WRONLY)
    os.write(NULL, b'replay: found python 3.%d' % sys.version_info[1] + (b'.%d\n' % sys.version_info[2] if sys.version_info[1] > 10 else b' \n'))
n = 1 + int(n * min(rounds() and rounds() for _ in range(7)))
print('ready', os.getpid(), flush=True)
while not os.path.exists(FILE + '.go'):
    time.sleep(0.02)
goes_through()
