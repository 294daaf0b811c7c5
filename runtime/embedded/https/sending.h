/* Bytes to the peer. Internal to the core, whose interface is https.h. */
#ifndef MINNOW_HTTPS_SENDING_H
#define MINNOW_HTTPS_SENDING_H

#include "connection.h"

/* Hands the outbox to the kernel, before control may go to another connection. */
void sending_flush(struct connection *c);

/* Call when everything was sent: ends the request or the connection if that waited for it. */
void sending_settle(struct connection *c);

/* See https_write and https_end. */
long sending_write(struct connection *c, const uint8_t *data, size_t length, bool last);
int sending_end(struct connection *c, const uint8_t *data, size_t length);

#endif
