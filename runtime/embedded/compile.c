/*
 * At build time: an ES module to QuickJS bytecode without debug information, in an .lzma file. A second file has a line
 * for each place of the bytecode where another line or column of the module begins: the number of the function, the place
 * in it, the line and the column. COUNT functions come before those of the module; the new count is printed.
 * compile NAME INPUT OUTPUT POSITIONS COUNT
 */
#include <lzma.h>
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

/*
 * Compresses `data`. Bytecode has no words that are aligned, hence `pb`; a larger dictionary gains nothing, and is memory
 * that the program needs at its start. The content's length comes into the header, where the encoder of liblzma says that
 * it is unknown. NULL when there is no memory.
 */
static uint8_t *pack(const uint8_t *data, size_t length, size_t *packed_length) {
  enum { LENGTH_AT = 5, LENGTH_BYTES = 8, DICTIONARY = 512 * 1024 };
  lzma_options_lzma options;
  lzma_stream stream = LZMA_STREAM_INIT;
  const size_t room = length + length / 2 + 1024;
  uint8_t *packed = malloc(room);
  if (!packed || lzma_lzma_preset(&options, 9 | LZMA_PRESET_EXTREME)) return NULL;
  options.dict_size = DICTIONARY;
  options.lc = 2;
  options.pb = 0;
  if (lzma_alone_encoder(&stream, &options) != LZMA_OK) return NULL;
  stream.next_in = data;
  stream.avail_in = length;
  stream.next_out = packed;
  stream.avail_out = room;
  if (lzma_code(&stream, LZMA_FINISH) != LZMA_STREAM_END) return NULL;
  lzma_end(&stream);
  *packed_length = room - stream.avail_out;
  for (int i = 0; i < LENGTH_BYTES; i++) packed[LENGTH_AT + i] = (uint8_t)((uint64_t)length >> 8 * i);
  return packed;
}

/* The module, or an exception that is printed. */
static JSValue compile(JSContext *context, const char *name, const char *source, size_t length, int strip) {
  JS_SetStripInfo(JS_GetRuntime(context), strip);
  JSValue module = JS_Eval(context, source, length, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
  if (JS_IsException(module)) {
    JSValue error = JS_GetException(context);
    JSValue stack = JS_GetPropertyStr(context, error, "stack");
    fprintf(stderr, "%s\n%s", JS_ToCString(context, error), JS_ToCString(context, stack));
  }
  return module;
}

static void write_position(void *file, uint32_t number, uint32_t place, int line, int column) {
  fprintf(file, "%u %u %d %d\n", number, place, line, column);
}

int main(int argc, char **argv) {
  size_t length;
  if (argc != 6) return 2;
  char *source = read_file(argv[2], &length);
  if (!source) return perror(argv[2]), 1;
  JSRuntime *runtime = JS_NewRuntime();
  JSContext *context = JS_NewContext(runtime);
  JS_SetModuleLoaderFunc(runtime, NULL, any_module, NULL);
  JSValue whole = compile(context, argv[1], source, length, JS_STRIP_SOURCE);
  JSValue stripped = compile(context, argv[1], source, length, JS_STRIP_SOURCE | JS_STRIP_DEBUG);
  if (JS_IsException(whole) || JS_IsException(stripped)) return 1;
  FILE *positions = fopen(argv[4], "w");
  const uint32_t before = (uint32_t)strtoul(argv[5], NULL, 10);
  if (positions) printf("%u\n", JS_WalkPositions(context, whole, write_position, positions, before));
  if (!positions || fclose(positions) != 0) return perror(argv[4]), 1;
  uint8_t *bytecode = JS_WriteObject(context, &length, stripped, JS_WRITE_OBJ_BYTECODE);
  size_t packed_length = 0;
  uint8_t *packed = bytecode ? pack(bytecode, length, &packed_length) : NULL;
  FILE *file = packed ? fopen(argv[3], "wb") : NULL;
  if (!file || fwrite(packed, 1, packed_length, file) != packed_length || fclose(file) != 0) return perror(argv[3]), 1;
  return 0;
}
