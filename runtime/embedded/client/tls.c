#include "tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <mbedtls/pk.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "../wire/pem.h"

struct tls_client {
  mbedtls_ssl_config config;
  mbedtls_x509_crt trusted, certificate;
  mbedtls_pk_context key;
  mbedtls_ssl_session session;
  bool resumable; /* there is a session */
  char *name;
  uint8_t address[16];   /* the binary form of a numeric `name` */
  size_t address_length; /* 0: it is a host name */
};

static const char *protocols[] = {"http/1.1", NULL};

static const uint16_t groups[] = {
#ifndef WITHOUT_ML_KEM
    MBEDTLS_SSL_IANA_TLS_GROUP_X25519MLKEM768,
#endif
    MBEDTLS_SSL_IANA_TLS_GROUP_X25519,
    MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
    MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1,
    MBEDTLS_SSL_IANA_TLS_GROUP_SECP521R1,
    MBEDTLS_SSL_IANA_TLS_GROUP_NONE};

/* The subject alternative name of type iPAddress (RFC 5280, 4.2.1.6): four or sixteen bytes. */
enum { SAN_IP_ADDRESS = MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7 };

static bool is_for_address(const struct tls_client *client, const mbedtls_x509_crt *certificate) {
  for (const mbedtls_x509_sequence *name = &certificate->subject_alt_names; name; name = name->next) {
    if (name->buf.tag == SAN_IP_ADDRESS && name->buf.len == client->address_length &&
        memcmp(name->buf.p, client->address, client->address_length) == 0)
      return true;
  }
  return false;
}

/*
 * Called for each certificate of the chain, from its end; Mbed TLS checks host names, and addresses are checked here.
 */
static int on_certificate(void *context, mbedtls_x509_crt *certificate, int depth, uint32_t *flags) {
  struct tls_link *link = context;
  if (depth == 0 && link->client->address_length && !is_for_address(link->client, certificate)) {
    *flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
  }
  if (*flags & MBEDTLS_X509_BADCERT_NOT_TRUSTED) {
    link->untrusted_at = depth;
    link->self_signed = certificate->issuer_raw.len == certificate->subject_raw.len &&
                        memcmp(certificate->issuer_raw.p, certificate->subject_raw.p, certificate->issuer_raw.len) == 0;
  }
  link->faults |= *flags;
  return 0;
}

const char *tls_link_fault(const struct tls_link *link, const char **reason) {
  static const struct {
    uint32_t flags;
    const char *code, *reason;
  } faults[] = {
      {MBEDTLS_X509_BADCERT_EXPIRED, "CERT_HAS_EXPIRED", "certificate has expired"},
      {MBEDTLS_X509_BADCERT_FUTURE, "CERT_NOT_YET_VALID", "certificate is not yet valid"},
      {MBEDTLS_X509_BADCERT_NOT_TRUSTED, NULL, NULL},
      {MBEDTLS_X509_BADCERT_MISSING, "UNABLE_TO_GET_ISSUER_CERT", "no certificate"},
      {MBEDTLS_X509_BADCERT_KEY_USAGE | MBEDTLS_X509_BADCERT_EXT_KEY_USAGE | MBEDTLS_X509_BADCERT_NS_CERT_TYPE,
       "INVALID_PURPOSE", "unsuitable certificate purpose"},
      {MBEDTLS_X509_BADCERT_BAD_MD | MBEDTLS_X509_BADCERT_BAD_PK, "CA_MD_TOO_WEAK", "certificate signature too weak"},
      {MBEDTLS_X509_BADCERT_BAD_KEY, "EE_KEY_TOO_SMALL", "certificate key too weak"},
      {MBEDTLS_X509_BADCERT_CN_MISMATCH, "ERR_TLS_CERT_ALTNAME_INVALID",
       "Hostname/IP does not match certificate's altnames"},
      {UINT32_MAX, "CERT_REJECTED", "certificate rejected"}};
  if (link->faults == 0) return NULL;
  unsigned i = 0;
  while (!(link->faults & faults[i].flags)) i++;
  *reason = faults[i].reason;
  if (faults[i].code) return faults[i].code;
  if (link->self_signed) {
    *reason = link->untrusted_at == 0 ? "self-signed certificate" : "self-signed certificate in certificate chain";
    return link->untrusted_at == 0 ? "DEPTH_ZERO_SELF_SIGNED_CERT" : "SELF_SIGNED_CERT_IN_CHAIN";
  }
  *reason =
      link->untrusted_at == 0 ? "unable to verify the first certificate" : "unable to get local issuer certificate";
  return link->untrusted_at == 0 ? "UNABLE_TO_VERIFY_LEAF_SIGNATURE" : "UNABLE_TO_GET_ISSUER_CERT_LOCALLY";
}

