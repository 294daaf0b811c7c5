/* UTF-8 between the bytes of the world and QuickJS, as the WHATWG Encoding Standard decodes and encodes it. */
#include "encoding.h"

#include <stdlib.h>
#include <string.h>

/* Length of the well-formed sequence at `p` (Unicode 3.9, table 3-7), or 0, with that of its maximal part in `bad`. */
static size_t sequence(const uint8_t *p, size_t left, size_t *bad) {
  const uint8_t lead = p[0];
  uint8_t low = 0x80, high = 0xbf;
  size_t length;
  *bad = 1;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) length = 2;
  else if (lead < 0xf0) length = 3;
  else length = 4;
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  for (size_t i = 1; i < length; i++) {
    if (i >= left || p[i] < low || p[i] > high) return 0;
    *bad = i + 1;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}

size_t utf8_valid_prefix(const uint8_t *bytes, size_t length) {
  size_t i = 0, bad;
  while (i < length) {
    uint64_t word;
    while (i + sizeof word <= length) {
      memcpy(&word, bytes + i, sizeof word);
      if (word & 0x8080808080808080) break;
      i += sizeof word;
    }
    if (i == length) break;
    const size_t step = sequence(bytes + i, length - i, &bad);
    if (step == 0) break;
    i += step;
  }
  return i;
}

JSValue utf8_to_string(JSContext *ctx, const uint8_t *bytes, size_t length) {
  size_t valid = utf8_valid_prefix(bytes, length);
  if (valid == length) return JS_NewStringLen(ctx, (const char *)bytes, length);
  if (length > SIZE_MAX / 3) return JS_ThrowOutOfMemory(ctx);
  uint8_t *repaired = js_malloc(ctx, length * 3);
  if (!repaired) return JS_EXCEPTION;
  size_t in = 0, out = 0, bad;
  while (in < length) {
    memcpy(repaired + out, bytes + in, valid);
    in += valid;
    out += valid;
    if (in == length) break;
    sequence(bytes + in, length - in, &bad);
    memcpy(repaired + out, "\xef\xbf\xbd", 3);
    in += bad;
    out += 3;
    valid = utf8_valid_prefix(bytes + in, length - in);
  }
  JSValue string = JS_NewStringLen(ctx, (const char *)repaired, out);
  js_free(ctx, repaired);
  return string;
}

void utf8_replace_surrogates(uint8_t *bytes, size_t length) {
  uint8_t *end = bytes + length;
  for (uint8_t *p = bytes; end - p >= 3 && (p = memchr(p, 0xed, (size_t)(end - p) - 2)); p++) {
    if (p[1] >= 0xa0) memcpy(p, "\xef\xbf\xbd", 3);
  }
}

JSValue latin1_to_string(JSContext *ctx, const uint8_t *bytes, size_t length) {
  size_t high = 0;
  for (size_t i = 0; i < length; i++) high += bytes[i] >> 7;
  if (high == 0) return JS_NewStringLen(ctx, (const char *)bytes, length);
  uint8_t *utf8 = js_malloc(ctx, length + high), *out = utf8;
  if (!utf8) return JS_EXCEPTION;
  for (size_t i = 0; i < length; i++) {
    const uint8_t c = bytes[i];
    if (c >= 0x80) *out++ = (uint8_t)(0xc0 | c >> 6);
    *out++ = (uint8_t)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
  }
  JSValue string = JS_NewStringLen(ctx, (const char *)utf8, length + high);
  js_free(ctx, utf8);
  return string;
}

/* QuickJS always reads three arguments. */
JSValue bytes_of_buffer(JSContext *ctx, JSValue buffer) {
  if (JS_IsException(buffer)) return buffer;
  JSValueConst arguments[] = {buffer, JS_UNDEFINED, JS_UNDEFINED};
  JSValue view = JS_NewTypedArray(ctx, 3, arguments, JS_TYPED_ARRAY_UINT8);
  JS_FreeValue(ctx, buffer);
  return view;
}

/* ---- for minnow:engine ---- */

static JSValue encode_utf8(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
  size_t length;
  (void)self;
  (void)argc;
  const char *text = JS_ToCStringLen(ctx, &length, argv[0]);
  if (!text) return JS_EXCEPTION;
  JSValue buffer = JS_NewArrayBufferCopy(ctx, (const uint8_t *)text, length);
  JS_FreeCString(ctx, text);
  if (JS_IsException(buffer)) return buffer;
  utf8_replace_surrogates(JS_GetArrayBuffer(ctx, &length, buffer), length);
  return bytes_of_buffer(ctx, buffer);
}

/* decodeUtf8(buffer: ArrayBuffer, offset, length, fatal): a string */
static JSValue decode_utf8(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
  size_t size;
  int64_t offset, length;
  (void)self;
  (void)argc;
  const uint8_t *bytes = JS_GetArrayBuffer(ctx, &size, argv[0]);
  if (!bytes && !JS_HasException(ctx)) return JS_NewString(ctx, "");
  if (!bytes) return JS_EXCEPTION;
  if (JS_ToInt64(ctx, &offset, argv[1]) < 0 || JS_ToInt64(ctx, &length, argv[2]) < 0) return JS_EXCEPTION;
  if (offset < 0 || length < 0 || (uint64_t)offset > size || (uint64_t)length > size - (size_t)offset)
    return JS_ThrowRangeError(ctx, "outside of the buffer");
  bytes += offset;
  if (JS_ToBool(ctx, argv[3]) > 0 && utf8_valid_prefix(bytes, (size_t)length) < (size_t)length)
    return JS_ThrowTypeError(ctx, "The encoded data was not valid for encoding utf-8");
  return utf8_to_string(ctx, bytes, (size_t)length);
}

