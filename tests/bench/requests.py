# SPDX-License-Identifier: GPL-2.0-or-later
"""requests.py PORT WORKER SECONDS [RECORDER]: prints "LOST ERROR RATE": by how many per cent the process RECORDER reduces the requests that
nginx serves, the error of this number, and the requests a second while nothing is sampled. The machine's speed changes from second to
second. The recorder's perf events are therefore switched off and on in turn, for PERIOD each, and each period is compared with the periods
before and after it."""
import ctypes, fcntl, os, socket, statistics, sys, time

PERIOD = 0.05
ENABLE, DISABLE = 0x2400, 0x2401  # PERF_EVENT_IOC_*, linux/perf_event.h
PIDFD_GETFD = 438  # x86-64

port, worker, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
recorder = int(sys.argv[4]) if len(sys.argv) > 4 else 0


def descendants(pid):
    yield pid
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        yield from descendants(int(child))


def perf_events():
    """Yields our own duplicates of the recorder's descriptors."""
    libc = ctypes.CDLL(None, use_errno=True)
    for pid in descendants(recorder) if recorder else ():
        for fd in os.listdir(f"/proc/{pid}/fd"):
            if os.readlink(f"/proc/{pid}/fd/{fd}") == "anon_inode:[perf_event]":
                yield libc.syscall(PIDFD_GETFD, os.pidfd_open(pid), int(fd), 0)


def served():
    """Returns the time and the number of requests until then."""
    status.sendall(b"GET /status HTTP/1.1\r\nHost: front.test\r\n\r\n")
    return time.monotonic(), int(status.recv(4096).split(b"requests\n")[1].split()[2])


def rate():
    """Returns the requests a second of one period."""
    before = served()
    time.sleep(PERIOD)
    after = served()
    return (after[1] - before[1]) / (after[0] - before[0])


status = socket.create_connection(("127.0.0.1", port))
events = list(perf_events())
if recorder and not events:
    sys.exit(f"process {recorder} has no perf events")
rates = []
end = time.monotonic() + seconds
while time.monotonic() < end or len(rates) % 2 == 0:  # the first and the last period are without sampling
    for event in events:
        fcntl.ioctl(event, ENABLE if len(rates) % 2 else DISABLE, 0)
    rates.append(rate())
lost = [100 * (1 - 2 * rates[i] / (rates[i - 1] + rates[i + 1])) for i in range(1, len(rates), 2)]
quarters = statistics.quantiles(lost)
# standard error of a median of normally distributed values
error = 1.25 * (quarters[2] - quarters[0]) / 1.35 / len(lost) ** 0.5
print(f"{statistics.median(lost):.2f} {error:.2f} {statistics.median(rates[::2]):.0f}")