static int parse(struct tls_client *client, const struct tls_client_settings *settings) {
  int error = 0;
  if (settings->ca) error = pem_parse_chain(&client->trusted, settings->ca, settings->ca_length);
  if (error != -ENOMEM) error = 0;
  if (!error && settings->certificate) {
    error = pem_parse_chain(&client->certificate, settings->certificate, settings->certificate_length);
  }
  if (error > 0) error = 0; /* some of the chain can be read */
  if (!error && settings->key) error = pem_parse_key(&client->key, settings->key, settings->key_length);
  if (error || !settings->certificate || !settings->key) return error;
  int differ = mbedtls_pk_check_pair(&client->certificate.pk, &client->key, mbedtls_psa_get_random, NULL);
  if (differ) return -EKEYREJECTED;
  return mbedtls_ssl_conf_own_cert(&client->config, &client->certificate, &client->key) ? -ENOMEM : 0;
}

/*
 * RSA of PKCS #1 before RSA-PSS: a server that follows the client takes the first, and Mbed TLS, which offers RSA-PSS
 * for TLS 1.3, refuses it from a server that speaks TLS 1.2.
 */
static const uint16_t signatures[] = {
    MBEDTLS_TLS1_3_SIG_ECDSA_SECP256R1_SHA256, MBEDTLS_TLS1_3_SIG_ECDSA_SECP384R1_SHA384,
    MBEDTLS_TLS1_3_SIG_ECDSA_SECP521R1_SHA512, MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA256,
    MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA384,       MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA512,
    MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA256,    MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA384,
    MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA512,    MBEDTLS_TLS1_3_SIG_NONE};

