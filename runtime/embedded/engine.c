#include "engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "bytecode.h"
#include "encoding.h"
#include "heap.h"

/* Rejected promises without a handler yet. */
struct rejection {
  struct rejection *next;
  JSValue promise, reason;
};

/* Handlers that the process module sets, by purpose. */
enum { UNCAUGHT, EXIT };

static JSRuntime *runtime;
static JSContext *context;
static JSValue handlers[2];
static JSValue main_result;
static struct rejection *rejections;
static char **program_arguments;
static const struct engine_modules *native;
static bool is_running; /* the program has started, and waits for events */

unsigned engine_depth;

/* ---- the last words ---- */

static void print_json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
    if (*p == '"' || *p == '\\') fprintf(out, "\\%c", *p);
    else if (*p == '\n') fputs("\\n", out);
    else if (*p < 0x20) fprintf(out, "\\u%04x", *p);
    else fputc(*p, out);
  }
  fputc('"', out);
}

static void print_member(FILE *out, const char *name, JSValueConst value) {
  const char *text = JS_IsUndefined(value) ? NULL : JS_ToCString(context, value);
  if (text) {
    fprintf(out, ",\"%s\":", name);
    print_json_string(out, text);
    JS_FreeCString(context, text);
  } else {
    JS_FreeValue(context, JS_GetException(context));
  }
}

/* One line on standard error. */
static void report(JSValueConst error, const char *origin) {
  static char buffer[8192];
  char stamp[32];
  const time_t now = time(NULL);
  struct tm utc;
  strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
  fprintf(stderr, "{\"time\":\"%s\",\"level\":\"error\",\"origin\":\"%s\"", stamp, origin);
  if (JS_IsNull(error)) fputs(",\"message\":\"null, which is also thrown when memory has run out\"", stderr);
  else print_member(stderr, "message", error);
  if (JS_IsObject(error)) {
    JSValue stack = JS_GetPropertyStr(context, error, "stack");
    print_member(stderr, "stack", stack);
  }
  fputs("}\n", stderr);
  fflush(stderr);
}

static _Noreturn void die(JSValueConst error, const char *origin) {
  JS_SetMemoryLimit(runtime, (size_t)-1);
  report(error, origin);
  engine_exit(1);
}

static bool is_out_of_memory(JSValueConst error) {
  if (!JS_IsError(context, error)) return JS_IsNull(error);
  JSValue message = JS_GetPropertyStr(context, error, "message");
  const char *text = JS_ToCString(context, message);
  const bool same = text && strcmp(text, "out of memory") == 0;
  JS_FreeCString(context, text);
  JS_FreeValue(context, message);
  return same;
}

/* Something large did not fit while the program runs: what wanted it is lost, and nothing else. */
static bool is_bearable(JSValueConst error) {
  return is_running && is_out_of_memory(error) && heap_shortage() == HEAP_NO_ROOM_FOR_LARGE;
}

void engine_uncaught(const char *origin) {
  JSValue error = JS_GetException(context);
  if (JS_IsUndefined(handlers[UNCAUGHT])) die(error, origin);
  JSValueConst arguments[] = {error, JS_NewString(context, origin)};
  engine_depth++;
  JSValue handled = JS_Call(context, handlers[UNCAUGHT], JS_UNDEFINED, 2, arguments);
  engine_depth--;
  JS_FreeValue(context, arguments[1]);
  if (JS_IsException(handled)) die(JS_GetException(context), origin);
  if (!JS_ToBool(context, handled)) {
    if (!is_bearable(error)) die(error, origin);
    report(error, origin);
  }
  JS_FreeValue(context, handled);
  JS_FreeValue(context, error);
}

_Noreturn void engine_exit(int status) {
  fflush(NULL);
  _exit(status);
}

/* ---- jobs ---- */

static void track_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, JS_BOOL is_handled,
                            void *opaque) {
  (void)opaque;
  if (!is_handled) {
    struct rejection *made = malloc(sizeof *made);
    if (!made) return;
    *made = (struct rejection){NULL, JS_DupValue(ctx, promise), JS_DupValue(ctx, reason)};
    struct rejection **end = &rejections;
    while (*end) end = &(*end)->next;
    *end = made;
    return;
  }
  for (struct rejection **link = &rejections; *link; link = &(*link)->next) {
    struct rejection *known = *link;
    if (!JS_StrictEq(ctx, known->promise, promise)) continue;
    *link = known->next;
    JS_FreeValue(ctx, known->promise);
    JS_FreeValue(ctx, known->reason);
    free(known);
    return;
  }
}