static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Forgiving base64 (WHATWG Infra Standard, section 7): length of what `text` decodes to in `out`, or -1. */
static ptrdiff_t decode_base64(const char *text, size_t length, uint8_t *out) {
  uint32_t bits = 0;
  size_t digits = 0, padding = 0, used = 0;
  for (size_t i = 0; i < length; i++) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r') continue;
    if (c == '=') {
      padding++;
      continue;
    }
    const int digit = base64_digit(c);
    if (digit < 0 || padding > 0) return -1;
    bits = bits << 6 | (uint32_t)digit;
    if (++digits % 4 == 0) {
      out[used++] = (uint8_t)(bits >> 16);
      out[used++] = (uint8_t)(bits >> 8);
      out[used++] = (uint8_t)bits;
    }
  }
  if (padding > 2 || (padding > 0 && (digits + padding) % 4 != 0) || digits % 4 == 1) return -1;
  if (digits % 4 == 2) out[used++] = (uint8_t)(bits >> 4);
  if (digits % 4 == 3) {
    out[used++] = (uint8_t)(bits >> 10);
    out[used++] = (uint8_t)(bits >> 2);
  }
  return (ptrdiff_t)used;
}

static JSValue throw_invalid_character(JSContext *ctx, const char *message) {
  JSValue error = JS_NewError(ctx);
  JS_DefinePropertyValueStr(ctx, error, "name", JS_NewString(ctx, "InvalidCharacterError"), JS_PROP_CONFIGURABLE);
  JS_DefinePropertyValueStr(ctx, error, "message", JS_NewString(ctx, message), JS_PROP_CONFIGURABLE);
  return JS_Throw(ctx, error);
}

static JSValue atob_function(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
  size_t length;
  (void)self;
  (void)argc;
  const char *text = JS_ToCStringLen(ctx, &length, argv[0]);
  if (!text) return JS_EXCEPTION;
  JSValue result = JS_EXCEPTION;
  uint8_t *bytes = js_malloc(ctx, length + 1);
  if (bytes) {
    const ptrdiff_t used = decode_base64(text, length, bytes);
    result = used < 0 ? throw_invalid_character(ctx, "The string to be decoded is not correctly encoded.")
                      : latin1_to_string(ctx, bytes, (size_t)used);
    explicit_bzero(bytes, length);
    js_free(ctx, bytes);
  }
  JS_FreeCString(ctx, text);
  return result;
}

/* Bytes in place of the UTF-8 of characters up to U+00FF; their count, or -1 where a character is beyond. */
static ptrdiff_t utf8_to_latin1(uint8_t *bytes, size_t length) {
  size_t used = 0;
  for (size_t i = 0; i < length; i++) {
    if (bytes[i] < 0x80) {
      bytes[used++] = bytes[i];
    } else if (bytes[i] <= 0xc3 && i + 1 < length) {
      bytes[used++] = (uint8_t)(bytes[i] << 6 | (bytes[i + 1] & 0x3f));
      i++;
    } else {
      return -1;
    }
  }
  return (ptrdiff_t)used;
}

static JSValue encode_base64(JSContext *ctx, const uint8_t *bytes, size_t length) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = js_malloc(ctx, length / 3 * 4 + 5), *out = text;
  if (!text) return JS_EXCEPTION;
  for (size_t i = 0; i < length; i += 3) {
    const size_t left = length - i;
    const uint32_t second = left > 1 ? bytes[i + 1] : 0, third = left > 2 ? bytes[i + 2] : 0;
    const uint32_t bits = (uint32_t)bytes[i] << 16 | second << 8 | third;
    *out++ = digits[bits >> 18];
    *out++ = digits[bits >> 12 & 63];
    *out++ = left > 1 ? digits[bits >> 6 & 63] : '=';
    *out++ = left > 2 ? digits[bits & 63] : '=';
  }
  JSValue result = JS_NewStringLen(ctx, text, (size_t)(out - text));
  js_free(ctx, text);
  return result;
}

static JSValue btoa_function(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv) {
  size_t length;
  (void)self;
  (void)argc;
  const char *text = JS_ToCStringLen(ctx, &length, argv[0]);
  if (!text) return JS_EXCEPTION;
  JSValue result = JS_EXCEPTION;
  uint8_t *bytes = js_malloc(ctx, length + 1);
  if (bytes) {
    memcpy(bytes, text, length);
    const ptrdiff_t used = utf8_to_latin1(bytes, length);
    result = used < 0 ? throw_invalid_character(ctx, "Invalid character") : encode_base64(ctx, bytes, (size_t)used);
    js_free(ctx, bytes);
  }
  JS_FreeCString(ctx, text);
  return result;
}

const JSCFunctionListEntry encoding_functions[] = {
    JS_CFUNC_DEF("encodeUtf8", 1, encode_utf8), JS_CFUNC_DEF("decodeUtf8", 4, decode_utf8),
    JS_CFUNC_DEF("atob", 1, atob_function), JS_CFUNC_DEF("btoa", 1, btoa_function)};
const int encoding_function_count = sizeof encoding_functions / sizeof *encoding_functions;
