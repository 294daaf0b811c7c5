/* The crypto module for JavaScript (crypto.d.ts has its signatures). Slow work runs on the worker pool. */
#include "../bytes.h"
#include "../task.h"
#include "certificate.h"
#include "digest.h"
#include "key.h"
#include "random.h"
#include "text.h"

#include <errno.h>
#include <mbedtls/platform_util.h>

enum { RANDOM_MAX = 65536, DERIVED_MAX = 1024, NAME_MAX_SIZE = 16, CERTIFICATE_MAX = 65536 };

static napi_value fail(napi_env env, int status, const char *code, const char *message) {
  if (status == -ENOTSUP) napi_throw_type_error(env, "ERR_CRYPTO_INVALID_DIGEST", "Digest method not supported");
  else if (status == -ENOMEM) napi_throw_error(env, NULL, "Out of memory");
  else napi_throw_error(env, code, message);
  return NULL;
}

/* Reads up to `count` arguments; those that are missing are undefined. */
static void arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
}

/* A short string such as the name of an algorithm; "" for anything else. */
static void name_of(napi_env env, napi_value value, char name[NAME_MAX_SIZE]) {
  size_t size = 0;
  if (napi_get_value_string_utf8(env, value, name, NAME_MAX_SIZE, &size) != napi_ok) size = 0;
  name[size] = 0;
}

static void *external(napi_env env, napi_value value) {
  void *data = NULL;
  if (napi_get_value_external(env, value, &data) != napi_ok)
    napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "Wrong handle");
  return data;
}

/* A digest as text in the encoding named by `encoding`, or as a Uint8Array when that names none. */
static napi_value encoded(napi_env env, const uint8_t *data, size_t size, napi_value encoding) {
  char name[NAME_MAX_SIZE], text[2 * DIGEST_MAX + 4];
  size_t length;
  name_of(env, encoding, name);
  if (!strcmp(name, "hex")) length = text_hex(data, size, text);
  else if (!strcmp(name, "base64")) length = text_base64(data, size, false, text);
  else if (!strcmp(name, "base64url")) length = text_base64(data, size, true, text);
  else return bytes_give(env, data, size);
  napi_value result = NULL;
  napi_create_string_utf8(env, text, length, &result);
  return result;
}

static napi_value random_bytes(napi_env env, napi_callback_info info) {
  napi_value argument, buffer, array;
  double size = -1;
  void *data = NULL;
  arguments(env, info, 1, &argument);
  napi_get_value_double(env, argument, &size);
  if (!(size >= 0 && size <= RANDOM_MAX)) {
    napi_throw_range_error(env, "ERR_OUT_OF_RANGE", "The size must be from 0 to 65536");
    return NULL;
  }
  if (napi_create_arraybuffer(env, (size_t)size, &data, &buffer) != napi_ok) return NULL;
  if (random_fill(data, (size_t)size)) return fail(env, -EIO, NULL, "The system gives no random bytes");
  if (napi_create_typedarray(env, napi_uint8_array, (size_t)size, buffer, 0, &array) != napi_ok) return NULL;
  return array;
}

static napi_value hash(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  char algorithm[NAME_MAX_SIZE];
  uint8_t out[DIGEST_MAX];
  struct bytes data;
  arguments(env, info, 3, argv);
  name_of(env, argv[0], algorithm);
  if (!bytes_take(env, argv[1], &data)) return NULL;
  int size = digest_once(algorithm, data.data, data.size, out);
  bytes_release(&data);
  return size < 0 ? fail(env, size, NULL, "The hash failed") : encoded(env, out, (size_t)size, argv[2]);
}

static void forget_digest(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  digest_release(data);
  free(data);
}

static napi_value begin(napi_env env, napi_callback_info info) {
  napi_value argv[2], result = NULL;
  char algorithm[NAME_MAX_SIZE];
  struct bytes key = {.copy = NULL};
  napi_valuetype type = napi_undefined;
  arguments(env, info, 2, argv);
  name_of(env, argv[0], algorithm);
  napi_typeof(env, argv[1], &type);
  if (type != napi_undefined && !bytes_take(env, argv[1], &key)) return NULL;
  struct digest *digest = malloc(sizeof *digest);
  int status = digest ? digest_begin(digest, algorithm, type == napi_undefined ? NULL : key.data, key.size) : -ENOMEM;
  bytes_release(&key);
  if (status || napi_create_external(env, digest, forget_digest, NULL, &result) != napi_ok) {
    if (digest) forget_digest(env, digest, NULL);
    return status ? fail(env, status, NULL, "The hash failed") : NULL;
  }
  return result;
}

