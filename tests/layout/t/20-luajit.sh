# SPDX-License-Identifier: GPL-2.0-or-later
# 20-luajit: luajit_find, lj-gc and lj-gc-objs on the LuaJIT of this system, of Debian's other releases, and on OpenResty's fork.
set -u

. "$TOP/tests/lib.sh"
. "$TOP/tests/roots.sh"
here=$TOP/tests/layout
export LC_ALL=C

# names_of_vmdef FILE: prints the names as luajit_layout does. Two functions have other names in the libraries; two are in no library.
names_of_vmdef() {
	tr -d '\n' <"$1" | sed 's/.*ffnames = {\[0\]=\([^}]*\)}.*/\1/' | tr ',' '\n' | tr -d '"' | awk '/./ && ++n > 2 { print n - 1, $0 }' |
		sed -e 's/ io\.method\./ file:/' -e 's/ buffer\.method\./ buffer:/' -e 's/ buffer\./ string.buffer./' \
			-e 's/buffer:__tostring/buffer:tostring/' -e '/ ffi\.callback\./d' -e 's/ table\.unpack$/ unpack/'
}

# has_traces PID: checks that the program has made traces; leaves $T/layout
has_traces() {
	"$layout" "$1" 2 >"$T/layout" 2>"$T/times" && grep -q ', with traces' "$T/layout"
}

# luajit_layout NAME PID FORK VMDEF: checks what luajit_find finds in the running luajit_busy.lua
luajit_layout() {
	until_true has_traces "$2"
	check_eq "luajit/$1: states" "$3, 1 state" "$(sed -n '1s/.*of process [0-9]*, //p' "$T/layout")"
	check "luajit/$1: traces" grep -q ', with traces' "$T/layout"
	check_eq "luajit/$1: offsets" '' "$(grep -E '^(current|jit_base|traces|nr_traces) 0$' "$T/layout")"
	if [ -f "$4" ]; then
		names_of_vmdef "$4" >"$T/by-vmdef"
		sed -n -e "s/ table\.unpack$/ unpack/" -e "/^[0-9]/p" "$T/layout" >"$T/by-find"
		check "luajit/$1: names of its functions" diff "$T/by-vmdef" "$T/by-find"
	fi
}

# busy_luajit NAME FORK VMDEF COMMAND…: checks luajit_layout of COMMAND
busy_luajit() {
	of=$1 fork=$2 vmdef=$3
	shift 3
	"$@" &
	target=$!
	await_start "$target"
	luajit_layout "$of" "$target" "$fork" "$vmdef"
	kill "$target"
	wait "$target" 2>/dev/null || :
}

