/* Random bytes, hashes, HMAC and PBKDF2 for JavaScript. */
#include <mbedtls/platform_util.h>

#include "binding.h"
#include "digest.h"
#include "hal/native/binding/task.h"
#include "random.h"
#include "text.h"

enum { RANDOM_MAX = 65536, DERIVED_MAX = 1024 };

static napi_value random_bytes(napi_env env, napi_callback_info info) {
  napi_value argument, buffer, array;
  double size = -1;
  void *data = NULL;
  arguments_take(env, info, 1, &argument);
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

/* A digest as text in the encoding named by `encoding`, or as a Uint8Array when that names none. */
static napi_value encoded(napi_env env, const uint8_t *data, size_t size, napi_value encoding) {
  char name[NAME_MAX_SIZE], text[2 * DIGEST_MAX + 4];
  size_t length;
  name_of(env, encoding, name);
  if (!strcmp(name, "hex")) length = text_hex(data, size, text);
  else if (!strcmp(name, "base64")) length = text_base64(data, size, text);
  else return bytes_give(env, data, size);
  napi_value result = NULL;
  napi_create_string_utf8(env, text, length, &result);
  return result;
}

static napi_value hash(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  char algorithm[NAME_MAX_SIZE];
  uint8_t out[DIGEST_MAX];
  struct bytes data;
  arguments_take(env, info, 3, argv);
  name_of(env, argv[0], algorithm);
  if (!bytes_take(env, argv[1], &data)) return NULL;
  int size = digest_once(algorithm, data.data, data.size, out);
  bytes_release(&data);
  return size < 0 ? fail(env, size, NULL, "The hash failed") : encoded(env, out, (size_t)size, argv[2]);
}

static napi_value hmac(napi_env env, napi_callback_info info) {
  napi_value argv[3], result = NULL;
  char algorithm[NAME_MAX_SIZE];
  uint8_t out[DIGEST_MAX];
  struct bytes key, data = {.copy = NULL};
  arguments_take(env, info, 3, argv);
  name_of(env, argv[0], algorithm);
  if (!bytes_take(env, argv[1], &key)) return NULL;
  if (bytes_take(env, argv[2], &data)) {
    int size = digest_hmac(algorithm, key.data, key.size, data.data, data.size, out);
    result = size < 0 ? fail(env, size, NULL, "The HMAC failed") : bytes_give(env, out, (size_t)size);
  }
  bytes_release(&key);
  bytes_release(&data);
  return result;
}

static void forget_digest(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  digest_release(data);
  free(data);
}

static napi_value begin(napi_env env, napi_callback_info info) {
  napi_value argument, result = NULL;
  char algorithm[NAME_MAX_SIZE];
  arguments_take(env, info, 1, &argument);
  name_of(env, argument, algorithm);
  struct digest *digest = malloc(sizeof *digest);
  int status = digest ? digest_begin(digest, algorithm) : -ENOMEM;
  if (status || napi_create_external(env, digest, forget_digest, NULL, &result) != napi_ok) {
    if (digest) forget_digest(env, digest, NULL);
    return status ? fail(env, status, NULL, "The hash failed") : NULL;
  }
  return result;
}

static napi_value update(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  struct bytes data;
  arguments_take(env, info, 2, argv);
  struct digest *digest = external_take(env, argv[0]);
  if (!digest || !bytes_take(env, argv[1], &data)) return NULL;
  int status = digest_update(digest, data.data, data.size);
  bytes_release(&data);
  return status ? fail(env, status, NULL, "The hash failed") : NULL;
}

static napi_value finish(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  uint8_t out[DIGEST_MAX];
  arguments_take(env, info, 2, argv);
  struct digest *digest = external_take(env, argv[0]);
  if (!digest) return NULL;
  int size = digest_finish(digest, out);
  return size < 0 ? fail(env, size, NULL, "The hash failed") : encoded(env, out, (size_t)size, argv[1]);
}

static napi_value equal(napi_env env, napi_callback_info info) {
  napi_value argv[2], result = NULL;
  struct bytes a, b = {.copy = NULL};
  arguments_take(env, info, 2, argv);
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
  arguments_take(env, info, 5, argv);
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

const struct exported crypto_digests[] = {
    {"random", random_bytes}, {"hash", hash},   {"hmac", hmac},     {"begin", begin}, {"update", update},
    {"finish", finish},       {"equal", equal}, {"pbkdf2", pbkdf2}, {NULL, NULL},
};
