# SPDX-License-Identifier: GPL-2.0-or-later
# make demo | check | all | install … ; "make help" lists everything.

VERSION := 0.1.0
PREFIX ?= /usr/local
prefix ?= $(PREFIX)
bindir ?= $(prefix)/bin
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
pkgdatadir = $(datadir)/flametap
pkglibdir = $(prefix)/lib/flametap
sysconfdir ?= $(if $(filter /usr,$(prefix)),/etc,$(prefix)/etc)
unit_file = $(prefix)/lib/systemd/system/flametap-fleet.service
fleet_conf = $(sysconfdir)/flametap/fleet.conf

CC ?= cc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
INSTALL ?= install
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

comma := ,
O := build
WARN := -Wall -Wextra -Wshadow -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wwrite-strings -Wundef -Wpointer-arith -Wno-format-nonliteral
ifdef DEV
WARN += -Werror
endif
ifdef SAN
O := build/$(subst $(comma),-,$(SAN))
SANFLAGS := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

FT_CPPFLAGS = -D_GNU_SOURCE -Isrc -I$(O) -DVERSION='"$(VERSION)"' \
	-DPKGDATADIR='"$(pkgdatadir)"' $(shell $(PKG_CONFIG) --cflags libdw libelf zlib libzstd libbpf libprotobuf-c)
# the same programs wherever the tree is
MAP_DIR = -ffile-prefix-map=$(CURDIR)=.
FT_CFLAGS = -std=gnu11 -pthread $(WARN) $(SANFLAGS) $(MAP_DIR) $(FT_CPPFLAGS)
FT_LIBS = $(shell $(PKG_CONFIG) --libs libdw libelf libbpf zlib libzstd expat libprotobuf-c) -liberty -lm

