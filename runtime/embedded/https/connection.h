/*
 * One connection of a server: its parts, timeouts and end. Internal to the core; https.h is the interface.
 *
 * receiving.c receives, sending.c sends, and server.c owns all connections. A connection calls the server
 * only through the two functions of the group.
 */
#ifndef MINNOW_HTTPS_CONNECTION_H
#define MINNOW_HTTPS_CONNECTION_H

#include "../wire/held.h"
#include "https.h"
#include "repeats.h"

enum { OUTBOX_RECORDS = 4 };

/* The state of the connection, which only advances. */
enum connection_link {
  LINK_ACCEPTED,  /* no byte has arrived */
  LINK_HANDSHAKE, /* there is a TLS session */
  LINK_SECURE,    /* the handshake is done */
  LINK_ENDING,    /* closes when everything has left */
  LINK_SHUT,      /* we closed our side, and the peer may close its own */
  LINK_CLOSED     /* uv_close was called */
};

/* How far the present request and its answer are. */
enum connection_exchange {
  EXCHANGE_HEAD,       /* waits for the first head, or for the rest of one */
  EXCHANGE_IDLE,       /* between two requests */
  EXCHANGE_OVER,       /* likewise, and it is another connection's turn */
  EXCHANGE_PAUSED,     /* the body waits for the application */
  EXCHANGE_RECEIVING,  /* the body arrives */
  EXCHANGE_DISCARDING, /* the body arrives after the answer, and is thrown away */
  EXCHANGE_RECEIVED,   /* the request is complete, and the answer is not */
  EXCHANGE_STREAMING,  /* likewise; parts of the answer were written */
  EXCHANGE_ANSWERED    /* the request is complete, and so is the answer; it may still have to leave */
};

/* Whether it is known which identity the client gets, where that is one by the name that it asks for. */
enum connection_naming {
  NAMING_UNREAD,  /* the name has not arrived */
  NAMING_PARTIAL, /* likewise, but a part of the record in which it will be */
  NAMING_ASKED,   /* the application has the name, and looks for the identity */
  NAMING_KNOWN,
  NAMING_CHALLENGE /* it asks for the certificate of a challenge, and for nothing else */
};

struct connection;

/* All connections of a server, and their shared state. */
struct connection_group {
  uv_loop_t *loop;
  struct https_options options;
  struct https_events events;
  void *context;
  struct tls_identity *identity;
  struct tls_identity *challenge; /* NULL while no challenge is pending */
  bool closing;                   /* no connection outlives its present request */
  /* Calls receiving_feed in the next turn of the loop. */
  void (*schedule)(struct connection *c);
  /* The connection is about to be freed. */
  void (*remove)(struct connection *c);
  struct repeats repeats;       /* of callers */
  struct repeats anonymous;     /* of requests without credentials, which take no place of the others */
  unsigned unread;              /* answers out of these that their clients have not taken */
  struct records_outbox outbox; /* one for all: it is emptied before control leaves a connection */
  uint8_t received[TLS_RECORD_MAX + TLS_RECORD_EXTRA];
  uint8_t plaintext[TLS_RECORD_MAX];
  uint8_t records[OUTBOX_RECORDS * (TLS_RECORD_MAX + TLS_RECORD_EXTRA)];
};

struct connection {
  uv_tcp_t tcp;
  uv_write_t write;
  uv_shutdown_t shutdown;
  struct connection_group *group;
  struct connection *next_ready;
  https_id id;
  struct tls_session tls;
  struct tls_identity *named; /* the identity for the name that the client asks for; NULL: that of the server */
  struct request_parser parser;
  struct held_bytes ciphertext; /* received and not decrypted, while parsing is at rest */
  struct held_bytes plaintext;  /* decrypted and not parsed, likewise */
  struct held_bytes sending;    /* records that libuv has; TLS rests as long, so they keep their order */
  struct held_bytes unsent;     /* an answer's bytes for which there was no room in the outbox */
  enum connection_link link;
  enum connection_exchange exchange;
  enum connection_naming naming;
  uint64_t begun_at;          /* the present request, on the loop's clock */
  uint64_t deadline;          /* of the present wait, likewise; 0: none */
  uint64_t write_deadline;    /* for the peer to read what was sent, likewise */
  size_t lingered;            /* bytes thrown away after we closed our side */
  uint8_t place[REPEAT_HASH]; /* the hash of the address that its requests are sent to, once it is `placed` */
  bool placed;
  /* Hashes of the present request, if it is `whole`: its first line, and the rest of its head with the place. */
  uint8_t line[REPEAT_HASH], rest[REPEAT_HASH];
  /* Likewise, once its answer may be repeated: its caller, its subject, and what moves with the time. */
  uint8_t audience[REPEAT_HASH], subject[REPEAT_HASH];
  struct repeat_moment moments[REPEAT_MOMENTS];
  size_t moments_length;
  uint64_t repeat_time; /* for how long its answer may be repeated; 0: not at all */
  double *session;      /* where a use of its session is noted; NULL: no session */
  bool tunnel;          /* the application takes what follows the present request, as it is */
  bool whole;           /* the present request is the whole of a record, and its answer may be repeated */
  bool anonymous;       /* likewise, and it has no credentials */
  bool authenticated;   /* the application has accepted credentials on this connection */
  bool unread;          /* the present answer is counted in the group's `unread` */
  bool needs_drain;     /* the application knows that bytes wait */
  bool unfinished;      /* the parser was stopped and may report more without another byte */
  bool feeding;         /* what arrived is being taken: a function of receiving.c is on the stack */
  bool ready;           /* it has a turn coming */
  bool last;            /* no further request after this one */
  bool ended;           /* the peer closed its side */
};

/* NULL: out of memory. Its id is the server's to give. */
struct connection *connection_new(struct connection_group *group);

/* In place of connection_destroy, for a connection that was not reported. */
void connection_discard(struct connection *c);

/* Drops it. The application is called when the loop has released it. */
void connection_destroy(struct connection *c);

/* Gives the peer `time` after `from` for its next step. */
void connection_await(struct connection *c, uint64_t from, unsigned time);

/* Continues with held bytes in a turn of its own, unless this is one. */
void connection_continue(struct connection *c);

/* Whether bytes of an answer wait. */
static inline bool connection_is_sending(const struct connection *c) {
  return c->sending.data || c->unsent.data;
}

/* The client has read the present answer, or has disconnected. */
static inline void connection_taken(struct connection *c) {
  if (c->unread) c->group->unread--;
  c->unread = false;
}

/* How many bytes of an answer wait. */
static inline long connection_waiting(const struct connection *c) {
  return (long)(held_length(&c->unsent) + held_length(&c->sending));
}

#endif
