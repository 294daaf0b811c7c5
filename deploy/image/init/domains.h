/* A list of domains in the form of DNS (RFC 1035, 3.1), as servers of DHCP name those to search. */
#ifndef MINNOW_DOMAINS_H
#define MINNOW_DOMAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOMAINS_SIZE 256

/*
 * Writes the domains into `text`, with spaces between them; a later one may point back to the end of one before (RFC 3397).
 * It ends before the first one that is invalid or has no room: empty if that is the first of all.
 */
void domains_read(char text[DOMAINS_SIZE], const uint8_t *value, size_t length);

/* Whether `text` ends, and is empty or domains with a space between each two. */
bool domains_are_valid(const char text[DOMAINS_SIZE]);

#endif
