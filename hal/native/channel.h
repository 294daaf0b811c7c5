/*
 * A connection over a socket of the local domain (unix(7)) that passes descriptors along with bytes.
 *
 * Functions return 0 or more, or a negative errno. The caller owns all memory, and the descriptors: those that it passes
 * stay open, those that arrive are its own to close.
 */
#ifndef MINNOW_CHANNEL_H
#define MINNOW_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

/* The most descriptors of one call. */
enum { CHANNEL_DESCRIPTORS = 16 };

/* A descriptor that never blocks. -EAGAIN: too many wait for the listener. */
int channel_open(const char *path);

/*
 * Returns the number of bytes; 0: none now. -ENODEV: the other side has closed. `descriptors` has room for
 * CHANNEL_DESCRIPTORS; -EMSGSIZE: more arrived, and all of them are closed.
 */
int channel_read(int fd, uint8_t *data, size_t capacity, int *descriptors, size_t *count);

/* How many bytes the connection took; with the first of them go the descriptors. -EINVAL: too many, or without bytes. */
int channel_write(int fd, const uint8_t *data, size_t length, const int *descriptors, size_t count);

#endif
