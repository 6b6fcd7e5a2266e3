# SPDX-License-Identifier: GPL-2.0-or-later
# situations.rb: calls itself in all ways that Ruby has, and in each way tells tests/replay/take its stack, as caller_locations() reports
# it, before it stays there for a while. Until 3.3 Ruby does not tell the classes of methods, so they are in a table, which 3.4 confirms.

CLASSES = {
	'sell' => 'Shop#sell', 'price' => 'Shop#price', 'open' => 'Shop.open', 'count' => 'Deep::Counting#count', 'stock' => 'Shop#stock',
	'nested' => 'Shop#nested', 'method_missing' => 'Shop#method_missing', 'evaluated' => 'Shop#evaluated', 'fiber' => 'Shop#fiber',
	'sorted' => 'Shop#sorted', 'replaced' => 'Shop#replaced', 'rescued' => 'Shop#rescued',
	'ensured' => 'Shop#ensured', 'größe' => 'Shop#größe', '==' => 'Shop#==', 'compared' => 'Shop#compared', 'again' => 'Shop#again',
	'totals' => 'Shop#totals', 'exec' => 'Shop#exec', 'long' => 'Shop#long', 'matched' => 'Shop#matched', 'late' => 'Late#late'
}.freeze
FUNCTIONS = { # in C
	'each' => 'Hash#each', 'sort' => 'Array#sort', 'gsub' => 'String#gsub', 'eval' => 'Kernel#eval', 'instance_exec' => 'BasicObject#instance_exec',
	'sum' => 'Array#sum', 'catch' => 'Kernel#catch', 'each_with_index' => 'Enumerable#each_with_index'
}.freeze
LARGE = (1..200_000).to_a.freeze

# Returns the name of a frame as 3.4 has it, blanks as replay wants them, and its place unless it is a function in C.
def frame_of(location)
	label = location.label.sub(/\A(rescue|ensure) in /, '')
	method = location.base_label
	class_name = location.lineno == Deep::MARKET ? "Deep::Market##{method}" : CLASSES[method]
	raise "#{label} is not #{class_name}" if RUBY_VERSION >= '3.4' && class_name && !label.end_with?(class_name)
	function = FUNCTIONS[method] if label == method || label.end_with?("##{method}")
	name = function || label.sub(/(?<=\A|block in |levels\) in )#{Regexp.escape(method)}\z/) { class_name || method }
	name = name.gsub(' ', '\x20')
	function ? name : "#{name} #{location.path}:#{location.lineno}"
end

$messages = File.open('/dev/null', 'w')

# Tells the stack of the caller, whose innermost frame will be LEAF if that is given.
def tell(situation, *leaf)
	clause = nil # since 3.4 Ruby leaves out what comes after the clause of a rescue or ensure
	stack = caller_locations(1).reject { |l| hidden = clause; clause = l.label.match?(/\A(rescue|ensure) in /); hidden }
	frames = leaf + stack.map { |l| frame_of(l) }
	$messages.syswrite("replay: moment #{situation}\t-\t#{frames.join("\t")}\n")
end

module Deep
	module Counting
		def count; tell 'module'; i = 0; i += 1 while i < 20_000; end
	end

	MARKET = __LINE__ + 2
	class Market
		def größe; tell 'super'; i = 0; i += 1 while i < 20_000; end
	end
end

class Shop < Deep::Market
	include Deep::Counting

	def sell; price(1); end
	def price(n); tell 'method'; i = n; i += 1 while i < 20_000; end
	def self.open; tell 'singleton'; i = 0; i += 1 while i < 20_000; end
	def stock; {a: 1}.each { |k, v| tell 'block'; i = v; i += 1 while i < 20_000 }; end

	def nested
		{a: 1}.each do |a, b|
			{a: 1}.each_with_index { |k, v| tell 'blocks'; i = v; i += 1 while i < 20_000 }
		end
	end
	define_method(:defined) { tell 'define_method'; i = 0; i += 1 while i < 20_000 }
	def method_missing(name, *args); tell 'method_missing'; i = 0; i += 1 while i < 20_000; end

	def evaluated; eval "tell 'eval'; i = 0; i += 1 while i < 20_000", binding, 'made.rb', 7; end
	def fiber; Fiber.new { tell 'fiber'; i = 0; i += 1 while i < 20_000 }.resume; end
	def sorted; [2, 1].sort { |a, b| tell 'sort'; i = 0; i += 1 while i < 20_000; a <=> b }; end
	def replaced; 'a'.gsub(/a/) { tell 'gsub'; i = 0; i += 1 while i < 20_000; 'b' }; end

	def rescued
		raise 'x'
	rescue StandardError
		tell 'rescue'; i = 0; i += 1 while i < 20_000
	end

	def ensured
		raise 'x'
	ensure
		tell 'ensure'; i = 0; i += 1 while i < 20_000
	end
	def größe; super; end
	def ==(other); tell 'operator'; i = 0; i += 1 while i < 20_000; true; end
	def compared; self == 1; end
	def again(n); n.zero? ? (tell 'recursion'; i = 0; i += 1 while i < 20_000) : again(n - 1); end
	def totals; LARGE.sum; tell("function", "Array#sum"); LARGE.sum; end
	def exec; instance_exec { catch(:x) { tell 'instance_exec'; i = 0; i += 1 while i < 20_000 } }; end
	def matched; 'a' =~ /a/; tell 'svar'; i = 0; i += 1 while i < 20_000; end

	# its table of lines has more than one block of 512 instructions
	class_eval "def long\n#{"x = [__LINE__, x].hash + 1\n" * 120}tell 'long'; i = 0; i += 1 while i < 20_000\nend", 'long.rb', 1
end

# has variables before and after its name
Late = Class.new do
	@shelf = 'shelf'
	def late; tell 'variables'; i = 0; i += 1 while i < 20_000; end
end
Late.instance_exec { 20.times { |n| instance_variable_set("@box#{n}", 'box') } }

shop = Shop.new
shop.sell
Shop.open
shop.count
shop.stock
shop.nested
shop.defined
shop.anything
shop.evaluated
shop.fiber
shop.sorted
shop.replaced
shop.rescued
begin
	shop.ensured
rescue StandardError
	nil
end
shop.größe
shop.compared
shop.again(70)
shop.totals
shop.exec
shop.matched
shop.long
Class.new { def hum; tell 'anonymous'; i = 0; i += 1 while i < 20_000; end }.new.hum
def shop.alone; tell 'object'; i = 0; i += 1 while i < 20_000; end
shop.alone
Late.new.late
Thread.new { shop.sell }.join
