/* The two places of the firmware in the flash, of which one runs. */
#ifndef MINNOW_SLOT_H
#define MINNOW_SLOT_H

/* `a` or `b`: what the boot loader has started, as it says in the device tree; `a` if it says nothing. */
char slot_running(void);

/* The other one. */
char slot_idle(char running);

#endif
