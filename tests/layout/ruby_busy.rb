# SPDX-License-Identifier: GPL-2.0-or-later
# ruby_busy.rb: changes its stack all the time: calls, blocks called by C, a fiber, exceptions. It tells tests/replay/take which stacks it
# may have.
BLOCK = 'block.x20in.x20Busy#once'.freeze
LEAF = 'Busy#leaf(;Array#sum)?'.freeze
TWO = "Busy#two(;Busy#two){0,3}(;#{LEAF})?".freeze
CALLS = "#{TWO}|Array#sort(;#{BLOCK}(;Busy#order(;Integer#<=>)?)?)?|String#gsub(;#{BLOCK}(;Busy#up(;String#downcase)?)?)?|" \
	"Hash#each(;#{BLOCK}(;#{TWO})?)?|Busy#failed(;Kernel#raise.*|;Module#===|;#{LEAF})?|Class#new(;BasicObject#initialize|;Fiber#initialize)?|" \
	'Fiber#initialize|Fiber#resume'.freeze

class Busy
	def run
		$messages.syswrite("replay: may #{MAY}\n")
		once while true
	end

	def once
		two(3)
		[3, 1, 2].sort { |a, b| order(a, b) }
		'ab'.gsub(/b/) { up }
		{a: 1}.each { |_, v| two(v) }
		failed
		Fiber.new { two(1) }.resume
	end
	def two(n); n > 0 ? two(n - 1) : leaf; end
	def leaf; [1, 2].sum; end
	def order(a, b); a <=> b; end
	def up; 'B'.downcase; end

	def failed
		raise ArgumentError
	rescue ArgumentError
		leaf
	end
end

# A fiber that begins or has ended has no frame.
MAY = "^(<main>;Busy#run(;IO#syswrite|;Busy#once(;(#{CALLS}))?)?|#{BLOCK}(;#{TWO})?)?(;?.garbage.x20collection.)?$".freeze
$messages = File.open('/dev/null', 'w')
Busy.new.run
