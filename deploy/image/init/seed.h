/* A seed that makes the kernel's random numbers differ from the start, if no other source is ready yet. */
#ifndef MINNOW_SEED_H
#define MINNOW_SEED_H

/*
 * Gives the kernel the seed in a file, which counts as random: a board kept it. Before that it is replaced by another
 * one, so that none is used twice, also when the power fails. Without one the kernel collects its own. 0 or a negative
 * errno.
 */
int seed_use(const char *path);

/* Keeps another one for the next start; -EAGAIN while the kernel has not collected enough itself. */
int seed_keep(const char *path);

#endif
