/* What leaves a connection. Inside of the core: https.h is the way in. */
#ifndef MINNOW_HTTPS_SENDING_H
#define MINNOW_HTTPS_SENDING_H

#include "connection.h"

/* Hands the outbox to the kernel, before control may go to another connection. */
void sending_flush(struct connection *c);

/* What follows when everything has left: the request may be over, or the connection. */
void sending_settle(struct connection *c);

/* See https_write and https_end. */
long sending_write(struct connection *c, const uint8_t *data, size_t length, bool last);
int sending_end(struct connection *c, const uint8_t *data, size_t length);

#endif
