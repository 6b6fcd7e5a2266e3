# SPDX-License-Identifier: GPL-2.0-or-later
# input/lib.sh: functions for tests/input/t/*.sh, which run in $T with our programs in $PATH. Needs TOP and BIN, which tests/run sets.
# shellcheck disable=SC2086,SC2258,SC2010 # $sample is words, "," is a value, names in out are ours

. "$TOP/tests/lib.sh"
bin=${BIN%/*}
PATH=$bin:$TOP/tests/live/stand-in:$PATH
STAND_IN=good
LC_ALL=C
FLAMETAP_ENGINE=stap
export PATH STAND_IN LC_ALL FLAMETAP_ENGINE
viewers='bt-collapse bt-export bt-flame bt-report bt-resolve'
readers="bt-annotate $viewers" # the recordings here have no file, which bt-annotate mentions
cd "$T"

# bt-export does nothing without a format
mkdir with_format
printf '#!/bin/sh\nexec "%s/bt-export" --pprof "$@"\n' "$bin" >with_format/bt-export
chmod 755 with_format/bt-export
PATH=$T/with_format:$PATH

# said: prints the messages of a program without the account
said() {
	grep -avE 'samples kept, |: no samples$' stderr || :
}

# bad NAME CODE PATTERN COMMAND…: checks that COMMAND exits with CODE and prints one line that matches PATTERN, or nothing if PATTERN is ''
bad() {
	bad_name=$1 bad_code=$2 bad_pattern=$3
	shift 3
	bad_status=0
	"$@" >stdout 2>stderr || bad_status=$?
	expect_error
}

# expect_error: checks the program that ran last
expect_error() {
	if [ "$bad_status" != "$bad_code" ]; then
		not_ok "$bad_name" "exit $bad_status instead of $bad_code"
	elif [ -n "$bad_pattern" ] && [ "$(said | wc -l)" != 1 ]; then
		not_ok "$bad_name" "$(said | wc -l) lines instead of one"
	elif [ -n "$bad_pattern" ] && ! said | grep -qaE -- "$bad_pattern"; then
		not_ok "$bad_name" "no such line: $bad_pattern"
	elif [ -z "$bad_pattern" ] && [ -n "$(said)" ]; then
		not_ok "$bad_name" "it is not silent"
	else
		ok "$bad_name"
		return 0
	fi
	head -n 20 stderr | cut -c 1-300 | note
}

# within MIB COMMAND…: runs COMMAND with the file `in` as stdin; returns its status, or 99 if it took more memory than MIB (with a
# sanitizer, eight times as much), or 124 after 60 s
within() {
	timeout 60 python3 - "$@" <<-'END'
	import os, resource, subprocess, sys
	limit = int(sys.argv[1]) * (8 if os.environ.get("SAN") else 1)
	status = subprocess.run(sys.argv[2:], stdin=open("in")).returncode
	used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
	if used > limit:
	    print(f"{used} MiB instead of {limit}", file=sys.stderr)
	    sys.exit(99)
	sys.exit(status if status >= 0 else 128 - status)
	END
}

# as_nobody COMMAND…: runs COMMAND without the rights of root
as_nobody() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# repeat TEXT N: prints N lines
repeat() {
	TEXT=$1 awk -v n="$2" 'BEGIN { while (n--) print ENVIRON["TEXT"] }'
}

# recording LINE…: prints a recording with these lines and a valid end
recording() {
	printf 'flametap-recording 1\nevent 0 on-cpu samples 1 cpu\ntask 0 1 1 0 a\n'
	printf '%s\n' "$@"
	echo "end $(($# + 3))"
}

frame='frame 0 user pc - 10'
stack='stack 0 user root - 0'
name='name 0 main 0 - - 0'
recording "$frame" "$name" "$stack" 'row 0 0 0 - 5 5' >good.rec
echo 'main;f 5' >good.folded
printf ' f+0x1\n main+0x2\n\t5\n' >good.bt
