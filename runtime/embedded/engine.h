/*
 * The embedded host: QuickJS driven by a libuv loop. main.c starts the process, engine.c owns the JavaScript
 * runtime and the module `minnow:engine`, napi/ is Node-API on top of both. Everything here runs on the main thread.
 */
#ifndef MINNOW_ENGINE_H
#define MINNOW_ENGINE_H

#include <node_api.h>
#include <quickjs/quickjs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A native module, `minnow:<name>`: its default export is made by the Node-API init function. A NULL ends the table. */
struct native_module {
  const char *name;
  napi_value (*init)(napi_env env, napi_value exports);
};
extern const struct native_module native_modules[];

/* What the build links in: the bundle as bytecode, and the documents of `minnow:documents`. */
extern const uint8_t embedded_bytecode[], embedded_bytecode_end[];
extern const uint8_t embedded_documents[], embedded_documents_end[];

struct engine_limits {
  size_t heap_bytes;  /* JavaScript heap; beyond it an allocation throws */
  size_t stack_bytes; /* C stack that JavaScript may use; beyond it a call throws */
};

/* Makes the runtime. `arguments` is argv, which ends with a NULL. 0 or a negative errno. */
int engine_start(const struct engine_limits *limits, char **arguments);

/* Evaluates the embedded bundle, then runs the loop until nothing is left to do. Returns the exit status. */
int engine_run(void);

/* Runs the pending jobs (promise reactions, microtasks), then reports what was rejected and never handled. */
void engine_pump(void);

/* Takes ownership of the context's pending exception and reports it: to the handler that the process module installed,
   else as one JSON line on standard error and exit status 1. */
void engine_uncaught(const char *origin);

/* Runs cleanup hooks and ends the process without returning. */
_Noreturn void engine_exit(int status);

/* The module `minnow:<name>`, or NULL with a pending exception. */
JSModuleDef *engine_load_module(JSContext *ctx, const char *name, void *opaque);

/* Text (text.c): UTF-8 as the WHATWG Encoding Standard reads it, section 8.1.1. */

/* Length of the well-formed prefix of `bytes`. */
size_t utf8_valid_prefix(const uint8_t *bytes, size_t length);

/* A string from UTF-8; each maximal ill-formed part becomes U+FFFD. JS_EXCEPTION when out of memory. */
JSValue utf8_to_string(JSContext *ctx, const uint8_t *bytes, size_t length);

/* A string of one character for each byte. JS_EXCEPTION when out of memory. */
JSValue latin1_to_string(JSContext *ctx, const uint8_t *bytes, size_t length);

/* Lone surrogates, which QuickJS writes as three bytes of their own, become U+FFFD; in place. */
void utf8_replace_surrogates(uint8_t *bytes, size_t length);

/* A Uint8Array of the whole of an ArrayBuffer, which it takes ownership of. */
JSValue bytes_of_buffer(JSContext *ctx, JSValue buffer);

/* encodeUtf8, decodeUtf8, atob, btoa for `minnow:engine`. */
extern const JSCFunctionListEntry text_functions[];
extern const int text_function_count;

/* Node-API (napi/). */
int napi_host_start(JSContext *ctx);
void napi_host_cleanup(void);
/* Between two turns of the loop no handle is in use: those that a callback made outside of a scope are let go. */
void napi_host_release_handles(void);
/* The exports of a native module; JS_EXCEPTION with a pending exception. The caller owns the value. */
JSValue napi_host_load(const struct native_module *module);
/* Depth of calls into JavaScript: at 0 nothing of JavaScript is on the stack and jobs may run. */
extern unsigned host_depth;

#endif
