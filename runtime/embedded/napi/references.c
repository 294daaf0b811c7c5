#include <stdlib.h>

#include "host.h"
#include "parts.h"

struct napi_ref__ {
  JSValue value; /* the value itself, or, where the count is 0, a WeakRef to it */
  uint32_t count;
};

static JSValue weak_ref_constructor;
static JSAtom atom_deref;

int host_start_references(void) {
  weak_ref_constructor = host_global("WeakRef");
  atom_deref = JS_NewAtom(host.context, "deref");
  return 0;
}

static bool weaken(napi_ref reference) {
  JSValue weak = JS_CallConstructor(host.context, weak_ref_constructor, 1, &reference->value);
  if (JS_IsException(weak)) return false;
  JS_FreeValue(host.context, reference->value);
  reference->value = weak;
  return true;
}

napi_status napi_create_reference(napi_env env, napi_value value, uint32_t count, napi_ref *result) {
  CHECK_ARG(value);
  CHECK(JS_IsObject(get(value)) || JS_IsSymbol(get(value)), napi_invalid_arg);
  napi_ref reference = malloc(sizeof *reference);
  CHECK(reference, napi_generic_failure);
  reference->value = JS_DupValue(host.context, get(value));
  reference->count = count;
  if (count == 0 && !weaken(reference)) {
    JS_FreeValue(host.context, reference->value);
    free(reference);
    return set_status(env, napi_pending_exception);
  }
  *result = reference;
  return set_status(env, napi_ok);
}

napi_status napi_delete_reference(node_api_basic_env env, napi_ref reference) {
  CHECK_ARG(reference);
  JS_FreeValue(host.context, reference->value);
  free(reference);
  return set_status(env, napi_ok);
}

napi_status napi_reference_ref(napi_env env, napi_ref reference, uint32_t *result) {
  CHECK_ARG(reference);
  if (reference->count == 0) {
    JSValue value = JS_Invoke(host.context, reference->value, atom_deref, 0, NULL);
    CHECK(JS_IsObject(value) || JS_IsSymbol(value), napi_generic_failure);
    JS_FreeValue(host.context, reference->value);
    reference->value = value;
  }
  reference->count++;
  if (result) *result = reference->count;
  return set_status(env, napi_ok);
}

napi_status napi_reference_unref(napi_env env, napi_ref reference, uint32_t *result) {
  CHECK_ARG(reference);
  CHECK(reference->count > 0, napi_generic_failure);
  CHECK(reference->count > 1 || weaken(reference), napi_pending_exception);
  reference->count--;
  if (result) *result = reference->count;
  return set_status(env, napi_ok);
}

napi_status napi_get_reference_value(napi_env env, napi_ref reference, napi_value *result) {
  CHECK_ARG(reference);
  if (reference->count > 0) return give(env, JS_DupValue(host.context, reference->value), result);
  JSValue value = JS_Invoke(host.context, reference->value, atom_deref, 0, NULL);
  if (!JS_IsUndefined(value)) return give(env, value, result);
  *result = NULL;
  return set_status(env, napi_ok);
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

/* The slot below an escapable scope receives what escapes; until then it is marked as free with JS_UNINITIALIZED. */
napi_status napi_open_escapable_handle_scope(napi_env env, napi_escapable_handle_scope *result) {
  push(JS_UNINITIALIZED);
  *result = (napi_escapable_handle_scope)(uintptr_t)host.top;
  return set_status(env, napi_ok);
}

napi_status napi_close_escapable_handle_scope(napi_env env, napi_escapable_handle_scope scope) {
  CHECK((uintptr_t)scope <= host.top, napi_handle_scope_mismatch);
  close_scope((uint32_t)(uintptr_t)scope);
  return set_status(env, napi_ok);
}

napi_status napi_escape_handle(napi_env env, napi_escapable_handle_scope scope, napi_value value, napi_value *result) {
  const uintptr_t slot = (uintptr_t)scope - 1;
  CHECK_ARG(value);
  CHECK(JS_IsUninitialized(host.slots[slot]), napi_escape_called_twice);
  host.slots[slot] = JS_DupValue(host.context, get(value));
  *result = (napi_value)slot;
  return set_status(env, napi_ok);
}
