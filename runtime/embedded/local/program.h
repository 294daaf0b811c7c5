/* Another program, run to its end, on a libuv loop. */
#ifndef MINNOW_LOCAL_PROGRAM_H
#define MINNOW_LOCAL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum { PROGRAM_OUTPUT, PROGRAM_ERRORS, PROGRAM_STREAMS };

/* The output of a program on one of its streams. */
struct program_text {
  uint8_t *bytes;
  size_t length;
};

struct program_end {
  int64_t status;   /* the exit status */
  int signal;       /* that ended it; 0 otherwise */
  bool late;        /* it was ended because its time was over */
  bool long_winded; /* it was ended because it wrote too much */
  struct program_text written[PROGRAM_STREAMS];
};

struct program_limits {
  uint64_t timeout; /* milliseconds; 0: no limit. Then the program is sent SIGTERM */
  size_t most; /* bytes that each stream may have. Then the program is sent SIGTERM. 0: the streams of this process */
};

/* Told once, when the program has ended and its streams are closed; `end` is good until it returns. */
typedef void (*program_ended)(void *context, const struct program_end *end);

/*
 * Starts a program, looked for in PATH, with this process's environment and nothing to read. `arguments` begins with
 * the program's name and ends with a NULL. The result is its process id, or a negative errno.
 */
int program_run(uv_loop_t *loop, char **arguments, struct program_limits limits, program_ended ended, void *context);

#endif