void engine_pump(void) {
  JSContext *ctx;
  int ran;
  engine_depth++;
  for (;;) {
    while ((ran = JS_ExecutePendingJob(runtime, &ctx)) != 0) {
      if (ran < 0) engine_uncaught("uncaughtException");
    }
    struct rejection *first = rejections;
    if (!first) break;
    rejections = first->next;
    JS_Throw(context, first->reason);
    JS_FreeValue(context, first->promise);
    free(first);
    engine_uncaught("unhandledRejection");
  }
  engine_depth--;
}

static void pump_before_waiting(uv_prepare_t *handle) {
  (void)handle;
  native->turn();
  if (heap_shortage() != HEAP_ENOUGH) JS_RunGC(runtime);
  if (rejections || JS_IsJobPending(runtime)) engine_pump();
}

/* ---- minnow:engine: what JavaScript needs of the engine itself ---- */

static JSValue run_microtask(JSContext *ctx, int argc, JSValueConst *argv) {
  return JS_Call(ctx, argv[0], JS_UNDEFINED, argc - 1, argv + 1);
}

static JSValue queue_microtask(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
  (void)self;
  if (!JS_IsFunction(ctx, argv[0])) return JS_ThrowTypeError(ctx, "callback must be a function");
  return JS_EnqueueJob(ctx, run_microtask, argc, argv) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static JSValue set_handler(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv, int which) {
  (void)self;
  (void)argc;
  JS_FreeValue(ctx, handlers[which]);
  handlers[which] = JS_DupValue(ctx, argv[0]);
  return JS_UNDEFINED;
}

static JSValue exit_process(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
  int32_t status;
  (void)self;
  (void)argc;
  if (JS_ToInt32(ctx, &status, argv[0]) < 0) return JS_EXCEPTION;
  engine_exit(status);
}

static JSValue unlimit_heap(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
  (void)ctx;
  (void)self;
  (void)argc;
  (void)argv;
  JS_SetMemoryLimit(runtime, (size_t)-1);
  return JS_UNDEFINED;
}

static JSValue collect_garbage(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
  (void)ctx;
  (void)self;
  (void)argc;
  (void)argv;
  JS_RunGC(runtime);
  return JS_UNDEFINED;
}

/* heap(): { used, limit } in bytes */
static JSValue heap_usage(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
  JSMemoryUsage usage;
  (void)self;
  (void)argc;
  (void)argv;
  JS_ComputeMemoryUsage(runtime, &usage);
  JSValue object = JS_NewObject(ctx);
  JS_SetPropertyStr(ctx, object, "used", JS_NewInt64(ctx, usage.malloc_size));
  JS_SetPropertyStr(ctx, object, "limit", JS_NewInt64(ctx, usage.malloc_limit));
  return object;
}

static const JSCFunctionListEntry engine_functions[] = {
    JS_CFUNC_DEF("queueMicrotask", 1, queue_microtask), JS_CFUNC_MAGIC_DEF("onUncaught", 1, set_handler, UNCAUGHT),
    JS_CFUNC_MAGIC_DEF("onExit", 1, set_handler, EXIT), JS_CFUNC_DEF("exit", 1, exit_process),
    JS_CFUNC_DEF("collectGarbage", 0, collect_garbage), JS_CFUNC_DEF("heap", 0, heap_usage),
    JS_CFUNC_DEF("unlimitHeap", 0, unlimit_heap)};

/* ---- modules ---- */

static const char scheme[] = "minnow:";

static int init_engine(JSContext *ctx, JSModuleDef *module) {
  JSValue exports = JS_NewObject(ctx);
  JS_SetPropertyFunctionList(ctx, exports, engine_functions, sizeof engine_functions / sizeof *engine_functions);
  JS_SetPropertyFunctionList(ctx, exports, encoding_functions, encoding_function_count);
  JSValue arguments = JS_NewArray(ctx);
  for (uint32_t i = 0; program_arguments[i]; i++) {
    const char *word = program_arguments[i];
    JS_SetPropertyUint32(ctx, arguments, i, utf8_to_string(ctx, (const uint8_t *)word, strlen(word)));
  }
  JS_SetPropertyStr(ctx, exports, "arguments", arguments);
  return JS_SetModuleExport(ctx, module, "default", exports);
}

/* The documents stay where the program file is mapped, read-only: writing to them is a bug that ends the process. */
static int init_documents(JSContext *ctx, JSModuleDef *module) {
  const size_t length = (size_t)(embedded_documents_end - embedded_documents);
  JSValue buffer = JS_NewArrayBuffer(ctx, (uint8_t *)(uintptr_t)embedded_documents, length, NULL, NULL, false);
  return JS_SetModuleExport(ctx, module, "default", bytes_of_buffer(ctx, buffer));
}

static int init_native(JSContext *ctx, JSModuleDef *module) {
  JSAtom atom = JS_GetModuleName(ctx, module);
  const char *name = JS_AtomToCString(ctx, atom);
  JSValue exports = native->load(name + strlen(scheme));
  JS_FreeCString(ctx, name);
  JS_FreeAtom(ctx, atom);
  return JS_IsException(exports) ? -1 : JS_SetModuleExport(ctx, module, "default", exports);
}

static JSModuleInitFunc *find_module(const char *name) {
  if (strncmp(name, scheme, strlen(scheme)) != 0) return NULL;
  name += strlen(scheme);
  if (strcmp(name, "engine") == 0) return init_engine;
  if (strcmp(name, "documents") == 0) return init_documents;
  return native->has(name) ? init_native : NULL;
}

/* Reads a module of the bundle. Its imports are not resolved yet. */
static JSValue read_module(const struct bytecode_module *module) {
  struct bytecode bytecode;
  if (bytecode_open(&bytecode, module) < 0) return JS_ThrowOutOfMemory(context);
  JS_SetFunctionCount(runtime, module->functions_before);
  JSValue read = JS_ReadObject(context, bytecode.data, bytecode.length, JS_READ_OBJ_BYTECODE);
  bytecode_close(&bytecode);
  return read;
}

/* The modules of the bundle are known by their files, in whatever folder: `./bundle.mjs.parts/ABC.mjs` is `ABC.mjs`. */
static char *name_module(JSContext *ctx, const char *importer, const char *name, void *opaque) {
  (void)importer;
  (void)opaque;
  const char *slash = strrchr(name, '/');
  return js_strdup(ctx, slash ? slash + 1 : name);
}

/* The module of the bundle or `minnow:<name>`, or NULL with a pending exception. */
static JSModuleDef *load_module(JSContext *ctx, const char *name, void *opaque) {
  (void)opaque;
  for (const struct bytecode_module *part = bytecode_modules; part->name; part++) {
    if (strcmp(part->name, name) != 0) continue;
    JSValue read = read_module(part);
    if (JS_IsException(read)) return NULL;
    /* The context keeps it. */
    JS_FreeValue(ctx, read);
    return JS_VALUE_GET_PTR(read);
  }
  JSModuleInitFunc *init = find_module(name);
  if (!init) {
    JS_ThrowReferenceError(ctx, "no module '%s' in this program", name);
    return NULL;
  }
  JSModuleDef *module = JS_NewCModule(ctx, name, init);
  if (module) JS_AddModuleExport(ctx, module, "default");
  return module;
}

/* ---- life ---- */

int engine_start(const struct engine_limits *limits, char **arguments, const struct engine_modules *modules) {
  runtime = JS_NewRuntime2(&heap_functions, NULL);
  if (!runtime) return -ENOMEM;
  JS_SetMemoryLimit(runtime, limits->heap_bytes);
  JS_SetMaxStackSize(runtime, limits->stack_bytes);
  JS_SetHostPromiseRejectionTracker(runtime, track_rejection, NULL);
  JS_SetModuleLoaderFunc(runtime, name_module, load_module, NULL);
  context = JS_NewContext(runtime);
  if (!context) return -ENOMEM;
  handlers[UNCAUGHT] = handlers[EXIT] = JS_UNDEFINED;
  program_arguments = arguments;
  native = modules;
  return modules->start(context);
}

/* The status that the process module decides on, when the program ends by itself. */
static int exit_status(void) {
  int32_t status = 0;
  if (JS_IsUndefined(handlers[EXIT])) return 0;
  JSValue result = JS_Call(context, handlers[EXIT], JS_UNDEFINED, 0, NULL);
  if (JS_IsException(result)) engine_uncaught("uncaughtException");
  else JS_ToInt32(context, &status, result);
  return status;
}

int engine_run(void) {
  static uv_prepare_t prepare;
  uv_loop_t *loop = uv_default_loop();
  uv_prepare_init(loop, &prepare);
  uv_prepare_start(&prepare, pump_before_waiting);
  uv_unref((uv_handle_t *)&prepare);

  JSValue module = read_module(bytecode_modules);
  engine_depth++;
  if (!JS_IsException(module) && JS_ResolveModule(context, module) == 0) main_result = JS_EvalFunction(context, module);
  else main_result = JS_EXCEPTION;
  engine_depth--;
  if (JS_IsException(main_result)) engine_uncaught("uncaughtException");
  engine_pump();
  is_running = true;
  uv_run(loop, UV_RUN_DEFAULT);
  if (JS_IsObject(main_result) && JS_PromiseState(context, main_result) == JS_PROMISE_PENDING) {
    fputs("{\"level\":\"error\",\"message\":\"the program awaits what nothing is left to bring about\"}\n", stderr);
    return 13;
  }
  return exit_status();
}
