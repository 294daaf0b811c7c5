/* Unpacks files of gzip (RFC 1952) that are in memory as a whole. */
#ifndef MINNOW_GZIP_H
#define MINNOW_GZIP_H

#include <stddef.h>
#include <stdint.h>

/*
 * The length, in bytes, of what a file of one member unpacks to, as its trailer says. 0 for what is too short for one,
 * or claims more than deflate can have packed (1032 bytes in one).
 */
size_t gzip_length(const uint8_t *file, size_t size);

/* Unpacks into `out`, `length` bytes, which it fills. 0, -EBADMSG for what is damaged or of another length, -ENOMEM. */
int gzip_unpack(const uint8_t *file, size_t size, uint8_t *out, size_t length);

#endif
