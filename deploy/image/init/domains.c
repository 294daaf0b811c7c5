#include "domains.h"

#include <string.h>

#include "port_settings.h"

void domains_read(char text[DOMAINS_SIZE], const uint8_t *value, size_t length) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t next = 0; next < length;) {
    char name[DOMAINS_SIZE];
    size_t size = 0, at = next, least = length;
    bool jumped = false;
    while (at < length && value[at] != 0) {
      const size_t label = value[at];
      if (label >= 0xC0) {
        if (at + 1 >= length) return;
        if (!jumped) next = at + 2;
        jumped = true;
        least = at;
        at = (label & 0x3F) << 8 | value[at + 1];
        if (at >= least) return;
        continue;
      }
      if (label > 63 || label >= length - at || size + label + 1 >= sizeof name) return;
      if (size > 0) name[size++] = '.';
      memcpy(name + size, value + at + 1, label);
      size += label;
      at += label + 1;
    }
    if (at >= length) return;
    if (!jumped) next = at + 1;
    if (!port_settings_is_name(name, size) || used + size + 2 > DOMAINS_SIZE) return;
    if (used > 0) text[used++] = ' ';
    memcpy(text + used, name, size);
    used += size;
    text[used] = '\0';
  }
}

bool domains_are_valid(const char text[DOMAINS_SIZE]) {
  const size_t length = strnlen(text, DOMAINS_SIZE);
  if (length == DOMAINS_SIZE) return false;
  for (size_t at = 0; length > 0 && at <= length;) {
    const size_t size = strcspn(text + at, " ");
    if (!port_settings_is_name(text + at, size)) return false;
    at += size + 1;
  }
  return true;
}
