/*
 * Looks up the addresses of a host name on a libuv loop, with c-ares: /etc/hosts first (or the file that CARES_HOSTS in
 * the environment names), then the name servers of /etc/resolv.conf. (The C library's getaddrinfo needs shared
 * libraries, which a static program lacks.)
 *
 * Both files are read for each lookup, so that a change is seen, and nothing is kept between lookups.
 */
#ifndef MINNOW_CLIENT_RESOLVE_H
#define MINNOW_CLIENT_RESOLVE_H

#include <uv.h>

/* More addresses of one name are left out. */
enum { RESOLVE_MAX = 8 };

struct resolve_lookup;

/*
 * 0 and `count` addresses, in the order to try them (RFC 6724), each with the port; or UV_EAI_NONAME: no such name or
 * no address; UV_EAI_AGAIN: no name server gave an answer; -ENOMEM. Comes once, unless cancelled, and never from
 * inside of resolve_start.
 */
typedef void (*resolve_done)(void *context, int error, const struct sockaddr_storage *addresses, unsigned count);

/* A numeric address. -EINVAL: it is not one. */
int resolve_numeric(const char *host, int port, struct sockaddr_storage *address);

/* `servers`: "address:port" of name servers instead of those configured, for tests; else NULL. -ENOMEM. */
int resolve_start(struct resolve_lookup **out, uv_loop_t *loop, const char *host, int port, const char *servers,
                  resolve_done done, void *context);

/* Only before `done`, which is then not called. */
void resolve_cancel(struct resolve_lookup *lookup);

#endif