SRC := $(shell find src -name '*.c' ! -name '*.bpf.c' ! -path 'src/preload/*' | LC_ALL=C sort)
CMD_SRC := $(filter src/cmd/%,$(SRC))
LIB_SRC := $(filter-out $(CMD_SRC),$(SRC))
UNIT_SRC := $(wildcard tests/unit/*.c)
BENCH_SRC := $(wildcard tests/bench/*.c)
RIGHT_SRC := $(wildcard tests/right/*.c tests/steps/*.c)
PAIRS_SRC := $(wildcard tests/pairs/*.c)
SYMBOLS_SRC := $(wildcard tests/symbols/*.c)
LAYOUT_SRC := $(wildcard tests/layout/*_stack.c tests/layout/*_layout.c)
GUEST_SRC := tests/guest/verify.c
NGINX_SRC := $(wildcard tests/nginx/*.c tests/browser/*.c)
REPLAY_SRC := tests/replay/replay.c tests/replay/take.c
# the scripts of the flame graphs and of the timelines are these, one behind the other
WEB_PAGE := root.js dom.js page.js axis.js
WEB_JS := $(WEB_PAGE) data.js sides.js tree.js times.js callers.js views.js state.js colours.js text.js marks.js graph.js actions.js \
	bar.js layers.js strip.js legend.js panels.js table.js main.js
WEB_TIMELINE := $(WEB_PAGE) timeline.js
WEB_CSS := flame.css
OBJ := $(patsubst %.c,$(O)/%.o,$(LIB_SRC) $(CMD_SRC) $(UNIT_SRC) $(BENCH_SRC) $(RIGHT_SRC) $(PAIRS_SRC) $(SYMBOLS_SRC) $(LAYOUT_SRC) \
	$(GUEST_SRC) $(NGINX_SRC) $(REPLAY_SRC) $(addprefix tests/replay/,case.c words.c request.c mutations.c native.c))
CMDS := $(notdir $(CMD_SRC:.c=))
BINDIR := $(if $(SAN),$(O)/bin,bin)
PROGRAMS := $(CMDS:%=$(BINDIR)/%)
UNITS := $(patsubst %.c,$(O)/%,$(UNIT_SRC) $(BENCH_SRC) $(RIGHT_SRC) $(PAIRS_SRC) $(SYMBOLS_SRC) $(LAYOUT_SRC) \
	$(GUEST_SRC) $(NGINX_SRC) $(REPLAY_SRC))
# loaded by commands first; without libc among what it needs, it is loaded into programs of any C library
PRELOAD := $(O)/libflametap-heap.so
SCRIPTS := $(filter-out $(CMDS:%=bin/%),$(wildcard bin/*))

Q := $(if $(V),,@)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all help deps deps-check demo check check-all flake unit picture bench right soak fuzz guest-shell completion install uninstall \
	deb rpm clean format

all: $(PROGRAMS) $(PRELOAD)

help:
	@sed -n 's/^## //p' Makefile

## make            compile everything into bin/ (V=1 shows commands, DEV=1 adds -Werror, SAN=address,undefined)
## make deps       install what building needs, with apt or dnf; deps-check: and what the tests need
## make demo       install, compile, profile a real program, say where picture and tables are
## make check      install, compile, run the tests that decide by facts (TEST=LEVEL or TEST=LEVEL/TEST: those alone)
## make check-all  these, and the long ones: every interpreter, server and kernel, under load
## make flake      TEST=LEVEL/TEST N=50 times, BUSY=2 loops beside it: does it fail by chance?
## make unit       the fast tests only
## make picture    the README's picture anew
## make bench      figures against the peers, as a table
## make right      stacks of real programs: how many are whole, how many callers right
## make soak       memory and account of a recording under load, for SECONDS=3600
## make fuzz       the fuzzers, for SECONDS=60 each
## make guest-shell  a shell in a guest, SUITE=sid: real SystemTap on a matching kernel
## make install    PREFIX=/usr/local, DESTDIR=; make uninstall
## make deb        packages for this Debian in build/deb; make rpm: for this Fedora, in build/rpm
## make clean      what was made here; the guests' images stay in ~/.cache/flametap

deps:
	$(Q)sh tests/deps build
deps-check:
	$(Q)sh tests/deps check

PRELOAD_CFLAGS := -std=gnu11 $(WARN) $(MAP_DIR) -D_GNU_SOURCE -Isrc -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-plt \
	-fexceptions -fno-builtin -fno-stack-protector -fno-reorder-blocks-and-partition -U_FORTIFY_SOURCE
# built without -g, or its inlined functions would be shown in the stacks of users' programs
$(O)/libflametap-%.so: src/preload/%.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) -O2 $(PRELOAD_CFLAGS) -MMD -MP -MF $(O)/preload-$*.d -shared -nostdlib -Wl,-z,now -o $@ $<

# the only one that shows something on the whole terminal
$(BINDIR)/sample-bt: CODE_LIBS = $(shell $(PKG_CONFIG) --libs ncursesw)
# the only ones that disassemble
$(BINDIR)/bt-annotate $(BINDIR)/bt-export $(O)/tests/unit/code: CODE_LIBS = $(shell $(PKG_CONFIG) --libs capstone)
# the only one with a network
$(BINDIR)/bt-fleet: CODE_LIBS = $(shell $(PKG_CONFIG) --libs libcurl)
$(BINDIR)/%: $(O)/src/cmd/%.o $(O)/libflametap.a
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(FT_CFLAGS) $(LDFLAGS) -o $@ $^ $(FT_LIBS) $(CODE_LIBS)

# the guests that run it have no cmocka
$(O)/tests/guest/verify: TEST_LIBS :=
$(O)/tests/%: TEST_LIBS := -lcmocka
# they log, and replace, what ELF files say
$(O)/tests/replay/%: TEST_LIBS := $(addprefix -Wl$(comma)--wrap=elffacts_,variable thread_place section) -Wl,--wrap=elffile_build_id
$(O)/tests/replay/replay: TEST_LIBS += -Wl,--wrap=elffacts_ask
$(O)/tests/replay/replay $(O)/tests/replay/take: $(addprefix $(O)/tests/replay/,case.o words.o request.o)
$(O)/tests/replay/replay: $(O)/tests/replay/mutations.o
$(O)/tests/replay/take: $(O)/tests/replay/native.o
$(O)/tests/replay/replay $(O)/tests/replay/take: TEST_LIBS += $(O)/libflametap.a $(FT_LIBS)
# a judge, since its version 4; ccache would not see that __has_include() has another result now
ZYDIS := $(wildcard /usr/include/Zydis/Encoder.h)
$(O)/tests/unit/insn.o: FT_CFLAGS += -DHAS_JUDGE=$(if $(ZYDIS),1,0)
$(O)/tests/unit/insn: TEST_LIBS := -lcmocka $(if $(ZYDIS),-lZydis)
$(O)/tests/%: $(O)/tests/%.o $(O)/libflametap.a
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(FT_CFLAGS) $(LDFLAGS) -o $@ $^ $(FT_LIBS) $(CODE_LIBS) $(TEST_LIBS)

$(O)/libflametap.a: $(patsubst %.c,$(O)/%.o,$(LIB_SRC)) $(O)/input/pprof.pb-c.o $(O)/input/otlp.pb-c.o $(O)/label/otel/process_context.pb-c.o
	@echo "  AR    $@"
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(FT_CFLAGS) -MMD -MP -c -o $@ $<

# a file becomes the initialiser of a C string
to_string = sed -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' $< > $@
$(O)/view/%.inc: src/view/%
	@mkdir -p $(@D)
	$(Q)$(to_string)
$(O)/src/view/rules.o: $(O)/view/default.rules.inc

# what the headers of the tools say, for those without a script and a binary without its data folder
HEADERS := $(wildcard stap/*.stp src/tool/*/*.tool)
$(O)/engine/headers.inc: $(HEADERS) stap Makefile
	@mkdir -p $(@D)
	$(Q)for file in $(HEADERS); do name=$${file##*/}; case $$file in *.stp) script=true ;; *) script=false ;; esac; \
		echo "{\"$${name%.*}\", $$script,"; sed -n -e 's/[\"]/\\&/g' -e 's,^// flametap: \(.*\),"\1\\n",p' $$file; echo '},'; done > $@
$(O)/src/engine/tool.o: $(O)/engine/headers.inc

# the numbers of system calls, for patterns of their names
$(O)/tool/syscalls.inc: Makefile
	@mkdir -p $(@D)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) -E -dM - | LC_ALL=C sort | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9][0-9]*\)$$/{"\1", \2},/p' > $@
