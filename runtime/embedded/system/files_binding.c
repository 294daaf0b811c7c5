/* Files for JavaScript. */
#include "binding.h"
#include "system.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* False when the path is no string or longer than the system allows. */
static bool path_of(napi_env env, napi_value value, char path[PATH_MAX]) {
  size_t length;
  if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok || length >= PATH_MAX) return false;
  return napi_get_value_string_utf8(env, value, path, PATH_MAX, NULL) == napi_ok;
}

static napi_value outcome(napi_env env, int result) {
  return number(env, result < 0 ? -errno : result);
}

static napi_value open_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, open(path, integer(env, a.values[1]) | O_CLOEXEC, (mode_t)integer(env, a.values[2])));
}

static napi_value close_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  return outcome(env, close(integer(env, a.values[0])));
}

static napi_value sync_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  return outcome(env, fsync(integer(env, a.values[0])));
}

static napi_value sync_data(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  return outcome(env, fdatasync(integer(env, a.values[0])));
}

static void free_bytes(napi_env env, void *bytes, void *hint) {
  (void)env;
  (void)hint;
  free(bytes);
}

static napi_value read_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  uint8_t *bytes;
  size_t length;
  napi_value buffer, view = NULL;
  const int result = system_read_all(integer(env, a.values[0]), &bytes, &length);
  if (result < 0) return number(env, result);
  if (napi_create_external_arraybuffer(env, bytes, length, free_bytes, NULL, &buffer) != napi_ok) {
    free(bytes);
    return NULL;
  }
  napi_create_typedarray(env, napi_uint8_array, length, buffer, 0, &view);
  return view;
}

/* A string goes out as UTF-8, bytes as they are. */
static napi_value write_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  const int fd = integer(env, a.values[0]);
  void *bytes;
  size_t length;
  bool is_bytes;
  if (napi_is_typedarray(env, a.values[1], &is_bytes) == napi_ok && is_bytes) {
    napi_get_buffer_info(env, a.values[1], &bytes, &length);
    return number(env, system_write_all(fd, bytes, length));
  }
  char small[1024];
  if (napi_get_value_string_utf8(env, a.values[1], NULL, 0, &length) != napi_ok) return number(env, -EINVAL);
  char *copy = length < sizeof small ? small : malloc(length + 1);
  if (copy == NULL) return number(env, -ENOMEM);
  napi_get_value_string_utf8(env, a.values[1], copy, length + 1, NULL);
  const int result = system_write_all(fd, copy, length);
  if (copy != small) free(copy);
  return number(env, result);
}

static napi_value make_folder(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, mkdir(path, (mode_t)integer(env, a.values[1])));
}

static napi_value rename_file(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char from[PATH_MAX], to[PATH_MAX];
  if (!path_of(env, a.values[0], from) || !path_of(env, a.values[1], to)) return number(env, -ENAMETOOLONG);
  return outcome(env, rename(from, to));
}

/* unlink and rmdir, as the function's data says */
static napi_value remove_path(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  int (*remove_one)(const char *) = a.data == NULL ? unlink : rmdir;
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, remove_one(path));
}

static napi_value change_mode(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, chmod(path, (mode_t)integer(env, a.values[1])));
}

static napi_value check_access(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  return outcome(env, access(path, integer(env, a.values[1])));
}

static napi_value status_of(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX];
  struct stat status;
  napi_value result;
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  if (lstat(path, &status) < 0) return number(env, -errno);
  bool follow = false;
  napi_get_value_bool(env, a.values[1], &follow);
  if (follow && S_ISLNK(status.st_mode) && stat(path, &status) < 0) return number(env, -errno);
  napi_create_object(env, &result);
  napi_set_named_property(env, result, "mode", number(env, status.st_mode));
  napi_set_named_property(env, result, "size", number(env, (double)status.st_size));
  const double modified = (double)status.st_mtim.tv_sec * 1e3 + (double)status.st_mtim.tv_nsec / 1e6;
  napi_set_named_property(env, result, "mtimeMs", number(env, modified));
  return result;
}

static napi_value list_folder(napi_env env, napi_callback_info info) {
  struct arguments a = arguments_of(env, info);
  char path[PATH_MAX], **names;
  size_t count;
  napi_value result;
  if (!path_of(env, a.values[0], path)) return number(env, -ENAMETOOLONG);
  const int listed = system_list(path, &names, &count);
  if (listed < 0) return number(env, listed);
  napi_create_array(env, &result);
  for (size_t i = 0; i < count; i++) napi_set_element(env, result, (uint32_t)i, text(env, names[i]));
  system_free_names(names, count);
  return result;
}

static int folders;

const struct exported system_files[] = {
  { "open", open_file, NULL }, { "close", close_file, NULL }, { "fsync", sync_file, NULL },
  { "fdatasync", sync_data, NULL }, { "read", read_file, NULL }, { "write", write_file, NULL },
  { "mkdir", make_folder, NULL }, { "rename", rename_file, NULL }, { "unlink", remove_path, NULL },
  { "rmdir", remove_path, &folders }, { "chmod", change_mode, NULL }, { "access", check_access, NULL },
  { "stat", status_of, NULL }, { "readdir", list_folder, NULL }, { NULL, NULL, NULL }
};
