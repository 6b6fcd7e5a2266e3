# SPDX-License-Identifier: GPL-2.0-or-later
# export/lib.sh: functions for tests/export/t/*.sh, which run in $T. The output of bt-export is read as others read it: with pprof's own
# schema through Google's protobuf, with go tool pprof, with speedscope's schema from its npm package, and by the rules of the Firefox profiler's
# types. The weights of functions must
# equal the weights in bt-report.

. "$TOP/tests/lib.sh"
generate=${MADE%/*}/bench/generate
PATH=${BIN%/*}:$PATH
LC_ALL=C.UTF-8
PYTHONPATH=$T
PPROF_TMPDIR=$T/pprof
SCHEMA=${XDG_CACHE_HOME:-$HOME/.cache}/flametap/speedscope-1.25.0/node_modules/speedscope/dist/release/file-format-schema.json
export PATH LC_ALL PYTHONPATH PPROF_TMPDIR SCHEMA
cd "$T"

# ---- the readers

# python_with MODULE: prints the first python3 that has MODULE, or nothing
python_with() {
	for python in python3 /usr/bin/python3; do
		! "$python" -c "import $1" 2>python.err || {
			echo "$python"
			break
		}
	done
}

# read_as WHAT FILE: see read.py
read_as() {
	case $1 in
	pprof | stacks | places) python=$pprof ;;
	valid) python=$schema ;;
	*) python=python3 ;;
	esac
	"$python" "$TOP/tests/export/read.py" "$@"
}

proto=$(ls -d /usr/share/gocode/src/github.com/google/pprof/proto /usr/share/gocode/src/github.com/google/pprof*/proto 2>/dev/null | head -n 1)
pprof='' go='' schema=''
if [ -z "$proto" ] || ! protoc --proto_path="$proto" --python_out=. profile.proto >protoc.err 2>&1; then
	skip 'pprof' "pprof's profile.proto, or protoc, is not installed"
else
	pprof=$(python_with profile_pb2)
	[ -n "$pprof" ] || skip 'pprof' "python3's protobuf is not installed, or too old"
fi
if go tool pprof -h >go.out 2>&1 || grep -q -- -nodecount go.out; then
	go=yes
else
	skip 'go tool pprof' 'go is not installed'
fi
if [ ! -f "$SCHEMA" ]; then
	skip "speedscope's schema" 'npm is not installed, or cannot reach its registry'
else
	schema=$(python_with jsonschema)
	[ -n "$schema" ] || skip "speedscope's schema" 'python3-jsonschema is not installed'
fi

# ---- the weight of every function, for any input

# report FILE: prints the weights of functions by their names alone, as pprof and speedscope know them; wakers keep their suffix
report() {
	bt-export --folded "$1" 2>folded.err | LC_ALL=C sed -E 's/_\[[kij]\](;| [0-9]+$)/\1/g; s/_\[w\]/_\\x5bw]/g' |
		bt-report --json --demangle=none 2>report.err >report.json || :
	read_as report report.json
}

# write FORMAT FILE OUT [OPTION…]: the exit code is expected to equal bt-collapse's
write() {
	status=0 expected=0
	write_as=$1 write_of=$2 write_out=$3
	shift 3
	bt-export "--$write_as" "$@" "$write_of" >"$write_out" 2>write.err || status=$?
	set -- "$write_as" "$write_of"
	bt-collapse "$2" >folded 2>folded.err || expected=$?
	[ "$status" = "$expected" ] || {
		echo "exit $status instead of $expected"
		return 1
	}
}

same_pprof() {
	write pprof "$1" out.pb.gz && gzip -t out.pb.gz && read_as pprof out.pb.gz >actual && diff -u expected actual
}

# weights are microseconds or have no unit; unless a unit is given, pprof rounds to seconds
same_go() {
	go tool pprof -symbolize=none -sample_index=0 -top -nodecount=1000000 -nodefraction=0 -edgefraction=0 -unit=us out.pb.gz >top 2>go.err || {
		cat go.err
		return 1
	}
	read_as top top >actual
	sed '$d' expected | diff -u - actual
}

same_speedscope() {
	write speedscope "$1" out.json && read_as speedscope out.json >actual && diff -u expected actual
}

# task frames are threads there, and no functions
same_firefox() {
	write firefox "$1" out.firefox && read_as firefox out.firefox >actual || return 1
	LC_ALL=C sort expected >sorted
	LC_ALL=C sort actual | LC_ALL=C comm -23 - sorted >more
	cat more
	[ ! -s more ] && [ "$(tail -n 1 actual)" = "$(tail -n 1 expected)" ]
}

# same_again: checks that the output of bt-export is read as the same profile
same_again() {
	write pprof "$1" again.pb.gz --demangle=none --inlines && again_status=0 && again_expected=0
	bt-collapse --demangle=none --inlines "$1" >before 2>/dev/null || again_expected=$?
	bt-collapse again.pb.gz --demangle=none >after 2>again.err || again_status=$?
	[ "$again_status" = "$again_expected" ] && diff -u before after
}

# same NAME FILE: checks that all readers see the same weights
same() {
	report "$2" >expected
	[ -z "$pprof" ] || check "pprof: $1" same_pprof "$2"
	[ -z "$pprof" ] || [ -z "$go" ] || check "go tool pprof: $1" same_go
	case $1 in
	folded/escapes | 'a chain of '*) ;; # bytes that pprof cannot have; more inlined calls than it can have
	*) check "pprof as input: $1" same_again "$2" ;;
	esac
	check "speedscope: $1" same_speedscope "$2"
	check "firefox: $1" same_firefox "$2"
	[ -z "$schema" ] || check "speedscope's schema: $1" read_as valid out.json
}
