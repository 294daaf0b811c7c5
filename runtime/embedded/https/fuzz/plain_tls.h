/*
 * In the place of tls.c for the fuzzer: no encryption, the same contract. A handshake is one byte, and fails when the
 * next is 0xff; a record is at most RECORD bytes; one that begins with a NUL closes the connection.
 */
#include <errno.h>
#include <string.h>

#include "../tls.h"

enum { RECORD = 100 };

struct tls_identity {
  int unused;
};

static struct tls_identity plain_identity;

int tls_identity_new(struct tls_identity **out, const struct tls_settings *settings, const char *key, size_t key_length,
                     const char *certificate, size_t certificate_length) {
  (void)settings, (void)key, (void)key_length, (void)certificate, (void)certificate_length;
  *out = &plain_identity;
  return 0;
}

struct tls_identity *tls_identity_keep(struct tls_identity *identity) {
  return identity;
}

void tls_identity_drop(struct tls_identity *identity) {
  (void)identity;
}

int tls_open(struct tls_session *session, struct tls_identity *identity, bool asks, struct records_outbox *out) {
  (void)asks;
  session->identity = identity;
  session->records.out = out;
  return 0;
}

void tls_close(struct tls_session *session) {
  (void)session;
}

int tls_handshake(struct tls_session *session) {
  if (session->records.in_length == 0) return -EAGAIN;
  session->records.in++;
  session->records.in_length--;
  if (session->records.in_length == 0 || session->records.in[0] != 0xff) return 0;
  session->records.error = -EPROTO;
  return -EPROTO;
}

int tls_read(struct tls_session *session, uint8_t *data, size_t size) {
  if (session->records.in_length == 0) return -EAGAIN;
  if (session->records.in[0] == 0) return 0;
  if (size > RECORD) size = RECORD;
  if (size > session->records.in_length) size = session->records.in_length;
  memcpy(data, session->records.in, size);
  session->records.in += size;
  session->records.in_length -= size;
  return (int)size;
}

int tls_write(struct tls_session *session, const uint8_t *data, size_t size) {
  struct records_outbox *out = session->records.out;
  if (size > TLS_RECORD_MAX) size = TLS_RECORD_MAX;
  if (out->capacity - out->length < size + TLS_RECORD_EXTRA) return -EAGAIN;
  memcpy(out->data + out->length, data, size);
  out->length += size;
  return (int)size;
}

void tls_close_notify(struct tls_session *session) {
  (void)session;
}

const char *tls_protocol(const struct tls_session *session) {
  (void)session;
  return "none";
}

const char *tls_cipher(const struct tls_session *session) {
  (void)session;
  return "none";
}

const uint8_t *tls_certificate(const struct tls_session *session, size_t *length) {
  (void)session, (void)length;
  return NULL;
}
