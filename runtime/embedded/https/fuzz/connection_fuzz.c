/*
 * Fuzzes connections over loopback, without encryption: the order of events, immediate and later answers, bodies that
 * are paused, peers that do not read or that go away, and a second peer for whom the first has to give way. The first
 * bytes choose what the application does.
 *
 * In all cases: one request at a time on a connection, the client receives the answers, in order, every connection is
 * closed exactly once, and nothing is left of the server afterwards.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "../client_hello.h"
#include "../https.h"
#include "plain_tls.h"

enum {
  ANSWER_LATER = 1,
  RESUME_LATER = 2,
  LARGE = 4,
  CLIENT_IS_SLOW = 8,
  PAUSE_OFTEN = 16,
  IN_PARTS = 32,
  CLIENT_LEAVES = 64,
  ANSWER_EARLY = 128
};
enum { NAMES = 128 };       /* of the second byte */
enum { RIVAL_COMES = 128 }; /* of the third byte */
enum { CONTROL = 3, LARGE_ANSWER = 3000000, SMALL_ANSWER = 10, STEPS_MAX = 20000, STREAM_TURNS = 20 };

struct scene {
  struct https_server *server;
  uint8_t mode, piece, stop_after;
  unsigned turns, requests, opened, closed_connections;
  bool rival_comes;
  bool open, has_body, complete, resumed, answering, answered, tunnel, gone, closed;
  https_id id, first;
  uv_idle_t later;
  uv_tcp_t client, rival;
  uv_connect_t rival_connect;
  uv_write_t write;
  const uint8_t *input;
  size_t input_length, expected, received, rest;
};

static uint8_t answer[LARGE_ANSWER];

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

/* The expected byte at this position of all answers together. */
static uint8_t byte_at(size_t place) {
  return (uint8_t)(place * 31 + place / 251);
}

static void act_later(uv_idle_t *idle);

static void end_answer(struct scene *s) {
  size_t rest = s->rest, length = s->mode & LARGE ? LARGE_ANSWER : SMALL_ANSWER;
  if (!s->open) return;
  s->answered = true;
  https_write(s->server, s->id, answer + length - rest, rest, true);
}

static void give_answer(struct scene *s) {
  size_t length = s->mode & LARGE ? LARGE_ANSWER : SMALL_ANSWER;
  for (size_t i = 0; i < length; i++) answer[i] = byte_at(s->expected + i);
  size_t first = s->mode & IN_PARTS ? length / 3 : 0;
  s->expected += length;
  s->answering = true;
  s->turns = 0;
  s->rest = length - first;
  if (first && https_write(s->server, s->id, answer, first, false) < 0) return;
  if (first && s->mode & ANSWER_LATER) uv_idle_start(&s->later, act_later); /* until then it is a stream */
  else end_answer(s);
}

static void act_later(uv_idle_t *idle) {
  struct scene *s = idle->data;
  uv_idle_stop(idle);
  if (!s->open || s->answered) return;
  if (s->answering && ++s->turns < STREAM_TURNS) {
    uv_idle_start(&s->later, act_later);
  } else if (s->answering) {
    end_answer(s);
  } else if (s->has_body && !s->resumed) {
    s->resumed = true;
    if (s->mode & ANSWER_EARLY) give_answer(s);
    else https_resume(s->server, s->id);
  } else if (s->complete) {
    give_answer(s);
  }
}

static void when_ready(struct scene *s, bool later) {
  if (later) uv_idle_start(&s->later, act_later);
  else act_later(&s->later);
}

static void on_request(void *context, https_id id, const struct request_parser *parser) {
  struct scene *s = context;
  if (s->tunnel) fail("a request in a tunnel");
  if (s->open && !s->answered) fail("a request before the last was answered");
  s->open = true;
  s->answering = s->answered = s->resumed = false;
  s->id = id;
  s->has_body = parser->has_body;
  s->complete = !parser->has_body;
  if (parser->upgrade && !parser->has_body) s->tunnel = https_tunnel(s->server, id) == 0;
  if (++s->requests == s->stop_after) https_close(s->server);
  when_ready(s, s->mode & (parser->has_body ? RESUME_LATER : ANSWER_LATER));
}

