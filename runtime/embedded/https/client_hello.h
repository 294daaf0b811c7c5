/* The first bytes of a client, before TLS takes them. */
#ifndef MINNOW_HTTPS_CLIENT_HELLO_H
#define MINNOW_HTTPS_CLIENT_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether `data`, records of TLS, begins with a ClientHello (RFC 8446, 4.1.2) that offers this cipher suite. False also
 * when its list of suites is cut off, be it by the end of the data or of the first record.
 */
bool client_hello_offers(const uint8_t *data, size_t length, uint16_t suite);

#endif
