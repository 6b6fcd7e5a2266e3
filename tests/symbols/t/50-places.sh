# SPDX-License-Identifier: GPL-2.0-or-later
# Names of code that nobody finds by its path when it is named: files of containers, deleted and replaced ones, files in
# memory, what a JIT compiler wrote; and no names of what else lies at such a path.
set -eu

. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

if [ "$(uname -m)" != x86_64 ] || [ "$(id -u)" != 0 ] || [ ! -r /sys/kernel/btf/vmlinux ]; then
	skip all 'the built-in engine needs x86_64, root and a kernel with BTF'
	exit 0
fi

programs=$TOP/tests/symbols/programs
built=$T/programs
mkdir "$built"
# build OUTPUT SOURCE WORD…
build() {
	output=$1
	source=$2
	shift 2
	"${CC:-cc}" -O2 -g -fomit-frame-pointer -Wall -Wextra -Wshadow -D_GNU_SOURCE -o "$built/$output" "$programs/$source" "$@"
}
build old place.c
build new place.c -DNAME=new
build old-no-id place.c -Wl,--build-id=none
build new-no-id place.c -DNAME=new -Wl,--build-id=none
build libold.so libplace.c -shared -fPIC
build libnew.so libplace.c -shared -fPIC -DNAME=new
build load load.c -ldl
build load-fixed load.c -ldl -no-pie # linked at another address than that in the file
build jit jit.c
build memfd ../../bpf/programs/memfd.c
old_stack='main;old_outer;old_inner'

# named NAME ERE: the stacks of the recording of that name are ERE, but for so few as the sequential test allows; nothing in it is of
# the other build
named() {
	named_ere=$(whole_stack "$2")
	named_right=$(weight "$T/$1.folded" "$named_ere")
	named_wrong=$(($(weight "$T/$1.folded") - named_right))
	if [ "$named_right" -gt 0 ] && [ "$(sequential "$named_right" "$named_wrong")" != bad ]; then
		ok "$1"
	else
		not_ok "$1" "$named_right samples have the stack $named_ere, $named_wrong have not"
		others "$T/$1.folded" "$named_ere"
	fi
	check_eq "$1: nothing of another file" 0 "$(weight "$T/$1.folded" '(^|;)new_')"
}

# record_while NAME COMMAND…: runs COMMAND when some of the target was recorded, and ends the recording when there is more of it
record_while() {
	while_name=$1
	shift
	begin_record "$while_name" -p "$target" -u -t 120
	await_start "$target"
	"$@"
	await_start "$target"
	pkill -INT -P "$recording" -x sample-bt || :
	end_record
}

# contain NAME PROGRAM: runs it in its own pid and mount namespace, below a root that is mounted there only: a new file system or, where
# NAME is overlay, one over another. It is $T/program there; out here another one is. $target is the process, $namespace its parent.
contain() {
	: >"$T/target.out"
	cp "$2" "$T/contained"
	# shellcheck disable=SC2016
	nice -n -10 unshare -pfm sh -c '
		root=$2/root
		fill=$root
		mount --make-rprivate / || exit 2
		if [ "$1" = overlay ]; then fill=$2/lower; fi
		mkdir -p "$root" "$fill" && mount -t tmpfs none "$fill" || exit 2
		mkdir -p "$fill$2" "$fill/tmp" && cp "$2/contained" "$fill$2/program" || exit 2
		for lib in $(ldd "$2/contained" | grep -o "/[^ ]*"); do
			mkdir -p "$fill${lib%/*}" && cp -L "$lib" "$fill$lib" || exit 2
		done
		if [ "$1" = overlay ]; then
			mkdir -p "$2/upper" && mount -t tmpfs none "$2/upper" && mkdir "$2/upper/files" "$2/upper/work" &&
				mount -t overlay -o "lowerdir=$fill,upperdir=$2/upper/files,workdir=$2/upper/work" none "$root" || exit 2
		fi
		exec chroot "$root" "$2/program" 600' sh "$1" "$T" >"$T/target.out" 2>&1 &
	namespace=$!
	until_true 60 is_contained || :
	target=$(pgrep -P $namespace) || target=
	[ -n "$target" ] || skip "$1" "no container: $(tail -n 1 "$T/target.out")"
}

is_contained() {
	grep -q spinning "$T/target.out" || ! kill -0 "$namespace" 2>/dev/null
}

end_container() {
	kill "$target" 2>/dev/null || :
	wait $namespace 2>/dev/null || :
}

