/*
 * When a program that is to run always is started again: a second after its end, and twice as late with each early end, up
 * to a minute. Times are milliseconds of the monotonic clock.
 */
#ifndef MINNOW_RESTART_H
#define MINNOW_RESTART_H

#include <stdint.h>

struct restart {
  const char *name; /* of the program, in the journal */
  uint64_t started; /* the last time; 0: never */
  uint64_t next;    /* when it is to be started, while it does not run */
  uint64_t wait;    /* before the next start */
};

void restart_init(struct restart *restart, const char *name);

/* The program could not be started, for this negative errno. */
void restart_failed(struct restart *restart, int result, uint64_t now);

/* The program has ended with `status` (wait(2)). */
void restart_ended(struct restart *restart, int status, uint64_t now);

#endif
