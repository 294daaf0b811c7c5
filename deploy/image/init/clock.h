/* The time of day on a board whose clock may have no battery. Functions return 0 or a negative errno. */
#ifndef MINNOW_CLOCK_H
#define MINNOW_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sets the clock to the newest of: its own time (which the kernel has read from a real-time clock, if there is one that
 * runs), the time that `image` was made, and the time that `kept` was written. The files' modification times count.
 */
int clock_restore(const char *image, const char *kept);

/* Notes the time in the file `kept`, for the next start. */
int clock_keep(const char *kept);

/*
 * Sets the clock forward by this number of nanoseconds: at once with `step` or for a long time, and the real-time clock
 * as well; otherwise little by little.
 */
int clock_correct(int64_t behind, bool step);

/*
 * Reads the request of the service: a file with one line, by how many milliseconds the clock is behind. It is removed,
 * so that nothing is done twice. 1 and `behind` in nanoseconds, 0 without a request, -EINVAL for an invalid line.
 */
int clock_take(const char *path, int64_t *behind);

/* Whether setting the clock forward by this time leads to a time from `earliest` on, and not a century later. */
bool clock_may_be(int64_t behind, int64_t earliest);

/* Milliseconds of the monotonic clock. */
uint64_t clock_monotonic(void);

/* The time that a file was made, in nanoseconds since 1970; 0 if it is not there. */
int64_t clock_of(const char *path);

#endif
