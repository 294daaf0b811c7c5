/*
 * Fuzzes hellos of TLS in both roles, above all their key shares. Neither side leaves its memory, whatever hello the
 * other sends, and no handshake completes for a peer that has not computed its secret.
 *
 * An input is a byte with `bits`, and in two bytes the length that the first share in the last message gets, with all
 * lengths around it, or more than SHARE_MAX; then messages of the handshake, each after its length in two bytes.
 *
 * MINNOW_FUZZ_IDENTITY names a PEM file with a key and its certificate. With MINNOW_FUZZ_SEEDS, the hellos of real
 * handshakes are put into that folder, and nothing is fuzzed.
 */
#include <errno.h>
#include <mbedtls/entropy.h>
#include <mbedtls/psa_util.h>
#include <mbedtls/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../client/tls.h"
#include "../../https/tls.h"
#include "../pem.h"

enum bits {
  OF_CLIENT = 1, /* a client is tested, with hellos of a server */
  AS_IT_IS = 2,  /* the messages say themselves how long they are */
  ASKS = 4,      /* the server asks for a certificate */
  SPLIT = 8      /* each message comes in two records */
};

/* Longer shares than any group has. */
enum { SHARE_MAX = 4096, AS_SENT = 0xffff };

enum { HEADER = 5, MESSAGE_HEADER = 4, HANDSHAKE = 22, PEM_MAX = 1 << 14, SEED_MAX = 1 << 13 };

static struct tls_identity *identity;
static struct tls_client *client;
static uint8_t outbox[TLS_LINK_OUTBOX];

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of the kernel's random bytes: the same ones for each run of the fuzzer. */
int mbedtls_platform_entropy_poll(void *context, unsigned char *out, size_t size, size_t *length) {
  (void)context;
  static uint32_t state = 1;
  for (*length = 0; *length < size; (*length)++) {
    state = state * 1664525 + 1013904223; /* Numerical Recipes */
    out[*length] = (uint8_t)(state >> 24);
  }
  return 0;
}

static void must(bool done) {
  if (!done) abort();
}

static void put16(uint8_t *at, size_t value) {
  at[0] = (uint8_t)(value >> 8);
  at[1] = (uint8_t)value;
}

static size_t get16(const uint8_t *at) {
  return (size_t)(at[0] << 8 | at[1]);
}

/* The next message of an input, of at most as many bytes as are left; false: it was the last. */
static bool take(const uint8_t **data, size_t *size, const uint8_t **message, size_t *length) {
  if (*size < 2) return false;
  *length = get16(*data);
  *data += 2;
  *size -= 2;
  if (*length > *size) *length = *size;
  *message = *data;
  *data += *length;
  *size -= *length;
  return true;
}

/* The session id of a server's hello is that of the client's, which is random (RFC 8446, 4.1.3). */
static void echo(uint8_t *message, size_t length) {
  const size_t id = MESSAGE_HEADER + 2 + 32;
  const uint8_t *hello = outbox + HEADER;
  if (length > id + hello[id]) memcpy(message + id, hello + id, (size_t)hello[id] + 1);
}

enum { LENGTHS = 4, KEY_SHARE = 51, CLIENT_HELLO = 1 };

/*
 * Where in a hello the lengths are that its first key share is within (RFC 8446, 4.1.2, 4.1.3 and 4.2.8), the share's own
 * last. How many; 0: it has no share.
 */
static size_t lengths_of(const uint8_t *hello, size_t size, size_t *lengths) {
  size_t at = MESSAGE_HEADER + 2 + 32, count = 0;
  if (size <= at) return 0;
  bool is_client = hello[0] == CLIENT_HELLO;
  at += 1 + (size_t)hello[at]; /* session id */
  if (is_client && at + 2 <= size) at += 2 + get16(hello + at);
  if (is_client && at < size) at += 1 + (size_t)hello[at];
  if (!is_client) at += 3;
  lengths[count++] = at;
  for (at += 2; at + 8 <= size; at += 4 + get16(hello + at + 2)) {
    if (get16(hello + at) != KEY_SHARE) continue;
    lengths[count++] = at + 2;
    if (is_client) lengths[count++] = at + 4;
    lengths[count++] = at + (is_client ? 8 : 6);
    size_t share = lengths[count - 1];
    return share + 2 <= size && share + 2 + get16(hello + share) <= size ? count : 0;
  }
  return 0;
}