static napi_value update(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  struct bytes data;
  arguments(env, info, 2, argv);
  struct digest *digest = external(env, argv[0]);
  if (!digest || !bytes_take(env, argv[1], &data)) return NULL;
  int status = digest_update(digest, data.data, data.size);
  bytes_release(&data);
  return status ? fail(env, status, NULL, "The hash failed") : NULL;
}

static napi_value finish(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  uint8_t out[DIGEST_MAX];
  arguments(env, info, 2, argv);
  struct digest *digest = external(env, argv[0]);
  if (!digest) return NULL;
  int size = digest_finish(digest, out);
  return size < 0 ? fail(env, size, NULL, "The hash failed") : encoded(env, out, (size_t)size, argv[1]);
}

static napi_value equal(napi_env env, napi_callback_info info) {
  napi_value argv[2], result = NULL;
  struct bytes a, b = {.copy = NULL};
  arguments(env, info, 2, argv);
  if (!bytes_take(env, argv[0], &a)) return NULL;
  if (bytes_take(env, argv[1], &b)) {
    if (a.size != b.size) {
      napi_throw_range_error(env, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH",
                             "Input buffers must have the same byte length");
    } else {
      napi_get_boolean(env, digest_equal(a.data, b.data, a.size), &result);
    }
  }
  bytes_release(&a);
  bytes_release(&b);
  return result;
}

static napi_value error_of(napi_env env, const char *text) {
  napi_value message, error = NULL;
  if (napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &message) == napi_ok)
    napi_create_error(env, NULL, message, &error);
  return error;
}

struct derivation {
  struct task task;
  char algorithm[NAME_MAX_SIZE];
  uint8_t *password, *salt;
  size_t password_size, salt_size, size;
  uint32_t iterations;
  int status;
  uint8_t out[DERIVED_MAX];
};

static void derivation_run(struct task *task) {
  struct derivation *job = (struct derivation *)task;
  job->status = digest_pbkdf2(job->algorithm, job->password, job->password_size, job->salt, job->salt_size,
                              job->iterations, job->out, job->size);
}

static napi_value derivation_result(napi_env env, struct task *task, napi_value *error) {
  struct derivation *job = (struct derivation *)task;
  napi_value key = job->status ? NULL : bytes_give(env, job->out, job->size);
  if (!key) *error = error_of(env, "The derivation failed");
  return key;
}

static void derivation_release(struct task *task) {
  struct derivation *job = (struct derivation *)task;
  if (job->password) mbedtls_platform_zeroize(job->password, job->password_size);
  free(job->password);
  free(job->salt);
  mbedtls_platform_zeroize(job, sizeof *job);
  free(job);
}

/* A copy for a worker thread, which must not touch JavaScript's memory. An empty one is not NULL. */
static uint8_t *copied(const struct bytes *bytes) {
  uint8_t *copy = malloc(bytes->size + 1);
  if (copy && bytes->size) memcpy(copy, bytes->data, bytes->size);
  return copy;
}

static napi_value pbkdf2(napi_env env, napi_callback_info info) {
  napi_value argv[5], promise = NULL;
  struct bytes password = {.copy = NULL}, salt = {.copy = NULL};
  double iterations = 0, size = -1;
  arguments(env, info, 5, argv);
  napi_get_value_double(env, argv[2], &iterations);
  napi_get_value_double(env, argv[3], &size);
  if (!(iterations >= 1 && iterations <= INT32_MAX && size >= 0 && size <= DERIVED_MAX)) {
    napi_throw_range_error(env, "ERR_OUT_OF_RANGE", "At least one iteration and at most 1024 bytes");
    return NULL;
  }
  if (!bytes_take(env, argv[0], &password) || !bytes_take(env, argv[1], &salt)) goto out;
  struct derivation *job = calloc(1, sizeof *job);
  if (!job) {
    fail(env, -ENOMEM, NULL, NULL);
    goto out;
  }
  job->task = (struct task){derivation_run, derivation_result, derivation_release, NULL, NULL};
  job->password = copied(&password);
  job->password_size = password.size;
  job->salt = copied(&salt);
  job->salt_size = salt.size;
  job->iterations = (uint32_t)iterations;
  job->size = (size_t)size;
  name_of(env, argv[4], job->algorithm);
  int status = !job->password || !job->salt ? -ENOMEM : digest_info(job->algorithm) ? 0 : -ENOTSUP;
  if (!status) {
    promise = task_start(env, &job->task);
  } else {
    derivation_release(&job->task);
    fail(env, status, NULL, NULL);
  }
out:
  bytes_release(&password);
  bytes_release(&salt);
  return promise;
}

struct generation {
  struct task task;
  int status;
  char pem[KEY_PEM_MAX];
  uint8_t spki[KEY_SPKI_MAX];
  size_t spki_size;
};

