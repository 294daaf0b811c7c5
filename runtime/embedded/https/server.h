/* The server and what its connections share. Inside of the core: https.h is the way in. */
#ifndef MINNOW_HTTPS_SERVER_H
#define MINNOW_HTTPS_SERVER_H

#include "connection.h"

enum { OUTBOX_RECORDS = 4 };

struct https_server {
  uv_tcp_t listener;
  uv_timer_t timer; /* looks at the times of all connections; runs while there are some */
  uv_idle_t idle;   /* lets connections go on that have something held; runs while there are some */
  uv_loop_t *loop;
  https_options options;
  https_events events;
  void *context;
  tls_identity *identity;
  connection **slots;
  unsigned slot_count, connections, handles;
  uint32_t generation;
  connection *ready, **ready_tail;
  bool listening, closing;
  tls_outbox outbox; /* one for all: it is emptied before control leaves a connection */
  uint8_t received[TLS_RECORD_MAX + TLS_RECORD_EXTRA];
  uint8_t plaintext[TLS_RECORD_MAX];
  uint8_t records[OUTBOX_RECORDS * (TLS_RECORD_MAX + TLS_RECORD_EXTRA)];
};

/* Gives the connection a number. -ENOMEM. */
int server_add(https_server *server, connection *c);
void server_remove(https_server *server, connection *c);

/* Lets the connection go on in the next turn of the loop. */
void server_schedule(https_server *server, connection *c);

#endif
