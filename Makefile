# steadytools: make (release), make DEV=1 (sanitizers, warnings as errors), make deps demo check lint bench calibrate
# install uninstall dist deb

VERSION = 0.1.0
PREFIX = /usr/local
DESTDIR =

CC = cc
CFLAGS = -O2 -g
WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
BUILD = build
ifdef DEV
BUILD = build/dev
WARN += -Werror
CFLAGS = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
ifdef FUZZER
CC = clang
# an empty view may be {NULL, 0}, and NULL + 0 is what C++ and the next C take it for
CFLAGS = -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow \
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer
BUILD = build/fuzzer
ifeq ($(FUZZER),fast)
BUILD = build/fuzzfast
CFLAGS = -O2 -g -fsanitize=fuzzer-no-link
endif
endif
# The rooms of lib/, lowest first: what stands in one may use those before it (`make lint` checks).
ROOMS = base stats rows ingest tokens cutting steady goodput page

CPPFLAGS = -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(ROOMS:%=-Ilib/%)
LIBS = -ljansson -ljq -lcsv -lgsl -lgslcblas -lxxhash -lpcre2-8 -lutf8proc -lpthread -lm
COMPILE = $(CC) -std=gnu11 $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -MP

comma = ,

DEBIAN = gcc libc6-dev make libjq-dev libcsv-dev libjansson-dev libgsl-dev libxxhash-dev libpcre2-dev libutf8proc-dev gnuplot-nox \
    bats parallel bc time jq xz-utils mandoc clang-format clang-tidy cppcheck shellcheck python3 datamash

TOOLS = ev2ledger ledger2passes warmcrop tailguard plateau goodput render
DEMO = build/demo

