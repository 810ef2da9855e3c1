/* fuzz: what the fuzz targets have in common.
 *
 * A target NAME_fuzz.c has one function, LLVMFuzzerTestOneInput, and an oracle.  Linked with libFuzzer it is a fuzz target;
 * with -DFUZZ_MAIN, fuzz.c makes it a program that reads inputs and damaged copies of them, the same ones every time:
 *
 *     NAME [-l] COPIES FILE...        -l: every line of the files is an input of its own
 *
 * It ends with "N inputs, N accepted" and what the target adds (fuzz_tally).  Both need the linker's --wrap of FUZZ_WRAP in
 * the Makefile, so that exit ends an attempt only and what it had allocated and opened is given back. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "buf.h"
#include "stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed); /* optional */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* The oracle: what must hold; otherwise the program aborts and says what did not. */
void fuzz_require(bool ok, const char *what);
void fuzz_same(struct view a, struct view b, const char *what); /* bytes that must be equal */

/* Run f over the input.  False: it ended the program with status 2.  Every message must be one printable line, and an f
 * that returns must have freed all it allocated.  Static state is to be made before. */
bool fuzz_attempt(void (*f)(struct view), struct view input);
/* Called by f: the input is taken, and from here on an end of the program is a fault. */
void fuzz_accepted(void);
/* Rows that copy reads and writes are the same after TSV, NDJSON and TSV.  What it took once it must take again. */
void fuzz_both_ways(struct view input, struct buf (*copy)(struct view bytes, enum spelling spelling));
/* Called by f: what is allocated from here on outlives the attempt, or does so no more. */
void fuzz_keep(bool on);

/* Path of a file in memory that holds the bytes; the next call with the same slot, 0 or 1, replaces it. */
const char *fuzz_file(int slot, struct view bytes);
/* What went to stdout since the last call, in a file's place of its own: a copy, freed by the caller. */
struct buf fuzz_stdout(void);

/* A mutation of a text of lines: a line doubled, dropped or exchanged, a number made extreme, two words exchanged, the end
 * cut off, or else one of the fuzzer's own.  For LLVMFuzzerCustomMutator. */
size_t fuzz_mutate_lines(uint8_t *data, size_t size, size_t max, unsigned seed);

void fuzz_tally(FILE *f); /* optional: what else a target counted */

#endif
