# Reports for a directory of runs, one rule per stage:
#
#     PATH=$PWD/bin:$PATH make -f examples/report.mk RUNS=dir OUT=dir -j
#
# Every RUNS/NAME.jsonl, or .jsonl.xz, is a run.  OUT/NAME.* are its streams and reports, OUT/sweep.txt is the table of all
# runs and OUT/sweep.tsv the same as figures.  What did not change is not made again: other targets remake the goodput
# reports, another size of the data set everything from the passes on.

RUNS = runs
OUT = out
TARGETS = ttft:800,tpot:50
DATASET = auto
# more options of the stages, for instance EV2LEDGER='--tokenizer tokenizer.json' PLATEAU='--floor-s 120'
EV2LEDGER =
WARMCROP =
TAILGUARD =
PLATEAU =
GOODPUT =

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
.SECONDARY:
.SUFFIXES:

NAMES := $(sort $(patsubst %.jsonl,%,$(patsubst %.xz,%,$(notdir $(wildcard $(RUNS)/*.jsonl $(RUNS)/*.jsonl.xz)))))
REPORTS := $(NAMES:%=$(OUT)/%.steady.json) $(NAMES:%=$(OUT)/%.goodput.json)
$(if $(NAMES),,$(error no *.jsonl and no *.jsonl.xz in $(RUNS)))

all: $(OUT)/sweep.txt $(OUT)/sweep.tsv $(NAMES:%=$(OUT)/%.txt)
	@cat $(OUT)/sweep.txt

# A stage that fails says why and leaves an empty file; those after it do the same in silence, and the table has a row for it.

$(OUT)/%.ledger.tsv: $(RUNS)/%.jsonl $(OUT)/.set.ledger
	ev2ledger $(EV2LEDGER) $< > $@ || : > $@

$(OUT)/%.ledger.tsv: $(RUNS)/%.jsonl.xz $(OUT)/.set.ledger
	xz -dc $< | ev2ledger $(EV2LEDGER) > $@ || : > $@

$(OUT)/%.passes.tsv: $(OUT)/%.ledger.tsv $(OUT)/.set.passes
	[ -s $< ] && ledger2passes -n $(DATASET) $< > $@ || : > $@

$(OUT)/%.warm.tsv: $(OUT)/%.passes.tsv $(OUT)/.set.warm
	[ -s $< ] && warmcrop $(WARMCROP) $< > $@ || : > $@

$(OUT)/%.tail.tsv: $(OUT)/%.warm.tsv $(OUT)/.set.tail
	[ -s $< ] && tailguard $(TAILGUARD) $< > $@ || : > $@

$(OUT)/%.steady.json: $(OUT)/%.tail.tsv $(OUT)/.set.steady
	[ -s $< ] && plateau $(PLATEAU) $< > $@ || : > $@

$(OUT)/%.goodput.json: $(OUT)/%.ledger.tsv $(OUT)/.set.goodput
	[ -s $< ] && goodput -g $(TARGETS) $(GOODPUT) $< > $@ || : > $@

$(OUT)/%.txt: $(OUT)/%.steady.json $(OUT)/%.goodput.json
	render -q $^ > $@ || [ $$? = 2 ]

$(OUT)/sweep.txt: $(REPORTS) $(OUT)/.set.sweep
	render -q $(REPORTS) > $@ || [ $$? = 2 ]

$(OUT)/sweep.tsv: $(REPORTS) $(OUT)/.set.sweep
	render -q -f tsv $(REPORTS) > $@ || [ $$? = 2 ]

# The settings a stage was run with: the file changes only when they do.
SET.ledger = $(EV2LEDGER)
SET.passes = $(DATASET)
SET.warm = $(WARMCROP)
SET.tail = $(TAILGUARD)
SET.steady = $(PLATEAU)
SET.goodput = $(TARGETS) $(GOODPUT)
SET.sweep = $(NAMES)

$(OUT)/.set.%: always
	@mkdir -p $(OUT); [ -f $@ ] && [ "$$(cat $@)" = '$(SET.$*)' ] || printf '%s\n' '$(SET.$*)' > $@

.PHONY: all always
