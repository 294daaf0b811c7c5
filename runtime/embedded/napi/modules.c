#include "modules.h"

#include <errno.h>
#include <string.h>

#include "host.h"
#include "parts.h"

static const struct native_module *modules;

static int start(JSContext *context) {
  host_start(context);
  if (host_start_owned() < 0 || host_start_functions() < 0 || host_start_errors() < 0 || host_start_buffers() < 0)
    return -ENOMEM;
  return JS_HasException(context) ? -ENOMEM : 0;
}

static const struct native_module *find(const char *name) {
  const struct native_module *module = modules;
  while (module->name && strcmp(module->name, name) != 0) module++;
  return module->name ? module : NULL;
}

static bool has(const char *name) {
  return find(name);
}

static JSValue load(const char *name) {
  const uint32_t height = host.top;
  static struct napi_env__ env;
  JSValue object = JS_NewObject(host.context);
  if (JS_IsException(object)) return object;
  napi_value exports = push(object);
  engine_depth++;
  napi_value replaced = find(name)->init(&env, exports);
  engine_depth--;
  if (!replaced) replaced = exports;
  JSValue result = JS_HasException(host.context) ? JS_EXCEPTION : JS_DupValue(host.context, get(replaced));
  close_scope(height);
  return result;
}

/* No handle is in use: releases those that a callback made outside a scope. */
static void turn(void) {
  close_scope(HANDLE_FIRST);
}

const struct engine_modules *napi_modules(const struct native_module *table) {
  static const struct engine_modules functions = {start, has, load, turn};
  modules = table;
  return &functions;
}
