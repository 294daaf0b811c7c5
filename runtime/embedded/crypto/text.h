/* Bytes as text (RFC 4648). `out` has room for all of it; there is no terminating NUL. The length is returned. */
#ifndef MINNOW_CRYPTO_TEXT_H
#define MINNOW_CRYPTO_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Two lower-case digits a byte. */
size_t text_hex(const uint8_t *data, size_t size, char *out);

/* Four characters for three bytes (section 4). */
size_t text_base64(const uint8_t *data, size_t size, char *out);

#endif
