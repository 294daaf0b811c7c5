/* Certificates for JavaScript. */
#include "binding.h"
#include "certificate.h"

enum { CERTIFICATE_MAX = 65536 };

static napi_value certificate(napi_env env, napi_callback_info info) {
  napi_value argument, result = NULL;
  struct bytes text;
  size_t size = 0;
  arguments_take(env, info, 1, &argument);
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

typedef int question(const uint8_t *der, size_t size, mbedtls_pk_context *key, bool *answer);

/* Answers a question about a certificate, the first argument, and a key, the second. */
static napi_value ask(napi_env env, napi_callback_info info, question *question) {
  napi_value argv[2], result = NULL;
  struct bytes der;
  bool answer = false;
  arguments_take(env, info, 2, argv);
  mbedtls_pk_context *key = external_take(env, argv[1]);
  if (!key || !bytes_take(env, argv[0], &der)) return NULL;
  int status = question(der.data, der.size, key, &answer);
  bytes_release(&der);
  if (status) return fail(env, status, "ERR_INVALID_ARG_VALUE", "This is not a certificate");
  napi_get_boolean(env, answer, &result);
  return result;
}

static napi_value matches(napi_env env, napi_callback_info info) {
  return ask(env, info, certificate_matches);
}

static napi_value is_signed_by(napi_env env, napi_callback_info info) {
  return ask(env, info, certificate_is_signed_by);
}

const struct exported crypto_certificates[] = {
    {"certificate", certificate},
    {"matches", matches},
    {"isSignedBy", is_signed_by},
    {NULL, NULL},
};
