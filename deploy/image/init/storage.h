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

/*
 * Has the boot loader start the kernel in the partition `other` from now on, by zeros over the magic number of the one
 * in `kernel`. -ENOENT if `other` has none, -ENODEV when there is no such partition, or the errno of reading it: then
 * all stays as it is.
 */
int storage_give_up(const char *kernel, const char *other);

/* Makes links to the flash partitions in /dev/mtd/by-name. */
int storage_name_partitions(void);

/*
 * Mounts the JFFS2 in the flash partition of that name at `path`; an erased partition becomes an empty one. -EIO when
 * there is no part of a JFFS2 in it, though it is not erased, or when it cannot be read.
 */
int storage_mount_data(const char *partition, const char *path);

/* Whether each byte of a partition can be read: then its content is damaged, not the chip. */
int storage_check(const char *partition);

/*
 * Copies a partition over another one. -ENODEV when there is no such partition, -ENOSPC when it is smaller; the
 * watchdog, a descriptor or negative, is fed meanwhile.
 */
int storage_copy(const char *partition, const char *to, int watchdog);

/* Erases a partition; the watchdog is fed meanwhile. */
int storage_erase(const char *partition, int watchdog);

#endif
