/* At build time: an ES module to QuickJS bytecode. compile NAME INPUT OUTPUT */
#include <quickjs/quickjs.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*length + 1);
  if (text && fread(text, 1, *length, file) == *length) text[*length] = '\0';
  fclose(file);
  return text;
}

static int no_init(JSContext *ctx, JSModuleDef *module) {
  (void)ctx;
  (void)module;
  return 0;
}

/* Imports are resolved when the program starts; here they only have to exist. */
static JSModuleDef *any_module(JSContext *ctx, const char *name, void *opaque) {
  (void)opaque;
  JSModuleDef *module = JS_NewCModule(ctx, name, no_init);
  if (module) JS_AddModuleExport(ctx, module, "default");
  return module;
}

int main(int argc, char **argv) {
  size_t length;
  if (argc != 4) return 2;
  char *source = read_file(argv[2], &length);
  if (!source) return perror(argv[2]), 1;
  JSRuntime *runtime = JS_NewRuntime();
  JSContext *context = JS_NewContext(runtime);
  JS_SetModuleLoaderFunc(runtime, NULL, any_module, NULL);
  JS_SetStripInfo(runtime, JS_STRIP_SOURCE);
  JSValue module = JS_Eval(context, source, length, argv[1], JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
  if (JS_IsException(module)) {
    JSValue error = JS_GetException(context);
    JSValue stack = JS_GetPropertyStr(context, error, "stack");
    fprintf(stderr, "%s\n%s", JS_ToCString(context, error), JS_ToCString(context, stack));
    return 1;
  }
  uint8_t *bytecode = JS_WriteObject(context, &length, module, JS_WRITE_OBJ_BYTECODE);
  FILE *file = fopen(argv[3], "wb");
  if (!bytecode || !file || fwrite(bytecode, 1, length, file) != length || fclose(file) != 0) return perror(argv[3]), 1;
  return 0;
}
