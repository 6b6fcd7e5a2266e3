# SPDX-License-Identifier: GPL-2.0-or-later
# Misspelt options, and options and arguments that do not fit together. Values that each option rejects alone are in 10-options.py.
# shellcheck disable=SC2086,SC2258,SC2010 # $sample is words, "," is a value, names in out are ours
set -eu

. "$TOP/tests/input/lib.sh"

# ---- misspelt options

bad 'bt-flame: swapped letters' 64 "^bt-flame: unrecognized option '--titel': did you mean --title\?$" bt-flame --titel=x good.folded
bad 'bt-report: two that are similar' 64 ": did you mean --callers or --callees\?$" bt-report --caller none --callres=f good.folded
bad 'bt-flame: nothing similar' 64 "^bt-flame: unrecognized option '--xyzzy'; try --help$" bt-flame --xyzzy good.folded
bad 'bt-flame: no such letter' 64 "^bt-flame: unrecognized option '-Z'; try --help$" bt-flame -Z good.folded
bad 'bt-flame: one dash' 64 "^bt-flame: unrecognized option '-title': did you mean --title\?$" bt-flame -title x good.folded
bad 'bt-flame: the beginning of several' 64 "^bt-flame: option '--s' is ambiguous: --skip-after, --skid, --scheduler, --samples, --subtitle$" bt-flame --s good.folded
bad 'bt-flame: no value' 64 "^bt-flame: option '--title' requires an argument$" bt-flame good.folded --title
bad 'bt-flame: a value too many' 64 "^bt-flame: option '--reverse' doesn't allow an argument$" bt-flame --reverse=yes good.folded
bad 'bt-flame: a value that looks like an option' 0 '' bt-flame --title --titel good.folded -- 
bad 'bt-annotate: letters without a value' 64 "^bt-annotate: option '-o' requires an argument$" bt-annotate good.rec -o
bad 'sample-bt: swapped letters' 64 "^sample-bt: unrecognized option '--pdi': did you mean --pid\?$" sample-bt --pdi 1
bad "sample-bt: an option of the command" 2 "^sample-bt: cannot find the program 'none/x'" sample-bt -- none/x --pdi
bad 'sample-bt-off-cpu: an option of its script' 64 "^sample-bt-off-cpu: unrecognized option '--stat_e': did you mean --state\?$" \
	"$TOP/bin/sample-bt-off-cpu" --stat_e S
bad 'ngx-mem: an argument for -p' 64 "^ngx-mem: unexpected argument '1': give the process as -p PID$" ngx-mem 1
bad 'ngx-mem: an argument too many' 64 "^ngx-mem: unexpected argument '2': try --help$" ngx-mem -p 1 2
bad 'ngx-reqs: a time apart from --watch' 64 "^ngx-reqs: unexpected argument '2': give the time as --watch=TIME$" ngx-reqs -p 1 --watch 2
bad 'ngx-reqs: --time alone' 64 "^ngx-reqs: --time without --watch: give both, or none$" ngx-reqs -p 1 -t 2
bad 'ngx-reqs: --connections alone' 64 "^ngx-reqs: --connections is for CSV" ngx-reqs -p 1 --text --connections
bad 'ngx-latency: two labels' 64 "^ngx-latency: --where host=b: only one KEY can be given" ngx-latency -p 1 --where uri=/a --where host=b
bad 'ngx-latency: --table by alone' 64 "^ngx-latency: --table by without --by: give both$" ngx-latency -p 1 --table by
for program in bt-report bt-flame sample-bt; do
	bad "$program: two --by" 64 "^$program: --by: given twice; separate several keys with a comma$" $program --by comm --by=state good.rec
done
bad 'bt-flame: help comes first' 0 '' bt-flame --help --titel

# ---- sample-bt: its command line

# wrong NAME PATTERN ARG…: checks that sample-bt rejects these arguments
wrong() {
	wrong_name=$1 wrong_pattern=$2
	shift 2
	bad "sample-bt: $wrong_name" 64 "^sample-bt: $wrong_pattern" sample-bt "$@"
}

