# SPDX-License-Identifier: GPL-2.0-or-later
# go-labels.sh: functions for the tests of labels of goroutines. They need lib.sh and bpf/lib.sh; $go is the program go.

bin=${BIN%/*}
GO111MODULE=off GOTOOLCHAIN=local
export GO111MODULE GOTOOLCHAIN

recorder() {
	"$BIN" --engine bpf --min-quality 1 --go-labels -u -F 999 "$@"
}

# values_of NAME KEY: prints each function of the program with the value that its samples have, as "carts /cart"
values_of() {
	"$bin/bt-report" --by "$2,function" --csv "$T/$1.rec" 2>/dev/null |
		awk -F, '$2 ~ /^main\.(carts|orders|rests|helps)$/ { print substr($2, 6), $1 }' | sort -u | paste -sd';'
}

# labels_of NAME OPTION…: builds the program with these options, records it, and checks the labels of its functions
labels_of() {
	name=$1
	shift
	check "$name: compiled" "$go" build "$@" -o "$T/$name" "$TOP/tests/programs/labels.go"
	"$T/$name" &
	program=$!
	await_start $program
	record "$name" -p $program -t 1
	kill $program
	check_eq "$name: exit code" 0 "$status"
	check_eq "$name: a label" 'carts mei;helps [no go.user];orders [no go.user];rests [no go.user]' "$(values_of "$name" go.user)"
	check_eq "$name: a label with a dot" 'carts [no http.route];helps [no http.route];orders /o/{id};rests [no http.route]' \
		"$(values_of "$name" http.route)"
	check_eq "$name: functions without labels" 'carts [no goroutine];helps [no goroutine];orders [no goroutine];rests none' \
		"$(values_of "$name" goroutine)"
}