$(O)/src/tool/at/at_syscalls.o: $(O)/tool/syscalls.inc

# src/web becomes script and style of the SVG files, and the policy that names their hashes. Indentation and comments of whole
# lines stay here, but for the licence's
strip = sed -e '1b' -e 's/^[[:blank:]]*//' -e '/^$$/d' -e '/^\/\*.*\*\/$$/d' \
	-e '/^\/\*/{/\*\//!{:a' -e 'N' -e '/\*\/$$/!ba' -e 'd' -e '}' -e '}'
$(O)/web/script: $(WEB_JS:%=src/web/%) Makefile
	@mkdir -p $(@D)
	$(Q)cat $(filter src/%,$^) | $(strip) > $@
# the classes of a language's frames, p0 to p5, have the colours of its row
$(O)/web/languages.css: src/web/languages.awk src/model/language.h
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@
$(O)/web/style: $(O)/web/languages.css $(WEB_CSS:%=src/web/%) Makefile
	$(Q)cat $(filter %.css,$^) | $(strip) > $@
$(O)/web/timeline_script: $(WEB_TIMELINE:%=src/web/%) Makefile
	@mkdir -p $(@D)
	$(Q)cat $(filter src/%,$^) | $(strip) > $@
$(O)/web/timeline_style: $(WEB_CSS:%=src/web/%) src/web/timeline.css Makefile
	@mkdir -p $(@D)
	$(Q)cat $(filter %.css,$^) | $(strip) > $@
