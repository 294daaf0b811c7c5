#include "tls.h"

#include <errno.h>
#include <mbedtls/pk.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/ssl_ticket.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>
#include <stdlib.h>

#include "../wire/pem.h"
#include "client_certificate.h"
#include "client_hello.h"

/* The configurations for clients that are asked for a certificate, or for those that are not. */
struct terms {
  mbedtls_ssl_config configs[2]; /* by whether the client offers the preferred suite */
  mbedtls_ssl_ticket_context tickets;
};

enum { TERMS = 2, PREFERRED = MBEDTLS_TLS1_3_CHACHA20_POLY1305_SHA256 };

struct tls_identity {
  unsigned count;
  mbedtls_x509_crt certificate;
  mbedtls_pk_context key;
  struct terms terms[TERMS]; /* by whether they are asked */
};

/*
 * Authenticated encryption with forward secrecy only; ChaCha20-Poly1305 first, the cheapest on a processor without
 * instructions for AES: on ARMv7 a third of AES-128-GCM, and on x86-64 no more either.
 *
 * In TLS 1.2 this order counts. In TLS 1.3 Mbed TLS takes the client's first suite that is in the list, which is
 * AES-256 with SHA-384 for most. So a client that offers the preferred suite gets a list without the other two.
 */
static const int ciphersuites[] = {MBEDTLS_TLS1_3_AES_128_GCM_SHA256,
                                   MBEDTLS_TLS1_3_AES_256_GCM_SHA384,
                                   PREFERRED,
                                   MBEDTLS_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
                                   MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
                                   MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
                                   MBEDTLS_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
                                   MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
                                   MBEDTLS_TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
                                   0};
static const int *const preferred_ciphersuites = ciphersuites + 2;

static const char *protocols[] = {"http/1.1", NULL}, *challenge_protocols[] = {TLS_CHALLENGE, NULL};

static const uint16_t groups[] = {
#ifndef WITHOUT_ML_KEM
    MBEDTLS_SSL_IANA_TLS_GROUP_X25519MLKEM768,
#endif
    MBEDTLS_SSL_IANA_TLS_GROUP_X25519, MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1, MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1,
    MBEDTLS_SSL_IANA_TLS_GROUP_NONE};

/* Mbed TLS refuses critical extensions that it does not know, unless a callback accepts them. */
static int accept_extension(void *context, const mbedtls_x509_crt *certificate, const mbedtls_x509_buf *id,
                            int critical, const unsigned char *begin, const unsigned char *end) {
  (void)context, (void)certificate, (void)id, (void)critical, (void)begin, (void)end;
  return 0;
}

static int parse(struct tls_identity *identity, bool challenge, const char *key, size_t key_length,
                 const char *certificate, size_t certificate_length) {
  int error = pem_parse_key(&identity->key, key, key_length);
  if (!error && challenge) {
    error = mbedtls_x509_crt_parse_der_with_ext_cb(&identity->certificate, (const unsigned char *)certificate,
                                                   certificate_length, 1, accept_extension, NULL);
    if (error) return -EINVAL;
  } else if (!error) {
    error = pem_parse_chain(&identity->certificate, certificate, certificate_length);
  }
  if (error) return error < 0 ? error : -EINVAL;
  int differ = mbedtls_pk_check_pair(&identity->certificate.pk, &identity->key, mbedtls_psa_get_random, NULL);
  return differ ? -EKEYREJECTED : 0;
}

/*
 * As mbedtls_ssl_ticket_write, but that a session of TLS 1.3 with a certificate gets a ticket that is worth nothing,
 * with the lifetime that makes a client throw it away (RFC 8446, 4.6.1): the certificate would be lost in it.
 */
static int write_ticket(void *tickets, const mbedtls_ssl_session *session, unsigned char *start,
                        const unsigned char *end, size_t *length, uint32_t *lifetime) {
  if (session->MBEDTLS_PRIVATE(tls_version) != MBEDTLS_SSL_VERSION_TLS1_3 || !session->MBEDTLS_PRIVATE(peer_cert)) {
    return mbedtls_ssl_ticket_write(tickets, session, start, end, length, lifetime);
  }
  if (start == end) return MBEDTLS_ERR_SSL_BUFFER_TOO_SMALL;
  *start = 0;
  *length = 1;
  *lifetime = 0;
  return 0;
}

/*
 * As mbedtls_ssl_ticket_parse, but that a session of TLS 1.3 with another suite than the preferred one is not resumed.
 * Mbed TLS ends a handshake whose ticket is for a suite that is not in its list.
 */
static int parse_preferred_ticket(void *tickets, mbedtls_ssl_session *session, unsigned char *data, size_t length) {
  int error = mbedtls_ssl_ticket_parse(tickets, session, data, length);
  if (error || session->MBEDTLS_PRIVATE(tls_version) != MBEDTLS_SSL_VERSION_TLS1_3) return error;
  return mbedtls_ssl_session_get_ciphersuite_id(session) == PREFERRED ? 0 : MBEDTLS_ERR_SSL_SESSION_TICKET_EXPIRED;
}

