/* The native modules of the program, on top of Node-API. main.c hands them to the engine. */
#ifndef MINNOW_NAPI_MODULES_H
#define MINNOW_NAPI_MODULES_H

#include <node_api.h>

#include "../engine.h"

/* A native module, `minnow:<name>`: its default export is made by the Node-API init function. */
struct native_module {
  const char *name;
  napi_value (*init)(napi_env env, napi_value exports);
};

/* Those that the build links in. A NULL ends the table. */
extern const struct native_module native_modules[];

/* The modules of a table, for the engine. There is one table in a process. */
const struct engine_modules *napi_modules(const struct native_module *table);

#endif
