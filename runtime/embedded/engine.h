/*
 * The embedded host: QuickJS driven by a libuv loop. engine.c owns the JavaScript runtime and the module
 * `minnow:engine`, napi/ is Node-API on top of it, and main.c joins the two. Everything here runs on the main thread.
 */
#ifndef MINNOW_ENGINE_H
#define MINNOW_ENGINE_H

#include <quickjs/quickjs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The build links this in: the documents of `minnow:documents`. */
extern const uint8_t embedded_documents[], embedded_documents_end[];

struct engine_limits {
  size_t heap_bytes;  /* JavaScript heap; beyond it an allocation throws */
  size_t stack_bytes; /* C stack that JavaScript may use; beyond it a call throws */
};

/* A maker of native modules, `minnow:<name>`, for the engine. */
struct engine_modules {
  /* Called once, before any other. 0 or a negative errno. */
  int (*start)(JSContext *ctx);
  bool (*has)(const char *name);
  /* The exports of a module that there is, which the caller owns; JS_EXCEPTION with a pending exception. */
  JSValue (*load)(const char *name);
  /* Called between two turns of the loop. */
  void (*turn)(void);
};

/* Makes the runtime. `arguments` is argv, which ends with a NULL; `modules` is kept. 0 or a negative errno. */
int engine_start(const struct engine_limits *limits, char **arguments, const struct engine_modules *modules);

/* Evaluates the embedded bundle, then runs the loop until nothing is left to do. Returns the exit status. */
int engine_run(void);

/* Runs the pending jobs (promise reactions, microtasks), then reports unhandled rejections. */
void engine_pump(void);

/* Takes ownership of the context's pending exception and reports it: to the handler that the process module installed,
   else as one JSON line on standard error and exit status 1. */
void engine_uncaught(const char *origin);

/* Writes what is buffered and ends the process without returning. */
_Noreturn void engine_exit(int status);

/* Depth of calls into JavaScript: at 0 nothing of JavaScript is on the stack and jobs may run. */
extern unsigned engine_depth;

#endif
