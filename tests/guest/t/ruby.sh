#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ruby: Ruby stacks by real SystemTap, with modules that were built without a particular Ruby: a program whose stacks are known, on several
# releases, alone and mixed with C; where Ruby waits; and a user's own script.
# roots: ruby-bullseye ruby-bookworm
# tier: all
set -eu
. /lab/guest.sh
. /lab/record.sh

prepare() {
	lab_start ruby -e 'while true; end'
	lab_record -F 100 --ruby -p "$target" -o "$LAB_WORK/b.ko"
	lab_record -F 100 --mixed --ruby -p "$target" -o "$LAB_WORK/mixed.ko"
	lab_record --script off-cpu --ruby -k -p "$target" -o "$LAB_WORK/off.ko"
	lab_finish
	cat >"$LAB_WORK/own.stp" <<-'END'
		probe kernel.trace("sched_process_fork")
		{
			if (pid() != target())
				next
			print(ruby_backtrace_text())
			ruby_print_backtrace()
			printf("%s at %s\n", ruby_function(), ruby_location())
			exit()
		}
	END
	(cd "$LAB_WORK" && stap -p4 -r "$KVER" -m ruby_own -I /usr/local/share/flametap/tapsets/vm -I /usr/local/share/flametap/tapsets/ruby own.stp >/dev/null)
}

recorder() {
	sample-bt --module "$LAB_WORK/$module.ko" "$@"
}

ring='module Deep
  module Counting
    def count; i = 0; i += 1 while i < 300_000; end
  end
  class Market
    def größe; i = 0; i += 1 while i < 300_000; end
  end
end
class Shop < Deep::Market
  include Deep::Counting
  LARGE = (1..500_000).to_a
  def sell; price(1); end
  def price(n); i = n; i += 1 while i < 300_000; end
  def self.open; i = 0; i += 1 while i < 300_000; end
  def nested
    {a: 1}.each { |_, v| {b: 2}.each { |_, w| i = v + w; i += 1 while i < 300_000 } }
  end
  def sorted; [2, 1].sort { |a, b| i = 0; i += 1 while i < 300_000; a <=> b }; end
  def evaluated; eval "i = 0; i += 1 while i < 300_000"; end
  def totals; LARGE.sum { |n| n }; end
  def rescued
    begin
      raise "again"
    rescue
      i = 0; i += 1 while i < 300_000
    end
  end
  def ensured
    begin
      1
    ensure
      i = 0; i += 1 while i < 300_000
    end
  end
  def recursive(n); n == 0 ? price(2) : recursive(n - 1); end
end
shop = Shop.new
$stderr.syswrite("begun\n")
while true
  shop.sell; Shop.open; shop.count; shop.größe; shop.nested; shop.sorted; shop.evaluated; shop.totals; shop.rescued; shop.ensured
  shop.recursive(3)
end'
stacks='Shop#sell;Shop#price
Shop.open
Deep::Counting#count
Deep::Market#größe
Shop#nested;Hash#each;block in Shop#nested;Hash#each;block (2 levels) in Shop#nested
Shop#sorted;Array#sort;block in Shop#sorted
Shop#evaluated;Kernel#eval;Shop#evaluated
Shop#totals;Array#sum;block in Shop#totals
Shop#rescued
Shop#ensured
Shop#recursive;Shop#recursive;Shop#recursive;Shop#recursive;Shop#price'

# known NAME ROOT RUBY OPTION…: the stacks of the ring are exactly the ones that it has
known() {
	known_name=$1 root=$2 ruby=$3
	shift 3
	printf '%s\n' "$ring" >"$root/tmp/ring.rb"
	# shellcheck disable=SC2086
	lab_start env LC_ALL=C.UTF-8 ${root:+chroot $root} $ruby /tmp/ring.rb
	until_true grep -q begun "$T/target.out" || not_ok "$known_name" "the program does not begin"
	expect_record "$known_name" 0 "$@" -p "$target" -t 10
	lab_finish
	# with --mixed, frames of C are between the frames of Ruby
	awk '{
		sub(/ [0-9]+$/, "")
		n = split($0, frames, ";")
		stack = ""
		for (i = 1; i <= n; i++)
			if (frames[i] ~ /#|^<|^Shop[.]|^\[ruby: /)
				stack = stack ";" frames[i]
		if (stack != "")
			print substr(stack, 2)
	}' "$T/$known_name.folded" | sort -u >"$T/$known_name.seen"
	printf '%s\n' "$stacks" | sed 's/^/<main>;/' >"$T/wanted"
	check_eq "$known_name: each stack" '' "$(grep -vxFf "$T/$known_name.seen" "$T/wanted")"
	check_eq "$known_name: no other stack" '' "$(awk 'NR == FNR { wanted[$0 ";"]; next }
		{
			for (w in wanted) if (index(w, $0 ";") == 1) next
			if ($0 !~ /^<main>;Shop#rescued;/) print
		}' "$T/wanted" "$T/$known_name.seen")"
	lab_keep "$T/$known_name".*
}

waits() {
	printf 'def naps; sleep 0.05; end\nwhile true\n  naps\n  i = 0; i += 1 while i < 100_000\nend\n' >"$T/waits.rb"
	lab_start ruby "$T/waits.rb"
	module=off
	expect_record off 0 --script off-cpu --ruby -k -p "$target" -t 4
	check 'off: where it waits' grep -qE '^<main>;Object#naps;Kernel#sleep;.*_\[k\];.*_\[k\][; ]' "$T/off.folded"
	lab_finish
	lab_keep "$T"/off.*
}

own_script() {
	cat >"$T/forks.rb" <<-'END'
		class Shöp
		  def works
		    {a: 1}.each do
		      system 'true'
		    end
		  end
		end
		while true
		  Shöp.new.works
		  sleep 0.1
		end
	END
	lab_start env LC_ALL=C.UTF-8 ruby "$T/forks.rb"
	sample-bt --engine stap --ruby -p "$target" --module "$LAB_WORK/b.ko" -d >"$T/described"
	values=$(sed -n 's/^# staprun .*[.]ko //p' "$T/described")
	frames="Kernel#system ?
block in Sh\u00F6p#works $T/forks.rb:4
Hash#each ?
Sh\u00F6p#works $T/forks.rb:3
<main> $T/forks.rb:9"
	# shellcheck disable=SC2086
	timeout 300 staprun -R -x "$target" "$LAB_WORK/ruby_own.ko" $values >"$T/own.out" 2>"$T/own.err" || :
	check_eq "a user's own script" "$frames
$(printf '%s\n' "$frames" | sed 's/^/ /')
Kernel#system at $T/forks.rb:4" "$(cat "$T/own.out")"
	lab_keep "$T/own.out" "$T/own.err" "$T/described"
	lab_finish
}

in_guest() {
	module=b
	known 2.7 /lab/roots/ruby-bullseye ruby --ruby
	known 3.1 /lab/roots/ruby-bookworm ruby --ruby
	known own '' ruby --ruby
	module=mixed
	known mixed '' ruby --mixed --ruby
	waits
	own_script
}

guest_main "$@"
