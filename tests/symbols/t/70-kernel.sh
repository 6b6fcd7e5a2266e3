#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 70-kernel: inlined calls and lines of frames of a kernel and of its modules, whose recordings tell where they were loaded. A stand-in for
# a kernel and an object file of the form that kernels load are used, and the results are compared with eu-addr2line and llvm-symbolizer.
# Runs alone or from tests/run.
set -eu
TOP=${TOP:-$(cd "$(dirname "$0")/../../.." && pwd)}
. "$TOP/tests/lib.sh"
bin=${BIN:-${BINDIR:-bin}/sample-bt} # BIN: tests/symbols/run sets it
case $bin in /*) ;; *) bin=$TOP/$bin ;; esac
bin=${bin%/*}
DEBUGINFOD_URLS=''
DEBUGINFOD_CACHE_PATH=$T/cache
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
chmod 755 "${T%/*}" # root's files are read by processes that run as nobody
source=$TOP/tests/symbols/programs/kernel
release=6.99.0-stand-in

if [ "$(uname -m)" != x86_64 ]; then
	skip all 'the kernel is one of x86_64'
	exit 0
fi
for tool in eu-addr2line llvm-symbolizer; do
	if ! command -v $tool >/dev/null; then
		skip all "no $tool"
		exit 0
	fi
done

# build FOLDER VERSION: builds $T/FOLDER/vmlinux and toy-driver.ko, with DWARF of that version
build() {
	mkdir "$T/$1"
	for object in entry.S kernel.c module.c more.c; do
		${CC:-cc} -c -O2 "-gdwarf-$2" -ffreestanding -fno-pie -mcmodel=kernel -fno-stack-protector -Wall -Wextra \
			-o "$T/$1/${object%.*}.o" "$source/$object"
	done
	ld -static -nostdlib -e entry -Ttext=0xffffffff81000000 --build-id -o "$T/$1/vmlinux" "$T/$1/entry.o" "$T/$1/kernel.o"
	ld -r --build-id -o "$T/$1/toy-driver.ko" "$T/$1/module.o" "$T/$1/more.o"
}

build_id() {
	readelf -n "$1" | sed -n 's/^ *Build ID: *//p'
}

# random_page: prints where code is loaded, without the first nine digits, which no awk could add to
random_page() {
	printf '%04x000' $(($(od -An -N2 -tu2 /dev/urandom) & 0x7fff))
}

