/*
 * libuv can look up users and groups. Nothing here does, and in a static program those functions of the C library do
 * not work but bring its loader of shared libraries along: these take their place.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stddef.h>

int getpwuid_r(uid_t id, struct passwd *entry, char *buffer, size_t size, struct passwd **result) {
  (void)id;
  (void)entry;
  (void)buffer;
  (void)size;
  *result = NULL;
  return ENOSYS;
}

int getgrgid_r(gid_t id, struct group *entry, char *buffer, size_t size, struct group **result) {
  (void)id;
  (void)entry;
  (void)buffer;
  (void)size;
  *result = NULL;
  return ENOSYS;
}