# ---- containers
cp "$built/new" "$T/program"
contain container "$built/old"
if [ -n "$target" ]; then
	record_for container 0.5 -p "$target" -u
	named container "$old_stack"
	record_while 'container that ends' kill "$target"
	named 'container that ends' "$old_stack"
fi
end_container

cp "$built/new-no-id" "$T/program"
contain 'container, no build-id' "$built/old-no-id"
if [ -n "$target" ]; then
	record_for 'container, no build-id' 0.5 -p "$target" -u
	named 'container, no build-id' "$old_stack"
fi
end_container

cp "$built/new" "$T/program"
contain overlay "$built/old"
if [ -n "$target" ]; then
	record_for overlay 0.5 -p "$target" -u
	named overlay "$old_stack"
fi
end_container

# ---- files that are gone, or others by now
cp "$built/old" "$T/gone"
start "$T/gone" 600
rm "$T/gone"
record_for deleted 0.5 -p "$target" -u
finish
named deleted "$old_stack"

# nobody must come to the program and to its folder; what the program is can be told without the right to look into its mappings
rights=+bpf,+perfmon,+sys_ptrace,+syslog
chmod 711 "$T_top" "$T"
mkdir "$T/nobody"
chmod 777 "$T/nobody"
cp "$BIN" "$T/nobody/sample-bt"
cp "$built/old" "$T/gone"
start "$T/gone" 600
rm "$T/gone"
status=0
setpriv --reuid nobody --clear-groups --inh-caps $rights --ambient-caps $rights "$T/nobody/sample-bt" --engine bpf --min-quality 1 \
	-p "$target" -u -t 1 -o "$T/nobody/a.folded" 2>"$T/deleted, few rights.err" || status=$?
finish
mv "$T/nobody/a.folded" "$T/deleted, few rights.folded" || : >"$T/deleted, few rights.folded"
named 'deleted, few rights' "$old_stack"

cp "$built/old" "$T/removed"
start "$T/removed" 600
record_while 'deleted while it is recorded' rm "$T/removed"
finish
named 'deleted while it is recorded' "$old_stack"

cp "$built/old" "$T/replaced"
cp "$built/new" "$T/replacement"
start "$T/replaced" 600
record_while 'replaced while it is recorded' mv "$T/replacement" "$T/replaced"
finish
named 'replaced while it is recorded' "$old_stack"

cp "$built/old-no-id" "$T/replaced-no-id"
cp "$built/new-no-id" "$T/replacement"
start "$T/replaced-no-id" 600
record_while 'replaced, no build-id' mv "$T/replacement" "$T/replaced-no-id"
finish
named 'replaced, no build-id' "$old_stack"

cp "$built/libold.so" "$T/lib.so"
cp "$built/libnew.so" "$T/lib.new"
start "$built/load" 600 "$T/lib.so"
record_while 'library replaced while it is recorded' mv "$T/lib.new" "$T/lib.so"
finish
named 'library replaced while it is recorded' 'main;work;old_work'

# loaded and deleted within the recording, before anybody can have looked
cp "$built/libold.so" "$T/late.so"
cp "$built/libnew.so" "$T/late.new"
record 'library deleted before the first look' -u -t 5 -- "$built/load" 1 "$T/late.so" remove
named 'library deleted before the first look' 'main;work;old_work'

mkfifo "$T/go"
# shellcheck disable=SC2016
start sh -c 'echo spinning; read -r _ <"$1"; exec "$2" 600' sh "$T/go" "$built/old"
# shellcheck disable=SC2016
record_while 'program that begins in the recording' sh -c 'echo >"$1"' sh "$T/go"
finish
named 'program that begins in the recording' "$old_stack"

start "$built/memfd" 600 "$built/old"
record_for 'program in memory' 0.5 -p "$target" -u
finish
named 'program in memory' "$old_stack"

# ---- all of it: every file of every process is open
start "$built/load" 600 "$built/libold.so"
record_until_seen everything '^load[^;]*;_start;.*;main;work;old_work [0-9]+$' -a -u
finish
check_eq 'everything: files that could not be read' '' "$(grep -a 'reading them failed' "$T/everything.err" || :)"

# ---- what leads to the kernel's debug file
dd if=/dev/zero of=/dev/null bs=1M 2>/dev/null &
target=$!
record_for kernel 0.3 -p "$target" -k
finish
check_eq 'the kernel and where it is' "$(uname -r) $(sed -n 's/^\([0-9a-f]*\) T _stext$/\1/p' /proc/kallsyms)" \
	"$(sed -n 's/^kernel \([^ ]*\) [0-9a-f]* \([0-9a-f]*\)$/\1 \2/p' "$T/kernel.rec")"

