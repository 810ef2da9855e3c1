/* coprocess: a command that answers one integer to each text.  Layer 4.
 *
 * The command (run by /bin/sh) reads one JSON string a line and writes one integer a line, in the same order.  It may
 * answer whenever it likes, so an answer is certain only after all texts are asked; until then asking never waits for
 * one, and never blocks on a command that writes before it reads on.
 *
 * A command that fails, or that answers anything but one integer from 0 to each text, ends the program with status 2. */
#ifndef COPROCESS_H
#define COPROCESS_H

#include <stddef.h>
#include <stdint.h>

struct coprocess;

struct coprocess *coprocess_start(const char *option, const char *command); /* the option's name is for messages */
/* Both take the struct coprocess as context.  ask returns a ticket; answer, from the first call on, waits for the command
 * to end, after which nothing can be asked. */
int64_t coprocess_ask(void *context, const char *text, size_t n);
int64_t coprocess_answer(void *context, int64_t ticket);
void coprocess_end(struct coprocess *c);

#endif