wrong 'a slice that the recording ends in' '--slice is not shorter than the recording' -p 1 -t 2 --slice 2s
wrong 'operators without an interpreter' '--with op needs an interpreter: --perl, --lua, --php, --vm auto or --mixed; try --help$' -p 1 --with op
wrong 'operators of an interpreter without them' '--with op needs an interpreter: --perl, --lua, --php, --vm auto or --mixed; try --help$' -p 1 --ruby --with op
wrong 'operators of a script without them' '--with op: the script vfs does not support it; try --help$' -p 1 --script vfs --perl --with op
wrong 'operators by SystemTap' \
	'the label op needs the built-in engine, SystemTap does not record operators: --engine bpf; try --help$' \
	-p 1 --perl --by op --engine stap
wrong 'a label that the script does not have' "--by: the script vfs does not record the label 'pth'; its labels are op, path, syscall, error, .*; \
other keys are comm, thread, process; did you mean 'path'\?$" -p 1 --script vfs --by comm,pth
wrong 'a label of samples that are shown' "--where: the script locks does not record the label 'kinds'; its labels are lock, .*; did you mean 'kind'\?$" \
	-p 1 --script locks --where kinds=futex
wrong 'a label that perf calls so' "--by: the script on-cpu does not record the label 'pid'; .*; did you mean 'process'\?$" -p 1 --by pid
wrong 'a label of sources that are not asked for' "--by: the label 'uri' needs --nginx or --php-request$" -p 1 --by uri
wrong 'a label of a source that another one does not have' "--by: the label 'location' needs --nginx$" -p 1 --php-request --by location
wrong 'a label of interpreters' "--by: the label 'vmstate' needs --lua, --python, --vm auto or --mixed$" -p 1 --by vmstate
for words in '--script off-cpu --distr --by range' '--script vfs --where error=' '--by container' '--script syscalls --by thread,error'; do
	check "sample-bt: $words is taken" sample-bt -d -p $$ --engine bpf $words
done
mkdir -p own/stap
sed '/^\/\/ flametap: keys/d' "$TOP/stap/faults.stp" >own/stap/own.stp
check 'sample-bt: a script that does not declare its labels may have any' \
	env FLAMETAP_DATADIR="$PWD/own" sample-bt -d -p $$ --engine bpf --script own --by any
sed '/^\/\/ flametap: takes/s/ label//' "$TOP/stap/faults.stp" >own/stap/bare.stp
bad 'sample-bt: labels of a script without them' 64 '^sample-bt: --postgres: the script bare does not support it; try --help$' \
	env FLAMETAP_DATADIR="$PWD/own" sample-bt -p 1 --engine bpf --script bare --postgres
bad 'sample-bt: a label of sources with a script that takes none' 64 "^sample-bt: --by: the script bare does not record the label 'uri'; .*" \
	env FLAMETAP_DATADIR="$PWD/own" sample-bt -p 1 --engine bpf --script bare --by uri
check 'sample-bt-vfs: the completion of --by has its labels' sh -c \
	"sample-bt --script vfs --help | awk -v shell=bash -v program=sample-bt -f '$TOP/completion/completion.awk' | grep -q -e \"--by) .*process op path syscall error cgroup\""
wrong 'a rate where there is none' '-F: the script off-cpu does not support it' -p 1 --script off-cpu -F 99
wrong 'idle where there is none' '--idle: the script off-cpu does not support it' -a --idle --script off-cpu
check 'sample-bt: --help lists what the script supports' sh -c "sample-bt --help | grep -q -e --rate && sample-bt --script off-cpu --help | grep -q -e --perl"
check_eq 'sample-bt: --help omits what it does not' '' "$(sample-bt --script off-cpu --help | grep -oE -e '--(rate|idle)')"
bad 'sample-bt: an engine in the environment' 64 "^sample-bt: invalid FLAMETAP_ENGINE 'x': use auto, stap or bpf" \
	env FLAMETAP_ENGINE=x sample-bt -p 1