# other_luajit NAME: checks one of $luajits; Debian has no other build than the fork's in its later releases
other_luajit() {
	if ! luajit_root "$1"; then
		skip "luajit/$1" "$no_root"
		return
	fi
	vmdef=''
	[ "$1" = fork ] || vmdef=$(echo "$root"/usr/share/luajit-2.1*/jit/vmdef.lua) # the fork's modules have another version
	scripts=$(mktemp -d "$root/tmp/flametap.XXXXXX")
	cp "$here"/luajit_*.lua "$scripts"
	of=$1
	set -- chroot "$root" "$luajit"
	scripts_inside=${scripts#"$root"}
	busy_luajit "$of" "OpenResty's fork" "$vmdef" "$@" "$scripts_inside/luajit_busy.lua"
	lj_gc_objs "$of" "$@"
	rm -rf "$scripts"
}

# lj_gc: compares its output for a stopped collector with Lua's own numbers
lj_gc() {
	# the first output allocates its buffer
	luajit -e 'jit.off() local all = {} for i = 1, 1e5 do all[i] = { i } end collectgarbage("setpause", 321) collectgarbage("stop")
		for i = 1, 2 do io.write(collectgarbage("count") * 1024, "\n") end io.flush() while true do end' >"$T/count" &
	target=$!
	until_true test -s "$T/count"
	"$lj_gc" -p "$target" >"$T/gc"
	check_eq "lj-gc: exit code" 0 $?
	kill "$target"
	wait "$target" 2>/dev/null || :
	check_eq "lj-gc: phase, pause and stepmul" 'pause 321 200' "$(awk -F, 'NR == 2 { print $3, $8, $9 }' "$T/gc")"
	check_eq "lj-gc: total" "$(tail -n 1 "$T/count")" "$(awk -F, 'NR == 2 { print $4 }' "$T/gc")"
	"$lj_gc" -p $$ >"$T/gc" 2>&1
	check_eq "lj-gc: exit code without LuaJIT" 2 $?
	check "lj-gc: no LuaJIT" grep -q "^lj-gc: no LuaJIT in process $$: " "$T/gc"
}

# count_objects OBJECTS COMMAND…: writes $T/objects for a program that keeps OBJECTS objects of each kind, and its own count to $T/count
count_objects() {
	kept=$1
	shift
	rm -f "$T/count"
	OBJECTS=$kept "$@" "$scripts_inside/luajit_objects.lua" >"$T/count" &
	target=$!
	until_true test -s "$T/count"
	"$lj_gc-objs" -p "$target" >"$T/objects" 2>"$T/said"
	check_eq "lj-gc-objs/$of: exit code" 0 $?
	"$lj_gc-objs" -p "$target" --top 1 >"$T/top" 2>/dev/null
	kill "$target"
	wait "$target" 2>/dev/null || :
}

# whole_objects: reads once; $rc says whether the reading is complete. $T/unsaid gets a reading that is not complete and does not say so.
whole_objects() {
	"$lj_gc-objs" -p "$target" >"$T/objects" 2>"$T/said"
	rc=$?
	grep -q 'could not be followed\|freed meanwhile' "$T/said" && said=1 || said=0
	[ "$rc" = "$said" ] || cp "$T/said" "$T/unsaid"
	[ "$rc" = 0 ]
}

# unexplained FILE: prints the bytes that belong to no object: the state itself and its buffers
unexplained() {
	awk -F, '$2 == "other" { print $4 }' "$1"
}

# stopped_objects: checks that all bytes are explained, except for an object that is being made; a moment at which a table or a buffer is
# being moved to a larger place does not count
stopped_objects() {
	stopped=0
	"$lj_gc-objs" -p "$target" --stop 5s >"$T/objects" 2>"$T/said" || stopped=$?
	[ "$(unexplained "$T/objects")" -le $(($(unexplained "$T/objects.0") + 1000)) ]
}

# busy_objects COMMAND…: checks a program whose objects change all the time. How fast it is read depends on the machine. A reading says so
# if it is not complete, and a reading of the stopped program is complete.
busy_objects() {
	rm -f "$T/count" "$T/unsaid"
	OBJECTS=1000 BUSY=1 "$@" "$scripts_inside/luajit_objects.lua" >"$T/count" &
	target=$!
	until_true test -s "$T/count"
	until_true whole_objects || note "$T/said"
	check_eq "lj-gc-objs/$of: busy: whole, or said" '' "$(cat "$T/unsaid" 2>/dev/null)"
	check "lj-gc-objs/$of: stopped: all is explained" until_true stopped_objects
	check_eq "lj-gc-objs/$of: stopped: exit code" 0 "$stopped"
	check "lj-gc-objs/$of: stopped" grep -q ', stopped for [0-9.]* ms$' "$T/said"
	check "lj-gc-objs/$of: goes on" grep -q '^State:	[RSD]' "/proc/$target/status"
	check_eq "lj-gc-objs/$of: is not traced" 'TracerPid:	0' "$(grep TracerPid "/proc/$target/status")"
	kill "$target"
	wait "$target" 2>/dev/null || :
}

# lj_gc_objs NAME COMMAND…: compares the sums with the known objects and with Lua's own numbers
lj_gc_objs() {
	of=$1
	shift
	count_objects 0 "$@"
	mv "$T/objects" "$T/objects.0"
	count_objects 1000 "$@"
	check_eq "lj-gc-objs/$of: types" 'string 1000 128000
upvalue 2000 96000
thread 1000
function (Lua) 2000 96000
function (C) 0 0
cdata 2000 148000
table 3000 216000
table hash 1000 96000
userdata 1000 48000' "$(awk -F, 'NR == FNR { nr[$2] = $3; bytes[$2] = $4; next } $2 == "thread" { print $2, $3 - nr[$2] }
		$2 ~ /^(string|upvalue|function.*|cdata|table|table hash|userdata)$/ { print $2, $3 - nr[$2], $4 - bytes[$2] }' "$T/objects.0" "$T/objects")"
	check_eq "lj-gc-objs/$of: total" "$(cat "$T/count")" "$(awk -F, '$2 == "total" { print $4 }' "$T/objects")"
	check_eq "lj-gc-objs/$of: rows add up" "$(awk -F, '$2 == "total" { print $4 }' "$T/objects")" \
		"$(awk -F, 'NR > 1 && $2 != "total" { sum += $4 } END { printf "%d\n", sum }' "$T/objects")"
	check_eq "lj-gc-objs/$of: all of them is explained" "$(unexplained "$T/objects.0")" "$(unexplained "$T/objects")"
	check_eq "lj-gc-objs/$of: the largest" 'string 1000028 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' \
		"$(awk -F, 'NR == 2 { print $2, $3, $5 }' "$T/top")"
	busy_objects "$@"
}

layout=$MADE/luajit_layout
lj_gc=${BIN%/*}/lj-gc
check_eq "no LuaJIT" '[no LuaJIT there]' "$("$layout" $$ 2>/dev/null)"
scripts_inside=$here
if command -v luajit >/dev/null; then
	busy_luajit here upstream "$(find /usr/share/luajit-2.1* -name vmdef.lua | head -n 1)" luajit "$here/luajit_busy.lua"
	lj_gc
	lj_gc_objs here luajit
	"$lj_gc-objs" -p $$ >"$T/objects" 2>&1
	check_eq "lj-gc-objs: exit code without LuaJIT" 2 $?
else
	skip luajit/here "not installed"
fi
for release in $luajits; do
	other_luajit "$release"
done
