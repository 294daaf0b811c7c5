#include <string.h>

#include "../encoding.h"
#include "host.h"

napi_status napi_create_string_utf8(napi_env env, const char *text, size_t length, napi_value *result) {
  CHECK(text || length == 0, napi_invalid_arg);
  if (length == NAPI_AUTO_LENGTH) length = strlen(text);
  return give(env, utf8_to_string(host.context, (const uint8_t *)text, length), result);
}

napi_status napi_create_string_latin1(napi_env env, const char *text, size_t length, napi_value *result) {
  CHECK(text || length == 0, napi_invalid_arg);
  if (length == NAPI_AUTO_LENGTH) length = strlen(text);
  return give(env, latin1_to_string(host.context, (const uint8_t *)text, length), result);
}

napi_status napi_get_value_string_utf8(napi_env env, napi_value value, char *buffer, size_t size, size_t *result) {
  size_t length;
  CHECK_ARG(value);
  CHECK(JS_IsString(get(value)), napi_string_expected);
  CHECK(buffer || result, napi_invalid_arg);
  const char *text = JS_ToCStringLen(host.context, &length, get(value));
  CHECK(text, napi_pending_exception);
  if (buffer && size > 0) {
    if (length > size - 1) {
      length = size - 1;
      while (length > 0 && ((uint8_t)text[length] & 0xc0) == 0x80) length--;
    }
    memcpy(buffer, text, length);
    buffer[length] = '\0';
    utf8_replace_surrogates((uint8_t *)buffer, length);
  } else if (buffer) {
    length = 0;
  }
  if (result) *result = length;
  JS_FreeCString(host.context, text);
  return set_status(env, napi_ok);
}

napi_status napi_get_value_string_latin1(napi_env env, napi_value value, char *buffer, size_t size, size_t *result) {
  size_t length, count = 0;
  CHECK_ARG(value);
  CHECK(JS_IsString(get(value)), napi_string_expected);
  CHECK(buffer || result, napi_invalid_arg);
  const char *text = JS_ToCStringLen(host.context, &length, get(value));
  CHECK(text, napi_pending_exception);
  for (size_t i = 0; i < length;) {
    uint32_t c = (uint8_t)text[i++];
    if (c >= 0xc0) c &= c >= 0xf0 ? 7U : c >= 0xe0 ? 15U : 31U;
    while (i < length && ((uint8_t)text[i] & 0xc0) == 0x80) c = c << 6 | ((uint8_t)text[i++] & 0x3fU);
    /* Characters beyond Latin-1 become the low bytes of their UTF-16 units. */
    const bool pair = c > 0xffff;
    if (pair) c = (0xd800 + ((c - 0x10000) >> 10)) | (0xdc00 + (c & 0x3ff)) << 16;
    for (int unit = 0; unit <= pair && (!buffer || count + 1 < size); unit++, count++) {
      if (buffer) buffer[count] = (char)(c >> 16 * unit);
    }
    if (buffer && count + 1 >= size) break;
  }
  if (buffer && size > 0) buffer[count] = '\0';
  if (result) *result = count;
  JS_FreeCString(host.context, text);
  return set_status(env, napi_ok);
}
