/* Small files that others may have written. */
#ifndef MINNOW_SMALL_FILE_H
#define MINNOW_SMALL_FILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * The first bytes of a regular file, how many there are, or a negative errno. No link is followed, and nothing is
 * waited for: a writer of the folder must not be able to read other files through it. `status` is that of the file
 * (stat(2)).
 */
ssize_t small_file_read(const char *path, char *text, size_t size, struct stat *status);

/*
 * Replaces a file, whole or not at all; with `durable` also over a power cut. No link is followed. 0 or a negative
 * errno.
 */
int small_file_write(const char *path, const char *text, size_t length, mode_t mode, bool durable);

#endif
