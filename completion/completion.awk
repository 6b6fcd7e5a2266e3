# SPDX-License-Identifier: GPL-2.0-or-later
# awk -v shell=bash|zsh|fish -v program=NAME: the completion of its options, made from what NAME --help prints.

# Whether option I has the words of a choice such as "auto|stap|bpf"; otherwise what is to be completed: files, directories,
# processes, what a command lists, or any text.
function kind_of(i) {
	if (value[i] ~ /[|]/)
		return "words"
	if (value[i] ~ /^DIR/)
		return "folders"
	if (value[i] ~ /FILE/ && long[i] != "module")
		return "files"
	if (long[i] in command)
		return "listed"
	return value[i] ~ /^PID/ ? "processes" : value[i] == "" ? "none" : "text"
}

# The commands that list the values of options.
BEGIN {
	command["comm"] = "ps -e -o comm= | sort -u"
	command["tid"] = "ps -e -L -o tid="
	command["script"] = "sample-bt --scripts 2>/dev/null | sed \"s/ .*//\""
	command["unit"] = "systemctl list-units --plain --no-legend --no-pager 2>/dev/null | sed \"s/ .*//\""
}

# What a description lists, as in "one of comm, thread, or the key of another label", as a choice; or else the value as it is.
function listed(doc, value) {
	if (!match(doc, /one of ([a-z-]+, )+/))
		return value
	doc = substr(doc, RSTART + 7, RLENGTH - 9)
	gsub(/, /, "|", doc)
	return doc
}

