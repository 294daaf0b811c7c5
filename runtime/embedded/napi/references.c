#include <stdlib.h>

#include "host.h"

struct napi_ref__ {
  JSValue value;
};

/* @param count is at least 1: there are no weak references */
napi_status napi_create_reference(napi_env env, napi_value value, uint32_t count, napi_ref *result) {
  CHECK_ARG(value);
  CHECK(count > 0 && JS_IsObject(get(value)), napi_invalid_arg);
  napi_ref reference = malloc(sizeof *reference);
  CHECK(reference, napi_generic_failure);
  reference->value = JS_DupValue(host.context, get(value));
  *result = reference;
  return set_status(env, napi_ok);
}

napi_status napi_delete_reference(node_api_basic_env env, napi_ref reference) {
  CHECK_ARG(reference);
  JS_FreeValue(host.context, reference->value);
  free(reference);
  return set_status(env, napi_ok);
}

napi_status napi_get_reference_value(napi_env env, napi_ref reference, napi_value *result) {
  CHECK_ARG(reference);
  return give(env, JS_DupValue(host.context, reference->value), result);
}

napi_status napi_open_handle_scope(napi_env env, napi_handle_scope *result) {
  *result = (napi_handle_scope)(uintptr_t)host.top;
  return set_status(env, napi_ok);
}

napi_status napi_close_handle_scope(napi_env env, napi_handle_scope scope) {
  CHECK((uintptr_t)scope <= host.top, napi_handle_scope_mismatch);
  close_scope((uint32_t)(uintptr_t)scope);
  return set_status(env, napi_ok);
}
