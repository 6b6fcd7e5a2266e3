# SPDX-License-Identifier: GPL-2.0-or-later
# fuzz/lib.sh: sourced by setup and tests of this level. The corpora are the inputs of the golden tests and tests/fuzz/corpus/FUZZER, where
# inputs that once caused a failure are kept; NAME.hex is bytes in hexadecimal.

build=$TOP/build/fuzz
mkdir -p "$build"
all_fuzzers='stacktext perfscript bpftrace picture pprof speedscope folded recording tally unwind analysis walk perlwalk luawalk splice perfmap
	elf dwarf symstore elfhead rules answer result demangle table changes perlfind script runtimes nginxmemory nginxnames
	perfdata jitdump'
ccache=$(command -v ccache || :)

# library_of SANITIZERS: prints the name of the library of all of src
library_of() {
	echo "build/$(echo "$1" | tr , -)/libflametap.a"
}

# make_library COMPILER SANITIZERS [TARGET]: makes the library, or another target; the level replay makes it, too
make_library() {
	flock build/sanitized.lock ${MAKE:-make} -s -j "$(nproc)" "CC=$ccache $1" "SAN=$2" "${3:-$(library_of "$2")}"
}

# compile FUZZER COMPILER SANITIZERS LINKED DRIVER: SANITIZERS is for the library, LINKED for the program. The fuzzer's own functions
# replace functions of the library.
compile() {
	fuzzer=$1 compiler=$2 library=$(library_of "$3") linked=$4
	shift 4
	objects=''
	for source in "tests/fuzz/$fuzzer.c" tests/fuzz/fuzz.c "$@"; do
		object=$build/$fuzzer.$(basename "$source" .c).o
		# shellcheck disable=SC2086 # there may be no ccache
		$ccache "$compiler" -std=gnu11 -g -O1 "-fsanitize=$linked" -fno-sanitize-recover=undefined "-ffile-prefix-map=$TOP=." \
			-D_GNU_SOURCE -Isrc -Itests/fuzz -c -o "$object" "$source" || return
		objects="$objects $object"
	done
	# shellcheck disable=SC2046,SC2086
	"$compiler" -fsanitize="$linked" -fuse-ld=lld -Wl,-z,muldefs -o "$build/$fuzzer" $objects "$library" \
		$(pkg-config --libs libdw libelf libbpf zlib libzstd expat libprotobuf-c) -liberty
}

# inputs FUZZER: prints the files of its corpora
inputs() {
	folders=tests/fuzz/corpus/$1
	case $1 in
	stacktext) ls tests/golden/stap/*.in ;;
	perfscript) ls tests/golden/perf/*.in ;;
	perfdata) mkdir -p "$build/perfdata.made" && python3 tests/input/perfdata.py "$build/perfdata.made" ;;
	script) ls stap/*.stp ;;
	rules) ls src/view/default.rules tests/golden/*/*.rules ;;
	bpftrace) ls tests/golden/bpftrace/*.in tests/golden/bcc/*.in tests/golden/graph/*.in ;;
	speedscope) ls tests/golden/speedscope/*.in ;;
	folded | recording) ls "tests/golden/$1"/*.in ;;
	elfhead | answer) folders="$folders tests/fuzz/corpus/elf" ;;
	esac
	# shellcheck disable=SC2086
	find $folders -type f ! -name '*.hex' 2>/dev/null | sort
	mkdir -p "$build/$1.bytes"
	for folder in $folders; do
		for hex in "$folder"/*.hex; do
			[ -f "$hex" ] || continue
			bytes=$build/$1.bytes/$(basename "$hex" .hex)
			perl -0777 -ne 's/\s+//g; print pack "H*", $_' "$hex" >"$bytes"
			echo "$bytes"
		done
	done
}
