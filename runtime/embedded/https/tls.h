/*
 * The server's side of TLS 1.2 and 1.3 over memory: no sockets, no JavaScript.
 *
 * A tls_identity is a private key, its certificate chain and the keys that protect session tickets; it is counted,
 * and connections keep the one they began with while new connections get another. Because the ticket keys go with
 * the certificate, a client that resumes never skips a certificate that was replaced.
 *
 * A client may be asked for a certificate. It proves that it has the key, and nothing else is checked here: the caller
 * checks its owner, issuer and validity. Sessions of clients that were asked and of those who were not have ticket keys
 * of their own, so that none resumes the other. A certificate is kept in a ticket of TLS 1.2; in TLS 1.3 Mbed TLS has
 * no place for it, so that a client that showed one has to show it again.
 *
 * A tls_session is one connection, over the caller's records. All functions give 0 or more, or a negative errno.
 */
#ifndef MINNOW_HTTPS_TLS_H
#define MINNOW_HTTPS_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../wire/records.h"

struct tls_settings {
  int min_version, max_version; /* 2 for TLS 1.2, 3 for TLS 1.3 */
  uint32_t ticket_lifetime;     /* seconds; ticket keys rotate after as long; 0: no resumption */
  bool challenge;               /* the certificate is DER, and that of a challenge: see TLS_CHALLENGE */
};

/* The protocol of clients that ask for the certificate of a challenge of ACME, and for nothing else (RFC 8737, 4). */
#define TLS_CHALLENGE "acme-tls/1"

struct tls_identity;

struct tls_session {
  struct records records;
  struct tls_identity *identity;
};

/*
 * Makes an identity of PEM texts (without a terminating NUL; the caller zeroises its own copies).
 * -EINVAL: not a key or not a certificate; -EKEYREJECTED: the two do not belong together; -ENOMEM. The count starts at
 * one.
 */
int tls_identity_new(struct tls_identity **out, const struct tls_settings *settings, const char *key, size_t key_length,
                     const char *certificate, size_t certificate_length);
struct tls_identity *tls_identity_keep(struct tls_identity *identity);
void tls_identity_drop(struct tls_identity *identity);

/*
 * Begins a session, and asks for the client's certificate if `asks`; it keeps `identity` until tls_close. -ENOMEM.
 * `records.in` has the bytes of the client so far. A client that offers ChaCha20-Poly1305 there gets it in TLS 1.3,
 * whatever it prefers.
 */
int tls_open(struct tls_session *session, struct tls_identity *identity, bool asks, struct records_outbox *out);
/* Also for a session that is all zeros and was never opened. */
void tls_close(struct tls_session *session);

/* Goes on with the handshake. 0: done; -EAGAIN: needs more input; -EPROTO: failed, an alert may be in the outbox. */
int tls_handshake(struct tls_session *session);

/* Takes up to `size` bytes of plaintext. 0: the peer closed; -EAGAIN: needs more input; -EPROTO. */
int tls_read(struct tls_session *session, uint8_t *data, size_t size);

/* Puts up to one record's worth of `data` in the outbox. How much it took; -EAGAIN: the outbox is full; -EPROTO. */
int tls_write(struct tls_session *session, const uint8_t *data, size_t size);

/* Puts the closing alert in the outbox if it fits and the handshake is done. */
void tls_close_notify(struct tls_session *session);

/* "TLSv1.3", and the name of the cipher suite. NULL before the end of the handshake. */
const char *tls_protocol(const struct tls_session *session);
const char *tls_cipher(const struct tls_session *session);

/*
 * The client's certificate as DER, and its length; valid until tls_close. NULL before the end of the handshake, and
 * when the client showed none. It has at most CLIENT_CERTIFICATE_MAX bytes, and a key for P-256, P-384 or RSA of at
 * most 4096 bits.
 */
const uint8_t *tls_certificate(const struct tls_session *session, size_t *length);

#endif
