/* Bytes from the peer. Internal to the core, whose interface is https.h. */
#ifndef MINNOW_HTTPS_RECEIVING_H
#define MINNOW_HTTPS_RECEIVING_H

#include "connection.h"

/* Begins with a connection that was accepted and has a number. */
void receiving_begin(struct connection *c);

/* Continues with held bytes, at most to the end of one request. */
void receiving_feed(struct connection *c);

/* See https_allow. */
void receiving_allow(struct connection *c, unsigned time);

/* See https_identify. */
void receiving_identify(struct connection *c, struct tls_identity *identity);

/* See https_pause and https_resume. */
void receiving_pause(struct connection *c);
void receiving_resume(struct connection *c);

/* Whether it is between two requests, or before the first. */
bool receiving_is_idle(const struct connection *c);

/* Looks at the times, to which `more` milliseconds are given. */
void receiving_check(struct connection *c, uint64_t now, uint64_t more);

#endif
