/* Drivers of the kernel that are modules. */
#ifndef MINNOW_MODULES_H
#define MINNOW_MODULES_H

/*
 * Loads every module in a folder of the initial RAM disk in the order of the names, which the image's build gives them
 * by what depends on what, and removes the files, since they take memory. One that does not load is reported, and the
 * others go on. Returns how many failed, or a negative errno.
 */
int modules_load(const char *folder);

#endif
