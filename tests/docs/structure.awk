# SPDX-License-Identifier: GPL-2.0-or-later
# structure.awk TABLE FILES…: prints the includes of src/ that TABLE (see there) does not allow, include guards that are not
# the file's path, structures that have one name, and functions of more than 60 lines.
function folder(path,    f) {
	f = path
	sub(/^src\//, "", f)
	do {
		sub(/\/[^\/]*$/, "", f)
		if (f in allowed)
			return f
	} while (f ~ /\//)
	return ""
}

function guard(path) {
	sub(/^src\//, "", path)
	gsub(/[^A-Za-z0-9]/, "_", path)
	return toupper(path)
}

FNR == NR {
	if (!/^#/) {
		name = $1
		sub(/:$/, "", name)
		$1 = ""
		allowed[name] = $0 " "
	}
	next
}

/^#ifndef .*_H$/ && $2 != guard(FILENAME) {
	print FILENAME ": guard " $2
}

# also structures inside of others, and types of variables
match($0, /^[\t ]*(static |const )*(struct|union|enum) [a-z_0-9]+ \{/) {
	split(substr($0, RSTART, RLENGTH - 2), word, " ")
	for (i = 1; word[i] !~ /^(struct|union|enum)$/; i++)
		;
	if (word[i + 1] in defined)
		print FILENAME ": " word[i] " " word[i + 1] " is in " defined[word[i + 1]] ", too"
	defined[word[i + 1]] = FILENAME
}

/^#include "[^"]*\/[^"]*"/ {
	split($2, part, "\"")
	from = folder(FILENAME)
	to = folder("src/" part[2])
	edges = allowed[from] (FILENAME ~ /_bpf\.h$/ ? allowed["*_bpf.h"] : "")
	if (to != "" && from != to && index(edges, " " to " ") == 0)
		print FILENAME ": includes " part[2]
}

/^\{/ {
	body = FNR
}

/^\}/ {
	if (body && FNR - body - 1 > 60)
		print FILENAME ": the function at line " body - 1 " has " FNR - body - 1 " lines"
	body = 0
}
