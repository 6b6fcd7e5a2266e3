<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// php_busy.php: changes its stack all the time, for tests/replay/take -i.

class Shelf implements IteratorAggregate {
	private $books;
	function __construct($books) { $this->books = $books; }
	function getIterator(): Iterator { foreach ($this->books as $book) yield $this->title($book); }
	private function title($book) { return strrev("book $book"); }
	static function order($a, $b) { return strcmp($a, $b); }
	function __get($name) { return $this->title($name); }
}

function inner() { yield 1; yield 2; }
function outer() { yield from inner(); yield from [3]; }

function shelves() {
	$shelf = new Shelf([3, 1, 2]);
	$titles = [];
	foreach ($shelf as $title) $titles[] = $title;
	usort($titles, ['Shelf', 'order']);
	foreach (outer() as $n) $titles[] = $n;
	array_map(function ($x) { return md5($x); }, $titles);
	try { throw new Exception($shelf->missing); } catch (Exception $e) { }
}

fwrite(fopen('/dev/null', 'w'), 'replay: may ^\{main\}(;shelves(;(Shelf::__construct|usort(;Shelf::order(;strcmp)?)?|Shelf::getIterator(;Shelf::title(;strrev)?)?' .
	'|Shelf::__get(;Shelf::title(;strrev)?)?|outer(;inner)?|inner|array_map(;\{closure[^;]*\}(;md5)?)?|Exception::__construct|IteratorAggregate::\w+))?)?$');
for (;;) shelves();
