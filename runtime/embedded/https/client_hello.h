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

/*
 * Whether a ClientHello offers a protocol (application_layer_protocol_negotiation, RFC 7301, 3.1): 1 or 0, which it also
 * is when it is damaged, is not a ClientHello, or does not fit in its first record. -EAGAIN: that record is not whole yet.
 */
int client_hello_offers_protocol(const uint8_t *data, size_t length, const char *protocol);

/* Bytes of a name of DNS (RFC 1035, 2.3.4), at most. */
enum { CLIENT_HELLO_NAME_MAX = 255 };

/*
 * Points `name` at the name that a ClientHello asks for (server_name, RFC 6066, 3), which is not terminated: its
 * length. 0: it has no valid name, is damaged, is not a ClientHello, or does not fit in its first record. -EAGAIN: that
 * record is not whole yet.
 */
int client_hello_name(const uint8_t *data, size_t length, const char **name);

#endif
