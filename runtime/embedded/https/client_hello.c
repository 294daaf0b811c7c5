#include "client_hello.h"

enum { RECORD_HEAD = 5, HANDSHAKE = 0x16, MESSAGE_HEAD = 4, CLIENT_HELLO = 1, VERSION_AND_RANDOM = 34 };

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
