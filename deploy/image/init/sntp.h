/*
 * The time from the network (RFC 5905, the client of clause 14): a server is asked, the next one when it does not
 * answer, again after a minute, and then every 17 minutes. An answer has to repeat a random number that only its server
 * has seen. Nothing here waits, or sets a clock. Times without a unit are milliseconds of the monotonic clock.
 */
#ifndef MINNOW_SNTP_H
#define MINNOW_SNTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netlink.h"

#define SNTP_MESSAGE_SIZE 48
#define SNTP_SERVERS_MAX 8
#define SNTP_NONCE_SIZE 8

struct sntp {
  struct netlink_address servers[SNTP_SERVERS_MAX];
  size_t count, at; /* `at`: which one is asked */
  int64_t earliest; /* no time before it is believed: nanoseconds since 1970 */
  int socket;       /* -1 while no server is asked */
  uint8_t nonce[SNTP_NONCE_SIZE];
  int64_t sent;   /* nanoseconds since 1970, by the clock that is to be set */
  uint64_t next;  /* time to ask, or to give an answer up */
  uint64_t pause; /* after which the next server is asked */
  unsigned answers;
};

void sntp_init(struct sntp *sntp, int64_t earliest);

/* Whom to ask from now on: addresses, as many as there is room for. The same as before change nothing. */
void sntp_serve(struct sntp *sntp, const struct netlink_address *servers, size_t count);

/* Asks if it is time. */
void sntp_step(struct sntp *sntp, uint64_t now);

/* Reads an answer, when the socket can be read. True if it sets by how many nanoseconds the clock is behind. */
bool sntp_read(struct sntp *sntp, uint64_t now, int64_t *behind);

void sntp_question(const struct sntp *sntp, uint8_t message[SNTP_MESSAGE_SIZE]);

/*
 * Reads a message: when the server received the question, and when it answered. 0; -EINVAL for a message that is
 * damaged or of a server that does not know the time, -ENOMSG for one that is not the answer to `sntp`.
 */
int sntp_parse(const struct sntp *sntp, const uint8_t *message, size_t length, int64_t *received, int64_t *answered);

#endif
