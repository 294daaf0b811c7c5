/*
 * The operating system for the drop-ins for node:fs, node:process and node:os, beyond a single system call.
 * Results are 0 or a count, or a negative errno. Paths are NUL-terminated UTF-8.
 */
#ifndef MINNOW_SYSTEM_H
#define MINNOW_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads all of an open file into memory of its own, which the caller frees. */
int system_read_all(int fd, uint8_t **bytes, size_t *length);

/* Writes all bytes, waiting where the file is a pipe that is full and was set not to block. */
int system_write_all(int fd, const void *bytes, size_t length);

/* The names in a folder but `.` and `..`, sorted by their bytes; the caller frees with system_free_names. */
int system_list(const char *path, char ***names, size_t *count);
void system_free_names(char **names, size_t count);

/* Memory of this process that is in RAM, in bytes. */
int system_resident_memory(size_t *bytes);

#endif
