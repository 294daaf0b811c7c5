#include "modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/syslog.h>
#include <unistd.h>

#include "journal.h"

static int is_module(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static int load(int folder, const char *name) {
  const int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  const int result = syscall(SYS_finit_module, file, "", 0) < 0 && errno != EEXIST ? -errno : 0;
  close(file);
  unlinkat(folder, name, 0);
  return result;
}

int modules_load(const char *folder) {
  struct dirent **entries;
  const int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (at < 0) return -errno;
  const int count = scandir(folder, &entries, is_module, alphasort);
  int failed = 0;
  for (int i = 0; i < count; i++) {
    const int result = load(at, entries[i]->d_name);
    if (result < 0) {
      journal(LOG_ERR, "the module %s does not load: %s", entries[i]->d_name, strerror(-result));
      failed++;
    }
    free(entries[i]);
  }
  if (count >= 0) free(entries);
  close(at);
  return count < 0 ? -ENOMEM : failed;
}
