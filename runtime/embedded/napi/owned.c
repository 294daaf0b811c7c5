/* Native data that is freed with its object: externals, wrapped instances, finalizers. */
#include <stdlib.h>

#include "host.h"
#include "parts.h"

struct owned {
  napi_env env;
  void *data;
  napi_finalize finalize;
  void *hint;
};

/* Objects of `instance_class` are made by native classes, those of `owned_class` are externals and hidden holders. */
static JSClassID instance_class, owned_class;
static JSAtom atom_wrapped;

static void finalize_owned(JSRuntime *rt, JSValue value) {
  (void)rt;
  JSClassID id;
  struct owned *owned = JS_GetAnyOpaque(value, &id);
  if (!owned) return;
  if (owned->finalize) owned->finalize(owned->env, owned->data, owned->hint);
  free(owned);
}

/* A unique atom: QuickJS exports no way to make symbols but to ask for one. */
static JSAtom new_symbol(void) {
  JSValue function = host_global("Symbol");
  JSValue symbol = JS_Call(host.context, function, JS_UNDEFINED, 0, NULL);
  JS_FreeValue(host.context, function);
  if (JS_IsException(symbol)) return JS_ATOM_NULL;
  JSAtom atom = JS_ValueToAtom(host.context, symbol);
  JS_FreeValue(host.context, symbol);
  return atom;
}

int host_start_owned(void) {
  const JSClassDef instance_definition = {"Object", .finalizer = finalize_owned};
  const JSClassDef owned_definition = {"External", .finalizer = finalize_owned};
  JSRuntime *runtime = JS_GetRuntime(host.context);
  JS_NewClassID(&instance_class);
  JS_NewClassID(&owned_class);
  atom_wrapped = new_symbol();
  if (JS_NewClass(runtime, instance_class, &instance_definition) < 0) return -1;
  return JS_NewClass(runtime, owned_class, &owned_definition);
}

bool host_is_external(JSValueConst value) {
  return JS_GetClassID(value) == owned_class;
}

JSValue host_new_instance(JSValueConst prototype) {
  JSValue made = JS_NewObjectProtoClass(host.context, prototype, instance_class);
  if (!JS_IsException(made)) JS_SetOpaque(made, NULL);
  return made;
}

static JSValue new_owned(napi_env env, void *data, napi_finalize finalize, void *hint) {
  struct owned *owned = malloc(sizeof *owned);
  if (!owned) return JS_ThrowOutOfMemory(host.context);
  *owned = (struct owned){env, data, finalize, hint};
  JSValue object = JS_NewObjectProtoClass(host.context, JS_NULL, owned_class);
  if (JS_IsException(object)) free(owned);
  else JS_SetOpaque(object, owned);
  return object;
}

napi_status napi_create_external(napi_env env, void *data, napi_finalize finalize, void *hint, napi_value *result) {
  return give(env, new_owned(env, data, finalize, hint), result);
}

napi_status napi_get_value_external(napi_env env, napi_value value, void **result) {
  CHECK_ARG(value);
  CHECK(JS_GetClassID(get(value)) == owned_class, napi_invalid_arg);
  struct owned *owned = JS_GetOpaque(get(value), owned_class);
  *result = owned->data;
  return set_status(env, napi_ok);
}

static struct owned *wrapped_by(JSValueConst object) {
  if (JS_GetClassID(object) == instance_class) return JS_GetOpaque(object, instance_class);
  JSValue holder = JS_GetProperty(host.context, object, atom_wrapped);
  struct owned *owned = JS_GetClassID(holder) == owned_class ? JS_GetOpaque(holder, owned_class) : NULL;
  JS_FreeValue(host.context, holder);
  return owned;
}

/* An instance of a native class holds its data itself, another object in a property with a unique symbol. */
napi_status napi_wrap(napi_env env, napi_value object, void *data, napi_finalize finalize, void *hint,
                      napi_ref *result) {
  CHECK_ARG(object);
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  CHECK(!wrapped_by(get(object)), napi_invalid_arg);
  JSValue holder = new_owned(env, data, finalize, hint);
  CHECK(!JS_IsException(holder), napi_pending_exception);
  if (JS_GetClassID(get(object)) == instance_class) {
    JS_SetOpaque(get(object), JS_GetOpaque(holder, owned_class));
    JS_SetOpaque(holder, NULL);
    JS_FreeValue(host.context, holder);
  } else {
    CHECK(define(get(object), atom_wrapped, holder, JS_PROP_CONFIGURABLE), napi_pending_exception);
  }
  return result ? napi_create_reference(env, object, 0, result) : set_status(env, napi_ok);
}

napi_status napi_unwrap(napi_env env, napi_value object, void **result) {
  CHECK_ARG(object);
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  struct owned *owned = wrapped_by(get(object));
  CHECK(owned, napi_invalid_arg);
  *result = owned->data;
  return set_status(env, napi_ok);
}

napi_status napi_remove_wrap(napi_env env, napi_value object, void **result) {
  CHECK_ARG(object);
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  struct owned *owned = wrapped_by(get(object));
  CHECK(owned, napi_invalid_arg);
  if (result) *result = owned->data;
  if (JS_GetClassID(get(object)) == instance_class) {
    JS_SetOpaque(get(object), NULL);
    free(owned);
  } else {
    owned->finalize = NULL;
    JS_DeleteProperty(host.context, get(object), atom_wrapped, 0);
  }
  return set_status(env, napi_ok);
}

napi_status napi_add_finalizer(napi_env env, napi_value object, void *data, node_api_basic_finalize finalize,
                               void *hint, napi_ref *result) {
  CHECK_ARG(object);
  CHECK(JS_IsObject(get(object)), napi_object_expected);
  JSAtom atom = new_symbol();
  CHECK(atom != JS_ATOM_NULL, napi_pending_exception);
  const bool defined = define(get(object), atom, new_owned(env, data, finalize, hint), 0);
  JS_FreeAtom(host.context, atom);
  CHECK(defined, napi_pending_exception);
  return result ? napi_create_reference(env, object, 0, result) : set_status(env, napi_ok);
}
