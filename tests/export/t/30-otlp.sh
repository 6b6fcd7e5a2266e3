# SPDX-License-Identifier: GPL-2.0-or-later
# OpenTelemetry's profiles: what is written is read again, and what others write.
set -eu

. "$TOP/tests/export/lib.sh"
bin=$TOP/bin

# folded FILE OPTION…: prints the stacks
folded() { "$bin/bt-collapse" "$@" 2>>errors; }

for name in folded/notes folded/utf8 recording/mixed recording/plain recording/labels recording/by-line recording/perl perf/plain; do
	input=$TOP/tests/golden/$name.in
	[ -e "$input" ] || continue
	"$bin/bt-export" --by comm -o out.otlp "$input" 2>/dev/null || :
	"$bin/bt-export" --by comm -o out.pb.gz "$input" 2>/dev/null || :
	check_eq "$name: the stacks are those of pprof" "$(folded out.pb.gz --by comm)" "$(folded out.otlp --by comm)"
done
"$bin/bt-export" -o out.otlp "$TOP/tests/golden/recording/labels.in" 2>/dev/null || :
"$bin/bt-export" -o out.pb.gz "$TOP/tests/golden/recording/labels.in" 2>/dev/null || :
check_eq 'labels are attributes' "$(folded out.pb.gz --by uri)" "$(folded out.otlp --by uri)"

# samples with the IDs of a trace and of a span are linked to the span
cat >request.txt <<'END'
resource_profiles { scope_profiles { profiles { sample_type { type_strindex: 1 unit_strindex: 2 }
	samples { stack_index: 1 values: 3 link_index: 1 } samples { stack_index: 1 values: 4 } } } }
dictionary { string_table: "" string_table: "samples" string_table: "count" string_table: "main" function_table {} function_table { name_strindex: 3 }
	mapping_table {} location_table {} location_table { lines { function_index: 1 } } stack_table {} stack_table { location_indices: 1 }
	link_table {} link_table { trace_id: "0123456789abcdef" span_id: "\377\376\375\374\000\001\002\003" } }
END
protoc --encode=otlp.ProfilesData --proto_path="$TOP/src/input" otlp.proto <request.txt >linked
check_eq 'the trace of a link' '30313233343536373839616263646566;main 3
[no trace];main 4' "$(folded linked --by trace)"
check_eq 'the span of a link' '[no span];main 4
fffefdfc00010203;main 3' "$(folded linked --by span)"
"$bin/bt-export" -o again.otlp linked 2>>errors
protoc --decode=otlp.ProfilesData --proto_path="$TOP/src/input" otlp.proto <again.otlp >again.txt
check_eq 'links are written' '1 1' "$(grep -c 'link_index: 1' again.txt) $(grep -c 'span_id: "\\377\\376\\375\\374\\000\\001\\002\\003"' again.txt)"
check_eq 'and not the IDs as attributes' 0 "$(grep -c 'string_value: "30313233' again.txt)"

# a request as others send it: two resources, an attribute by number, values by time, a location without a function
cat >request.txt <<'END'
resource_profiles { resource { attributes { key: "service.name" value { string_value: "web" } } }
	scope_profiles { profiles { sample_type { type_strindex: 1 unit_strindex: 2 } time_unix_nano: 1795748400000000000
		samples { stack_index: 1 values: 40 values: 2 attribute_indices: 1 } samples { stack_index: 2 timestamps_unix_nano: 1 timestamps_unix_nano: 2 } } } }
resource_profiles { resource { attributes { key: "service.name" value { string_value: "db" } } }
	scope_profiles { profiles { sample_type { type_strindex: 1 unit_strindex: 2 } samples { stack_index: 2 values: 5 } } } }
dictionary { string_table: "" string_table: "samples" string_table: "count" string_table: "main" string_table: "decode" string_table: "/usr/lib/liblzma.so.5"
	string_table: "thread.name" mapping_table {} mapping_table { filename_strindex: 5 } function_table {} function_table { name_strindex: 4 }
	function_table { name_strindex: 3 } location_table {} location_table { mapping_index: 1 address: 42 lines { function_index: 1 } }
	location_table { lines { function_index: 2 } } location_table { mapping_index: 1 address: 99 }
	stack_table {} stack_table { location_indices: 1 location_indices: 2 } stack_table { location_indices: 3 location_indices: 2 }
	attribute_table {} attribute_table { key_strindex: 6 value { string_value: "xz" } } }
END
protoc --encode=otlp.ProfilesData --proto_path="$TOP/src/input" otlp.proto <request.txt >request
check_eq 'another sender' 'main;[liblzma.so.5] 7
main;decode 42' "$(folded request)"
check_eq 'by its resources' 'db;main;[liblzma.so.5] 5
web;main;[liblzma.so.5] 2
web;main;decode 42' "$(folded request --by service.name)"
check_eq 'by its threads' 'main;decode 42' "$(folded request --comm xz)"
gzip -c request >request.gz
check_eq 'in gzip' "$(folded request)" "$(folded request.gz)"
# as collectors pass it on: first the dictionary, whose fields are in another order
for first in stack_table mapping_table; do
	echo "dictionary { $first {} }" | protoc --encode=otlp.ProfilesData --proto_path="$TOP/src/input" otlp.proto >reordered
	sed "s/$first {}//" request.txt | protoc --encode=otlp.ProfilesData --proto_path="$TOP/src/input" otlp.proto >>reordered
	check_eq "the dictionary first, with $first" "$(folded request --by service.name)" "$(folded reordered --by service.name)"
done
head -c 150 request >cut
"$bin/bt-collapse" cut 2>errors && status=0 || status=$?
check_eq 'damaged' "2 bt-collapse: 'cut': it is a profile of OTLP, but damaged or not whole" "$status $(cat errors)"
printf '\n\n\n  f\n  g\n 3\n' >blank
"$bin/bt-collapse" blank 2>errors || :
check 'a text that begins with empty lines is none' sh -c '! grep -q OTLP errors'
