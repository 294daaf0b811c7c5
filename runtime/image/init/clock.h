/* The time of day on a board whose clock may have no battery. */
#ifndef MINNOW_CLOCK_H
#define MINNOW_CLOCK_H

/*
 * Sets the clock to the newest of: what it says (the kernel has taken it from a real-time clock, if there is one that
 * runs), when the image was built (the change time of `image`), and the last time that was kept. 0 or a negative errno.
 */
int clock_restore(const char *image, const char *kept);

/* Keeps the time for the next start, as the modification time of a file. 0 or a negative errno. */
int clock_keep(const char *kept);

#endif
