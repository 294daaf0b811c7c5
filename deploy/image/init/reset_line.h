/* The line of a button or a jumper that restores the factory defaults. */
#ifndef MINNOW_RESET_LINE_H
#define MINNOW_RESET_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct reset_line {
  int line;       /* the descriptor of its request, or -1 where the board has none */
  bool released;  /* it has been inactive since the start, or since it was held */
  uint64_t since; /* when it became active, in milliseconds; 0 while it is not */
};

/*
 * Finds the line of that name on the GPIO chips, and takes it for this process. 0, -ENODEV when no chip has it, or the errno
 * of taking it; `line` is -1 then.
 */
int reset_line_open(struct reset_line *line, const char *name, bool active_low);

/* Whether it is active: always, when looked at for a tenth of a second. As a jumper is at the start of the board. */
bool reset_line_is_set(const struct reset_line *line);

/* Whether it has by now been held for ten seconds, after it was inactive: true once. `now` are milliseconds, not 0. */
bool reset_line_is_held(struct reset_line *line, uint64_t now);

/* The rule of reset_line_is_held, for a level that was read. */
bool reset_line_step(struct reset_line *line, bool active, uint64_t now);

#endif
