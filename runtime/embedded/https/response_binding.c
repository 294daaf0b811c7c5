/* Answers for JavaScript. */
#include <stdio.h>

#include "binding.h"
#include "response_head.h"

enum { MORE = 1, CHUNKED = 2, HEAD_ONLY = 4, CLOSE = 8 };

/* A string in `local`, or in memory that the caller frees when it is long. NULL with an exception pending. */
static char *string_of(napi_env env, napi_value value, char local[TEXT_ROOM], size_t *length) {
  napi_valuetype type;
  if (napi_typeof(env, value, &type) != napi_ok) return NULL;
  if (type != napi_string && napi_coerce_to_string(env, value, &value) != napi_ok) return NULL;
  if (napi_get_value_string_utf8(env, value, local, TEXT_ROOM, length) != napi_ok) return NULL;
  if (*length + 4 < TEXT_ROOM) return local; /* a full buffer may mean a longer string */
  if (napi_get_value_string_utf8(env, value, NULL, 0, length) != napi_ok) return NULL;
  char *copy = malloc(*length + 1);
  if (copy) napi_get_value_string_utf8(env, value, copy, *length + 1, length);
  else napi_throw_error(env, NULL, "Out of memory");
  return copy;
}

/* Writes one header. False with an exception pending. */
static bool put_header(napi_env env, struct response_head *head, napi_value name, napi_value value) {
  char local_name[TEXT_ROOM], local_value[TEXT_ROOM];
  size_t name_length, value_length;
  int error = -ENOMEM;
  char *value_text = NULL, *name_text = string_of(env, name, local_name, &name_length);
  if (name_text) value_text = string_of(env, value, local_value, &value_length);
  if (value_text) error = response_head_add(head, name_text, name_length, value_text, value_length);
  if (value_text && error == -EINVAL) napi_throw_type_error(env, "ERR_INVALID_CHAR", "Invalid character in a header");
  else if (value_text && error) napi_throw_error(env, NULL, "Out of memory");
  if (name_text != local_name) free(name_text);
  if (value_text != local_value) free(value_text);
  return error == 0;
}

static bool put_headers(napi_env env, struct response_head *head, napi_value list) {
  uint32_t count = 0;
  napi_get_array_length(env, list, &count);
  for (uint32_t i = 0; i + 1 < count; i += 2) {
    napi_value name, value;
    if (napi_get_element(env, list, i, &name) != napi_ok || napi_get_element(env, list, i + 1, &value) != napi_ok ||
        !put_header(env, head, name, value))
      return false;
  }
  return true;
}

/* A piece of a body, in the chunked coding where that is used (RFC 9112, 7.1), and its end. -ENOMEM. */
static int put_body(struct held_bytes *out, const struct bytes *body, uint32_t shape) {
  char line[24];
  bool chunked = (shape & CHUNKED) != 0, last = (shape & MORE) == 0;
  if (held_reserve(out, body->size + 2 * sizeof line)) return -ENOMEM;
  if (chunked && body->size) {
    int length = snprintf(line, sizeof line, "%zx\r\n", body->size);
    held_add(out, (const uint8_t *)line, (size_t)length);
  }
  held_add(out, body->data, body->size);
  if (chunked && body->size) held_add(out, (const uint8_t *)"\r\n", 2);
  if (chunked && last) held_add(out, (const uint8_t *)"0\r\n\r\n", 5);
  return 0;
}

static enum response_body framing(unsigned status, uint32_t shape, size_t size) {
  if (response_is_empty(status) || ((shape & HEAD_ONLY) && size == 0)) return RESPONSE_NO_BODY;
  if (shape & CHUNKED) return RESPONSE_CHUNKED;
  return shape & MORE ? RESPONSE_UNTIL_CLOSE : RESPONSE_LENGTH;
}

static napi_value answer(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], result = NULL;
  struct bytes body = {0};
  struct response_head head = {0};
  struct handle *h = handle_take(env, info, values);
  https_id id = id_take(env, values[1]);
  uint32_t status = bits_take(env, values[2]), shape = bits_take(env, values[5]);
  int error = response_head_begin(&head, status);
  if (error || !put_headers(env, &head, values[3]) || !take_body(env, values[4], &body)) goto out;
  bool empty = response_is_empty(status) || (shape & HEAD_ONLY) != 0;
  bool keeps = https_keeps_alive(h->server, id) && !(shape & CLOSE) && !head.close;
  unsigned seconds = https_settings(h->server)->keep_alive_timeout / 1000;
  error = response_head_finish(&head, keeps, seconds, framing(status, shape, body.size), body.size);
  if (!error && !empty) error = put_body(&head.bytes, &body, shape);
  if (error) goto out;
  if (!keeps) https_close_after(h->server, id);
  if (status == 401) https_unauthenticated(h->server, id);
  result =
      integer_give(env, https_write(h->server, id, held_data(&head.bytes), held_length(&head.bytes), !(shape & MORE)));
out:
  if (error == -EINVAL) napi_throw_range_error(env, "ERR_HTTP_INVALID_STATUS_CODE", "Invalid status code");
  else if (error) napi_throw_error(env, NULL, "Out of memory");
  bytes_release(&body);
  held_take(&head.bytes, held_length(&head.bytes));
  return result;
}

static napi_value more(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX], result = NULL;
  struct bytes body = {0};
  struct held_bytes out = {0};
  struct handle *h = handle_take(env, info, values);
  https_id id = id_take(env, values[1]);
  uint32_t shape = bits_take(env, values[3]);
  if (take_body(env, values[2], &body)) {
    if ((shape & HEAD_ONLY) == 0 && put_body(&out, &body, shape)) napi_throw_error(env, NULL, "Out of memory");
    else result = integer_give(env, https_write(h->server, id, held_data(&out), held_length(&out), !(shape & MORE)));
  }
  bytes_release(&body);
  held_take(&out, held_length(&out));
  return result;
}

static napi_value proceed(napi_env env, napi_callback_info info) {
  static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";
  napi_value values[ARGUMENTS_MAX];
  struct handle *h = handle_take(env, info, values);
  return integer_give(env,
                      https_write(h->server, id_take(env, values[1]), (const uint8_t *)line, sizeof line - 1, false));
}

const struct exported https_response_functions[] = {
    {"answer", answer},
    {"more", more},
    {"proceed", proceed},
    {NULL, NULL},
};