OBJ = $(patsubst lib/%.c,$(BUILD)/lib/%.o,$(wildcard $(ROOMS:%=lib/%/*.c))) $(BUILD)/lib/adapters.o
BIN = $(if $(DEV),$(TOOLS:%=$(BUILD)/bin/%),$(TOOLS:%=bin/%))

all: $(BIN)

$(BUILD)/lib/libsteady.a: $(OBJ)
	rm -f $@ && $(AR) rcs $@ $(OBJ)

$(BUILD)/lib/%.o: lib/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(BUILD)/bin/%.o: bin/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

bin/%: $(BUILD)/bin/%.o $(BUILD)/lib/libsteady.a
	$(COMPILE) -o $@ $^ $(LDFLAGS) $(LIBS)

$(BUILD)/bin/%: $(BUILD)/bin/%.o $(BUILD)/lib/libsteady.a
	$(COMPILE) -o $@ $^ $(LDFLAGS) $(LIBS)

# The shipped jq programs, as text in the library: a tool runs without its installation.
ADAPTERS = $(filter-out lib/adapters/classify.jq,$(wildcard lib/adapters/*.jq))
$(BUILD)/adapters.c: $(ADAPTERS) Makefile
	@mkdir -p $(@D)
	{ echo '#include "format.h"'; echo 'const struct format format_shipped[] = {'; \
	for f in $(ADAPTERS); do \
	    echo "{\"$$(basename $$f .jq)\","; sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&\\n"/' $$f; echo '},'; \
	done; echo '{NULL, NULL}};'; } > $@

$(BUILD)/lib/adapters.o: $(BUILD)/adapters.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# ---- tests ----

TESTS = $(BUILD)/synth $(BUILD)/base_check $(BUILD)/ids_check $(BUILD)/stat_check $(BUILD)/stat_traps $(BUILD)/segment_check \
    $(BUILD)/story_check $(BUILD)/tokens_check $(BUILD)/offset_check $(BUILD)/calibrate $(BUILD)/rows $(BUILD)/faults.so $(BENCH)
BENCH = $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))

$(BUILD)/synth: $(wildcard tests/synth/*.[ch]) $(BUILD)/lib/libsteady.a
	$(COMPILE) -Itests/synth -o $@ $(filter %.c,$^) $(BUILD)/lib/libsteady.a $(LIBS)

# It takes the steps of two tools in whole.
$(BUILD)/calibrate: $(wildcard tests/calibrate/*.[ch]) bin/warmcrop.c bin/plateau.c $(BUILD)/lib/libsteady.a
	$(COMPILE) -Itests/calibrate -o $@ $(filter tests/calibrate/%.c,$^) $(BUILD)/lib/libsteady.a $(LIBS)

$(BUILD)/%: tests/oracle/%.c $(BUILD)/lib/libsteady.a
	$(COMPILE) -o $@ $^ $(LIBS)

$(BUILD)/rows: tests/scale/rows.c $(BUILD)/lib/libsteady.a
	$(COMPILE) -o $@ $^ $(LIBS)

$(BUILD)/bench/%: tests/bench/%.c $(BUILD)/lib/libsteady.a
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $< $(BUILD)/lib/libsteady.a $(LIBS)

test-programs: all $(TESTS) fuzz-programs

check:
	$(MAKE) -j$$(nproc) test-programs
	bash tests/run.sh

# The whole suite once more with address and undefined behaviour sanitizers.
check-dev:
	$(MAKE) DEV=1 all $(TESTS:$(BUILD)/%=build/dev/%) $(FUZZ:%=build/dev/fuzz/%)
	ASAN_OPTIONS=detect_leaks=0 TOOLDIR=$(CURDIR)/build/dev/bin BUILD=$(CURDIR)/build/dev bash tests/run.sh

# Token counts against the official implementations, from npm: thousands of texts per tokenizer.
tokens-oracle: $(BUILD)/tokens_check
	bash tests/tokens/oracle.sh 20000

# A shared object that lets memory, reads, writes and threads of a tool fail when it is asked to.
$(BUILD)/faults.so: tests/faults/shim.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O2 -fno-builtin -fPIC -shared -o $@ $<

# Requests for memory fail one at a time, FAULTS of each command line: FAULTS=10000 is all of them.
FAULTS = 200
faults: all $(BUILD)/synth $(BUILD)/faults.so
	FAULTS_ALL=$(FAULTS) bats tests/faults.bats

memcheck: all $(DEMO)/report.txt
	bash tests/faults/memcheck.sh

# How often the method is right, on runs whose truth is planted: some minutes on two cores.  SEED=2 draws others.
SEED = 1
calibrate: all $(BUILD)/synth $(BUILD)/calibrate
	$(BUILD)/calibrate --seed $(SEED)
	bash tests/calibrate/pipeline.sh $(SEED)

# Speed and memory, beside other ways to do the same; logs of BENCH_MB each are made once and kept in build/bench.
BENCH_MB = 1000
bench: all $(BUILD)/synth $(BENCH)
	BENCH_MB=$(BENCH_MB) bash tests/bench/bench.sh

# Every parser on bytes that nobody would write: FUZZER=1 makes targets of libFuzzer, otherwise they are programs that try
# inputs and damaged copies of them (tests/fuzz/fuzz.h), which check runs with sanitizers.
FUZZ = $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZ_WRAP = exit malloc calloc realloc free xmap xremap xunmap open csv_init
FUZZ_LINK = $(FUZZ_WRAP:%=-Wl$(comma)--wrap=%)
build/%/fuzz/adapters: FUZZ_WRAP += jqmap_new jqmap_free jqmap_start
build/%/fuzz/report: FUZZ_WRAP += svg_draw
$(BUILD)/fuzz/%: tests/fuzz/%_fuzz.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h $(BUILD)/lib/libsteady.a
	@mkdir -p $(@D)
	$(COMPILE) -Itests/fuzz $(if $(FUZZER),-fsanitize=fuzzer,-DFUZZ_MAIN) $(FUZZ_LINK) -o $@ \
	    $(filter-out %.h,$^) $(LIBS)

print-fuzz-wrap:
	@echo '$(FUZZ_LINK)'

fuzz-programs:
	$(MAKE) DEV=1 $(FUZZ:%=build/dev/fuzz/%)

fuzz-targets:
	$(MAKE) FUZZER=1 $(FUZZ:%=build/fuzzer/fuzz/%)
	$(if $(FUZZ_FAST),$(MAKE) FUZZER=fast $(FUZZ:%=build/fuzzfast/fuzz/%))

# For FUZZ_SECONDS each; what they learn is kept in build/fuzzer.  FUZZ_FAST=1: without sanitizers, several times as many
# inputs; what was learnt is tried with them afterwards.
FUZZ_SECONDS = 60
fuzz: fuzz-targets
	FUZZ_FAST=$(FUZZ_FAST) bash tests/fuzz/fuzz.sh $(FUZZ_SECONDS) $(FUZZ)

# What the tools hold of a run of SCALE_ROWS requests, streamed: 100 M take some GB and a quarter of an hour.
SCALE_ROWS = 100000000
scale: all $(BUILD)/rows
	bash tests/scale/scale.sh $(SCALE_ROWS)

bless: all
	bash tests/cases.sh --bless

lint:
	bash tests/lint.sh $(ROOMS)

# ---- the shipped example, by the pipeline of the README, every stream left in build/demo ----

demo: $(DEMO)/report.txt
	@cat $(DEMO)/report.txt
	@jq -rn --slurpfile truth $(DEMO)/truth.json --slurpfile steady $(DEMO)/steady.json \
	    '"planted TPOT \($$truth[0].tpot_ns / 1e6) ms, found \($$steady[0].metrics.tpot.mean_ns / 1e6) ms, verdict \($$steady[0].verdict)"'

$(DEMO)/run.jsonl: $(BUILD)/synth examples/demo/synth.args
	@mkdir -p $(@D)
	$(BUILD)/synth $$(cat examples/demo/synth.args) --truth $(DEMO)/truth.json > $@

$(DEMO)/ledger.tsv: $(DEMO)/run.jsonl bin/ev2ledger
	bin/ev2ledger $(DEMO)/run.jsonl > $@

$(DEMO)/passes.tsv: $(DEMO)/ledger.tsv bin/ledger2passes
	bin/ledger2passes $(DEMO)/ledger.tsv > $@

$(DEMO)/steady.json: $(DEMO)/passes.tsv bin/warmcrop bin/tailguard bin/plateau
	bin/warmcrop $(DEMO)/passes.tsv > $(DEMO)/warmcrop.tsv
	bin/tailguard $(DEMO)/warmcrop.tsv > $(DEMO)/tailguard.tsv
	bin/plateau $(DEMO)/tailguard.tsv > $@

$(DEMO)/goodput.json: $(DEMO)/ledger.tsv $(DEMO)/steady.json bin/goodput
	bin/goodput -g ttft:800,tpot:50 --window $(DEMO)/steady.json $(DEMO)/ledger.tsv > $@

$(DEMO)/report.txt: $(DEMO)/steady.json $(DEMO)/goodput.json bin/render
	bin/render $(DEMO)/steady.json $(DEMO)/goodput.json > $@

# ---- machine and installation ----

# What examples/recipes uses beyond that.
deps-recipes: DEBIAN = jq miller datamash sqlite3 gnuplot-nox mawk

# What the test of examples/slurm starts on this machine.
deps-slurm: DEBIAN = slurm-wlm munge

# What the test of the ARM instructions compiles and runs with on another processor.
deps-arm: DEBIAN = gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user

deps deps-recipes deps-slurm deps-arm:
	@if command -v apt-get > /dev/null; then \
	    sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	    missing=$$(for p in $(DEBIAN); do dpkg -s $$p 2> /dev/null | grep -q '^Status: install ok installed' || echo $$p; done); \
	    [ -z "$$missing" ] || { $$sudo apt-get update -q && \
	        DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y --no-install-recommends $$missing; }; \
	else \
	    echo "no apt-get here; needed: $(DEBIAN)" >&2; exit 1; \
	fi

deps-fuzz:
	$(MAKE) deps DEBIAN='clang libclang-rt-14-dev'

# Completions for bash and zsh, from what each tool says of its options.
COMPLETIONS = $(TOOLS:%=build/completions/bash/%) $(TOOLS:%=build/completions/zsh/_%)
completions: $(COMPLETIONS)

build/completions/bash/%: bin/% share/completions/bash.awk
	@mkdir -p $(@D)
	bin/$* --list-options | awk -v tool=$* -f share/completions/bash.awk > $@.$$$$ && mv $@.$$$$ $@

build/completions/zsh/_%: bin/% share/completions/zsh.awk
	@mkdir -p $(@D)
	bin/$* --list-options | awk -v tool=$* -f share/completions/zsh.awk > $@.$$$$ && mv $@.$$$$ $@

SHARE = $(DESTDIR)$(PREFIX)/share
BASHDIR = $(SHARE)/bash-completion/completions
ZSHDIR = $(SHARE)/zsh/site-functions
EXAMPLES = $(wildcard examples/*.mk examples/*/*)

install: $(TOOLS:%=bin/%) completions
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/steadytools/adapters $(SHARE)/steadytools/schema $(BASHDIR) $(ZSHDIR)
	install -m 755 $(TOOLS:%=bin/%) $(DESTDIR)$(PREFIX)/bin
	install -m 644 lib/adapters/*.jq $(SHARE)/steadytools/adapters
	install -m 644 share/*.schema.json $(SHARE)/steadytools/schema
	install -m 644 build/completions/bash/* $(BASHDIR)
	install -m 644 build/completions/zsh/* $(ZSHDIR)
	for s in 1 5 7; do \
	    install -d $(SHARE)/man/man$$s && install -m 644 man/*.$$s $(SHARE)/man/man$$s || exit 1; \
	done
	for f in README.md $(EXAMPLES); do \
	    install -D -m $$([ -x $$f ] && echo 755 || echo 644) $$f $(SHARE)/doc/steadytools/$$f || exit 1; \
	done

uninstall:
	rm -f $(TOOLS:%=$(DESTDIR)$(PREFIX)/bin/%) $(TOOLS:%=$(BASHDIR)/%) $(TOOLS:%=$(ZSHDIR)/_%)
	for f in man/*.[157]; do rm -f $(SHARE)/man/man$${f##*.}/$${f##*/}; done
	rm -rf $(SHARE)/steadytools $(SHARE)/doc/steadytools

# ---- packages: the same commit gives the same bytes ----

DIST = build/dist
NAME = steadytools-$(VERSION)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2> /dev/null || stat -c %Y Makefile)
DEB = $(DIST)/steadytools_$(VERSION)_$(shell dpkg --print-architecture 2> /dev/null).deb

