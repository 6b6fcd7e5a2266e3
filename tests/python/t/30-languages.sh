#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-languages: several languages in one recording: each process has the stacks of its own language, and no others.
set -u
. "$TOP/tests/python/lib.sh"

recorder() {
	"$BIN" --engine bpf "$@"
}

perl=/usr/bin/perl python=/usr/bin/python3 lua=$(command -v lua5.4 || command -v luajit || echo none)
for program in $perl $python "$lua"; do
	[ -x "$program" ] || { skip 'several languages' "there is no $program"; exit 0; }
done

# Each program works in one function of its own until the second argument is used up, if there is one.
cat >"$T/works.pl" <<'END'
my $left = shift // 'inf';
sub in_perl { my $n = 0; $n += $_ for 1 .. 100_000; return $n }
in_perl() while $left-- > 0;
exec @ARGV if @ARGV;
END
cat >"$T/works.py" <<'END'
import sys
left = float(sys.argv[1]) if len(sys.argv) > 1 else float('inf')
def in_python():
    return sum(n * n for n in range(100_000))
while left > 0:
    in_python()
    left -= 1
END
cat >"$T/works.lua" <<'END'
local left = tonumber(arg[1]) or math.huge
local function in_lua() local n = 0; for i = 1, 1000000 do n = n + i % 7 end; return n end
while left > 0 do in_lua(); left = left - 1 end
END

# strangers NAME: prints the rows with a function of another language than the language of their process, whose name is the root frame. A
# process that executes another program counts as what it was until the recorder knows of it.
strangers() {
	grep -aE '^perl;.*in_(python|lua)|^python[^;]*;.*in_(perl|lua)|^lua[^;]*;.*in_(perl|python)' "$T/$1.folded"
	[ "$1" != command ] || return 0
	grep -aE '^perl;.*\[(python|lua|ruby|php): |^python[^;]*;.*\[(perl|lua|ruby|php): |^lua[^;]*;.*\[(perl|python|ruby|php): ' "$T/$1.folded"
}

sees_all() {
	record_longer "$@"
	strangers "$1" >>"$T/$1.strangers"
	for seen in '^perl;.*in_perl' '^python[^;]*;.*in_python' '^lua[^;]*;.*in_lua'; do
		grep -qaE "$seen" "$T/$1.folded" || return 1
	done
}

# each_its_own NAME ARG…: records until the function of each language was seen
each_its_own() {
	longer=$decided_seconds
	: >"$T/$1.strangers"
	until_true sees_all "$@" || :
	for seen in perl python lua; do
		check "$1: $seen" grep -qaE "^$seen[^;]*;.*in_$seen" "$T/$1.folded"
	done
	check_eq "$1: functions of others" '' "$(cat "$T/$1.strangers")"
}

$perl "$T/works.pl" &
pids=$!
$python "$T/works.py" &
pids=$pids,$!
$lua "$T/works.lua" &
pids=$pids,$!
sh -c 'while :; do :; done' &
shell=$!
at_end "kill $(echo $pids $shell | tr , ' ') 2>/dev/null"

each_its_own auto --vm auto -p $pids,$shell
check_eq 'auto: a process without an interpreter' '' "$(grep -a '^sh;' "$T/auto.folded")"
each_its_own listed --perl --vm python,lua -p $pids
each_its_own mixed --mixed -p $pids,$shell
check 'mixed: a process without an interpreter' grep -qaE '^sh;.*main' "$T/mixed.folded"
check_eq 'mixed: interpreters in it' '' "$(grep -aE '^sh;.*(in_(perl|python|lua)|\[(perl|python|lua|ruby|php): )' "$T/mixed.folded")"
record_until_seen one '^perl;.*in_perl' --perl -p $pids
check_eq 'one: the others' '' "$(grep -aE 'in_(python|lua)' "$T/one.folded")"
record some --perl --ruby -p $pids -t 2
check 'a language that none runs: said' grep -q 'there are no Ruby stacks: none of the processes runs Ruby' "$T/some.err"
recorder --vm auto -p $shell -t 1 >"$T/out" 2>"$T/said"
check_eq 'no interpreter: exit' 2 $?
check 'no interpreter: said' grep -q "no Perl, Lua, Python, Ruby or PHP runs in process $shell" "$T/said"

# processes that start later; one of them runs Perl, and then Python
decided_seconds=
each_its_own command --vm auto -- sh -c "$perl $T/works.pl 40 & $lua $T/works.lua 40 & $perl $T/works.pl 40 $python $T/works.py 40; wait"

# two interpreters in one process: the executable's own language counts
# both_in NAME TAKEN LEFT COMMAND…: COMMAND runs both, prints "ready" and works in one function of each language that has one
both_in() {
	both_name=$1 taken=$2 left=$3
	shift 3
	"$@" >"$T/ready" 2>"$T/said" &
	both=$!
	at_end "kill $(echo $pids $shell | tr , ' ') $both 2>/dev/null"
	until_true sh -c "grep -q ready '$T/ready' || ! kill -0 $both 2>/dev/null" || :
	if grep -q ready "$T/ready"; then
		record "$both_name" --vm auto -p $both -t 2
		check "$both_name: said" grep -q "runs $taken and $left: only its $taken stacks are recorded" "$T/$both_name.err"
	else
		skip "$both_name" "$(tail -n 1 "$T/said")"
	fi
}
for library in libperl.so.5.36:Perl libluajit-5.1.so.2:Lua; do
	printf 'import ctypes\nctypes.CDLL("%s")\nprint("ready", flush=True)\n' "${library%:*}" | cat - "$T/works.py" >"$T/both.py"
	both_in "Python with ${library#*:}" Python "${library#*:}" $python "$T/both.py"
	decided_seconds=0.5
	grep -q ready "$T/ready" && record_until_seen "Python with ${library#*:}: its function" in_python --vm auto -p $both
	decided_seconds=
	kill $both 2>/dev/null || :
done

# programs in C: the first one is linked with libpython, the second one is not
cat >"$T/holds.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int Py_IsInitialized(void);
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL))
			return fprintf(stderr, "%s\n", dlerror()), 1;
#ifdef LINKED
	if (Py_IsInitialized())
		return 1;
#endif
	puts("ready");
	fflush(stdout);
	for (;;)
		__asm__ volatile("" ::: "memory");
}
END
libpython=$(ldconfig -p | sed -n 's/^[[:space:]]*\(libpython3[.0-9]*[.]so[.]1[.]0\) .*/\1/p' | head -n 1)
if [ "$libpython" ] && cc -DLINKED -o "$T/linked" "$T/holds.c" "-l:$libpython" -ldl 2>"$T/said" && cc -o "$T/loads" "$T/holds.c" -ldl; then
	both_in 'linked with libpython' Python Perl "$T/linked" libperl.so.5.36
	kill $both 2>/dev/null || :
	both_in 'loads both' Perl Python "$T/loads" "$libpython" libperl.so.5.36
	kill $both 2>/dev/null || :
else
	skip 'linked with libpython' 'needs a compiler and libpython'
fi
