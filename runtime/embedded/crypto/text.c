#include "text.h"

size_t text_hex(const uint8_t *data, size_t size, char *out) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < size; i++) {
    *out++ = digits[data[i] >> 4];
    *out++ = digits[data[i] & 15];
  }
  return size * 2;
}

size_t text_base64(const uint8_t *data, size_t size, char *out) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *start = out;
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    uint32_t group = (uint32_t)data[i] << 16;
    if (left > 1) group |= (uint32_t)data[i + 1] << 8;
    if (left > 2) group |= data[i + 2];
    for (size_t j = 0; j < 4; j++) {
      *out++ = j <= left ? alphabet[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return (size_t)(out - start);
}