/* Gives the first share of a hello another length; its new bytes are zeros. `hello` has room for it. */
static size_t resize(uint8_t *hello, size_t size, size_t length) {
  size_t lengths[LENGTHS], count = lengths_of(hello, size, lengths);
  if (count == 0) return size;
  size_t begin = lengths[count - 1] + 2, before = get16(hello + begin - 2), end = begin + before;
  memmove(hello + begin + length, hello + end, size - end);
  if (length > before) memset(hello + end, 0, length - before);
  for (size_t i = 0; i < count; i++) put16(hello + lengths[i], get16(hello + lengths[i]) + length - before);
  return size + length - before;
}

/* Where the next record begins. */
static uint8_t *put_record(uint8_t *at, const uint8_t *message, size_t length) {
  at[0] = HANDSHAKE;
  put16(at + 1, MBEDTLS_SSL_VERSION_TLS1_2);
  put16(at + 3, length);
  if (length > 0) memcpy(at + HEADER, message, length);
  return at + HEADER + length;
}

/* A message in one or two records, in memory of exactly their size. */
static uint8_t *recorded(const uint8_t *message, size_t length, unsigned bits, size_t share, size_t *size) {
  uint8_t *copy = malloc(length + SHARE_MAX);
  must(copy != NULL);
  if (length > 0) memcpy(copy, message, length);
  if (share <= SHARE_MAX) length = resize(copy, length, share);
  if (!(bits & AS_IT_IS) && length >= MESSAGE_HEADER) {
    copy[1] = 0;
    put16(copy + 2, length - MESSAGE_HEADER);
  }
  if (bits & OF_CLIENT) echo(copy, length);
  size_t first = bits & SPLIT && length > 1 ? length / 2 : length;
  *size = length + (first < length ? 2 * HEADER : HEADER);
  uint8_t *records = malloc(*size);
  must(records != NULL);
  uint8_t *at = put_record(records, copy, first);
  if (first < length) at = put_record(at, copy + first, length - first);
  must(at == records + *size);
  free(copy);
  return records;
}

static void test_server(const uint8_t *data, size_t size, unsigned bits, size_t share) {
  struct records_outbox out = {outbox, 0, sizeof outbox};
  struct tls_session session;
  memset(&session, 0, sizeof session);
  const uint8_t *message;
  size_t length;
  int result = -EAGAIN;
  for (bool first = true; result == -EAGAIN && take(&data, &size, &message, &length); first = false) {
    uint8_t *in = recorded(message, length, bits, size > 0 ? AS_SENT : share, &session.records.in_length);
    session.records.in = in;
    if (first) must(tls_open(&session, identity, bits & ASKS, &out) == 0);
    result = tls_handshake(&session);
    must(result == -EAGAIN || result == -EPROTO);
    session.records.in_length = 0;
    free(in);
  }
  tls_close(&session);
}

static void test_client(const uint8_t *data, size_t size, unsigned bits, size_t share) {
  struct tls_link link;
  must(tls_link_open(&link, client, outbox) == 0);
  int result = tls_link_handshake(&link);
  must(result == -EAGAIN);
  const uint8_t *message;
  size_t length;
  while (result == -EAGAIN && take(&data, &size, &message, &length)) {
    uint8_t *in = recorded(message, length, bits, size > 0 ? AS_SENT : share, &link.records.in_length);
    link.records.in = in;
    result = tls_link_handshake(&link);
    must(result == -EAGAIN || result == -EPROTO);
    link.records.in_length = 0;
    free(in);
  }
  tls_link_close(&link);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3) return 0;
  size_t share = get16(data + 1) % (2 * SHARE_MAX);
  if (data[0] & OF_CLIENT) test_client(data + 3, size - 3, data[0], share);
  else test_server(data + 3, size - 3, data[0], share);
  return 0;
}

/* The messages of one side, as an input that has them said to the other. */
struct seed {
  uint8_t data[SEED_MAX];
  size_t length;
};

/* Adds the messages that are not encrypted in what a side has sent: each is in a record of its own. */
static void note(struct seed *seed, const uint8_t *sent, size_t length) {
  for (size_t part; length > 0; sent += part, length -= part) {
    part = HEADER + get16(sent + 3);
    must(part <= length && seed->length + part < SEED_MAX);
    if (sent[0] != HANDSHAKE) continue;
    memcpy(seed->data + seed->length, sent + 3, part - 3);
    seed->length += part - 3;
  }
}

static void save(const struct seed *seed, const char *folder, const char *name) {
  char path[4096];
  must(snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path);
  FILE *file = fopen(path, "w");
  must(file && fwrite(seed->data, seed->length, 1, file) == 1 && fclose(file) == 0);
}

