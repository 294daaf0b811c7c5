#include "host.h"

#include <stdlib.h>
#include <unistd.h>

struct host host;

void host_grow(void) {
  static const char message[] = "{\"level\":\"error\",\"message\":\"out of memory for native handles\"}\n";
  const uint32_t capacity = host.capacity > 0 ? host.capacity * 2 : 256;
  JSValue *grown = realloc(host.slots, capacity * sizeof *grown);
  if (!grown) {
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) abort();
    _exit(1);
  }
  host.slots = grown;
  host.capacity = capacity;
}

JSValue host_global(const char *name) {
  return JS_GetPropertyStr(host.context, get(constant(HANDLE_GLOBAL)), name);
}

JSClassID host_class_of_new(const char *name) {
  JSValue constructor = host_global(name);
  JSValue object = JS_CallConstructor(host.context, constructor, 0, NULL);
  const JSClassID id = JS_GetClassID(object);
  JS_FreeValue(host.context, object);
  JS_FreeValue(host.context, constructor);
  return id;
}

void host_start(JSContext *context) {
  host.context = context;
  host.atom_length = JS_NewAtom(context, "length");
  push(JS_UNDEFINED);
  push(JS_UNDEFINED);
  push(JS_NULL);
  push(JS_TRUE);
  push(JS_FALSE);
  push(JS_GetGlobalObject(context));
}
