# SPDX-License-Identifier: GPL-2.0-or-later
# alloc.sh: functions for the tests of allocations, on this machine and in guests. HEAP is the program tests/programs/heap.c, with $N calls
# of each kind. They need record.sh.

# amounts NAME [EVENT]: prints "FUNCTION AMOUNT" for the functions of HEAP in a recording, sorted; what libc allocates for itself is left out
amounts() {
	"${BIN%/*}/bt-collapse" --event "$2" "$T/$1.rec" 2>/dev/null |
		sed -nE 's/^.*;(plain|zeroed|grown|aligned|array|nothing|failing|leak|moved|swapped|inherit|spawn|shared);[^; ]* ([0-9]+)$/\1 \2/p' |
		awk '{ sum[$1] += $2 } END { for (i in sum) printf "%s %.0f\n", i, sum[i] }' | sort
}

# heap_bytes, heap_calls: print what HEAP allocates in this form; held_bytes and held_blocks what it keeps
heap_bytes() {
	cat <<-END
		aligned $((468 * N))
		array $((21 * N))
		failing $((60 + (N << 30)))
		grown $((N * (N + 1) / 2))
		inherit 500
		leak $((48 * N))
		moved $((100 * N))
		plain $((100 * N))
		shared $((80 * N))
		swapped $((55 * N))
		zeroed $((200 * N))
	END
}

heap_calls() {
	cat <<-END
		aligned $((3 * N))
		array $N
		failing $((1 + N))
		grown $N
		inherit 1
		leak $N
		moved $((2 * N))
		nothing $N
		plain $N
		shared $N
		swapped $N
		zeroed $N
	END
}

held_bytes() {
	cat <<-END
		failing 60
		inherit 500
		leak $((48 * N))
		moved $((70 * N))
		shared $((80 * N / 2))
		swapped 55
	END
}

held_blocks() {
	cat <<-END
		failing 1
		inherit 1
		leak $N
		moved $N
		shared $((N / 2))
		swapped 1
	END
}

# record_held NAME ARG…: records $keeper, or HEAP, until it has done its work, when it keeps its blocks
keeper=''
record_held() {
	held_name=$1
	shift
	: >"$T/target.out"
	setpriv --pdeathsig TERM "${keeper:-$HEAP}" stay "$T" "$N" >"$T/target.out" 2>&1 &
	target=$!
	until_true grep -q spinning "$T/target.out" || note "$T/target.out"
	begin_record "$held_name" -p "$target" "$@"
	kill -USR1 "$target"
	until_true grep -q done "$T/target.out" || note "$T/target.out"
	stop_record
	kill "$target"
	wait "$target" 2>/dev/null || :
	note "$T/$held_name.err"
	check_eq "$held_name: exit code" 0 "$status"
}