static void on_body(void *context, https_id id, const uint8_t *data, size_t length) {
  struct scene *s = context;
  if (s->tunnel && id == s->id && s->open && s->answering && data && length) return;
  if (id != s->id || !s->open || !s->has_body || s->complete) fail("a body without a request");
  if (!s->resumed) fail("an unsolicited body");
  if (s->answered) fail("a body after the answer");
  if (!data || length == 0) fail("a body of no length");
  if (s->mode & PAUSE_OFTEN) {
    https_pause(s->server, id);
    s->resumed = false;
    when_ready(s, true);
  }
}

static void on_end(void *context, https_id id) {
  struct scene *s = context;
  if (id != s->id || !s->open || !s->has_body || s->complete) fail("an end without a body");
  s->complete = true;
  s->resumed = true;
  when_ready(s, s->mode & ANSWER_LATER);
}

static void on_drain(void *context, https_id id) {
  (void)id;
  if (!((struct scene *)context)->opened) fail("a drain without a connection");
}

static void on_client_error(void *context, https_id id, const char *code, const char *reason, const uint8_t *data,
                            size_t length) {
  struct scene *s = context;
  (void)reason;
  if (!code) fail("an error without a code");
  if (length && memchr(data, 0, length) == data) s->mode ^= 0; /* all of it can be read */
  s->open = false;                                             /* its answer no longer matters */
  if (s->mode & ANSWER_LATER) https_destroy(s->server, id);
  else https_end(s->server, id, NULL, 0);
}

static void on_connection(void *context, https_id id) {
  struct scene *s = context;
  if (s->opened++ == 0) s->first = id;
  else https_destroy(s->server, s->first);
}

/* Later is never: the time for the handshake ends it. */
static void on_name(void *context, https_id id, const char *name, size_t length) {
  struct scene *s = context;
  if (!name || length == 0 || length > CLIENT_HELLO_NAME_MAX) fail("an invalid name");
  if (!(s->mode & ANSWER_LATER)) https_identify(s->server, id, NULL);
}

static void on_recognized(void *context, https_id id) {
  (void)context, (void)id;
}

static void on_repeated(void *context, https_id id) {
  (void)context, (void)id;
}

static void on_secure(void *context, https_id id) {
  (void)context, (void)id;
}

static void on_tls_error(void *context, https_id id, int error) {
  (void)context, (void)id;
  if (error >= 0) fail("an invalid error");
}

static void on_close(void *context, https_id id) {
  struct scene *s = context;
  if (s->gone && id == s->id) fail("closed twice");
  s->gone = true;
  s->open = false;
  s->closed_connections++;
  https_close(s->server);
}

static void on_closed(void *context) {
  struct scene *s = context;
  s->closed = true;
  uv_close((uv_handle_t *)&s->later, NULL);
  if (!uv_is_closing((uv_handle_t *)&s->client)) uv_close((uv_handle_t *)&s->client, NULL);
}

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
  static char space[65536];
  (void)handle, (void)size;
  *buffer = uv_buf_init(space, sizeof space);
}

static void leave(struct scene *s) {
  if (!uv_is_closing((uv_handle_t *)&s->client)) uv_close((uv_handle_t *)&s->client, NULL);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
  struct scene *s = stream->data;
  if (length < 0) {
    leave(s);
    return;
  }
  for (ssize_t i = 0; i < length; i++) {
    if (s->received >= s->expected) fail("more than was answered");
    if ((uint8_t)buffer->base[i] != byte_at(s->received++)) fail("not what was answered");
  }
}

static void send_piece(struct scene *s);

