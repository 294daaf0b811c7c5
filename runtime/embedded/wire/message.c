#include "message.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_HEAD_CAPACITY = 1024 };

void message_init(struct message_parser *message, llhttp_type_t type, const llhttp_settings_t *settings) {
  memset(message, 0, sizeof *message);
  llhttp_init(&message->http, type, settings);
  message->http.data = message;
}

void message_forget(struct message_parser *message) {
  if (message->head) explicit_bzero(message->head, message->head_length);
  free(message->head);
  message->head = NULL;
  message->head_length = message->head_capacity = 0;
  message->headers = 0;
  message->begun = message->trailing = false;
}

enum message_event message_failed(struct message_parser *message, llhttp_errno_t error) {
  message->failed = true;
  if (!message->code) {
    message->code = llhttp_errno_name(error);
    message->reason = llhttp_get_error_reason(&message->http);
  }
  return MESSAGE_ERROR;
}

enum message_event message_next(struct message_parser *message, const uint8_t *data, size_t length, size_t *used) {
  *used = 0;
  if (message->failed) return MESSAGE_ERROR;
  message->event = MESSAGE_MORE;
  llhttp_errno_t error = llhttp_execute(&message->http, (const char *)data, length);
  *used = length;
  if (error == HPE_OK) return MESSAGE_MORE;
  const char *stop = llhttp_get_error_pos(&message->http);
  *used = stop ? (size_t)((const uint8_t *)stop - data) : length;
  if (error != HPE_PAUSED || message->event == MESSAGE_MORE) return message_failed(message, error);
  llhttp_resume(&message->http);
  return message->event;
}

int message_fail(struct message_parser *message, const char *code, const char *reason) {
  message->code = code;
  message->reason = reason;
  return HPE_USER;
}

int message_tell(struct message_parser *message, enum message_event event) {
  message->event = event;
  return HPE_PAUSED;
}

int message_tell_body(struct message_parser *message, const char *at, size_t length) {
  if (length == 0) return 0; /* llhttp was asked to go on without a byte, in the middle of a body */
  message->body = (const uint8_t *)at;
  message->body_length = length;
  return message_tell(message, MESSAGE_BODY);
}

int message_append(struct message_parser *message, const char *text, size_t length) {
  size_t needed = message->head_length + length;
  if (needed > message->head_capacity) {
    size_t capacity = message->head_capacity ? message->head_capacity : FIRST_HEAD_CAPACITY;
    while (capacity < needed) capacity *= 2;
    char *head = realloc(message->head, capacity);
    if (!head) return message_fail(message, "ENOMEM", "Out of memory");
    message->head = head;
    message->head_capacity = capacity;
  }
  memcpy(message->head + message->head_length, text, length);
  message->head_length = needed;
  return 0;
}

void message_trim_value(struct message_parser *message) {
  const char *head = message->head;
  while (head[message->head_length - 1] == ' ' || head[message->head_length - 1] == '\t') message->head_length--;
  message->headers++;
}

int message_begin(llhttp_t *http) {
  ((struct message_parser *)http->data)->begun = true;
  return 0;
}
