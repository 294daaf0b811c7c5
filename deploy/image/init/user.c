#include "user.h"

#include <errno.h>
#include <ftw.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int walk_depth = 8;
static const unsigned long no_root = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

/* nftw has no argument of the caller's. */
static uid_t owner;

static int take(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)kind;
  (void)place;
  return lchown(path, owner, owner);
}

int user_grant(uid_t user, const char *path) {
  return chown(path, user, user) < 0 ? -errno : 0;
}

int user_folder(uid_t user, const char *path) {
  struct stat status;
  if (mkdir(path, 0700) < 0 && errno != EEXIST) return -errno;
  if (lstat(path, &status) < 0) return -errno;
  if (!S_ISDIR(status.st_mode)) return -ENOTDIR;
  /* A folder that is his already is not walked: he may have put links in it that lead elsewhere. */
  if (status.st_uid == user) return 0;
  owner = user;
  /* Changes the folder itself last, so that the next start repeats this after a power cut. */
  return nftw(path, take, walk_depth, FTW_PHYS | FTW_DEPTH) < 0 ? -errno : 0;
}

/* The C library has no function for it. */
static int set_capabilities(uint32_t kept) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{.effective = kept, .permitted = kept}};
  return syscall(SYS_capset, &header, sets) < 0 ? -errno : 0;
}

int user_become(uid_t user, uint32_t kept) {
  for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) return -errno;
  /* Else another user number would empty the sets of capabilities. */
  const unsigned long bits = no_root | (kept == 0 ? 0 : SECBIT_KEEP_CAPS);
  if (prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0 || setgroups(0, NULL) < 0) return -errno;
  if (setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0) return -errno;
  const int result = set_capabilities(kept);
  if (result < 0) return result;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}
