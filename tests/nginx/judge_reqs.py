# SPDX-License-Identifier: GPL-2.0-or-later
# judge_reqs.py FOLDER BACK WORKER…: compares the output of ngx-reqs (FOLDER/json, read between FOLDER/before and FOLDER/after; see
# t/52-reqs.sh) with the clients, nginx's own status and the kernel's sockets. Exit: 0, or 1 after a `not ok`.
import json, sys

LATE = 5  # s: a worker's clock may be so late; it is the time at which the worker began to process a batch of events

folder, back, workers = sys.argv[1], sys.argv[2], [int(w) for w in sys.argv[3:]]
failed = False


def text(name):
    return open(f"{folder}/{name}").read()


def is_so(name, so, *why):
    global failed
    failed |= not so
    print(f"ok {name}" if so else f"not ok {name}: {' '.join(str(w) for w in why)}")


read = json.loads(text("json"))
requests = read["requests"]
by = {}  # (URI, state) -> its requests
for r in requests:
    by.setdefault((r.get("uri"), r.get("state")), []).append(r)


def sum_of(key):
    return sum(w[key] for w in read["workers"])


def which_requests():
    expected = {("/big", None): 4, ("/auth/small", None): 1, ("/back/check", "subrequest"): 1}
    expected.update({(f"/back/slow{i}", None): 1 for i in range(5)})
    unread = [r for k, l in by.items() for r in l if k not in expected]
    counts = {k: len(v) for k, v in by.items()}
    is_so("requests, each once", {k: n for k, n in counts.items() if k in expected} == expected, counts)
    is_so("two have not sent their headers", len(unread) == 2 and all("status" not in r and r["phase"] == "head" for r in unread), unread)
    is_so("timeouts of headers", all(r["waits_for"] == "client read" and 0 < r["timeout"] <= 600 for r in unread), unread)
    ages = [r["age"] for r in requests]
    is_so("the oldest first", ages == sorted(ages, reverse=True), ages)
    is_so("workers", {r["worker"] for r in requests} <= set(workers) == {w["worker"] for w in read["workers"]}, workers)
    is_so("pools", all(r["pool"] >= 4096 for r in requests))


def what_they_are():
    for uri, handler in ("/big", "ngx_http_static_module"), ("/back/slow0", "ngx_http_proxy_module"):
        r = by[uri, None][0]
        found = [r[key] for key in ("method", "client", "host", "phase", "handler")]
        is_so(f"{uri}: what it is", found == ["GET", "127.0.0.1", "front.test", "content", handler], r)
    big, slow = by["/big", None], [by[f"/back/slow{i}", None][0] for i in range(5)]
    is_so("upstream and peer", all((r.get("upstream"), r.get("peer")) == ("back", f"127.0.0.1:{back}") for r in slow), slow)
    is_so("no upstream", all("upstream" not in r for r in big))
    is_so("no status yet", all("status" not in r for r in slow))
    is_so("status", all(r["status"] == 200 for r in big))
    is_so("timeouts of the upstream", all(r["waits_for"] == "upstream read" and 0 < r["timeout"] <= 300 for r in slow), slow)
    is_so("timeouts of clients", all(r["waits_for"] == "client write" and 300 < r["timeout"] <= 900 for r in big), big)
    is_so("a main request waits for its subrequest", by["/auth/small", None][0]["phase"] == "access", by["/auth/small", None])


# each request was sent after `sent` and processed before `seen`
def ages():
    before, after = float(text("before")), float(text("after"))
    bounds = {}
    for line in text("clients").splitlines()[:-1]:
        path, sent, seen = line.split()
        low, high = bounds.get(path, (1e99, 0))
        bounds[path] = min(low, before - float(seen)), max(high, after - float(sent) + LATE)
    for path, (low, high) in bounds.items():
        found = [r["age"] for r in by[path, None]]
        is_so(f"age of {path}", all(low - 0.002 <= a <= high for a in found), found, low, high)


# its own request is not one of ours
def status_of_nginx():
    status, server = text("status").split(), read["server"][0]
    found = sum_of("reading"), sum_of("writing") + 1, sum_of("waiting")
    is_so("connections as in nginx's status", found == tuple(int(status[i]) for i in (11, 13, 15)), read["workers"], status)
    counters = [server[k] + 1 for k in ("accepted", "handled", "requests")]
    is_so("its counters", counters == [int(w) for w in status[7:10]], server, status)


def connections():
    is_so("nothing changing", not [r for r in requests + read["workers"] if r.get("state") == "changing"])
    found = [sum_of(key) for key in ("reading", "waiting", "kept", "upstream")]
    is_so("two read, four waiting or kept, one kept upstream", found == [2, 4, 1, 6], read["workers"])
    for w in read["workers"]:
        opened = sum(w[k] for k in ("reading", "writing", "waiting", "client", "upstream", "kept"))
        sockets = [l for l in text("sockets").splitlines() if f"pid={w['worker']}," in l]
        is_so("sockets of a worker", opened == len(sockets), w, len(sockets))
        is_so("free and used ones are all", w["free"] + opened + w["listening"] + w["other"] == w["connections"] == 64, w)
        is_so("its requests", w["requests"] == len([r for r in requests if r["worker"] == w["worker"]]), w)


which_requests()
what_they_are()
ages()
status_of_nginx()
connections()
sys.exit(failed)
