#include "connection.h"

#include <stdlib.h>

struct connection *connection_new(struct connection_group *group) {
  struct connection *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->group = group;
  c->tcp.data = c;
  uv_tcp_init(group->loop, &c->tcp);
  request_init(&c->parser, group->options.max_head);
  return c;
}

static void on_discarded(uv_handle_t *handle) {
  free(handle->data);
}

void connection_discard(struct connection *c) {
  uv_close((uv_handle_t *)&c->tcp, on_discarded);
}

static void on_closed(uv_handle_t *handle) {
  struct connection *c = handle->data;
  held_take(&c->ciphertext, held_length(&c->ciphertext));
  held_take(&c->plaintext, held_length(&c->plaintext));
  held_take(&c->unsent, held_length(&c->unsent));
  request_free(&c->parser);
  connection_taken(c);
  tls_close(&c->tls);
  tls_identity_drop(c->named);
  c->group->events.close(c->group->context, c->id);
  c->group->remove(c);
  free(c);
}

void connection_destroy(struct connection *c) {
  if (c->link == LINK_CLOSED) return;
  c->link = LINK_CLOSED;
  uv_close((uv_handle_t *)&c->tcp, on_closed);
}

void connection_await(struct connection *c, uint64_t from, unsigned time) {
  c->deadline = time ? from + time : 0;
}

void connection_continue(struct connection *c) {
  if (c->link != LINK_CLOSED && !c->feeding) c->group->schedule(c);
}