$(O)/web/%.inc: $(O)/web/%
	$(Q)$(to_string)
sha256 = sha256-$$(sha256sum < $(1) | cut -c1-64 | tr a-f A-F | basenc --base16 -d | base64)
$(O)/web/policy: $(O)/web/script $(O)/web/style
	$(Q)echo "default-src 'none'; script-src '$(call sha256,$(O)/web/script)';" \
		"style-src '$(call sha256,$(O)/web/style)'" > $@
$(O)/web/annotate: src/web/annotate.css Makefile
	@mkdir -p $(@D)
	$(Q)cat $< | $(strip) > $@
$(O)/web/annotate_policy: $(O)/web/annotate
	$(Q)echo "default-src 'none'; style-src '$(call sha256,$<)'" > $@
$(O)/src/view/annotate/annotate_html.o: $(O)/web/annotate.inc $(O)/web/annotate_policy.inc
$(O)/src/view/timeline/timeline_svg.o: $(O)/web/timeline_script.inc $(O)/web/timeline_style.inc
$(O)/src/view/flame/flame.o: $(O)/web/script.inc $(O)/web/style.inc $(O)/web/policy.inc

# src/FOLDER/NAME.proto becomes build/FOLDER/NAME.pb-c.[ch], which read and write its messages
PROTOC_C ?= protoc-c
$(O)/%.pb-c.c $(O)/%.pb-c.h: src/%.proto
	@mkdir -p $(@D)
	@echo "  PROTO $<"
	$(Q)$(PROTOC_C) --proto_path=$(<D) --c_out=$(@D) $<
$(O)/%.pb-c.o: $(O)/%.pb-c.c
	$(Q)$(CC) $(CFLAGS) $(FT_CFLAGS) -c -o $@ $<
$(O)/src/input/otlp.o $(O)/src/view/export/export_otlp.o $(O)/src/fleet/collector.o: $(O)/input/otlp.pb-c.h $(O)/input/pprof.pb-c.h
$(O)/src/label/otel/otel_context.o: $(O)/label/otel/process_context.pb-c.h
$(O)/src/input/pprof.o $(O)/src/input/pprof_tables.o $(O)/src/view/export/export_pprof.o $(O)/tests/unit/export.o: $(O)/input/pprof.pb-c.h

