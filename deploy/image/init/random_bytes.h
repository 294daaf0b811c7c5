/* Random numbers of the kernel. */
#ifndef MINNOW_RANDOM_BYTES_H
#define MINNOW_RANDOM_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* Soon after the board got its power there may be none yet: false then. */
bool random_bytes_get(void *bytes, size_t size);

#endif
