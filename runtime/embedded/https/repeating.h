/* Answers that are given again without the application. Internal to the core, whose interface is https.h. *
 * A program that is compiled with COMPARE_REPEATS gives no answer again: it asks the application each time, and aborts
 * where the answer is another than the one that would have been given.
 */
#ifndef MINNOW_HTTPS_REPEATING_H
#define MINNOW_HTTPS_REPEATING_H

#include "connection.h"

/* Before the first connection. */
void repeating_begin(struct connection_group *group);

/*
 * Looks at a record between two requests: whether it is a request that was answered before, and is answered now. If
 * not, it is to be parsed; if it is one whole request, its answer may be kept.
 */
bool repeating_answer(struct connection *c, const uint8_t *data, size_t length);

/* The answer to the present request may be given again, also to others of its audience: see https_repeatable. */
void repeating_allow(struct connection *c, const struct https_repetition *repeatable);

/* Stores the complete answer `data`, before it is sent, if the application has declared it repeatable. */
void repeating_keep(struct connection *c, const uint8_t *data, size_t length);

/* See https_forget, https_forget_callers and https_drop. */
void repeating_forget(struct connection_group *group);
void repeating_forget_callers(struct connection_group *group);
void repeating_drop(struct connection_group *group, const uint8_t *subject, size_t length);

/* No further answer is given again. */
void repeating_end(struct connection_group *group);

#endif
