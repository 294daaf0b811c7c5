/*
 * Complete answers, by the very bytes of the requests that they answer. No sockets, no JavaScript.
 *
 * A request is known by a keyed hash of all of its bytes (SipHash-2-4 with 128 bits, whose key is made at the start), so
 * no credentials are kept. Nobody finds an answer without sending the request that it was given to, credentials and all;
 * how long a search takes tells nothing about others, since nobody else can say which hash a request has.
 *
 * The caller says what may be kept, and forgets everything as soon as anything changes that an answer may rest on.
 */
#ifndef MINNOW_HTTPS_REPEATS_H
#define MINNOW_HTTPS_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPEAT_HASH = 16, REPEAT_SETS = 64, REPEAT_WAYS = 4 };

/* The answer to a request. */
struct repeat {
  uint8_t hash[REPEAT_HASH];
  uint8_t *data; /* head and body; NULL: a free place */
  size_t length;
  size_t date;     /* where the line of the date begins; its length is that of any other time */
  uint64_t until;  /* good before this time, on the clock of repeats_find's `now` */
  uint64_t used;   /* when it was found or added last: a count */
  double *session; /* where the use of a session is noted, in milliseconds since 1970; NULL: there is none */
};

struct repeats {
  uint8_t key[REPEAT_HASH];
  size_t capacity; /* bytes of answers; 0: none is kept */
  size_t bytes;
  uint64_t uses;
  struct repeat (*sets)[REPEAT_WAYS]; /* NULL before the first one */
};

/* All of it is zeroed first. */
void repeats_init(struct repeats *repeats, size_t capacity);

/* The hash of a request. */
void repeats_hash(const struct repeats *repeats, const uint8_t *request, size_t length, uint8_t hash[REPEAT_HASH]);

/* The answer to the request with this hash, with the present date; valid until the next call. NULL: none is kept. */
const struct repeat *repeats_find(struct repeats *repeats, const uint8_t hash[REPEAT_HASH], uint64_t now);

/*
 * Keeps a copy of an answer until this time; those that were used longest ago make room. Not one without a line of the
 * date, or of more than a quarter of the capacity, or for which there is no memory.
 */
void repeats_add(struct repeats *repeats, const uint8_t hash[REPEAT_HASH], const uint8_t *answer, size_t length,
                 uint64_t until, double *session);

/* Forgets all answers. */
void repeats_clear(struct repeats *repeats);

#endif
