/*
 * A new back end: list it and its options in `hal/<folder>/backends.ts`, under the name that board files use, and here.
 * Its options are a schema beside it; `docs/boards.md` describes them.
 * Test it with the suite of its device in `test/hal/contracts`.
 */

/** The types of the back ends of each folder, as board files give them. */
const types = {
  flash: ['edk2', 'flash'],
  gpio: ['gpio'],
  openbmc: ['openbmc'],
  qemu: ['qemu'],
  sim: ['sim'],
  sysfs: ['hwmon', 'leds', 'netdev', 'powercap'],
  tty: ['tty'],
  uboot: ['uboot']
}

/** Of each device, what a folder without it has. */
const absent: { readonly [device: string]: undefined } = {}

/**
 * The back ends of each device, by the `type` that a board file gives it: the options that it takes from the file, and
 * how it is opened. The code of a folder that a board does not name takes no memory. The hosts differ in `#hal/native`
 * only. `node build.mjs --backends` leaves folders out of a binary.
 *
 * @param names whether back ends of a type are asked for: by default all
 */
export async function loadBackends(names: (type: string) => boolean = () => true) {
  const has = (folder: keyof typeof types) => types[folder].some(names)
  const flash = has('flash') ? (await import('#hal/flash/backends.ts')).flashBackends : absent
  const gpio = has('gpio') ? (await import('#hal/gpio/backends.ts')).gpioBackends : absent
  const openbmc = has('openbmc') ? (await import('#hal/openbmc/backends.ts')).openbmcBackends : absent
  const qemu = has('qemu') ? (await import('#hal/qemu/backends.ts')).qemuBackends : absent
  const sim = has('sim') ? (await import('#hal/sim/backends.ts')).simBackends : absent
  const sysfs = has('sysfs') ? (await import('#hal/sysfs/backends.ts')).sysfsBackends : absent
  const tty = has('tty') ? (await import('#hal/tty/backends.ts')).ttyBackends : absent
  const uboot = has('uboot') ? (await import('#hal/uboot/backends.ts')).ubootBackends : absent
  return {
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
}