# From a checkout what is committed; from an unpacked tarball what is there.
dist:
	@mkdir -p $(DIST)
	if [ -e .git ] && git rev-parse -q --verify HEAD > /dev/null; then \
	    git archive --prefix=$(NAME)/ HEAD; \
	else \
	    tar -c --sort=name --mtime=@$(SOURCE_DATE_EPOCH) --owner=0 --group=0 --numeric-owner --format=gnu \
	        --exclude=./build --exclude=./.git $(TOOLS:%=--exclude=./bin/%) --transform='s,^\.,$(NAME),' .; \
	fi | gzip -9n > $(DIST)/$(NAME).tar.gz

deb: $(TOOLS:%=bin/%) completions
	rm -rf $(DIST)/root
	$(MAKE) install DESTDIR=$(DIST)/root PREFIX=/usr ZSHDIR=$(DIST)/root/usr/share/zsh/vendor-completions
	SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) share/debian/pack.sh $(DIST)/root $(VERSION) $(DEB)

# Optional: the package on a minimal Debian in build/dist/chroot.
deb-chroot: deb
	share/debian/chroot.sh $(DEB) $(DIST)/chroot

clean:
	rm -rf build $(TOOLS:%=bin/%)

.PHONY: all check test-programs faults memcheck tokens-oracle check-dev bless lint demo deps deps-fuzz deps-recipes deps-slurm deps-arm completions \
    install uninstall dist deb deb-chroot clean bench calibrate scale fuzz fuzz-programs fuzz-targets print-fuzz-wrap
.DELETE_ON_ERROR:
.SECONDARY:

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d)
