/*
 * A new back end: list it and its options in `hal/<folder>/backends.ts`, under the name that board files use.
 * Its options are a schema beside it; `docs/boards.md` describes them.
 * Test it with the suite of its device in `test/hal/contracts`.
 */

import { flashBackends as flash } from '#hal/flash/backends.ts'
import { gpioBackends as gpio } from '#hal/gpio/backends.ts'
import { openbmcBackends as openbmc } from '#hal/openbmc/backends.ts'
import { qemuBackends as qemu } from '#hal/qemu/backends.ts'
import { simBackends as sim } from '#hal/sim/backends.ts'
import { sysfsBackends as sysfs } from '#hal/sysfs/backends.ts'
import { ttyBackends as tty } from '#hal/tty/backends.ts'
import { ubootBackends as uboot } from '#hal/uboot/backends.ts'

/**
 * Every back end of each device, by the `type` that a board file gives it: the options that it takes from the file, and
 * how it is opened. The hosts differ in `#hal/native` only. `node build.mjs --backends` leaves folders out of a binary.
 */
export const backends = {
  power: { ...sim.power, ...qemu.power, ...gpio.power, ...openbmc.power },
  bios: { ...openbmc.bios },
  bootOverride: { ...openbmc.bootOverride },
  certificates: { ...openbmc.certificates },
  dumps: { ...openbmc.dumps },
  eventLog: { ...openbmc.eventLog },
  indicator: { ...sim.indicator, ...sysfs.indicator, ...openbmc.indicator },
  inventory: { ...openbmc.inventory },
  nvram: { ...sim.nvram, ...flash.nvram },
  media: { ...sim.media, ...qemu.media },
  console: { ...sim.console, ...qemu.console, ...tty.console, ...openbmc.console },
  drive: { ...qemu.drive },
  postCodes: { ...sim.postCodes, ...qemu.postCodes, ...openbmc.postCodes },
  firmware: { ...sim.firmware, ...flash.firmware, ...uboot.firmware, ...openbmc.firmware },
  network: { ...openbmc.network },
  port: { ...sim.port, ...sysfs.port, ...openbmc.port },
  users: { ...openbmc.users },
  watchdog: { ...openbmc.watchdog },
  powerLimit: { ...sim.powerLimit, ...sysfs.powerLimit, ...openbmc.powerLimit },
  sensors: { ...sim.sensors, ...sysfs.sensors, ...openbmc.sensors }
}