# The first clause of a description, without "With -p:" before it and what the shells would interpret.
function summary(doc) {
	sub(/^(With [^:]*|stap): /, "", doc)
	sub(/, one of ([a-z-]+, )+.*/, "", doc)
	sub(/[;:(].*/, "", doc)
	gsub(/[]["'`$\\]/, "", doc)
	sub(/ +$/, "", doc)
	return doc
}

function bash_values(i,    kind) {
	kind = kind_of(i)
	if (kind == "words")
		return "COMPREPLY=($(compgen -W '" words(i) "' -- \"$word\")); "
	if (kind == "listed")
		return "COMPREPLY=($(compgen -W \"$(" command[long[i]] ")\" -- \"$word\")); "
	if (kind == "folders")
		return "COMPREPLY=($(compgen -d -- \"$word\")); "
	if (kind == "files")
		return "COMPREPLY=($(compgen -f -- \"$word\")); "
	return kind == "processes" ? "COMPREPLY=($(compgen -W \"$(ps -e -o pid=)\" -- \"$word\")); " : ""
}

function words(i,    choice) {
	choice = value[i]
	gsub(/[|]/, " ", choice)
	return choice
}

# A command that lists the options of "program", with an = behind those that have a value, and of the script in the shell's variable.
function options_with_script() {
	return program " --script \"$script\" --help 2>/dev/null | sed -n \"s/^ *\\(-., \\)*\\(--[a-z0-9-]*=*\\).*/\\2/p\""
}

function function_name(    name) {
	name = "flametap_" program
	gsub(/-/, "_", name)
	return name
}

function print_bash(    i, all, name) {
	name = "_" function_name()
	print "# bash completion for " program
	print name "() {"
	print "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}"
	print "\t[ \"$word\" = = ] && word="
	print "\t[ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}"
	print "\tcase $before in"
	for (i = 1; i <= nr; i++) {
		all = all " --" long[i] (value[i] == "" ? "" : "=")
		if (value[i] != "")
			print "\t" (short[i] == "" ? "" : "-" short[i] " | ") "--" long[i] ") " bash_values(i) "return ;;"
	}
	print "\tesac"
	if (has_scripts) {
		print "\tlocal i script="
		print "\tfor ((i = 1; i < COMP_CWORD; i++)); do"
		print "\t\t[ \"${COMP_WORDS[i]}\" = --script ] && script=${COMP_WORDS[i + 1]}"
		print "\t\t[ \"$script\" = = ] && script=${COMP_WORDS[i + 2]}"
		print "\tdone"
	}
	print "\tcase $word in"
	print "\t-*)"
	print "\t\tCOMPREPLY=($(compgen -W '" substr(all, 2) "' -- \"$word\"))"
	if (has_scripts)
		print "\t\t[ \"$script\" ] && COMPREPLY=($(compgen -W \"$(" options_with_script() ")\" -- \"$word\"))"
	print "\t\t[[ ${COMPREPLY[*]} = *= ]] && compopt -o nospace"
	print "\t\t;;"
	if (commands != "")
		print "\t*) COMPREPLY=($([ $COMP_CWORD = 1 ] && compgen -W '" commands "' -- \"$word\" || compgen -f -- \"$word\")) ;;"
	else
		print "\t*) COMPREPLY=($(compgen -f -- \"$word\")) ;;"
	print "\tesac"
	print "}"
	print "complete -o filenames -F " name " " program
}

function zsh_values(i,    kind) {
	kind = kind_of(i)
	if (kind == "words")
		return ":" long[i] ":(" words(i) ")"
	if (kind == "listed")
		return ":" long[i] ":{compadd -- $(" command[long[i]] ")}"
	if (kind == "folders")
		return ":directory:_files -/"
	if (kind == "files")
		return ":file:_files"
	return kind == "processes" ? ":process:_pids" : kind == "none" ? "" : ":" long[i] ": "
}

function print_zsh(    i, set) {
	print "#compdef " program
	if (has_scripts) {
		print "local script=${${(M)words:#--script=*}#--script=}"
		print "[ \"${words[(r)--script]}\" ] && script=${words[words[(i)--script] + 1]}"
		print "[ \"$script\" ] && compadd -- $(" options_with_script() ")"
	}
	print "_arguments -s -S \\"
	for (i = 1; i <= nr; i++) {
		set = short[i] == "" ? "'--" long[i] (value[i] == "" ? "" : "=") : "{-" short[i] (value[i] == "" ? "" : "+") ",--" \
			long[i] (value[i] == "" ? "" : "=") "}'"
		print "\t'*'" set (doc[i] == "" ? "" : "[" summary(doc[i]) "]") zsh_values(i) "' \\"
	}
	if (commands != "")
		print "\t'1:command:(" commands ")' \\"
	print "\t'*:file:_files'"
}

function print_fish(    i, kind, rest) {
	if (commands != "")
		print "complete -c " program " -n __fish_use_subcommand -x -a '" commands "'"
	if (has_scripts) {
		print "function __" function_name()
		print "\tset -l script (commandline -pc | string match -r -g -- '--script[= ]([a-z-]+) ')"
		print "\ttest -n \"$script\"; and " options_with_script()
		print "end"
		print "complete -c " program " -f -n 'string match -q -- \"-*\" (commandline -ct)' -a '(__" function_name() ")'"
	}
	for (i = 1; i <= nr; i++) {
		kind = kind_of(i)
		rest = kind == "none" ? "" : kind == "files" ? " -r -F" : kind == "folders" ? " -x -a '(__fish_complete_directories)'" : \
			kind == "processes" ? " -x -a '(__fish_complete_pids)'" : kind == "words" ? " -x -a '" words(i) "'" : \
			kind == "listed" ? " -x -a '(" command[long[i]] ")'" : " -x"
		print "complete -c " program (short[i] == "" ? "" : " -s '" short[i] "'") " -l " long[i] rest \
			(doc[i] == "" ? "" : " -d '" summary(doc[i]) "'")
	}
}

# "  -p, --pid=PID[,PID...]     These processes"; -p, value and description may be missing, and "--threads, --tid" has two names
/^ ? ? ? ? ? ?(-., )?--[a-z]/ {
	sub(/^ +/, "")
	letter = ""
	if ($0 ~ /^-[^-], /) {
		letter = substr($0, 2, 1)
		$0 = substr($0, 5)
	}
	text = $0
	sub(/^(--[^ ]+, )*[^ ]+ */, "", text)
	names = split($0, name, / +/)
	for (i = 1; i <= names && name[i] ~ /^--/; i++) {
		nr++
		short[nr] = i == 1 ? letter : ""
		doc[nr] = text
		sub(/^--/, "", name[i])
		sub(/,$/, "", name[i])
		value[nr] = name[i] ~ /=/ ? substr(name[i], index(name[i], "=") + 1) : ""
		sub(/\[?=.*/, "", name[i])
		long[nr] = name[i]
	}
	next
}

# "  record         where processor time goes (sample-bt)", of a program whose first word is a command
NR == 1 && / COMMAND \[ARG/ {
	has_commands = 1
}

has_commands && /^  [a-z][a-z-]* / && $1 != program {
	commands = commands (commands == "" ? "" : " ") $1
	next
}

# the description goes on
nr && /^                             +[^ ]/ {
	line = $0
	sub(/^ +/, "", line)
	doc[nr] = doc[nr] (doc[nr] == "" ? "" : " ") line
	next
}

END {
	if (!nr) {
		print "completion.awk: the help of '" program "' lists no option: is it built?" >"/dev/stderr"
		exit 1
	}
	for (i = 1; i <= nr; i++) {
		value[i] = listed(doc[i], value[i])
		has_scripts = has_scripts || long[i] == "script"
	}
	if (shell == "bash")
		print_bash()
	else if (shell == "zsh")
		print_zsh()
	else
		print_fish()
}
