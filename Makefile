# steadytools: make (release), make DEV=1 (sanitizers, warnings as errors), make deps demo check lint bench calibrate install

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
CPPFLAGS = -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -Ilib
LIBS = -ljansson -ljq -lcsv -lgsl -lgslcblas -lxxhash -lpcre2-8 -lutf8proc -lpthread -lm
COMPILE = $(CC) -std=gnu11 $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -MP

DEBIAN = gcc libc6-dev make libjq-dev libcsv-dev libjansson-dev libgsl-dev libxxhash-dev libpcre2-dev libutf8proc-dev gnuplot-nox \
    bats parallel jq xz-utils mandoc clang-format clang-tidy cppcheck shellcheck python3 datamash

TOOLS = ev2ledger ledger2passes warmcrop tailguard plateau goodput render

OBJ = $(patsubst lib/%.c,$(BUILD)/lib/%.o,$(wildcard lib/*.c)) $(BUILD)/lib/adapters.o
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

TESTS = $(BUILD)/synth $(BUILD)/base_check $(BUILD)/stat_check $(BUILD)/stat_traps $(BUILD)/segment_check $(BUILD)/tokens_check \
    $(BUILD)/calibrate

$(BUILD)/synth: $(wildcard tests/synth/*.[ch]) $(BUILD)/lib/libsteady.a
	$(COMPILE) -Itests/synth -o $@ $(filter %.c,$^) $(BUILD)/lib/libsteady.a $(LIBS)

# It takes the steps of two tools in whole.
$(BUILD)/calibrate: $(wildcard tests/calibrate/*.[ch]) bin/warmcrop.c bin/plateau.c $(BUILD)/lib/libsteady.a
	$(COMPILE) -Itests/calibrate -o $@ $(filter tests/calibrate/%.c,$^) $(BUILD)/lib/libsteady.a $(LIBS)

$(BUILD)/%: tests/oracle/%.c $(BUILD)/lib/libsteady.a
	$(COMPILE) -o $@ $^ $(LIBS)

check: all $(TESTS)
	bash tests/run.sh

# The whole suite once more with address and undefined behaviour sanitizers.
check-dev:
	$(MAKE) DEV=1 all $(TESTS:$(BUILD)/%=build/dev/%)
	ASAN_OPTIONS=detect_leaks=0 TOOLDIR=$(CURDIR)/build/dev/bin BUILD=$(CURDIR)/build/dev bash tests/run.sh

# Token counts against the official implementations, from npm: thousands of texts per tokenizer.
tokens-oracle: $(BUILD)/tokens_check
	bash tests/tokens/oracle.sh 20000

# How often the method is right, on runs whose truth is planted: some minutes on two cores.  SEED=2 draws others.
SEED = 1
calibrate: all $(BUILD)/synth $(BUILD)/calibrate
	$(BUILD)/calibrate --seed $(SEED)
	bash tests/calibrate/pipeline.sh $(SEED)

bless: all
	bash tests/cases.sh --bless

lint:
	bash tests/lint.sh

# ---- the shipped example, by the pipeline of the README, every stream left in build/demo ----

DEMO = build/demo
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

deps:
	@if command -v apt-get > /dev/null; then \
	    sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	    missing=$$(for p in $(DEBIAN); do dpkg -s $$p 2> /dev/null | grep -q '^Status: install ok installed' || echo $$p; done); \
	    [ -z "$$missing" ] || { $$sudo apt-get update -q && \
	        DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y --no-install-recommends $$missing; }; \
	else \
	    echo "no apt-get here; needed: $(DEBIAN)" >&2; exit 1; \
	fi

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/steadytools/adapters
	install -m 755 $(TOOLS:%=bin/%) $(DESTDIR)$(PREFIX)/bin
	install -m 644 lib/adapters/*.jq $(DESTDIR)$(PREFIX)/share/steadytools/adapters
	for s in 1 5 7; do \
	    install -d $(DESTDIR)$(PREFIX)/share/man/man$$s && \
	    install -m 644 man/*.$$s $(DESTDIR)$(PREFIX)/share/man/man$$s || exit 1; \
	done

clean:
	rm -rf build $(TOOLS:%=bin/%)

.PHONY: all check tokens-oracle check-dev bless lint demo deps install clean bench calibrate
.DELETE_ON_ERROR:
.SECONDARY:

-include $(wildcard $(BUILD)/*/*.d)
