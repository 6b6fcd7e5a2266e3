# SPDX-License-Identifier: GPL-2.0-or-later
# 24-cpu: the CPU time that a recording gives to a location, against what the kernel says of the worker meanwhile, each location alone.
set -u
. "$TOP/tests/nginx/lib.sh"

use_release "$nginx_with_lua" || { skip all "$no_root"; exit 0; }

rate=199   # the kernel does not count the time of the ticks themselves, which the samples have: at 999 Hz up to 9 per cent on a slow host
least=2000 # samples; nearly all are of one location, so their number gives its CPU time to a period or two

# cpu_ns: CPU time of the worker so far
cpu_ns() {
	cut -d ' ' -f 1 "/proc/$worker/schedstat"
}

# stolen_ms: time so far that the host gave to others; the kernel does not count it as the worker's, but ticks go on
stolen_ms() {
	awk -v tick="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%d", $9 * 1000 / tick }' /proc/stat
}

used_enough() {
	[ $(($(cpu_ns) - began)) -ge $((least * 1000000 / rate * 1000)) ]
}

# within_5 NAME MEASURED LEAST MOST: per cent
within_5() {
	check "$1: $2 ms of CPU time, and by the kernel $3 to $4 ms" awk -v a="$2" -v least="$3" -v most="$4" \
		'BEGIN { exit !(a >= least * 0.95 && a <= most * 1.05) }'
}

# of_location PLACE: whose requests are long, so that little is left for what belongs to none
of_location() {
	begin_record "$1" -F "$rate" -p "$worker" -t 3600 -u
	began=$(cpu_ns)
	stolen=$(stolen_ms)
	wrk -c 4 -t 1 -d 600 -H 'Accept-Encoding: gzip' "http://127.0.0.1:$PORT/$1/0" >"$T/wrk" 2>&1 &
	loading=$!
	until_true 300 used_enough || not_ok "$1" 'nginx does not use that much CPU time'
	end_load
	until_true 30 idle || not_ok "$1" 'nginx goes on'
	ended=$(cpu_ns)
	stop_record
	check_eq "$1: exit" 0 "$status"
	values location "$T/$1.rec" >"$T/locations"
	note "$T/locations"
	kept=$(account kept "$1")
	# of ticks that the machine has not delivered nobody knows whether they were the worker's; their number is known
	used=$(((ended - began) / 1000000))
	fewest=$((used - $(account skipped "$1") * 1000 / rate))
	most=$((used + $(stolen_ms) - stolen))
	within_5 "$1" "$(awk -v place="/$1/" -v rate="$rate" '$1 == place { printf "%d", $2 * 1000 / rate }' "$T/locations")" "$fewest" "$most"
	within_5 "$1: with what belongs to none" "$((kept * 1000 / rate))" "$fewest" "$most"
	check_eq "$1: the sum is all samples" "$kept" "$(awk '{ sum += $NF } END { print sum }' "$T/locations")"
	check_eq "$1: no other location" '' "$(grep -vE "^(/$1/|\[no location\]) " "$T/locations")"
}

# idle: it has had nothing to do for 0.3 s
idle() {
	now=$(cpu_ns)
	sleep 0.3
	[ "$(cpu_ns)" = "$now" ]
}

mkdir -p "$work/html/gzip" "$work/html/sub" "$work/html/ssi"
seq 100000 >"$work/html/gzip/0"
seq 300000 >"$work/html/sub/0"
{
	echo '<!--# if expr="$none" -->'
	head -c 4000000 /dev/zero | tr '\0' '<'
	echo ' <!--# endif -->'
} >"$work/html/ssi/0"
modules "$work/modules.conf"
cp "$here/kinds.lua" "$work"
chmod -R a+rX "$work"
start_nginx "$here/cpu.conf" || exit 1
worker=${workers%% *}
for place in gzip sub ssi lua; do
	of_location "$place"
done
stop_nginx
leave_release