bad 'sample-bt: an option of another script' 64 "unrecognized option '--state'" sample-bt -p 1 --state S
wrong 'user stacks in place of which Perl stands' '--perl replaces the stacks of -u; use --mixed' -p 1 --perl -u
wrong 'user stacks in place of which Lua stands' '--lua replaces the stacks of -u; use --mixed' -p 1 --lua -u
wrong 'mixed Lua with SystemTap' '--mixed with --lua needs the built-in engine, .*: --engine bpf' -p 1 --mixed --lua --engine stap
for option in --compile-only --module=x.ko --stap-arg=-v; do
	wrong "mixed Lua with $option" '--mixed with --lua needs the built-in engine: it cannot be combined with --module' -p 1 --mixed --lua --engine auto "$option"
done
wrong 'user stacks in place of which any interpreter stands' '--vm replaces the stacks of -u; use --mixed' -p 1 --vm auto -u
wrong '--vm auto with SystemTap' '--vm auto needs the built-in engine, SystemTap does not look for interpreters: --engine bpf' -p 1 --vm auto --engine stap
wrong '--mixed alone with SystemTap' '--mixed without a language needs the built-in engine, SystemTap does not look for interpreters: --engine bpf' \
	-p 1 --mixed --engine stap
wrong 'two languages with SystemTap' 'recording several languages needs the built-in engine, SystemTap does not walk their stacks at once: --engine bpf' \
	-p 1 --perl --python --engine stap
wrong 'two languages in a module' 'recording several languages needs the built-in engine: it cannot be combined with --module' \
	-p 1 --vm perl,python --engine auto --compile-only
for option in --compile-only --module=x.ko --stap-arg=-v; do
	wrong "pools with $option" 'the script pools needs the built-in engine: it cannot be combined with --module' -p 1 --script pools --engine auto "$option"
done
wrong '--last with SystemTap' '--last needs the built-in engine, SystemTap does not hand over slices before the end: --engine bpf' -p 1 --last 60s --engine stap
wrong 'pools with SystemTap' 'the script pools needs the built-in engine, SystemTap does not record pools: --engine bpf' -p 1 --script pools --engine stap
wrong 'idle processors in Perl' '--idle: no interpreter runs on an idle processor' -a --idle --perl
wrong 'idle processors in mixed stacks' '--idle: no interpreter runs on an idle processor' -a --idle --mixed -u
wrong '--max below --min' '--min exceeds --max' -p 1 --script off-cpu --min 10 --max 9
bad 'sample-bt: no such script' 2 "^sample-bt: cannot find the script 'off-beat.stp'" sample-bt -p $$ --script off-beat
wrong 'no target' 'nothing to record: give one of -p PID'
wrong 'two targets' 'too many targets: give one of' -p 1 -a
wrong 'a process, and all with a command' 'too many targets: give one of' -p 1 -a -- true
wrong 'processes and threads' 'too many targets' -p 1 --tid 1
wrong 'a process and a command' 'too many targets' -p 1 -- true
wrong 'a command without --' "'true': put the command after --" true
wrong 'no such option' "unrecognized option '--none'" --none
bad 'sample-bt: no such process' 2 '^sample-bt: .*2147483647' sample-bt -p 2147483647 -t 1
perl -Mthreads -e '$| = 1; async { sleep 600 }; print "ready\n"; sleep 600' >ready &
process=$!
until_true grep -q ready ready
thread=$(ls "/proc/$process/task" | grep -vx "$process")
bad 'sample-bt: a thread as process' 2 "^sample-bt: $thread is a thread of process $process: give -p $process, or --tid $thread" \
	sample-bt -p "$thread" -t 1
kill "$process"
bad 'sample-bt: no such command' 2 "^sample-bt: cannot find the program 'none/x'" sample-bt -- none/x
