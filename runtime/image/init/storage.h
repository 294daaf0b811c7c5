/* The file systems of the board. Functions return 0 or a negative errno. */
#ifndef MINNOW_STORAGE_H
#define MINNOW_STORAGE_H

/* /dev, /proc, /sys and /run, which is the only place besides the data partition that can be written to. */
int storage_mount_kernel(void);

/*
 * Makes the squashfs in the flash partition of that name the root, read-only, and moves /dev, /proc, /sys and /run into
 * it. The partition is waited for: its flash chip may answer late. -EBADMSG when it does not begin with the file system
 * whose length and SHA-256 the file `identity` has.
 */
int storage_enter_root(const char *partition, const char *identity);

/* Makes links to the flash partitions in /dev/mtd/by-name. */
int storage_name_partitions(void);

/*
 * Mounts the JFFS2 in the flash partition of that name at `path`; an erased partition becomes an empty one. What is
 * neither is left alone and refused: accounts and keys are not replaced by a factory's behind the owner's back.
 */
int storage_mount_data(const char *partition, const char *path);

#endif