# ---- nothing is left but the debug files, as on a machine that never had the program
# part FILE: its debug file goes to $T/debug, by build-id
part() {
	id=$(LC_ALL=C readelf -n "$1" | sed -n 's/.*Build ID: //p')
	folder=$T/debug/.build-id/$(echo "$id" | cut -c1-2)
	mkdir -p "$folder"
	objcopy --only-keep-debug "$1" "$folder/$(echo "$id" | cut -c3-).debug"
	strip "$1"
}

cp "$built/load-fixed" "$T/load"
cp "$built/libold.so" "$T"
part "$T/load"
part "$T/libold.so"
start "$T/load" 600 "$T/libold.so"
record_for 'debug files' 0.5 -p "$target" -u
finish
rm "$T/load" "$T/libold.so"
check_eq 'debug files: no names while they are not there' 0 "$(weight "$T/debug files.folded" old_work)"
mkdir "$T/elsewhere"
"${BIN%/*}/bt-resolve" --root "$T/elsewhere" --debug-path "$T/debug" "$T/debug files.rec" >"$T/named.rec" 2>"$T/debug files.err"
"${BIN%/*}/bt-collapse" "$T/named.rec" >"$T/debug files.folded" 2>/dev/null
named 'debug files' 'main;work;old_work'

# ---- code that is in no file
# jitted NAME WHERE: such code, with its perf map; $target
jitted() {
	start "$built/jit" 600 "$2" 'jitted;by itself'
	maps="$maps /tmp/perf-$target.map"
	record_for "$1" 0.5 -p "$target" -u
	finish
	named "$1" 'main;jitted.x3bby itself_\[j\]'
}

maps=
jitted 'anonymous memory' anon
jitted 'memory file' memfd
# shellcheck disable=SC2086
rm -f $maps

# not_used NAME COMMAND…: what the COMMAND puts at the place of the perf map names nothing
not_used() {
	not_name=$1
	shift
	start "$built/jit" 600 anon jitted "$T/list"
	map=/tmp/perf-$target.map
	"$@"
	record_for "$not_name" 0.5 -p "$target" -u
	finish
	rm -f "$map"
	check_eq "$not_name" 0 "$(weight "$T/$not_name.folded" jitted)"
	check "$not_name: samples" test "$(account kept "$not_name")" -gt 0
}

of_nobody() {
	cp "$T/list" "$map"
	chown nobody "$map"
}
of_before() {
	cp "$T/list" "$map"
	touch -d '2 hours ago' "$map"
}
a_link() {
	ln -s "$T/list" "$map"
}
a_pipe() {
	mkfifo "$map"
}
not_used "another user's perf map" of_nobody
not_used 'perf map of another process of that number' of_before
not_used 'link instead of a perf map' a_link
not_used 'pipe instead of a perf map' a_pipe

# ---- node
fib='(^|;)(JS|LazyCompile|Function):[~^*+]?fib [^;]*_\[j\](;|$)'

# fib_named NAME
fib_named() {
	check "$1" grep -qaE "$fib" "$T/$1.folded"
	check_eq "$1: code without a name" 0 "$(weight "$T/$1.folded" '\[unknown\]')"
}

cd "$T" # where node writes files that nobody asked for
if command -v node >/dev/null; then
	start node --perf-basic-prof "$programs/fib.js"
	record_for node 1 -p "$target" -u
	finish
	rm "/tmp/perf-$target.map"
	fib_named node

	# shellcheck disable=SC2016
	in_namespace() {
		: >"$T/target.out"
		unshare -pfm --mount-proc sh -c 'mount -t tmpfs none /tmp && exec node --perf-basic-prof -' <"$programs/fib.js" >"$T/target.out" 2>&1 &
		namespace=$!
		until_true 60 is_contained || :
		target=$(pgrep -P $namespace) || target=
		[ -n "$target" ] || skip "$1" "no namespace: $(tail -n 1 "$T/target.out")"
	}
	in_namespace 'node in a namespace'
	if [ -n "$target" ]; then
		record_for 'node in a namespace' 1 -p "$target" -u
		fib_named 'node in a namespace'
		record_while 'node that ends in a namespace' kill -KILL "$target"
		fib_named 'node that ends in a namespace'
	fi
	wait $namespace 2>/dev/null || :
else
	skip node 'no node'
fi