static void generation_run(struct task *task) {
  struct generation *job = (struct generation *)task;
  job->status = key_generate(job->pem, job->spki, &job->spki_size);
}

static napi_value generation_result(napi_env env, struct task *task, napi_value *error) {
  struct generation *job = (struct generation *)task;
  napi_value pair, pem, spki = job->status ? NULL : bytes_give(env, job->spki, job->spki_size);
  if (spki && napi_create_string_utf8(env, job->pem, NAPI_AUTO_LENGTH, &pem) == napi_ok &&
      napi_create_object(env, &pair) == napi_ok && napi_set_named_property(env, pair, "privateKey", pem) == napi_ok &&
      napi_set_named_property(env, pair, "publicKey", spki) == napi_ok)
    return pair;
  *error = error_of(env, "The key generation failed");
  return NULL;
}

static void generation_release(struct task *task) {
  mbedtls_platform_zeroize(task, sizeof(struct generation));
  free(task);
}

static napi_value generate_key(napi_env env, napi_callback_info info) {
  (void)info;
  struct generation *job = calloc(1, sizeof *job);
  if (!job) return fail(env, -ENOMEM, NULL, NULL);
  job->task = (struct task){generation_run, generation_result, generation_release, NULL, NULL};
  return task_start(env, &job->task);
}

static void forget_key(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  mbedtls_pk_free(data);
  free(data);
}

static napi_value private_key(napi_env env, napi_callback_info info) {
  napi_value argument, result = NULL;
  struct bytes text;
  arguments(env, info, 1, &argument);
  if (!bytes_take(env, argument, &text)) return NULL;
  mbedtls_pk_context *key = malloc(sizeof *key);
  int status = key ? key_parse(key, text.data, text.size) : -ENOMEM;
  bytes_release(&text);
  if (status || napi_create_external(env, key, forget_key, NULL, &result) != napi_ok) {
    if (key) forget_key(env, key, NULL);
    return status ? fail(env, status, "ERR_INVALID_ARG_VALUE", "This is not a private key that can be read") : NULL;
  }
  return result;
}

static napi_value sign(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  char algorithm[NAME_MAX_SIZE];
  uint8_t signature[KEY_SIGNATURE_MAX];
  size_t size = 0;
  struct bytes data;
  arguments(env, info, 3, argv);
  name_of(env, argv[0], algorithm);
  mbedtls_pk_context *key = external(env, argv[2]);
  if (!key || !bytes_take(env, argv[1], &data)) return NULL;
  int status = key_sign(key, algorithm, data.data, data.size, signature, &size);
  bytes_release(&data);
  return status ? fail(env, status, "ERR_INVALID_ARG_VALUE", "This key cannot sign") : bytes_give(env, signature, size);
}

static napi_value certificate(napi_env env, napi_callback_info info) {
  napi_value argument, result = NULL;
  struct bytes text;
  size_t size = 0;
  arguments(env, info, 1, &argument);
  if (!bytes_take(env, argument, &text)) return NULL;
  uint8_t *der = text.size <= CERTIFICATE_MAX ? malloc(text.size + 1) : NULL;
  int status = text.size > CERTIFICATE_MAX ? -EINVAL : -ENOMEM;
  if (der) status = certificate_decode(text.data, text.size, der, &size);
  if (status) fail(env, status, "ERR_INVALID_ARG_VALUE", "This is not a certificate");
  else result = bytes_give(env, der, size);
  free(der);
  bytes_release(&text);
  return result;
}

static napi_value matches(napi_env env, napi_callback_info info) {
  napi_value argv[2], result = NULL;
  struct bytes der;
  bool match = false;
  arguments(env, info, 2, argv);
  mbedtls_pk_context *key = external(env, argv[1]);
  if (!key || !bytes_take(env, argv[0], &der)) return NULL;
  int status = certificate_matches(der.data, der.size, key, &match);
  bytes_release(&der);
  if (status) return fail(env, status, "ERR_INVALID_ARG_VALUE", "This is not a certificate");
  napi_get_boolean(env, match, &result);
  return result;
}

NAPI_MODULE_INIT() {
  static const struct {
    const char *name;
    napi_callback function;
  } functions[] = {{"random", random_bytes}, {"hash", hash},                {"begin", begin},
                   {"update", update},       {"finish", finish},            {"equal", equal},
                   {"pbkdf2", pbkdf2},       {"generateKey", generate_key}, {"privateKey", private_key},
                   {"sign", sign},           {"certificate", certificate},  {"matches", matches}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    napi_value function;
    if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].function, NULL, &function) !=
            napi_ok ||
        napi_set_named_property(env, exports, functions[i].name, function) != napi_ok)
      return NULL;
  }
  return exports;
}