static int configure(struct tls_client *client, bool verify, bool http) {
  mbedtls_ssl_config *config = &client->config;
  if (mbedtls_ssl_config_defaults(config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                  MBEDTLS_SSL_PRESET_DEFAULT))
    return -ENOMEM;
  mbedtls_ssl_conf_min_tls_version(config, MBEDTLS_SSL_VERSION_TLS1_2);
  mbedtls_ssl_conf_max_tls_version(config, MBEDTLS_SSL_VERSION_TLS1_3);
  mbedtls_ssl_conf_rng(config, mbedtls_psa_get_random, NULL);
  mbedtls_ssl_conf_authmode(config, verify ? MBEDTLS_SSL_VERIFY_REQUIRED : MBEDTLS_SSL_VERIFY_NONE);
  mbedtls_ssl_conf_ca_chain(config, &client->trusted, NULL);
  mbedtls_ssl_conf_groups(config, groups);
  mbedtls_ssl_conf_sig_algs(config, signatures);
  mbedtls_ssl_conf_session_tickets(config, MBEDTLS_SSL_SESSION_TICKETS_ENABLED);
  mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(config,
                                                           MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
  return http && mbedtls_ssl_conf_alpn_protocols(config, protocols) ? -ENOMEM : 0;
}

static int set_name(struct tls_client *client, const char *name) {
  client->name = strdup(name);
  if (!client->name) return -ENOMEM;
  if (inet_pton(AF_INET, name, client->address) == 1) client->address_length = 4;
  else if (inet_pton(AF_INET6, name, client->address) == 1) client->address_length = 16;
  return 0;
}

int tls_client_new(struct tls_client **out, const struct tls_client_settings *settings) {
  *out = NULL;
  if (psa_crypto_init() != PSA_SUCCESS) return -ENOMEM;
  struct tls_client *client = calloc(1, sizeof *client);
  if (!client) return -ENOMEM;
  mbedtls_ssl_config_init(&client->config);
  mbedtls_x509_crt_init(&client->trusted);
  mbedtls_x509_crt_init(&client->certificate);
  mbedtls_pk_init(&client->key);
  mbedtls_ssl_session_init(&client->session);
  int error = configure(client, settings->verify, settings->http);
  if (!error) error = set_name(client, settings->name);
  if (!error) error = parse(client, settings);
  if (error) tls_client_free(client);
  else *out = client;
  return error;
}

void tls_client_free(struct tls_client *client) {
  if (!client) return;
  mbedtls_ssl_config_free(&client->config);
  mbedtls_x509_crt_free(&client->trusted);
  mbedtls_x509_crt_free(&client->certificate);
  mbedtls_pk_free(&client->key);
  mbedtls_ssl_session_free(&client->session);
  free(client->name);
  free(client);
}

int tls_link_open(struct tls_link *link, struct tls_client *client, uint8_t *out) {
  *link = (struct tls_link){.client = client, .out = {out, 0, TLS_LINK_OUTBOX}, .untrusted_at = -1};
  if (records_open(&link->records, &client->config, &link->out)) return -ENOMEM;
  /* SNI has no addresses (RFC 6066, 3); NULL omits the name on purpose. */
  const char *name = client->address_length ? NULL : client->name;
  if (mbedtls_ssl_set_hostname(&link->records.ssl, name)) {
    tls_link_close(link);
    return -ENOMEM;
  }
  if (client->resumable) mbedtls_ssl_set_session(&link->records.ssl, &client->session);
  mbedtls_ssl_set_verify(&link->records.ssl, on_certificate, link);
  return 0;
}

void tls_link_close(struct tls_link *link) {
  records_close(&link->records);
}

/* Only verified sessions are resumed: a failed link has no session. */
static void remember(struct tls_link *link) {
  struct tls_client *client = link->client;
  mbedtls_ssl_session session;
  mbedtls_ssl_session_init(&session);
  if (mbedtls_ssl_get_session(&link->records.ssl, &session)) {
    mbedtls_ssl_session_free(&session);
    return;
  }
  mbedtls_ssl_session_free(&client->session);
  client->session = session;
  client->resumable = true;
}

int tls_link_handshake(struct tls_link *link) {
  int result = records_handshake(&link->records);
  uint32_t faults = mbedtls_ssl_get_verify_result(&link->records.ssl);
  if (result == -EPROTO && faults != UINT32_MAX) link->faults |= faults; /* the permitted uses of the certificate */
  if (result == 0 && mbedtls_ssl_get_version_number(&link->records.ssl) == MBEDTLS_SSL_VERSION_TLS1_2) remember(link);
  /* A session that the server rejects must not break the next connection as well. */
  if (result == -EPROTO) link->client->resumable = false;
  return result;
}

int tls_link_read(struct tls_link *link, uint8_t *data, size_t size) {
  int result;
  while ((result = mbedtls_ssl_read(&link->records.ssl, data, size)) == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET)
    remember(link);
  return result == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY ? 0 : records_outcome(&link->records, result);
}

int tls_link_write(struct tls_link *link, const uint8_t *data, size_t size) {
  int result;
  /* Reads the rest of a partly read ticket. */
  while ((result = records_write(&link->records, data, size)) == -EPROTO &&
         link->records.error == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) {
    link->records.error = 0;
    remember(link);
  }
  return result;
}

void tls_link_close_notify(struct tls_link *link) {
  mbedtls_ssl_close_notify(&link->records.ssl);
}
