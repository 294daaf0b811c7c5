/*
 * A plugin of QEMU that counts the instructions that a program executes, and writes the number to the file that its
 * argument `out=FILE` names. For qemu-user of QEMU 7.2 to 8.2 (docs/devel/tcg-plugins.rst): later ones count otherwise.
 *
 * Debian has no package with qemu-plugin.h, so this file declares the parts that it uses.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { ADD_U64 = 0, PATH_ROOM = 4096 };

struct block;
typedef uint64_t plugin_id;

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*translated)(plugin_id id, struct block *block));
void qemu_plugin_register_vcpu_tb_exec_inline(struct block *block, int operation, void *counter, uint64_t value);
size_t qemu_plugin_tb_n_insns(const struct block *block);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*ended)(plugin_id id, void *data), void *data);

extern const int qemu_plugin_version;
const int qemu_plugin_version = 1;
int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments);

static uint64_t instructions;
static char path[PATH_ROOM];

static void on_translated(plugin_id id, struct block *block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, &instructions, qemu_plugin_tb_n_insns(block));
}

static void on_ended(plugin_id id, void *data) {
  (void)id, (void)data;
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%" PRIu64 "\n", instructions);
  fclose(file);
}

int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments) {
  static const char name[] = "out=";
  (void)info;
  if (count != 1 || strncmp(arguments[0], name, sizeof name - 1) != 0) return -1;
  snprintf(path, sizeof path, "%s", arguments[0] + sizeof name - 1);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
  qemu_plugin_register_atexit_cb(id, on_ended, NULL);
  return 0;
}
