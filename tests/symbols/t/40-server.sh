#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 40-server: from a recording of stripped files to their names through a debuginfod server, with the programs that users run. Whatever a
# server does, there is a profile.
set -eu
TOP=${TOP:-$(cd "$(dirname "$0")/../../.." && pwd)}
. "$TOP/tests/lib.sh"
. "$TOP/tests/symbols/lib.sh"
bin=${BINDIR:-bin}
case $bin in /*) ;; *) bin=$TOP/$bin ;; esac
MADE=${MADE:-$TOP/${O:-build}/tests/symbols}

if [ "$(uname -m)" != x86_64 ] || [ "$(id -u)" != 0 ] || [ ! -r /sys/kernel/btf/vmlinux ]; then
	skip all 'the built-in engine needs x86_64, root and a kernel with BTF'
	exit 0
fi
for program in debuginfod eu-addr2line dwz g++ python3; do
	command -v "$program" >/dev/null || { skip all "$program is not installed"; exit 0; }
done

# sample-bt records as root and then becomes nobody; the other programs run as nobody
open_to_all
DEBUGINFOD_URLS=''
export DEBUGINFOD_URLS
CACHE=$XDG_CACHE_HOME/debuginfod_client
mkdir "$T/bin" "$T/files" "$T/empty" "$T/out"
cp "$bin/sample-bt" "$bin/bt-resolve" "$bin/bt-flame" "$bin/bt-collapse" "$MADE/sudo" "$T/bin"
chown "$NOBODY:$NOBODY" "$T/out"

# sample NAME ARG…: records 300 ms of a program as $T/out/NAME.rec, .svg and .folded, with the messages in .err; sets $status
sample() {
	status=0
	(sampling "$@") || status=$?
}

sampling() {
	sampled=$T/out/$1
	shift
	export SUDO_UID="$NOBODY" SUDO_GID="$NOBODY"
	exec "$T/bin/sample-bt" --engine bpf -u --debug-path "$T/empty" -o "$sampled.rec" -o "$sampled.svg" -o "$sampled.folded" "$@" 300 \
		2>"$sampled.err"
}

# run_as_nobody NAME PROGRAM ARG…: runs one of our programs; its output is $T/out/NAME, its messages are NAME.err; sets $status
run_as_nobody() {
	run_name=$1 run_program=$2
	shift 2
	status=0
	(as_nobody "$T/bin/$run_program" "$@") >"$T/out/$run_name" 2>"$T/out/$run_name.err" || status=$?
}

# resolve NAME RECORDING OPTION…: writes $T/out/NAME
resolve() {
	resolve_name=$1 resolve_from=$T/out/$2
	shift 2
	run_as_nobody "$resolve_name" bt-resolve "$@" "$resolve_from"
}

# build FOLDER BUILD: builds the program and its library, not stripped
build() {
	mkdir "$1" "$1/whole"
	for source in libserved served; do
		case $source in lib*) output=$source.so how='-shared -fPIC' ;; *) output=$source how="-L$1/whole -lserved -Wl,-rpath,\$ORIGIN" ;; esac
		# shellcheck disable=SC2086
		"${CXX:-g++}" -O2 -g -Wall -Wextra -Wl,--build-id -DBUILD="$2" -o "$1/whole/$output" "$TOP/tests/symbols/programs/$source.cc" $how
	done
}

# ship FOLDER FROM: FOLDER gets the stripped files of FROM, the server their debug files
ship() {
	for file in served libserved.so; do
		objcopy --only-keep-debug "$2/$file" "$T/files/$(basename "$1")-$file.debug"
		strip -s -o "$1/$file" "$2/$file"
	done
}

# compare_build NAME RECORDING FOLDER: compares its names, inlined calls and lines with eu-addr2line on the unstripped files
compare_build() {
	for file in served libserved.so; do
		whole=$3/whole/$file
		"$TOP/tests/symbols/frames" "$T/out/$2" "$3/$file" >"$T/ours"
		grep '^0x' "$T/ours" >"$T/addresses" || :
		eu-addr2line -a -A -f -i -e "$whole" <"$T/addresses" >"$T/eu"
		"$MADE/rows" "$whole" <"$T/addresses" >"$T/rows"
		uniq "$T/rows" | "$MADE/addresses" -i "$whole" >"$T/ours.rows" 2>/dev/null
		readelf -sW "$whole" >"$T/symbols"
		check "$1: $file: as eu-addr2line says" \
			"$TOP/tests/symbols/judge" eu "$T/ours" "$T/eu" "$T/rows" "$T/ours.rows" "$T/symbols"
		note "$T_top/output"
	done
}

# ids_asked: prints the build-ids that the real server was asked for since the last call, sorted
ids_asked() {
	tail -n "+$(($(cat "$T/heard") + 1))" "$T/log" | sed -n 's#.*UA:elfutils.*GET /buildid/\([0-9a-f]*\)/.*#\1#p' | sort
	wc -l <"$T/log" >"$T/heard"
}

# lacking PCT OPTION…: prints the build-ids of the files whose frames without names are that share of all frames, by the account
lacking() {
	lacking_least=$1
	shift
	resolve csv plain.rec --missing --csv --debuginfod=never "$@"
	awk -F, -v least="$lacking_least" '
		NR > 1 { all += $3; if (/debug file was not found/ && $3 > $5) lacks[$2] = $3 - $5 }
		END { for (id in lacks) if (lacks[id] * 100 >= least * all) print id }' "$T/out/csv" | sort
}

# said NAME: prints the messages about servers, whatever the system's libraries lack; sorted, because the first sample decides which file
# comes first
said() {
	sed -n "s/^[^:]*: //; s/^'[^']*\.rec': //; s#http://[^ ]*127.0.0.1:[0-9]*#SERVER#; s#$T/#T/#g
		s/ [0-9]* s\>/ N s/g; s/[0-9]* files were/N files were/; /for '\/usr/d; /: fetch/d; /SERVER\|server\|debuginfod/p" "$T/out/$1.err" | sort
}

build "$T/split" 1
ship "$T/split" "$T/split/whole"
build "$T/dwz" 2
mkdir "$T/dwz/less"
cp "$T/dwz/whole/served" "$T/dwz/whole/libserved.so" "$T/dwz/less"
(cd "$T/dwz/less" && dwz -m common.dwz -M common.dwz served libserved.so)
ship "$T/dwz" "$T/dwz/less"
mv "$T/dwz/less/common.dwz" "$T/files"

# ---- without a server, and with one

id=$(build_id "$T/split/served")
library_id=$(build_id "$T/split/libserved.so")
alt_id=$(build_id "$T/files/common.dwz")
sample plain -- "$T/split/served"
plain_status=$status
check_eq 'no server: the program alone has no names' 0 "$(grep -c 'walk\|hidden' "$T/out/plain.folded" || :)"
sample dwz --min-quality 0 -- "$T/dwz/served"
resolve missing plain.rec --missing
for file in served libserved.so; do
	check "no server: $file is missing" grep -q " $T/split/$file\$" "$T/out/missing"
done
check_eq 'no server: why' 2 "$(tr -s ' \n' ' ' <"$T/out/missing" |
	grep -o 'it is stripped, and its debug file was not found; [^;]* or set DEBUGINFOD_URLS to a server that has it' | wc -l)"

serve_really "$T/files" "$id/debuginfo" "$library_id/debuginfo" "$alt_id/debuginfo" "$(build_id "$T/dwz/served")/debuginfo" \
	"$(build_id "$T/dwz/libserved.so")/debuginfo" || exit 1
wc -l <"$T/log" >"$T/heard"

resolve never plain.rec --debuginfod=never --inlines --lines
check_eq 'never: nobody is asked' '' "$(ids_asked)"

resolve named plain.rec --inlines --lines
check_eq 'a server: nothing to say of it' '' "$(said named)"
check_eq 'a server: both files are asked for' 2 "$(ids_asked | grep -c "$id\|$library_id")"
compare_build 'a server' named "$T/split"
check_eq 'a server: calls inlined over two levels and more' yes \
	"$(awk 'NF == 1 { n = 0 } NF > 1 && ++n == 3 { print "yes"; exit }' "$T/ours")"
run_as_nobody collapsed bt-collapse --inlines "$T/out/plain.rec"
check 'a server: bt-collapse' grep -q ';walk;.*;step_\[i\];mix_\[i\]' "$T/out/collapsed"
resolve elsewhere plain.rec --inlines --lines --root "$T/empty"
compare_build 'no file is here' elsewhere "$T/split"

dwz_ids=$({ build_id "$T/dwz/served"; build_id "$T/dwz/libserved.so"; echo "$alt_id"; } | sort)
ids_asked >/dev/null
resolve dwz dwz.rec --inlines --lines
check_eq 'dwz: files and what was moved out of them, once' "$dwz_ids" "$(ids_asked | grep -F "$dwz_ids" || :)"
compare_build dwz dwz "$T/dwz"
resolve again dwz.rec --inlines --lines --root "$T/empty"
check_eq 'dwz: all is in the cache' '' "$(ids_asked | grep -F "$dwz_ids" || :)"
compare_build 'dwz, no file is here' again "$T/dwz"

# ---- which files are requested

# asks NAME PCT OPTION…: checks that exactly the files are requested that lack so much
asks() {
	asks_name=$1 asks_least=$2
	shift 2
	asks_ids=$(lacking "$asks_least" "$@")
	empty_home
	resolve asks plain.rec "$@"
	check_eq "$asks_name" "$asks_ids" "$(ids_asked)"
}

asks 'auto: files that matter' 0.5
check_eq 'auto: the program and its library do' 2 "$(echo "$asks_ids" | grep -c "$id\|$library_id")"
asks 'auto: libraries of the system, when they lack names' 0.5 --debug-path "$T/empty"
check 'auto: these are more' test "$(echo "$asks_ids" | wc -l)" -gt 2
empty_home
resolve least plain.rec --debuginfod-min 90
check_eq 'auto: nothing matters that much' '' "$(ids_asked)"
lacking 0 >"$T/lacking"
least=$(awk -F, -v id="$id" -v library="$library_id" '
	NR > 1 { all += $3; lacks[$2] = $3 - $5 }
	END { print 50 * (lacks[id] + lacks[library]) / all }' "$T/out/csv")
asks 'auto: between the two' "$least" --debuginfod-min "$least"
check_eq 'auto: between the two is one of them' 1 "$(echo "$asks_ids" | wc -l)"
empty_home
resolve always plain.rec --debuginfod=always --debuginfod-min 90
check_eq 'always: whatever lacks something' "$(cat "$T/lacking")" "$(ids_asked)"

# ---- all steps with one command, with the settings of sudo's caller
empty_home
status=0
(
	export AS="$NOBODY"
	exec "$T/bin/sudo" "$T/bin/sample-bt" --engine bpf -u --inlines --lines -o "$T/out/sudo.folded" -- "$T/split/served" 300
) >"$T/out/sudo.out" 2>"$T/out/sudo.err" || status=$?
check_eq 'sudo: exit code' 0 "$status"
check_eq 'sudo: both files are asked for' 2 "$(ids_asked | grep -c "$id\|$library_id")"
check_eq 'sudo: whose the cache is' "$NOBODY:$NOBODY" "$(find "$CACHE" -printf '%U:%G\n' | sort -u)"
check 'sudo: the files are there' test -s "$CACHE/$id/debuginfo" -a -s "$CACHE/$library_id/debuginfo"
check 'sudo: calls inlined over two levels' grep -q ';walk served.cc:[0-9]*;.*;step served.cc:[0-9]*_\[i\];mix served.cc:[0-9]*_\[i\]' \
	"$T/out/sudo.folded"
check 'sudo: a function of the library' grep -q ';hidden libserved.cc:[0-9]*' "$T/out/sudo.folded"

# ---- bad servers

# whole NAME: checks that the profile is the same as without a server
whole() {
	check_eq "$1: exit code as without a server" "$plain_status" "$status"
	check "$1: stacks" test "$(awk '/main/ { n += $NF } END { print n + 0 }' "$T/out/$1.folded")" -ge 100
	check "$1: picture" grep -q '^</svg>' "$T/out/$1.svg"
}

# bad HOW NOTE [NOTE_LATER]: NOTE is the message, and NOTE_LATER the message of bt-flame afterwards, which makes its picture
bad() {
	serve "${1#refused }" "$T/files/split-served.debug"
	[ "$1" != 'refused mute' ] || stop_servers
	sample "$1" -- "$T/split/served"
	whole "$1"
	check_eq "$1: what is said" "$2" "$(said "$1")"
	run_as_nobody "$1, flame" bt-flame --debug-path "$T/empty" "$T/out/$1.rec"
	check_eq "$1: bt-flame: exit code" 0 "$status"
	check "$1: bt-flame: picture" grep -q '^</svg>' "$T/out/$1, flame"
	check_eq "$1: bt-flame: what is said" "${3-}" "$(said "$1, flame")"
}

# thrown_away FILE…: checks that these files are deleted
thrown_away() {
	for file; do
		echo "debuginfod: the file sent for 'T/split/$file' is not its debug file; removed from the cache"
	done
}

bad 'refused mute' "debuginfod: SERVER cannot be reached: Couldn't connect to server; N files were not fetched" \
	'debuginfod: SERVER did not answer N s ago and will not be asked for another N s; N files were not fetched'
bad status-404 ''
before=$(asked)
resolve later status-404.rec --debug-path "$T/empty"
check_eq 'status-404: not asked again so soon' "$before" "$(asked)"
resolve later status-404.rec --debug-path "$T/empty" --debuginfod=always
check 'status-404: asked again when that is wished' test "$(asked)" -gt "$before"
bad status-500 'debuginfod: SERVER answered with HTTP status 500; N files were not fetched'
bad short "$(thrown_away libserved.so served)" "$(thrown_away libserved.so served)"
bad garbage "$(thrown_away libserved.so served)" "$(thrown_away libserved.so served)"
check_eq 'garbage: none in the cache' '' "$(find "$CACHE" -name debuginfo)"
serve_really "$T/files" "$id/debuginfo" "$library_id/debuginfo" || exit 1
resolve healed garbage.rec --inlines --lines
compare_build 'garbage: a good server afterwards' healed "$T/split"

# ---- Ctrl-C during the wait for a server

# interrupt HOW FUNCTION ARG…: interrupts FUNCTION, which executes one of our programs, while it waits for such a server
interrupt() {
	serve "$1" "$T/files/split-served.debug"
	shift
	("$@") &
	pid=$!
	until_true grep -q '^ask' "$T/log" || :
	kill -INT $pid
	status=0
	wait $pid || status=$?
}

for how in mute drip; do
	interrupt $how sampling $how -- "$T/split/served"
	whole $how
	check_eq "$how: Ctrl-C is said" 'debuginfod: interrupted; N files were not fetched' "$(said "$how")"
	check_eq "$how: nothing is remembered" '' "$(find "$CACHE" "$XDG_CACHE_HOME/flametap" -name debuginfo -o -name 'debuginfod-silent-*')"
done

flame_less() {
	as_nobody env --default-signal=INT "$T/bin/bt-flame" --lines --debug-path "$T/empty" "$T/out/less.rec" >"$T/out/less.flame" 2>"$T/out/less.err"
}
DEBUGINFOD_URLS=
sample less -- "$T/dwz/less/served"
interrupt mute flame_less
check_eq 'Ctrl-C: the picture is there' '0 1' "$status $(grep -c '^</svg>' "$T/out/less.flame")"
check_eq 'Ctrl-C: one is enough for all files' "debuginfod: interrupted; N files were not fetched
debuginfod: interrupted; N files were not fetched" "$(said less | sed "s#'[^']*' was#N files were#")"
check_eq 'Ctrl-C: nobody is asked for what dwz moved' '' "$(grep "$alt_id" "$T/log" || :)"