static int configure(struct tls_identity *identity, bool asks, bool prefers, const struct tls_settings *settings) {
  mbedtls_ssl_config *config = &identity->terms[asks].configs[prefers];
  mbedtls_ssl_ticket_context *tickets = &identity->terms[asks].tickets;
  if (mbedtls_ssl_config_defaults(config, MBEDTLS_SSL_IS_SERVER, MBEDTLS_SSL_TRANSPORT_STREAM,
                                  MBEDTLS_SSL_PRESET_DEFAULT))
    return -ENOMEM;
  mbedtls_ssl_conf_min_tls_version(config, settings->min_version == 3 ? MBEDTLS_SSL_VERSION_TLS1_3
                                                                      : MBEDTLS_SSL_VERSION_TLS1_2);
  mbedtls_ssl_conf_max_tls_version(config, settings->max_version == 2 ? MBEDTLS_SSL_VERSION_TLS1_2
                                                                      : MBEDTLS_SSL_VERSION_TLS1_3);
  mbedtls_ssl_conf_rng(config, mbedtls_psa_get_random, NULL);
  mbedtls_ssl_conf_authmode(config, asks ? MBEDTLS_SSL_VERIFY_OPTIONAL : MBEDTLS_SSL_VERIFY_NONE);
  mbedtls_ssl_conf_cert_profile(config, &client_certificate_profile);
  mbedtls_ssl_conf_ciphersuites(config, prefers ? preferred_ciphersuites : ciphersuites);
  mbedtls_ssl_conf_groups(config, groups);
  mbedtls_ssl_conf_tls13_key_exchange_modes(config, MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_ALL);
  if (mbedtls_ssl_conf_alpn_protocols(config, settings->challenge ? challenge_protocols : protocols)) return -ENOMEM;
  if (mbedtls_ssl_conf_own_cert(config, &identity->certificate, &identity->key)) return -ENOMEM;
  if (settings->ticket_lifetime == 0) return 0;
  mbedtls_ssl_conf_session_tickets_cb(config, write_ticket, prefers ? parse_preferred_ticket : mbedtls_ssl_ticket_parse,
                                      tickets);
  mbedtls_ssl_conf_new_session_tickets(config, 1);
  return 0;
}

static int set_terms(struct tls_identity *identity, bool asks, const struct tls_settings *settings) {
  int error = configure(identity, asks, false, settings);
  if (!error) error = configure(identity, asks, true, settings);
  if (error || settings->ticket_lifetime == 0) return error;
  return mbedtls_ssl_ticket_setup(&identity->terms[asks].tickets, mbedtls_psa_get_random, NULL,
                                  MBEDTLS_CIPHER_AES_128_GCM, settings->ticket_lifetime)
             ? -ENOMEM
             : 0;
}

int tls_identity_new(struct tls_identity **out, const struct tls_settings *settings, const char *key, size_t key_length,
                     const char *certificate, size_t certificate_length) {
  *out = NULL;
  if (psa_crypto_init() != PSA_SUCCESS) return -ENOMEM;
  struct tls_identity *identity = calloc(1, sizeof *identity);
  if (!identity) return -ENOMEM;
  identity->count = 1;
  mbedtls_x509_crt_init(&identity->certificate);
  mbedtls_pk_init(&identity->key);
  for (int i = 0; i < TERMS; i++) {
    for (int prefers = 0; prefers < 2; prefers++) mbedtls_ssl_config_init(&identity->terms[i].configs[prefers]);
    mbedtls_ssl_ticket_init(&identity->terms[i].tickets);
  }
  int error = parse(identity, settings->challenge, key, key_length, certificate, certificate_length);
  if (!error) error = set_terms(identity, false, settings);
  if (!error) error = set_terms(identity, true, settings);
  if (error) tls_identity_drop(identity);
  else *out = identity;
  return error;
}

struct tls_identity *tls_identity_keep(struct tls_identity *identity) {
  identity->count++;
  return identity;
}

void tls_identity_drop(struct tls_identity *identity) {
  if (!identity || --identity->count > 0) return;
  for (int i = 0; i < TERMS; i++) {
    for (int prefers = 0; prefers < 2; prefers++) mbedtls_ssl_config_free(&identity->terms[i].configs[prefers]);
    mbedtls_ssl_ticket_free(&identity->terms[i].tickets);
  }
  mbedtls_x509_crt_free(&identity->certificate);
  mbedtls_pk_free(&identity->key);
  free(identity);
}

int tls_open(struct tls_session *session, struct tls_identity *identity, bool asks, struct records_outbox *out) {
  const struct records *records = &session->records;
  bool prefers = client_hello_offers(records->in, records->in_length, PREFERRED);
  int error = records_open(&session->records, &identity->terms[asks].configs[prefers], out);
  if (!error) session->identity = tls_identity_keep(identity);
  return error;
}

void tls_close(struct tls_session *session) {
  records_close(&session->records);
  tls_identity_drop(session->identity);
  session->identity = NULL;
}

int tls_handshake(struct tls_session *session) {
  return records_handshake(&session->records);
}

int tls_read(struct tls_session *session, uint8_t *data, size_t size) {
  int result = mbedtls_ssl_read(&session->records.ssl, data, size);
  return result == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY ? 0 : records_outcome(&session->records, result);
}

int tls_write(struct tls_session *session, const uint8_t *data, size_t size) {
  return records_write(&session->records, data, size);
}

void tls_close_notify(struct tls_session *session) {
  mbedtls_ssl_close_notify(&session->records.ssl);
}

static bool is_secure(const struct tls_session *session) {
  return mbedtls_ssl_is_handshake_over((mbedtls_ssl_context *)&session->records.ssl) != 0;
}

const char *tls_protocol(const struct tls_session *session) {
  return is_secure(session) ? mbedtls_ssl_get_version(&session->records.ssl) : NULL;
}

const char *tls_cipher(const struct tls_session *session) {
  return is_secure(session) ? mbedtls_ssl_get_ciphersuite(&session->records.ssl) : NULL;
}

const uint8_t *tls_certificate(const struct tls_session *session, size_t *length) {
  const mbedtls_x509_crt *certificate = is_secure(session) ? mbedtls_ssl_get_peer_cert(&session->records.ssl) : NULL;
  if (!certificate) return NULL;
  *length = certificate->raw.len;
  return certificate->raw.p;
}
