# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal.py COMMAND ARG...: runs COMMAND with a terminal, copies what it writes there to standard output, and exits as it does.

When the last process closes a terminal, output that nobody has read yet may be lost. So this process keeps it open, and marks the end."""
import fcntl
import os
import pty
import subprocess
import sys
import termios
import threading

END = b"\0end\0"


def run(command):
    os.setsid()
    terminal, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSCTTY, 0)
    child = subprocess.Popen(command, stdin=side, stdout=side, stderr=side)

    def mark_end():
        child.wait()
        os.write(side, END)

    threading.Thread(target=mark_end).start()
    out = b""
    while END not in out:
        out += os.read(terminal, 65536)
    sys.stdout.buffer.write(out[:out.index(END)])
    sys.stdout.flush()
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


pid = os.fork() # the leader of a process group cannot begin a session
if not pid:
    os._exit(run(sys.argv[1:]))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
