#include "response_head.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* The lines of response_head_finish are shorter than FINISH_MAX together. */
enum { FIRST_CAPACITY = 1024, LINE_MAX_LENGTH = 128, FINISH_MAX = 4 * LINE_MAX_LENGTH };

/* RFC 9110, 15, and RFC 6585. */
static const struct {
  unsigned status;
  const char *text;
} phrases[] = {{200, "OK"},
               {201, "Created"},
               {202, "Accepted"},
               {203, "Non-Authoritative Information"},
               {204, "No Content"},
               {205, "Reset Content"},
               {206, "Partial Content"},
               {300, "Multiple Choices"},
               {301, "Moved Permanently"},
               {302, "Found"},
               {303, "See Other"},
               {304, "Not Modified"},
               {307, "Temporary Redirect"},
               {308, "Permanent Redirect"},
               {400, "Bad Request"},
               {401, "Unauthorized"},
               {402, "Payment Required"},
               {403, "Forbidden"},
               {404, "Not Found"},
               {405, "Method Not Allowed"},
               {406, "Not Acceptable"},
               {407, "Proxy Authentication Required"},
               {408, "Request Timeout"},
               {409, "Conflict"},
               {410, "Gone"},
               {411, "Length Required"},
               {412, "Precondition Failed"},
               {413, "Payload Too Large"},
               {414, "URI Too Long"},
               {415, "Unsupported Media Type"},
               {416, "Range Not Satisfiable"},
               {417, "Expectation Failed"},
               {421, "Misdirected Request"},
               {422, "Unprocessable Entity"},
               {426, "Upgrade Required"},
               {428, "Precondition Required"},
               {429, "Too Many Requests"},
               {431, "Request Header Fields Too Large"},
               {500, "Internal Server Error"},
               {501, "Not Implemented"},
               {502, "Bad Gateway"},
               {503, "Service Unavailable"},
               {504, "Gateway Timeout"},
               {505, "HTTP Version Not Supported"},
               {507, "Insufficient Storage"}};

static const char *phrase(unsigned status) {
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
    if (phrases[i].status == status) return phrases[i].text;
  }
  return "unknown";
}

bool response_is_empty(unsigned status) {
  return status == 204 || status == 304;
}

static int add(struct response_head *head, const char *text, size_t length) {
  return held_add(&head->bytes, (const uint8_t *)text, length);
}

static int add_line(struct response_head *head, const char *line) {
  return add(head, line, strlen(line));
}

int response_head_begin(struct response_head *head, unsigned status) {
  char line[LINE_MAX_LENGTH];
  *head = (struct response_head){.status = status};
  if (status < 200 || status > 599) return -EINVAL;
  if (held_reserve(&head->bytes, FIRST_CAPACITY)) return -ENOMEM;
  return add(head, line, (size_t)snprintf(line, sizeof line, "HTTP/1.1 %u %s\r\n", status, phrase(status)));
}

/* "tchar" of RFC 9110, 5.6.2, as bits. */
static const uint32_t token_bytes[8] = {0, 0x03ff6cfa, 0xc7fffffe, 0x57ffffff, 0, 0, 0, 0};

static bool is_token(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (!(token_bytes[byte >> 5] >> (byte & 31) & 1)) return false;
  }
  return length > 0;
}

/* "field-content" of RFC 9110, 5.5. */
static bool is_value(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)text[i];
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f) return false;
  }
  return true;
}

static void notice(struct response_head *head, const char *name, size_t name_length, const char *value,
                   size_t value_length) {
  if (name_length == 4 && !strncasecmp(name, "date", 4)) head->has_date = true;
  if (name_length == 14 && !strncasecmp(name, "content-length", 14)) head->has_length = true;
  if (name_length == 17 && !strncasecmp(name, "transfer-encoding", 17)) head->has_encoding = true;
  if (name_length == 10 && !strncasecmp(name, "connection", 10)) {
    head->has_connection = true;
    if (value_length == 5 && !strncasecmp(value, "close", 5)) head->close = true;
  }
}

int response_head_add(struct response_head *head, const char *name, size_t name_length, const char *value,
                      size_t value_length) {
  if (!is_token(name, name_length) || !is_value(value, value_length)) return -EINVAL;
  notice(head, name, name_length, value, value_length);
  if (held_reserve(&head->bytes, name_length + value_length + 4)) return -ENOMEM;
  add(head, name, name_length);
  add(head, ": ", 2);
  add(head, value, value_length);
  return add(head, "\r\n", 2);
}

/* Made once a second. */
const char *response_date_line(void) {
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

int response_head_finish(struct response_head *head, bool keep_alive, unsigned seconds, enum response_body body,
                         size_t length) {
  char line[LINE_MAX_LENGTH];
  bool framed = head->has_length || head->has_encoding;
  if (held_reserve(&head->bytes, FINISH_MAX)) return -ENOMEM;
  if (!head->has_date) add_line(head, response_date_line());
  if (!head->has_connection) add_line(head, keep_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n");
  if (!head->has_connection && keep_alive && seconds) {
    snprintf(line, sizeof line, "Keep-Alive: timeout=%u\r\n", seconds);
    add_line(head, line);
  }
  if (!framed && body == RESPONSE_CHUNKED) add_line(head, "Transfer-Encoding: chunked\r\n");
  if (!framed && body == RESPONSE_LENGTH) {
    snprintf(line, sizeof line, "Content-Length: %zu\r\n", length);
    add_line(head, line);
  }
  return add_line(head, "\r\n");
}
