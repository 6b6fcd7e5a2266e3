# SPDX-License-Identifier: GPL-2.0-or-later
# python/gil.sh: a program whose threads are known to have the GIL or not. To be sourced after lib.sh.

cat >"$T/gil.py" <<'END'
import gc, hashlib, sys, threading
data = bytes(1 << 26)
many = [[] for i in range(1000000)] if 'collects' in sys.argv else None
def computes():
    n = 0
    while True:
        n = (n * 7 + 1) % 1000003
def hashes():
    while True:
        hashlib.sha256(data).digest()
def collects():
    while True:
        gc.collect()
for name in sys.argv[2:]:
    threading.Thread(target=globals()[name], daemon=True).start()
print('ready', flush=True)
globals()[sys.argv[1]]()
END

# gil_is NAME REGEX ROOT PYTHON FUNCTION…: records until it is decided that the functions' samples match REGEX, in the folder ROOT
gil_is() {
	gil_name=$1 gil_regex=$2 gil_root=$3
	shift 3
	gil_python=$1
	shift
	if [ "$gil_root" ]; then
		cp "$T/gil.py" "$gil_root/tmp/gil.py"
		chroot "$gil_root" "$gil_python" /tmp/gil.py "$@" >"$T/ready" &
	else
		"$gil_python" "$T/gil.py" "$@" >"$T/ready" &
	fi
	target=$!
	until_true grep -q ready "$T/ready" || :
	record_until_decided "$gil_name" "$gil_regex" -p $target --by vmstate
	kill $target
	wait $target 2>/dev/null || :
}

# gil_states NAME GC ROOT PYTHON: GC is what threads are labelled with that collect garbage
gil_states() {
	gil_is "$1: computes" '^gil;(.*;)?gil:computes' "$3" "$4" computes
	gil_is "$1: hashes" '^no-gil;(.*;)?gil:hashes' "$3" "$4" hashes
	gil_is "$1: collects" "^$2;(.*;)?gil:collects" "$3" "$4" collects
	gil_is "$1: threads" '^gil;(.*;)?gil:computes|^no-gil;(.*;)?gil:hashes' "$3" "$4" computes hashes
}
