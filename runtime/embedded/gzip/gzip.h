/* Unpacks files of gzip (RFC 1952) that are in memory as a whole. */
#ifndef MINNOW_GZIP_H
#define MINNOW_GZIP_H

#include <stddef.h>
#include <stdint.h>

/*
 * The unpacked length in bytes, from the trailer of a file with one member. 0 for a file that is too short, or claims
 * more than deflate can have packed (1032 bytes in one).
 */
size_t gzip_length(const uint8_t *file, size_t size);

/* Unpacks exactly `length` bytes into `out`. 0, -EBADMSG for a damaged file or another length, -ENOMEM. */
int gzip_unpack(const uint8_t *file, size_t size, uint8_t *out, size_t length);

#endif
