/*
 * Signatures with Ed25519 (RFC 8032) and boxes of XSalsa20-Poly1305 by libsodium. 0 or a negative errno: -EINVAL for a
 * key, a nonce or a signature of a wrong length, -EBADMSG for an invalid box or signature, -EIO if libsodium cannot be
 * used. On any thread.
 */
#ifndef MINNOW_NACL_H
#define MINNOW_NACL_H

#include <stddef.h>
#include <stdint.h>

/* The overhead of a box: its tag, which precedes the rest. */
enum { NACL_TAG_SIZE = 16 };

struct nacl_bytes {
  const uint8_t *data;
  size_t size;
};

/*
 * 0 for the signature of `key` on `text`. Refused is also what RFC 8032 leaves no room for, although an equation holds:
 * a number S that is not below the group's order, a key that is not encoded as it must be, points of a small order.
 */
int nacl_verify(struct nacl_bytes text, struct nacl_bytes signature, struct nacl_bytes key);

/* Writes the box of `text`, NACL_TAG_SIZE bytes longer. */
int nacl_seal(struct nacl_bytes text, struct nacl_bytes nonce, struct nacl_bytes key, uint8_t *box);

/* Writes the text of a box, NACL_TAG_SIZE bytes shorter. */
int nacl_open(struct nacl_bytes box, struct nacl_bytes nonce, struct nacl_bytes key, uint8_t *text);

#endif