# Each src/tool/TOOL/NAME.bpf.c becomes NAME.linked.o, and the programs of tools, which are named as their folder, also become
# NAME.plain.linked.o, without interpreters and labels. NAME.object.h and NAME.plain.object.h hold them, compressed.
BPF_SRC := $(wildcard src/tool/*/*.bpf.c)
BPF_NAMES := $(patsubst %.bpf.c,%,$(notdir $(BPF_SRC)))
BPF_TOOLS := $(filter $(BPF_NAMES),$(notdir $(wildcard src/tool/*)))
BPF_OBJECTS := $(BPF_NAMES) $(BPF_TOOLS:%=%.plain)
vpath %.bpf.c $(wildcard src/tool/*)
CLANG ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /sbin/bpftool) bpftool)
BPF_CFLAGS = -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter $(if $(DEV),-Werror) $(MAP_DIR) \
	-D__x86_64__ -Isrc -idirafter /usr/include/$(shell $(CC) -print-multiarch)
define compile_bpf
	@mkdir -p $(@D)
	@echo "  BPF   $@"
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<
endef
$(O)/bpf/%.o: %.bpf.c
	$(compile_bpf)
$(O)/bpf/%.plain.o: BPF_CFLAGS += -DPLAIN=true
$(O)/bpf/%.plain.o: %.bpf.c
	$(compile_bpf)
$(O)/bpf/%.linked.o: $(O)/bpf/%.o
	$(Q)$(BPFTOOL) gen object $@ $<
$(O)/bpf/%.zst: $(O)/bpf/%.linked.o
	$(Q)zstd -19 -f -q -o $@ $<
$(O)/bpf/%.object.h: name = $(subst .,_,$*)_object
$(O)/bpf/%.object.h: $(O)/bpf/%.zst Makefile
	$(Q){ echo '#include "engine/bpf/embedded.h"'; \
		echo 'static const unsigned char $(name)_bytes[] = {'; od -An -v -tx1 $< | sed 's/ \(..\)/0x\1,/g'; echo '};'; \
		echo 'static const struct embedded $(name) = {$(name)_bytes, sizeof($(name)_bytes)};'; } > $@
$(patsubst %.c,$(O)/%.o,$(filter src/tool/%,$(SRC))): | $(BPF_OBJECTS:%=$(O)/bpf/%.object.h)

unit: $(UNITS) $(PROGRAMS)
	$(Q)tests/run unit golden

check check-all flake: deps-check
	$(Q)$(MAKE) --no-print-directory -j"$$(nproc)" $(CACHED) all $(UNITS)
	$(Q)tests/run $(RUN_$@) $(TEST)
# what was compiled for another clone is not compiled again
CACHED = $(if $(shell command -v ccache),CC='ccache $(CC)' CLANG='ccache $(CLANG)')
RUN_check-all := --all
RUN_flake = --repeat $(or $(N),50) --busy $(or $(BUSY),0)

demo: deps
	$(Q)$(MAKE) --no-print-directory -j"$$(nproc)" $(CACHED) all
	$(Q)sh tests/demo

picture: $(PROGRAMS)
	$(Q)sh tests/picture

bench: $(UNITS) $(PROGRAMS)
	$(Q)sh tests/bench/run

right: $(UNITS)
	$(Q)sh tests/right/run

soak: $(PROGRAMS)
	$(Q)sh tests/bench/soak $(or $(SECONDS),3600)

fuzz:
	$(Q)TOP='$(CURDIR)' FUZZ_SECONDS=$(or $(SECONDS),60) sh tests/fuzz/t/long.sh

guest-shell:
	$(Q)sh tests/guest/shell $(or $(SUITE),sid)

# what the shells complete, from the options that --help lists
COMPLETION := $(foreach p,$(CMDS) $(notdir $(SCRIPTS)),$(foreach s,bash zsh fish,$(O)/completion/$s/$p))
completion: $(COMPLETION)
$(COMPLETION): completion/completion.awk $(PROGRAMS) $(SCRIPTS)
	@mkdir -p $(@D)
	$(Q)$(BINDIR)/$(@F) --help >$@.help
	$(Q)awk -v shell=$(notdir $(@D)) -v program=$(@F) -f $< $@.help >$@
	$(Q)rm $@.help

man_installed = $(foreach section,1 5 7,$(patsubst man/%,$(mandir)/man$(section)/%,$(wildcard man/*.$(section))))
folders_installed = $(pkgdatadir) $(pkglibdir) $(datadir)/doc/flametap
bash_dir = $(datadir)/bash-completion/completions
zsh_dir = $(datadir)/zsh/site-functions
fish_dir = $(datadir)/fish/vendor_completions.d

install: all completion
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man5 $(DESTDIR)$(mandir)/man7
	$(INSTALL) -m 755 $(PROGRAMS) $(SCRIPTS) $(DESTDIR)$(bindir)
	$(INSTALL) -d $(DESTDIR)$(pkglibdir)
	$(INSTALL) -m 755 $(PRELOAD) $(DESTDIR)$(pkglibdir)
	$(INSTALL) -m 644 $(wildcard man/*.1) $(DESTDIR)$(mandir)/man1
	$(INSTALL) -m 644 $(wildcard man/*.5) $(DESTDIR)$(mandir)/man5
	$(INSTALL) -m 644 $(wildcard man/*.7) $(DESTDIR)$(mandir)/man7
	$(INSTALL) -d $(DESTDIR)$(datadir)/doc/flametap/examples
	$(INSTALL) -m 644 $(wildcard man/examples/*.txt) $(DESTDIR)$(datadir)/doc/flametap/examples
	cd stap && find . -name '*.stp' -exec $(INSTALL) -D -m 644 {} $(abspath $(DESTDIR)$(pkgdatadir))/stap/{} \;
	cd tapsets && find . -name '*.stp*' -exec $(INSTALL) -D -m 644 {} $(abspath $(DESTDIR)$(pkgdatadir))/tapsets/{} \;
	$(INSTALL) -d $(DESTDIR)$(bash_dir) $(DESTDIR)$(zsh_dir) $(DESTDIR)$(fish_dir)
	$(INSTALL) -m 644 $(filter $(O)/completion/bash/%,$(COMPLETION)) $(DESTDIR)$(bash_dir)
	for p in $(notdir $(PROGRAMS) $(SCRIPTS)); do \
		$(INSTALL) -m 644 $(O)/completion/zsh/$$p $(DESTDIR)$(zsh_dir)/_$$p && \
		$(INSTALL) -m 644 $(O)/completion/fish/$$p $(DESTDIR)$(fish_dir)/$$p.fish || exit; \
	done
	$(INSTALL) -d $(dir $(DESTDIR)$(unit_file) $(DESTDIR)$(fleet_conf))
	sed 's|/usr/bin/sample-bt|$(bindir)/sample-bt|; s|/etc/flametap/|$(dir $(fleet_conf))|' packaging/flametap-fleet.service \
		>$(DESTDIR)$(unit_file)
	chmod 644 $(DESTDIR)$(unit_file)
	@# settings are kept
	[ -e $(DESTDIR)$(fleet_conf) ] || $(INSTALL) -m 644 packaging/fleet.conf $(DESTDIR)$(fleet_conf)
	@# apropos(1) finds pages by an index
	@[ -n "$(DESTDIR)" ] || ! command -v mandb >/dev/null || mandb -q $(mandir) || :
	@echo 'flametap is installed. Next:'
	@echo '  flametap check                           does recording work here, and what is missing?'
	@echo '  flametap record -p PID -t 5 -o a.svg     where does process PID spend its time?'
	@echo '  man flametap                             what for what; apropos profile lists all pages'

uninstall:
	rm -f $(addprefix $(DESTDIR),$(man_installed)) $(foreach p,$(notdir $(PROGRAMS) $(SCRIPTS)),$(addprefix $(DESTDIR),\
		$(bindir)/$p $(bash_dir)/$p $(zsh_dir)/_$p $(fish_dir)/$p.fish))
	rm -rf $(addprefix $(DESTDIR),$(folders_installed))
	rm -f $(DESTDIR)$(unit_file)
	! cmp -s packaging/fleet.conf $(DESTDIR)$(fleet_conf) || rm $(DESTDIR)$(fleet_conf)

# packages are built in a copy, so that they do not mix with what was built here
copy_tree = rm -rf $(1) && mkdir -p $(1) && tar --exclude-vcs --exclude=./build -c . | tar -x -C $(1)
deb:
	$(Q)sh tests/deps deb
	$(Q)$(call copy_tree,build/deb/flametap-$(VERSION))
	$(Q)cd build/deb/flametap-$(VERSION) && dpkg-buildpackage -b -us -uc -J
	@ls $(CURDIR)/build/deb/*.deb

rpm:
	$(Q)sh tests/deps rpm
	$(Q)$(call copy_tree,build/rpm/flametap-$(VERSION))
	$(Q)cd build/rpm/flametap-$(VERSION) && rpmbuild -bb --build-in-place $(RPMFLAGS) --define '_topdir $(CURDIR)/build/rpm' packaging/flametap.spec
	@ls $(CURDIR)/build/rpm/RPMS/*/*.rpm

format:
	clang-format -i $$(find src tests -name '*.[ch]')

clean:
	rm -rf build $(CMDS:%=bin/%)

-include $(O)/preload-heap.d $(OBJ:.o=.d) $(BPF_OBJECTS:%=$(O)/bpf/%.d)