/* A handshake of two configurations, as a seed for each role. */
static void save_handshake(const char *folder, const char *name, const mbedtls_ssl_config *configs) {
  struct seed seeds[2] = {{{0}, 3}, {{OF_CLIENT}, 3}};
  static uint8_t sent[2][TLS_LINK_OUTBOX];
  struct records_outbox out[2];
  struct records sides[2];
  int results[2] = {-EAGAIN, -EAGAIN};
  for (int i = 0; i < 2; i++) {
    out[i] = (struct records_outbox){sent[i], 0, TLS_LINK_OUTBOX};
    must(records_open(&sides[i], &configs[i], &out[i]) == 0);
    sides[i].in_length = 0;
  }
  mbedtls_ssl_set_hostname(&sides[0].ssl, NULL);
  for (int i = 0; results[0] || results[1]; i = !i) {
    sides[i].in = sent[!i];
    sides[i].in_length = out[!i].length;
    results[i] = records_handshake(&sides[i]);
    must(results[i] == 0 || results[i] == -EAGAIN);
    out[!i].length = 0;
    note(&seeds[i], sent[i], out[i].length);
  }
  /* As it was, a byte too short for X25519MLKEM768, and much too long. */
  const size_t shares[2][3] = {{AS_SENT, 1215, 4000}, {AS_SENT, 1119, 4000}};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 3; j++) {
      char path[64];
      must(snprintf(path, sizeof path, "%s-%s-%d", i == 0 ? "client" : "server", name, j) < (int)sizeof path);
      put16(seeds[i].data + 1, shares[i][j]);
      save(&seeds[i], folder, path);
    }
    records_close(&sides[i]);
  }
}

static void save_seeds(const char *folder, const char *pem, size_t length) {
  enum { HYBRID = MBEDTLS_SSL_IANA_TLS_GROUP_X25519MLKEM768, X25519 = MBEDTLS_SSL_IANA_TLS_GROUP_X25519 };
  enum { P256 = MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1, P384 = MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1 };
  enum { P521 = MBEDTLS_SSL_IANA_TLS_GROUP_SECP521R1 };
  static const struct {
    const char *name;
    uint16_t groups[2][3]; /* of the client, of the server */
    bool old;
  } pairs[] = {{"hybrid", {{HYBRID, X25519}, {HYBRID}}, false},
               {"x25519", {{HYBRID, X25519}, {X25519}}, false},
               {"retry-hybrid", {{P521, HYBRID}, {HYBRID}}, false},
               {"retry-p384", {{HYBRID, P384}, {P384}}, false},
               {"tls12", {{HYBRID, P256}, {P256}}, true}};
  mbedtls_x509_crt certificate;
  mbedtls_pk_context key;
  mbedtls_x509_crt_init(&certificate);
  mbedtls_pk_init(&key);
  must(pem_parse_key(&key, pem, length) == 0 && pem_parse_chain(&certificate, pem, length) >= 0);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    mbedtls_ssl_config configs[2];
    for (int side = 0; side < 2; side++) {
      mbedtls_ssl_config *config = &configs[side];
      mbedtls_ssl_config_init(config);
      must(mbedtls_ssl_config_defaults(config, side == 0 ? MBEDTLS_SSL_IS_CLIENT : MBEDTLS_SSL_IS_SERVER,
                                       MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) == 0);
      mbedtls_ssl_conf_rng(config, mbedtls_psa_get_random, NULL);
      mbedtls_ssl_conf_authmode(config, MBEDTLS_SSL_VERIFY_NONE);
      mbedtls_ssl_conf_groups(config, pairs[i].groups[side]);
      if (pairs[i].old) mbedtls_ssl_conf_max_tls_version(config, MBEDTLS_SSL_VERSION_TLS1_2);
      if (side == 1) must(mbedtls_ssl_conf_own_cert(config, &certificate, &key) == 0);
    }
    save_handshake(folder, pairs[i].name, configs);
    for (int side = 0; side < 2; side++) mbedtls_ssl_config_free(&configs[side]);
  }
  mbedtls_x509_crt_free(&certificate);
  mbedtls_pk_free(&key);
}

int LLVMFuzzerInitialize(int *count, char ***words) {
  (void)count, (void)words;
  static char pem[PEM_MAX];
  const char *path = getenv("MINNOW_FUZZ_IDENTITY"), *folder = getenv("MINNOW_FUZZ_SEEDS");
  FILE *file = path ? fopen(path, "r") : NULL;
  must(file != NULL);
  size_t length = fread(pem, 1, sizeof pem, file);
  fclose(file);
  const struct tls_settings settings = {.min_version = 2, .max_version = 3, .ticket_lifetime = 3600};
  const struct tls_client_settings of_client = {.name = "localhost"};
  must(tls_identity_new(&identity, &settings, pem, length, pem, length) == 0);
  must(tls_client_new(&client, &of_client) == 0);
  if (!folder) return 0;
  save_seeds(folder, pem, length);
  exit(0);
}
