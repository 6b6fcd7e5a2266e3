# SPDX-License-Identifier: GPL-2.0-or-later
# Names of code whose file cannot be found by its path when it is named: files of containers, deleted and replaced files, files in memory,
# code that a JIT compiler wrote; and no names from another file at such a path.
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
# build OUTPUT SOURCE WORD…: compiles a program
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
build load-fixed load.c -ldl -no-pie # is linked at another address than its offset in the file
build jit jit.c
build memfd ../../bpf/programs/memfd.c
old_stack='main;old_outer;old_inner'

# named NAME ERE COMMAND…: COMMAND records as NAME, again and again until it is decided, stacks that match ERE; nothing in the last
# recording may come from the other build
named() {
	until_decided "$1" "$T/$1.folded" "$2" named_again "$@"
	check_eq "$1: nothing of another file" 0 "$(weight "$T/$1.folded" '(^|;)new_')"
}

named_again() {
	shift 2
	"$@"
}

# named_target NAME ERE: the same for recordings of $target
named_target() {
	named "$@" record_longer "$1" -p "$target" -u
}

# record_while NAME COMMAND…: runs COMMAND after some samples of the target were recorded, and ends the recording after some more
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

# contain NAME PROGRAM: runs PROGRAM in its own PID and mount namespaces, below a root that is mounted there only: a new file system or, if
# NAME is overlay, an overlay. It is $T/program inside; outside, $T/program is another file. $target is the process, $namespace its parent.
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
	until_true is_contained || :
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
end_contained() {
	contain "$1" "$built/old"
	record_while "$1" kill "$target"
	end_container
}

if [ -n "$target" ]; then
	named_target container "$old_stack"
	end_container
	named 'container that ends' "$old_stack" end_contained 'container that ends'
fi

cp "$built/new-no-id" "$T/program"
contain 'container, no build-id' "$built/old-no-id"
if [ -n "$target" ]; then
	named_target 'container, no build-id' "$old_stack"
fi
end_container

cp "$built/new" "$T/program"
contain overlay "$built/old"
if [ -n "$target" ]; then
	named_target overlay "$old_stack"
fi
end_container

# ---- files that are deleted or replaced
cp "$built/old" "$T/gone"
start "$T/gone" 600
rm "$T/gone"
named_target deleted "$old_stack"
finish

# nobody must reach the program and its folder; the program can be identified without the right to look into its mappings
rights=+bpf,+perfmon,+sys_ptrace,+syslog
chmod 711 "$T_top" "$T"
mkdir "$T/nobody"
chmod 777 "$T/nobody"
cp "$BIN" "$T/nobody/sample-bt"
cp "$built/old" "$T/gone"
start "$T/gone" 600
rm "$T/gone"
record_as_nobody() {
	status=0
	setpriv --reuid nobody --clear-groups --inh-caps $rights --ambient-caps $rights "$T/nobody/sample-bt" --engine bpf --min-quality 1 \
		-p "$target" -u -t "$longer" -o "$T/nobody/a.folded" 2>"$T/$1.err" || status=$?
	mv "$T/nobody/a.folded" "$T/$1.folded" || : >"$T/$1.folded"
	twice_as_long
}
named 'deleted, few rights' "$old_stack" record_as_nobody 'deleted, few rights'
finish

# changed NAME OLD NEW COMMAND…: records COMMAND, which runs OLD as $T/file, while NEW replaces it
changed() {
	changed_name=$1
	cp "$built/$2" "$T/file"
	cp "$built/$3" "$T/replacement"
	shift 3
	start "$@"
	record_while "$changed_name" mv "$T/replacement" "$T/file"
	finish
}

removed() {
	cp "$built/old" "$T/file"
	start "$T/file" 600
	record_while "$1" rm "$T/file"
	finish
}

named 'deleted while it is recorded' "$old_stack" removed 'deleted while it is recorded'
named 'replaced while it is recorded' "$old_stack" changed 'replaced while it is recorded' old new "$T/file" 600
named 'replaced, no build-id' "$old_stack" changed 'replaced, no build-id' old-no-id new-no-id "$T/file" 600
named 'library replaced while it is recorded' 'main;work;old_work' \
	changed 'library replaced while it is recorded' libold.so libnew.so "$built/load" 600 "$T/file"

# loaded and deleted within the recording, before the recorder can have looked at it
late() {
	cp "$built/libold.so" "$T/late.so"
	cp "$built/libnew.so" "$T/late.new"
	record "$1" -u -t 5 -- "$built/load" 1 "$T/late.so" remove
}
named 'library deleted before the first look' 'main;work;old_work' late 'library deleted before the first look'

mkfifo "$T/go"
begun_meanwhile() {
	# shellcheck disable=SC2016
	start sh -c 'echo spinning; read -r _ <"$1"; exec "$2" 600' sh "$T/go" "$built/old"
	# shellcheck disable=SC2016
	record_while "$1" sh -c 'echo >"$1"' sh "$T/go"
	finish
}
# its start takes long where the processor's features are asked of a hypervisor
named 'program that begins in the recording' "($old_stack|_dl_start.*)" begun_meanwhile 'program that begins in the recording'

