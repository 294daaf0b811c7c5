/*
 * A serial line (termios(3)) in raw mode: 8 bits, no parity, no echo, no flow control, no hangup.
 *
 * Functions return 0 or more, or a negative errno: -EINVAL for a speed that lines do not have, -ENODEV for a file that
 * is no line. The caller owns all memory.
 */
#ifndef MINNOW_TTY_H
#define MINNOW_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A descriptor that never blocks; `speed` in bits a second. */
int tty_open(const char *path, unsigned speed);

/* Returns the number of bytes; 0: none now. -ENODEV: the other side has closed. */
int tty_read(int fd, uint8_t *data, size_t capacity);

/* How many bytes the line took. */
int tty_write(int fd, const uint8_t *data, size_t length);

/* Begins or ends a break: the line sends zeros until it is ended. */
int tty_set_break(int fd, bool on);

#endif