# places FILE: prints for each instruction of the functions in .text its offset and its function's offset, in decimal, and the function
places() {
	{
		objdump -t -j .text "$1"
		objdump -d -j .text "$1"
	} | awk '
		function number(hex,  i, n) {
			hex = substr(hex, length(hex) - 5)
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		$0 ~ / F \.text\t/ { start[$NF] = number($1); split($0, half, "\t"); end[$NF] = start[$NF] + number(substr(half[2], 1, 16)) }
		/^ *[0-9a-f]+:\t/ {
			at = number(substr($1, 1, length($1) - 1))
			for (f in start)
				if (at >= start[f] && at < end[f])
					print at, start[f], f
		}' | sort -n
}

# recording FOLDER MODULE: prints a recording in which all these places are frames, half of them return addresses; $T/FOLDER/MODULE.at has
# the offsets to look up
recording() {
	file=$T/$1/vmlinux place=$(random_page) kernel_id=$(build_id "$T/$1/vmlinux") module_id=-
	if [ "$2" != kernel ]; then
		file=$T/$1/toy-driver.ko module_id=$(build_id "$T/$1/toy-driver.ko")
	fi
	places "$file" | awk -v id="$kernel_id" -v module_id="$module_id" -v module="$2" -v page="$place" -v release=$release \
		-v lookup="$T/$1/$2.at" '
		function number(hex,  i, n) {
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		function add(text) { print text; lines++ }
		BEGIN {
			base = number(page)
			add("flametap-recording 1")
			add(sprintf("kernel %s %s ffffffff9%s", release, id, page))
			if (module != "kernel")
				add(sprintf("module %s %s ffffffff9%s", module, module_id, page))
			add("event 0 on-cpu samples 1000000 cpu")
			add("task 0 1 1 9 toy")
		}
		{
			call = $1 > $2 && NR % 2
			add(sprintf("frame %d kernel %s - ffffffff9%07x", nr, call ? "call" : "pc", base + $1))
			add(sprintf("name %d %s %x [%s] - 0", nr, $3, $1 - $2, module))
			add(sprintf("stack %d kernel root - %d", nr, nr))
			add(sprintf("row 0 0 %d - 1 1", nr))
			print $1 - call >lookup
			nr++
		}
		END { print "end " lines }' >"$T/$1/$2.rec"
}

# resolve RECORDING OPTION…: leaves $T/out
resolve() {
	resolve_recording=$1
	shift
	"$bin/bt-resolve" --min-quality 0 --demangle none --lines --inlines "$@" "$resolve_recording" >"$T/out" 2>"$T/err" || note "$T/err"
}

# frames RECORDING: prints each frame as "@", then function and line of each of its names, without the suffix that compilers add to a
# clone's name
frames() {
	awk '
		/^frame / { print "@" }
		/^name / { sub(/\..*/, "", $3); print $3, ($6 == "-" ? "??" : $6) ":" $7 }' "$1"
}

# ask TOOL FILE OFFSETS: prints the same from another program
ask() {
	case $1/${2##*/} in
	eu-addr2line/vmlinux) awk '{ printf "0xffffffff81%06x\n", $1 }' "$3" | eu-addr2line -a -i -f -e "$2" ;;
	eu-addr2line/*) awk '{ printf "0x%x\n", $1 }' "$3" | eu-addr2line -a -i -f -j .text -e "$2" ;;
	llvm-symbolizer/*)
		awk '{ printf "0xffffffff81%06x\n", $1 }' "$3" | llvm-symbolizer --output-style=GNU --no-demangle -a -i -f --obj="$2"
		;;
	esac | awk '
		/^0x[0-9a-f]*$/ { print "@"; name = ""; next }
		name == "" { name = $1; sub(/\..*/, "", name); next }
		{ sub(/ \(discriminator.*/, ""); if (gsub(/:/, ":") > 1) sub(/:[0-9]*$/, ""); print name, $0; name = "" }'
}

# check_places FOLDER MODULE FILE TOOL…: checks that our results equal each tool's results
check_places() {
	folder=$1 module=$2 file=$3
	shift 3
	frames "$T/out" >"$T/frames"
	for tool; do
		ask "$tool" "$T/$folder/$file" "$T/$folder/$module.at" >"$T/judged"
		check_eq "$folder, $module: as $tool" "$(cat "$T/judged")" "$(cat "$T/frames")"
	done
	check "$folder, $module: many frames" test "$(grep -c @ "$T/frames")" -gt 100
	check "$folder, $module: many inlined calls, three deep" test "$(grep -c '^step_mix ' "$T/frames")" -gt 50
	check_eq "$folder, $module: inlined calls are of the same module" "[$module]" \
		"$(awk '/^name / && $5 != "-" { print $5 }' "$T/out" | sort -u)"
}

# unchanged RECORDING: checks that nothing was found
unchanged() {
	grep -E '^(frame|name) ' "$T/out" >"$T/found"
	grep -E '^(frame|name) ' "$1" | diff - "$T/found"
}

# same_as_before: checks that the names equal the names in $T/before
same_as_before() {
	diff "$T/before" "$T/out"
}

for version in 4 5; do
	if ! build "dwarf-$version" $version >"$T/cc" 2>&1; then
		note "$T/cc"
		not_ok build 'the stand-ins cannot be built'
		exit 1
	fi
	debug=$T/dwarf-$version/debug
	mkdir -p "$debug/boot" "$debug/lib/modules/$release/kernel/drivers"
	cp "$T/dwarf-$version/vmlinux" "$debug/boot/vmlinux-$release"
	cp "$T/dwarf-$version/toy-driver.ko" "$debug/lib/modules/$release/kernel/drivers"
	recording "dwarf-$version" kernel
	resolve "$T/dwarf-$version/kernel.rec" --debug-path "$debug"
	check_places "dwarf-$version" kernel vmlinux eu-addr2line llvm-symbolizer
	recording "dwarf-$version" toy_driver
	resolve "$T/dwarf-$version/toy_driver.rec" --debug-path "$debug"
	check_places "dwarf-$version" toy_driver toy-driver.ko eu-addr2line
done

# ---- all places of debug files
made=$T/dwarf-5
modules=lib/modules/$release
id_path=.build-id/$(build_id "$made/toy-driver.ko" | sed 's#^..#&/#').debug
kernel_id_path=.build-id/$(build_id "$made/vmlinux" | sed 's#^..#&/#').debug

# put FILE PATH: makes FILE available at PATH
put() {
	mkdir -p "$(dirname "$T/places/$2")"
	cp "$made/$1" "$T/places/$2"
}

# found_at NAME MODULE OPTION…: checks that the files at these places give the same names as before
found_at() {
	found_name=$1 found_module=$2
	shift 2
	resolve "$made/$found_module.rec" "$@"
	check "$found_name" same_as_before
	rm -rf "$T/places"
}

resolve "$made/kernel.rec" --debug-path "$debug"
cp "$T/out" "$T/before"
put vmlinux "$modules/vmlinux"
found_at 'kernel, in the folder of its modules' kernel --debug-path "$T/none:$T/places"
put vmlinux "$kernel_id_path"
found_at 'kernel, by build-id' kernel --debug-path "$T/places"
put vmlinux "usr/lib/debug/vmlinux-$release"
found_at 'kernel, of another machine' kernel --root "$T/places"
put vmlinux "$modules/build/vmlinux"
found_at 'kernel, where it was built' kernel --root "$T/places"
objcopy --compress-debug-sections=zlib "$made/vmlinux" "$made/compressed"
put compressed "boot/vmlinux-$release"
found_at 'kernel, compressed debug information' kernel --debug-path "$T/places"

resolve "$made/toy_driver.rec" --debug-path "$debug"
cp "$T/out" "$T/before"
put toy-driver.ko "$modules/kernel/drivers/toy_driver.ko.debug"
found_at 'module, in the folder of its kernel' toy_driver --debug-path "$T/none:$T/places"
put toy-driver.ko "$id_path"
found_at 'module, by build-id' toy_driver --debug-path "$T/places"
put toy-driver.ko "usr/lib/debug/$modules/toy-driver.ko"
found_at 'module, of another machine' toy_driver --root "$T/places"
put vmlinux "$id_path" # another file
put vmlinux "$modules/a/toy_driver.ko"
mkdir -p "$T/places/$modules/b/toy_driver.ko"
mkfifo "$T/places/$modules/c.ko" "$T/places/$modules/b/toy-driver.ko"
put toy-driver.ko "$modules/d/toy-driver.ko"
found_at 'module, behind what is not it' toy_driver --debug-path "$T/places"
objcopy --only-keep-debug "$made/toy-driver.ko" "$made/kept"
put kept "$modules/toy-driver.ko"
found_at 'module, without its code' toy_driver --debug-path "$T/places"
objcopy --compress-debug-sections=zlib "$made/toy-driver.ko" "$made/compressed"
put compressed "$modules/toy-driver.ko"
found_at 'module, compressed debug information' toy_driver --debug-path "$T/places"
xz -c "$made/toy-driver.ko" >"$made/toy-driver.ko.xz"
put toy-driver.ko.xz "$modules/updates/toy-driver.ko.xz"
found_at 'module, compressed' toy_driver --root "$T/places"

# ---- code that is not in the file
# other FROM: prints another build-id
other() {
	if [ "$1" = 0 ]; then echo 1; else echo 0; fi
}
for module in kernel toy_driver; do
	id=$(sed -n "s/^\(module toy_driver\|kernel [^ ]*\) \([0-9a-f]\{40\}\) ffff.*/\2/p" "$made/$module.rec" | tail -n 1)
	sed "s/$id/$(other "${id%"${id#?}"}")${id#?}/" "$made/$module.rec" >"$T/other.rec"
	check "$module: the recording is of another file" sh -c "! cmp -s '$made/$module.rec' '$T/other.rec'"
	resolve "$T/other.rec" --debug-path "$debug"
	check "$module: not the file that was recorded" unchanged "$T/other.rec"
	resolve "$made/$module.rec" --debug-path "$T/none"
	check "$module: no debug file" unchanged "$made/$module.rec"
done

# the sections after .text are wherever the kernel puts them
awk -v size="$(objdump -h "$made/toy-driver.ko" | awk '$2 == ".text" { print $3 }')" '
	function number(hex,  i, n) {
		for (i = 1; i <= length(hex); i++)
			n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
		return n
	}
	$1 == "module" { text = number(substr($4, 10)) }
	$1 == "frame" { $6 = sprintf("ffffffff9%07x", text + ($2 % 2 ? number(size) + $2 - 1 : -$2 - 1)); $4 = "pc" }
	{ print }' "$made/toy_driver.rec" >"$T/beyond.rec"
resolve "$T/beyond.rec" --debug-path "$debug"
check 'module: addresses beyond its .text' unchanged "$T/beyond.rec"

# ---- remedies
# missing MODULE FIELD OPTION…: prints a field of its row in the CSV
missing() {
	missing_module=$1 missing_field=$2
	shift 2
	"$bin/bt-resolve" --missing --csv --min-quality 0 --lines "$@" "$made/$missing_module.rec" 2>"$T/err" |
		awk -F, -v row="[$missing_module]" -v n="$missing_field" '
			$1 == row && n == 11 && split($0, quoted, "\"") > 1 { print quoted[2]; next }
			$1 == row { print $n }'
}
all=$(grep -c '^frame' "$made/kernel.rec")
check_eq 'missing: the reason' 'its debug file was not found' "$(missing kernel 10 --debug-path "$T/none")"
check_eq 'missing: the remedy for the kernel' "put vmlinux of kernel $release, with its debug information, into /usr/lib/debug" \
	"$(missing kernel 11 --debug-path "$T/none")"
check_eq 'missing: the remedy for a module' \
	"put toy_driver.ko of kernel $release, with its debug information, into /usr/lib/debug/lib/modules/$release" \
	"$(missing toy_driver 11 --debug-path "$T/none")"
check_eq 'missing: no lines' 0 "$(missing kernel 7 --debug-path "$T/none")"
check_eq 'missing: nothing, with the debug file' "$all " "$(missing kernel 7 --debug-path "$debug") $(missing kernel 10 --debug-path "$debug")"
mv "$T/beyond.rec" "$made/toy_driver.rec"
check_eq 'missing: what nobody can mend' 'some of its code has no lines, ' \
	"$(missing toy_driver 10 --debug-path "$debug"), $(missing toy_driver 11 --debug-path "$debug")"
