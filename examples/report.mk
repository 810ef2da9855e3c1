# Reports for a directory of runs, one rule per stage:
#
#     PATH=$PWD/bin:$PATH make -f examples/report.mk RUNS=dir OUT=dir -j
#
# Every RUNS/NAME.jsonl, or .jsonl.xz, is a run.  OUT/NAME.* are its streams and reports, the last of them NAME.html;
# OUT/sweep.html and sweep.txt are the table of all runs and OUT/sweep.tsv the same as figures.  What did not change is not
# made again: other targets remake the goodput reports, another size of the data set everything from the passes on.
#
# To see what other options of a stage would do, without making the reports anew:
#
#     make -f examples/report.mk RUNS=dir OUT=dir try TRY_PLATEAU='--profile design'
#
# takes the passes that are there through the stages once more and sets each run beside itself, in OUT/try.txt.

RUNS = runs
OUT = out
TARGETS = ttft:800,tpot:50
# a contract (JSON) instead of targets: one that states a floor has a verdict, which goodput --capacity needs
CONTRACT =
DATASET = auto
# more options of the stages, for instance EV2LEDGER='--tokenizer tokenizer.json' PLATEAU='--floor-s 120'
EV2LEDGER =
WARMCROP =
TAILGUARD =
PLATEAU =
GOODPUT =
# what was tested, for the audit section of every page (JSON)
MANIFEST =
# options of the stages to try, as they would be given above
TRY_WARMCROP = $(WARMCROP)
TRY_TAILGUARD = $(TAILGUARD)
TRY_PLATEAU = $(PLATEAU)

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
.SECONDARY:
.SUFFIXES:

NAMES := $(sort $(patsubst %.jsonl,%,$(patsubst %.xz,%,$(notdir $(wildcard $(RUNS)/*.jsonl $(RUNS)/*.jsonl.xz)))))
REPORTS := $(NAMES:%=$(OUT)/%.steady.json) $(NAMES:%=$(OUT)/%.goodput.json)
$(if $(NAMES),,$(error no *.jsonl and no *.jsonl.xz in $(RUNS)))
$(if $(CONTRACT),$(if $(wildcard $(CONTRACT)),,$(error $(CONTRACT): no such contract)))

all: $(OUT)/sweep.txt $(OUT)/sweep.tsv $(OUT)/sweep.html $(NAMES:%=$(OUT)/%.txt) $(NAMES:%=$(OUT)/%.html)
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

$(OUT)/%.goodput.json: $(OUT)/%.ledger.tsv $(CONTRACT) $(OUT)/.set.goodput
	[ -s $< ] && goodput $(if $(CONTRACT),-c $(CONTRACT),-g $(TARGETS)) $(GOODPUT) $< > $@ || : > $@

$(OUT)/%.txt: $(OUT)/%.steady.json $(OUT)/%.goodput.json
	render -q $^ > $@ || [ $$? = 2 ]

$(OUT)/%.html: $(OUT)/%.steady.json $(OUT)/%.goodput.json $(MANIFEST) $(OUT)/.set.manifest
	render -q -f html $(MANIFEST:%=--manifest %) $(filter %.steady.json %.goodput.json,$^) > $@ || [ $$? = 2 ]

$(OUT)/sweep.html: $(REPORTS) $(MANIFEST) $(OUT)/.set.sweep
	render -q -f html $(MANIFEST:%=--manifest %) $(REPORTS) > $@ || [ $$? = 2 ]

$(OUT)/sweep.txt: $(REPORTS) $(OUT)/.set.sweep
	render -q $(REPORTS) > $@ || [ $$? = 2 ]

$(OUT)/sweep.tsv: $(REPORTS) $(OUT)/.set.sweep
	render -q -f tsv $(REPORTS) > $@ || [ $$? = 2 ]

# Other options, tried on the passes that are there.

try: $(OUT)/try.txt
	@cat $(OUT)/try.txt

$(OUT)/%.try.json: $(OUT)/%.passes.tsv $(OUT)/.set.try
	[ -s $< ] && warmcrop $(TRY_WARMCROP) $< | tailguard $(TRY_TAILGUARD) | plateau $(TRY_PLATEAU) > $@ || : > $@

$(OUT)/%.try.txt: $(OUT)/%.steady.json $(OUT)/%.try.json
	render -q --compare $^ > $@ || [ $$? = 2 ]

$(OUT)/try.txt: $(NAMES:%=$(OUT)/%.try.txt)
	cat $^ > $@

# The settings a stage was run with: the file changes only when they do.
SET.ledger = $(EV2LEDGER)
SET.passes = $(DATASET)
SET.warm = $(WARMCROP)
SET.tail = $(TAILGUARD)
SET.steady = $(PLATEAU)
SET.goodput = $(if $(CONTRACT),$(CONTRACT),$(TARGETS)) $(GOODPUT)
SET.sweep = $(NAMES) $(MANIFEST)
SET.manifest = $(MANIFEST)
SET.try = $(TRY_WARMCROP) / $(TRY_TAILGUARD) / $(TRY_PLATEAU)

$(OUT)/.set.%: always
	@mkdir -p $(OUT); [ -f $@ ] && [ "$$(cat $@)" = '$(SET.$*)' ] || printf '%s\n' '$(SET.$*)' > $@

.PHONY: all try always