static void on_sent(uv_write_t *write, int status) {
  struct scene *s = write->data;
  if (status == 0 && !uv_is_closing((uv_handle_t *)&s->client)) send_piece(s);
}

/* Sends the pieces, then disconnects, or waits for the server to close. */
static void send_piece(struct scene *s) {
  size_t length = s->input_length < s->piece ? s->input_length : s->piece;
  if (length == 0) {
    if (s->mode & CLIENT_LEAVES) leave(s);
    else if (s->mode & CLIENT_IS_SLOW) uv_read_start((uv_stream_t *)&s->client, on_alloc, on_read);
    return;
  }
  uv_buf_t piece = uv_buf_init((char *)(uintptr_t)s->input, (unsigned)length);
  s->input += length;
  s->input_length -= length;
  if (uv_write(&s->write, (uv_stream_t *)&s->client, &piece, 1, on_sent)) leave(s);
}

static void on_connected(uv_connect_t *connect, int status) {
  struct scene *s = connect->data;
  if (status || uv_is_closing((uv_handle_t *)&s->client)) return;
  if (!(s->mode & CLIENT_IS_SLOW)) uv_read_start((uv_stream_t *)&s->client, on_alloc, on_read);
  send_piece(s);
}

static void on_rival_connected(uv_connect_t *connect, int status) {
  struct scene *s = connect->data;
  (void)status;
  uv_close((uv_handle_t *)&s->rival, NULL);
}

/* Connects and disconnects. The server may have ended already. */
static void let_rival_come(struct scene *s, const struct sockaddr *address) {
  s->rival_connect.data = s;
  uv_tcp_init(s->client.loop, &s->rival);
  if (uv_tcp_connect(&s->rival_connect, &s->rival, address, on_rival_connected))
    uv_close((uv_handle_t *)&s->rival, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < CONTROL || size > 4096) return 0;
  const struct https_options options = {.max_head = 512,
                                        .max_connections = 2,
                                        .handshake_timeout = 40,
                                        .headers_timeout = 40,
                                        .request_timeout = 40,
                                        .keep_alive_timeout = 40,
                                        .write_timeout = 40,
                                        .linger_timeout = 40,
                                        .names = (data[1] & NAMES) != 0};
  const struct https_events events = {on_request,    on_body,  on_end,    on_drain,      on_client_error,
                                      on_connection, on_name,  on_secure, on_recognized, on_repeated,
                                      on_tls_error,  on_close, on_closed};
  struct scene s = {.mode = data[0],
                    .piece = (uint8_t)(data[1] | 1),
                    .stop_after = data[2] & (RIVAL_COMES - 1),
                    .rival_comes = (data[2] & RIVAL_COMES) != 0,
                    .input = data + CONTROL,
                    .input_length = size - CONTROL};
  struct sockaddr_storage address;
  uv_connect_t connect = {.data = &s};
  uv_loop_t loop;
  signal(SIGPIPE, SIG_IGN);
  uv_loop_init(&loop);
  if (https_new(&s.server, &loop, &options, &events, &s, NULL, 0, NULL, 0)) fail("no server");
  if (https_listen(s.server, "127.0.0.1", 0) || https_address(s.server, &address)) fail("no listener");
  uv_idle_init(&loop, &s.later);
  uv_tcp_init(&loop, &s.client);
  s.later.data = s.client.data = s.write.data = &s;
  uv_tcp_connect(&connect, &s.client, (struct sockaddr *)&address, on_connected);
  for (unsigned steps = 0; uv_run(&loop, UV_RUN_ONCE); steps++) {
    if (steps > STEPS_MAX) fail("it never ends");
    if (s.rival_comes && steps == s.stop_after) let_rival_come(&s, (struct sockaddr *)&address);
  }
  if (!s.closed || s.opened != s.closed_connections) fail("a connection is left");
  https_free(s.server);
  if (uv_loop_close(&loop)) fail("a handle is left");
  return 0;
}
