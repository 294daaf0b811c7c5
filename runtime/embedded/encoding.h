/* Text and bytes: UTF-8 as the WHATWG Encoding Standard reads it (section 8.1.1), Latin-1 and base64. */
#ifndef MINNOW_ENCODING_H
#define MINNOW_ENCODING_H

#include <quickjs/quickjs.h>
#include <stddef.h>
#include <stdint.h>

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
extern const JSCFunctionListEntry encoding_functions[];
extern const int encoding_function_count;

#endif
