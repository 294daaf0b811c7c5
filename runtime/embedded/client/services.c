/*
 * c-ares can look up services by name and by port. Nothing here does, and in a static program those functions of the C
 * library do not work but bring its loader of shared libraries along: these take their place.
 */
#include <errno.h>
#include <netdb.h>
#include <stddef.h>

int getservbyname_r(const char *name, const char *protocol, struct servent *entry, char *buffer, size_t size,
                    struct servent **result) {
  (void)name, (void)protocol, (void)entry, (void)buffer, (void)size;
  *result = NULL;
  return ENOSYS;
}

int getservbyport_r(int port, const char *protocol, struct servent *entry, char *buffer, size_t size,
                    struct servent **result) {
  (void)port, (void)protocol, (void)entry, (void)buffer, (void)size;
  *result = NULL;
  return ENOSYS;
}
