/*
 * The client's side of TLS 1.2 and 1.3 over memory: no sockets, no JavaScript.
 *
 * All connections to one server share a tls_client: trusted authorities, own certificate, and the last session, which
 * the next connection resumes. A tls_link is one connection, over the caller's records. Functions give 0 or more, or a
 * negative errno.
 */
#ifndef MINNOW_CLIENT_TLS_H
#define MINNOW_CLIENT_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../wire/records.h"

#define TLS_LINK_OUTBOX (2 * (TLS_RECORD_MAX + TLS_RECORD_EXTRA))

struct tls_client_settings {
  const char *name; /* a host name or a numeric address, which the certificate must name */
  bool verify;      /* false: any certificate will do */
  bool http;        /* HTTP/1.1 is what is to be spoken (ALPN, RFC 7301) */
  const char *ca;   /* PEM texts, each with its length, without a NUL; NULL: none */
  size_t ca_length;
  const char *certificate; /* the client's own, with its chain */
  size_t certificate_length;
  const char *key;
  size_t key_length;
};

struct tls_client;

struct tls_link {
  struct records records;
  struct records_outbox out;
  struct tls_client *client;
  uint32_t faults;  /* of the server's certificate: MBEDTLS_X509_BADCERT_…, all of its chain */
  int untrusted_at; /* depth of the untrusted certificate; -1: none */
  bool self_signed; /* it is its own issuer */
};

/*
 * Copies what it needs; the caller zeroises its own. -EINVAL: own certificate or key are no PEM; -EKEYREJECTED: they do
 * not belong together; -ENOMEM. A `ca` that cannot be read is no authority.
 */
int tls_client_new(struct tls_client **out, const struct tls_client_settings *settings);

/* After the last of its links. */
void tls_client_free(struct tls_client *client);

/* `out` has room for TLS_LINK_OUTBOX bytes. -ENOMEM. */
int tls_link_open(struct tls_link *link, struct tls_client *client, uint8_t *out);
void tls_link_close(struct tls_link *link);

/*
 * Goes on with the handshake. 0: done; -EAGAIN: more input, or room in the outbox; -EPROTO: an alert may be in there.
 */
int tls_link_handshake(struct tls_link *link);

/* Takes up to `size` bytes of plaintext. 0: the peer closed; -EAGAIN: needs more input; -EPROTO. */
int tls_link_read(struct tls_link *link, uint8_t *data, size_t size);

/* Puts up to one record's worth of `data` in the empty outbox. How much it took; -EPROTO. */
int tls_link_write(struct tls_link *link, const uint8_t *data, size_t size);

/* Puts the closing alert in the outbox if it fits. */
void tls_link_close_notify(struct tls_link *link);

/* Node.js's code and OpenSSL's text for the error of the server's certificate; NULL: no error. */
const char *tls_link_fault(const struct tls_link *link, const char **reason);

#endif
