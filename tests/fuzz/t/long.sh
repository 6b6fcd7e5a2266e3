# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# Runs every fuzzer, or the named ones, for FUZZ_SECONDS (20) with clang's libFuzzer, from the corpora and the output of tests/fuzz/seeds.
set -u

cd "$TOP" || exit 1
. tests/lib.sh
. tests/fuzz/lib.sh

fuzz() {
	compile "$1" clang fuzzer-no-link,address,undefined fuzzer,address,undefined || return
	mkdir -p "$build/$1.seeds" "$build/$1.corpus"
	# shellcheck disable=SC2046
	cp --backup=numbered $(inputs "$1") "$build/$1.seeds"
	case $1 in
	elf | dwarf | answer | nginxnames) sh tests/fuzz/seeds "$1" "$build/$1.seeds" ;;
	elfhead) sh tests/fuzz/seeds elf "$build/$1.seeds" ;;
	esac
	"$build/$1" -max_total_time="${FUZZ_SECONDS:-20}" -max_len=8192 -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$build/$1." "$build/$1.corpus" "$build/$1.seeds"
}

build=$build/long
mkdir -p "$build"
make_library clang fuzzer-no-link,address,undefined >&2
# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- $all_fuzzers
for fuzzer; do
	check "$fuzzer" fuzz "$fuzzer"
	sed -n 's/^stat::number_of_executed_units: */# executions: /p' "$T_top/output"
done
