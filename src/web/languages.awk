# SPDX-License-Identifier: GPL-2.0-or-later
# languages.awk src/model/language.h: prints the style of the frames of each language, by the colours of its row. Like flame.css, it has
# a literal colour for viewers that support neither variables nor light-dark().
BEGIN {
	FS = "['\"]"
	print "/* SPDX-License-Identifier: GPL-2.0-or-later */"
}

/^\tROW\(/ {
	n = split($8, light, " ")
	split($10, dark, " ")
	for (i = 1; i <= n; i++) {
		printf ".%s%d { fill: %s; }\n", $6, i - 1, light[i]
		both = both sprintf("\t.%s%d { fill: light-dark(%s, %s); }\n", $6, i - 1, light[i], dark[i])
	}
}

END {
	printf "@supports (color: light-dark(#000, #fff)) {\n%s}\n", both
	exit !n
}
