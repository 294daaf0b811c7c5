/* Small files that others may have written. */
#ifndef MINNOW_SMALL_FILE_H
#define MINNOW_SMALL_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

/*
 * The first bytes of a regular file, how many there are, or a negative errno. No link is followed, and nothing is waited for:
 * whoever writes the folder may not read more by it. `status` is that of the file (stat(2)).
 */
ssize_t small_file_read(const char *path, char *text, size_t size, struct stat *status);

#endif
