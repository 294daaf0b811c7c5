#include "response.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { FIRST_CAPACITY = 1024, LINE_MAX_LENGTH = 128 };

/* RFC 9110, 15, and RFC 6585. */
static const struct {
  unsigned status;
  const char *text;
} phrases[] = {
  {200, "OK"}, {201, "Created"}, {202, "Accepted"}, {203, "Non-Authoritative Information"}, {204, "No Content"},
  {205, "Reset Content"}, {206, "Partial Content"}, {300, "Multiple Choices"}, {301, "Moved Permanently"},
  {302, "Found"}, {303, "See Other"}, {304, "Not Modified"}, {307, "Temporary Redirect"}, {308, "Permanent Redirect"},
  {400, "Bad Request"}, {401, "Unauthorized"}, {402, "Payment Required"}, {403, "Forbidden"}, {404, "Not Found"},
  {405, "Method Not Allowed"}, {406, "Not Acceptable"}, {407, "Proxy Authentication Required"},
  {408, "Request Timeout"}, {409, "Conflict"}, {410, "Gone"}, {411, "Length Required"}, {412, "Precondition Failed"},
  {413, "Payload Too Large"}, {414, "URI Too Long"}, {415, "Unsupported Media Type"}, {416, "Range Not Satisfiable"},
  {417, "Expectation Failed"}, {421, "Misdirected Request"}, {422, "Unprocessable Entity"}, {426, "Upgrade Required"},
  {428, "Precondition Required"}, {429, "Too Many Requests"}, {431, "Request Header Fields Too Large"},
  {500, "Internal Server Error"}, {501, "Not Implemented"}, {502, "Bad Gateway"}, {503, "Service Unavailable"},
  {504, "Gateway Timeout"}, {505, "HTTP Version Not Supported"}, {507, "Insufficient Storage"}
};

static const char *phrase(unsigned status) {
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
    if (phrases[i].status == status) return phrases[i].text;
  }
  return "unknown";
}

bool response_is_empty(unsigned status) {
  return status == 204 || status == 304;
}

static int add(response_head *head, const char *text, size_t length) {
  return held_add(&head->bytes, (const uint8_t *)text, length);
}

int response_begin(response_head *head, unsigned status) {
  char line[LINE_MAX_LENGTH];
  *head = (response_head){.status = status};
  if (status < 200 || status > 599) return -EINVAL;
  if (held_reserve(&head->bytes, FIRST_CAPACITY)) return -ENOMEM;
  return add(head, line, (size_t)snprintf(line, sizeof line, "HTTP/1.1 %u %s\r\n", status, phrase(status)));
}

/* "tchar" of RFC 9110, 5.6.2. */
static bool is_token(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)text[i];
    bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    if (!letter && !(byte >= '0' && byte <= '9') && !(byte && strchr("!#$%&'*+-.^_`|~", byte))) return false;
  }
  return length > 0;
}

static bool is_value(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)text[i];
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f) return false;
  }
  return true;
}

static bool is(const char *text, size_t length, const char *name) {
  return length == strlen(name) && strncasecmp(text, name, length) == 0;
}

static void notice(response_head *head, const char *name, size_t name_length, const char *value, size_t value_length) {
  if (is(name, name_length, "date")) head->has_date = true;
  else if (is(name, name_length, "content-length")) head->has_length = true;
  else if (is(name, name_length, "transfer-encoding")) head->has_encoding = true;
  else if (is(name, name_length, "connection")) {
    head->has_connection = true;
    if (is(value, value_length, "close")) head->close = true;
  }
}

int response_header(response_head *head, const char *name, size_t name_length, const char *value, size_t value_length) {
  if (!is_token(name, name_length) || !is_value(value, value_length)) return -EINVAL;
  notice(head, name, name_length, value, value_length);
  int error = add(head, name, name_length);
  if (!error) error = add(head, ": ", 2);
  if (!error) error = add(head, value, value_length);
  return error ? error : add(head, "\r\n", 2);
}

/* One line, made once a second. */
static const char *date_line(void) {
  static char line[LINE_MAX_LENGTH];
  static time_t made;
  time_t now = time(NULL);
  if (now != made || !line[0]) {
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(line, sizeof line, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
    made = now;
  }
  return line;
}

int response_finish(response_head *head, bool keep_alive, unsigned seconds, response_body body, size_t length) {
  char line[4 * LINE_MAX_LENGTH];
  int at = 0;
  bool framed = head->has_length || head->has_encoding;
  if (!head->has_date) at += snprintf(line, LINE_MAX_LENGTH, "%s", date_line());
  if (!head->has_connection && !keep_alive) at += snprintf(line + at, LINE_MAX_LENGTH, "Connection: close\r\n");
  if (!head->has_connection && keep_alive) {
    at += snprintf(line + at, LINE_MAX_LENGTH, "Connection: keep-alive\r\n");
    if (seconds) at += snprintf(line + at, LINE_MAX_LENGTH, "Keep-Alive: timeout=%u\r\n", seconds);
  }
  if (body == RESPONSE_LENGTH && !framed) at += snprintf(line + at, LINE_MAX_LENGTH, "Content-Length: %zu\r\n", length);
  if (body == RESPONSE_CHUNKED && !framed) at += snprintf(line + at, LINE_MAX_LENGTH, "Transfer-Encoding: chunked\r\n");
  at += snprintf(line + at, 3, "\r\n");
  return add(head, line, (size_t)at);
}
