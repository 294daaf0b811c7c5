#include "client_hello.h"

#include <errno.h>
#include <string.h>

enum { RECORD_HEAD = 5, HANDSHAKE = 0x16, MESSAGE_HEAD = 4, CLIENT_HELLO = 1, VERSION_AND_RANDOM = 34 };
enum { RECORD_MAX = 16384, SERVER_NAME = 0, HOST_NAME = 0, PROTOCOLS = 16 };

/* The rest of a message. */
struct rest {
  const uint8_t *data;
  size_t length;
};

static size_t number(const uint8_t *data) {
  return (size_t)data[0] << 8 | data[1];
}

bool client_hello_offers(const uint8_t *data, size_t length, uint16_t suite) {
  if (length < RECORD_HEAD || data[0] != HANDSHAKE) return false;
  size_t end = RECORD_HEAD + number(data + 3), at = RECORD_HEAD + MESSAGE_HEAD + VERSION_AND_RANDOM;
  if (end > length) end = length;
  if (at + 1 > end || data[RECORD_HEAD] != CLIENT_HELLO) return false;
  at += (size_t)1 + data[at]; /* legacy_session_id */
  if (at + 2 > end) return false;
  size_t last = at + 2 + number(data + at);
  if (last > end) return false;
  for (at += 2; at + 2 <= last; at += 2)
    if (number(data + at) == suite) return true;
  return false;
}

/* Takes `length` bytes. False: there are fewer. */
static bool take(struct rest *rest, size_t length, struct rest *taken) {
  if (length > rest->length) return false;
  *taken = (struct rest){rest->data, length};
  rest->data += length;
  rest->length -= length;
  return true;
}

/* Takes a vector after its length, which is a number of `bytes` bytes. */
static bool take_vector(struct rest *rest, size_t bytes, struct rest *taken) {
  struct rest head;
  return take(rest, bytes, &head) && take(rest, bytes == 1 ? head.data[0] : number(head.data), taken);
}

/* The name in the extension, which is the first of its list. */
static int name_in(struct rest extension, const char **name) {
  struct rest list, type, found;
  if (!take_vector(&extension, 2, &list) || !take(&list, 1, &type) || type.data[0] != HOST_NAME) return 0;
  if (!take_vector(&list, 2, &found) || found.length > CLIENT_HELLO_NAME_MAX) return 0;
  for (size_t i = 0; i < found.length; i++)
    if (found.data[i] <= ' ' || found.data[i] > '~') return 0;
  *name = (const char *)found.data;
  return (int)found.length;
}

/* Finds an extension by its type: 1 if it is present, otherwise 0. -EAGAIN: see client_hello_name. */
static int find_extension(const uint8_t *data, size_t length, size_t wanted, struct rest *extension) {
  if (length > 0 && data[0] != HANDSHAKE) return 0;
  if (length < RECORD_HEAD) return -EAGAIN;
  struct rest rest = {data + RECORD_HEAD, number(data + 3)}, message, skipped, extensions, type;
  if (rest.length > RECORD_MAX) return 0;
  if (rest.length > length - RECORD_HEAD) return -EAGAIN;
  if (!take(&rest, MESSAGE_HEAD, &message) || message.data[0] != CLIENT_HELLO) return 0;
  if (!take(&rest, (size_t)message.data[1] << 16 | number(message.data + 2), &message)) return 0;
  bool is_whole = take(&message, VERSION_AND_RANDOM, &skipped) && take_vector(&message, 1, &skipped) &&
                  take_vector(&message, 2, &skipped) && take_vector(&message, 1, &skipped) &&
                  take_vector(&message, 2, &extensions);
  if (!is_whole) return 0;
  while (take(&extensions, 2, &type) && take_vector(&extensions, 2, extension))
    if (number(type.data) == wanted) return 1;
  return 0;
}

int client_hello_name(const uint8_t *data, size_t length, const char **name) {
  struct rest extension;
  int found = find_extension(data, length, SERVER_NAME, &extension);
  return found > 0 ? name_in(extension, name) : found;
}

int client_hello_offers_protocol(const uint8_t *data, size_t length, const char *protocol) {
  struct rest extension, list, offered;
  int found = find_extension(data, length, PROTOCOLS, &extension);
  if (found <= 0 || !take_vector(&extension, 2, &list)) return found < 0 ? found : 0;
  while (take_vector(&list, 1, &offered))
    if (offered.length == strlen(protocol) && !memcmp(offered.data, protocol, offered.length)) return 1;
  return 0;
}
