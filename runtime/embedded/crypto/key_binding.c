/* Keys and signatures for JavaScript. */
#include <mbedtls/platform_util.h>

#include "binding.h"
#include "hal/native/binding/task.h"
#include "key.h"
#include "lms.h"

struct generation {
  struct task task;
  uint32_t bits;
  int status;
  char pem[KEY_PEM_MAX];
  uint8_t spki[KEY_SPKI_MAX];
  size_t spki_size;
};

static void generation_run(struct task *task) {
  struct generation *job = (struct generation *)task;
  job->status = key_generate(job->bits, job->pem, job->spki, &job->spki_size);
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
  napi_value argument;
  arguments_take(env, info, 1, &argument);
  struct generation *job = calloc(1, sizeof *job);
  if (!job) return fail(env, -ENOMEM, NULL, NULL);
  job->task = (struct task){generation_run, generation_result, generation_release, NULL, NULL};
  napi_get_value_uint32(env, argument, &job->bits);
  return task_start(env, &job->task);
}

static void forget_key(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  mbedtls_pk_free(data);
  free(data);
}

typedef int parse(mbedtls_pk_context *key, const uint8_t *text, size_t size);

static napi_value read_key(napi_env env, napi_callback_info info, parse *parse) {
  napi_value argument, result = NULL;
  struct bytes text;
  arguments_take(env, info, 1, &argument);
  if (!bytes_take(env, argument, &text)) return NULL;
  mbedtls_pk_context *key = malloc(sizeof *key);
  int status = key ? parse(key, text.data, text.size) : -ENOMEM;
  bytes_release(&text);
  if (status || napi_create_external(env, key, forget_key, NULL, &result) != napi_ok) {
    if (key) forget_key(env, key, NULL);
    if (status == -EPROTONOSUPPORT) return fail(env, status, "ERR_OSSL_UNSUPPORTED", "Not for P-256, P-384 or RSA");
    return status ? fail(env, status, "ERR_INVALID_ARG_VALUE", "This is not a key that can be read") : NULL;
  }
  return result;
}

static napi_value private_key(napi_env env, napi_callback_info info) {
  return read_key(env, info, key_parse);
}

static napi_value public_key(napi_env env, napi_callback_info info) {
  return read_key(env, info, key_parse_public);
}

/* { kind, bits } of a key */
static napi_value describe_key(napi_env env, napi_callback_info info) {
  static const char *const names[] = {[KEY_P256] = "P-256", [KEY_P384] = "P-384", [KEY_RSA] = "rsa"};
  napi_value argument, kind_name, number, result;
  unsigned bits;
  arguments_take(env, info, 1, &argument);
  const mbedtls_pk_context *key = external_take(env, argument);
  if (!key) return NULL;
  const char *name = names[key_kind_of(key, &bits)];
  if (napi_create_uint32(env, bits, &number) != napi_ok ||
      napi_create_string_latin1(env, name, NAPI_AUTO_LENGTH, &kind_name) != napi_ok ||
      napi_create_object(env, &result) != napi_ok ||
      napi_set_named_property(env, result, "kind", kind_name) != napi_ok ||
      napi_set_named_property(env, result, "bits", number) != napi_ok)
    return NULL;
  return result;
}

static napi_value sign(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  char algorithm[NAME_MAX_SIZE];
  uint8_t signature[KEY_SIGNATURE_MAX];
  size_t size = 0;
  struct bytes data;
  arguments_take(env, info, 3, argv);
  name_of(env, argv[0], algorithm);
  mbedtls_pk_context *key = external_take(env, argv[2]);
  if (!key || !bytes_take(env, argv[1], &data)) return NULL;
  int status = key_sign(key, algorithm, data.data, data.size, signature, &size);
  bytes_release(&data);
  return status ? fail(env, status, "ERR_INVALID_ARG_VALUE", "This key cannot sign") : bytes_give(env, signature, size);
}

/* (data, SPKI, signature) -> whether it is a good signature of HSS/LMS */
static napi_value verify_lms(napi_env env, napi_callback_info info) {
  napi_value argv[3], result = NULL;
  struct bytes given[3];
  int taken = 0;
  arguments_take(env, info, 3, argv);
  while (taken < 3 && bytes_take(env, argv[taken], &given[taken])) taken++;
  if (taken == 3) {
    int status = lms_verify(given[1].data, given[1].size, given[0].data, given[0].size, given[2].data, given[2].size);
    if (status && status != -EKEYREJECTED) fail(env, status, "ERR_OSSL_UNSUPPORTED", "Not for LMS_SHA256_M32_H10");
    else napi_get_boolean(env, !status, &result);
  }
  while (taken > 0) bytes_release(&given[--taken]);
  return result;
}

const struct exported crypto_keys[] = {
    {"generateKey", generate_key},
    {"privateKey", private_key},
    {"publicKey", public_key},
    {"describeKey", describe_key},
    {"sign", sign},
    {"verifyLms", verify_lms},
    {NULL, NULL},
};
