/*
 * TLS over memory: the half that server and client share. No sockets, no JavaScript.
 *
 * Records are taken from `in` and left in an outbox. Nothing is written that does not fit.
 */
#ifndef MINNOW_WIRE_RECORDS_H
#define MINNOW_WIRE_RECORDS_H

#include <mbedtls/ssl.h>
#include <stddef.h>
#include <stdint.h>

/* The most plaintext in one record (RFC 8446, 5.1), and the bytes that one record needs beyond it. */
#define TLS_RECORD_MAX ((size_t)16384)
#define TLS_RECORD_EXTRA ((size_t)320)

/* Records on their way out. `length` never exceeds `capacity`. */
struct records_outbox {
  uint8_t *data;
  size_t length, capacity;
};

struct records {
  mbedtls_ssl_context ssl;
  const uint8_t *in; /* received and not yet taken; the caller's, valid while a function of TLS runs */
  size_t in_length;
  struct records_outbox *out;
  int error; /* the last error number of Mbed TLS, for the log; 0: none */
};

/* Begins a connection of this configuration, which outlives it. Does not move in memory from now on. -ENOMEM. */
int records_open(struct records *records, const mbedtls_ssl_config *config, struct records_outbox *out);

/* Also for one that is all zeros and was never opened. */
void records_close(struct records *records);

/* A result of Mbed TLS: 0 or more as it is; -EAGAIN: it needs more input, or room in the outbox; else -EPROTO. */
int records_outcome(struct records *records, int result);

/* Goes on with the handshake. 0: done; -EAGAIN: needs more input; -EPROTO: failed, an alert may be in the outbox. */
int records_handshake(struct records *records);

/* Puts up to one record's worth of `data` in the outbox. How much it took; -EAGAIN: the outbox is full; -EPROTO. */
int records_write(struct records *records, const uint8_t *data, size_t size);

#endif