start "$built/memfd" 600 "$built/old"
named_target 'program in memory' "$old_stack"
finish

# ---- everything is recorded: every file of every process is opened
start "$built/load" 600 "$built/libold.so"
record_until_seen everything '^load[^;]*;_start;.*;main;work;old_work [0-9]+$' -a -u
finish
check_eq 'everything: files that could not be read' '' "$(grep -a 'reading them failed' "$T/everything.err" || :)"

# ---- the data by which the kernel's debug file is found
dd if=/dev/zero of=/dev/null bs=1M 2>/dev/null &
target=$!
record_until_seen kernel . -p "$target" -k
finish
check_eq 'the kernel and where it is' "$(uname -r) $(sed -n 's/^\([0-9a-f]*\) T _stext$/\1/p' /proc/kallsyms)" \
	"$(sed -n 's/^kernel \([^ ]*\) [0-9a-f]* \([0-9a-f]*\)$/\1 \2/p' "$T/kernel.rec")"

# ---- only the debug files are left, as on a machine that never had the program
# part FILE: moves its debug information to $T/debug, by build-id
part() {
	id=$(LC_ALL=C readelf -n "$1" | sed -n 's/.*Build ID: //p')
	folder=$T/debug/.build-id/$(echo "$id" | cut -c1-2)
	mkdir -p "$folder"
	objcopy --only-keep-debug "$1" "$folder/$(echo "$id" | cut -c3-).debug"
	strip "$1"
}

parted() {
	cp "$built/load-fixed" "$T/load"
	cp "$built/libold.so" "$T"
	part "$T/load"
	part "$T/libold.so"
	start "$T/load" 600 "$T/libold.so"
	record_longer "$1" -p "$target" -u
	finish
	rm "$T/load" "$T/libold.so"
	mv "$T/$1.folded" "$T/before.folded"
	"${BIN%/*}/bt-resolve" --root "$T/elsewhere" --debug-path "$T/debug" "$T/$1.rec" >"$T/named.rec" 2>"$T/$1.err"
	"${BIN%/*}/bt-collapse" "$T/named.rec" >"$T/$1.folded" 2>/dev/null
}
mkdir "$T/elsewhere"
named 'debug files' 'main;work;old_work' parted 'debug files'
check_eq 'debug files: no names while they are not there' 0 "$(weight "$T/before.folded" old_work)"

# ---- code that is in no file
# jitted NAME WHERE: runs such code, with its perf map, as $target
jitted() {
	start "$built/jit" 600 "$2" 'jitted;by itself'
	maps="$maps /tmp/perf-$target.map"
	named_target "$1" 'main;jitted.x3bby itself_\[j\]'
	finish
}

maps=
jitted 'anonymous memory' anon
jitted 'memory file' memfd
# shellcheck disable=SC2086
rm -f $maps

# not_used NAME COMMAND…: checks that a file that COMMAND puts at the place of the perf map gives no names
not_used() {
	not_name=$1
	shift
	start "$built/jit" 600 anon jitted "$T/list"
	map=/tmp/perf-$target.map
	"$@"
	record_until_seen "$not_name: samples" . -p "$target" -u
	finish
	rm -f "$map"
	check_eq "$not_name" 0 "$(weight "$T/$not_name: samples.folded" jitted)"
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

# all_named NAME: checks that all code has names
all_named() {
	check_eq "$1: code without a name" 0 "$(weight "$T/$1.folded" '\[unknown\]')"
}

cd "$T" # node writes files to the current folder without being asked
if command -v node >/dev/null; then
	start node --perf-basic-prof "$programs/fib.js"
	record_until_seen node "$fib" -p "$target" -u
	finish
	rm "/tmp/perf-$target.map"
	all_named node

	# shellcheck disable=SC2016
	in_namespace() {
		: >"$T/target.out"
		unshare -pfm --mount-proc sh -c 'mount -t tmpfs none /tmp && exec node --perf-basic-prof -' <"$programs/fib.js" >"$T/target.out" 2>&1 &
		namespace=$!
		until_true is_contained || :
		target=$(pgrep -P $namespace) || target=
		[ -n "$target" ] || skip "$1" "no namespace: $(tail -n 1 "$T/target.out")"
	}
	in_namespace 'node in a namespace'
	if [ -n "$target" ]; then
		record_until_seen 'node in a namespace' "$fib" -p "$target" -u
		all_named 'node in a namespace'
		record_while 'node that ends in a namespace' kill -KILL "$target"
		check 'node that ends in a namespace' grep -qaE "$fib" "$T/node that ends in a namespace.folded"
		all_named 'node that ends in a namespace'
	fi
	wait $namespace 2>/dev/null || :
else
	skip node 'no node'
fi
