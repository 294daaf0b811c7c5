/* Files for JavaScript. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "binding.h"
#include "system.h"

/* False when the path is no string or longer than the system allows. */
static bool path_of(napi_env env, napi_value value, char path[PATH_MAX]) {
  size_t length;
  if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok || length >= PATH_MAX) return false;
  return napi_get_value_string_utf8(env, value, path, PATH_MAX, NULL) == napi_ok;
}

static napi_value outcome(napi_env env, int result) {
  return number_give(env, result < 0 ? -errno : result);
}

static napi_value open_file(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  char path[PATH_MAX];
  if (!path_of(env, values[0], path)) return number_give(env, -ENAMETOOLONG);
  return outcome(env, open(path, int_take(env, values[1]) | O_CLOEXEC, (mode_t)int_take(env, values[2])));
}

static napi_value close_file(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  return outcome(env, close(int_take(env, values[0])));
}

static napi_value sync_file(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  return outcome(env, fsync(int_take(env, values[0])));
}

static void free_bytes(napi_env env, void *bytes, void *hint) {
  (void)env;
  (void)hint;
  free(bytes);
}

static napi_value read_file(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  uint8_t *bytes;
  size_t length;
  napi_value buffer, view = NULL;
  const int result = system_read_all(int_take(env, values[0]), &bytes, &length);
  if (result < 0) return number_give(env, result);
  if (napi_create_external_arraybuffer(env, bytes, length, free_bytes, NULL, &buffer) != napi_ok) {
    free(bytes);
    return NULL;
  }
  napi_create_typedarray(env, napi_uint8_array, length, buffer, 0, &view);
  return view;
}

static napi_value read_into(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  void *bytes;
  size_t length;
  if (napi_get_buffer_info(env, values[1], &bytes, &length) != napi_ok) return number_give(env, -EINVAL);
  const int fd = int_take(env, values[0]);
  int64_t position = -1;
  napi_get_value_int64(env, values[2], &position); /* which does not change it if the value is not a number */
  ssize_t count;
  do count = position < 0 ? read(fd, bytes, length) : pread(fd, bytes, length, position);
  while (count < 0 && errno == EINTR);
  return number_give(env, count < 0 ? -errno : (double)count);
}

/* Writes a string as UTF-8, and bytes unchanged. */
static napi_value write_file(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  const int fd = int_take(env, values[0]);
  void *bytes;
  size_t length;
  bool is_bytes;
  if (napi_is_typedarray(env, values[1], &is_bytes) == napi_ok && is_bytes) {
    napi_get_buffer_info(env, values[1], &bytes, &length);
    return number_give(env, system_write_all(fd, bytes, length));
  }
  char small[1024];
  if (napi_get_value_string_utf8(env, values[1], NULL, 0, &length) != napi_ok) return number_give(env, -EINVAL);
  char *copy = length < sizeof small ? small : malloc(length + 1);
  if (!copy) return number_give(env, -ENOMEM);
  napi_get_value_string_utf8(env, values[1], copy, length + 1, NULL);
  const int result = system_write_all(fd, copy, length);
  if (copy != small) free(copy);
  return number_give(env, result);
}

static napi_value make_folder(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  char path[PATH_MAX];
  if (!path_of(env, values[0], path)) return number_give(env, -ENAMETOOLONG);
  return outcome(env, mkdir(path, (mode_t)int_take(env, values[1])));
}

static napi_value rename_file(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  char from[PATH_MAX], to[PATH_MAX];
  if (!path_of(env, values[0], from) || !path_of(env, values[1], to)) return number_give(env, -ENAMETOOLONG);
  return outcome(env, rename(from, to));
}

static napi_value remove_path(napi_env env, napi_callback_info info, int (*remove_one)(const char *path)) {
  napi_value values[ARGUMENTS_MAX];
  char path[PATH_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  if (!path_of(env, values[0], path)) return number_give(env, -ENAMETOOLONG);
  return outcome(env, remove_one(path));
}

static napi_value remove_file(napi_env env, napi_callback_info info) {
  return remove_path(env, info, unlink);
}

static napi_value remove_folder(napi_env env, napi_callback_info info) {
  return remove_path(env, info, rmdir);
}

static napi_value change_mode(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  char path[PATH_MAX];
  if (!path_of(env, values[0], path)) return number_give(env, -ENAMETOOLONG);
  return outcome(env, chmod(path, (mode_t)int_take(env, values[1])));
}

static napi_value check_access(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  char path[PATH_MAX];
  if (!path_of(env, values[0], path)) return number_give(env, -ENAMETOOLONG);
  return outcome(env, access(path, int_take(env, values[1])));
}

static napi_value status_of(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  char path[PATH_MAX];
  struct stat status;
  napi_value result;
  if (!path_of(env, values[0], path)) return number_give(env, -ENAMETOOLONG);
  if (lstat(path, &status) < 0) return number_give(env, -errno);
  bool follow = false;
  napi_get_value_bool(env, values[1], &follow);
  if (follow && S_ISLNK(status.st_mode) && stat(path, &status) < 0) return number_give(env, -errno);
  napi_create_object(env, &result);
  napi_set_named_property(env, result, "mode", number_give(env, status.st_mode));
  napi_set_named_property(env, result, "size", number_give(env, (double)status.st_size));
  const double modified = (double)status.st_mtim.tv_sec * 1e3 + (double)status.st_mtim.tv_nsec / 1e6;
  napi_set_named_property(env, result, "mtimeMs", number_give(env, modified));
  return result;
}

static napi_value list_folder(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  char path[PATH_MAX], **names;
  size_t count;
  napi_value result;
  if (!path_of(env, values[0], path)) return number_give(env, -ENAMETOOLONG);
  const int listed = system_list(path, &names, &count);
  if (listed < 0) return number_give(env, listed);
  napi_create_array(env, &result);
  for (size_t i = 0; i < count; i++) napi_set_element(env, result, (uint32_t)i, text_give(env, names[i]));
  system_free_names(names, count);
  return result;
}

const struct exported system_files[] = {
    {"open", open_file},      {"close", close_file},    {"fsync", sync_file},
    {"read", read_file},      {"write", write_file},    {"mkdir", make_folder},
    {"rename", rename_file},  {"unlink", remove_file},  {"rmdir", remove_folder},
    {"chmod", change_mode},   {"access", check_access}, {"stat", status_of},
    {"readdir", list_folder}, {"readInto", read_into},  {NULL, NULL},
};
