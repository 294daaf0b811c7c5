/*
 * A new back end: list it and its options here, under the name that board files use.
 * Its options are a schema beside it; `docs/boards.md` describes them.
 * Test it with the suite of its device in `test/hal/contracts`.
 */

import { openFlash, openGpio, openLldp, openTty } from '#hal/native'
import { type DurablePowerOptions, durablePower } from './durable-power.ts'
import { type FlashStoreOptions, flashStore, flashStoreOptions, simStore, simStoreOptions } from './edk2/devices.ts'
import { type FlashFirmwareOptions, flashFirmware, flashFirmwareOptions } from './flash/firmware.ts'
import { sharedFlash } from './flash/part.ts'
import { type GpioPowerOptions, gpioPowerOptions } from './gpio/options.ts'
import { gpioPower } from './gpio/power.ts'
import { openbmcBiosOptions } from './openbmc/bios.ts'
import { openbmcCertificatesOptions } from './openbmc/certificates.ts'
import { openbmcConsoleOptions } from './openbmc/console.ts'
import { openbmcDevices } from './openbmc/devices.ts'
import { openbmcDumpsOptions } from './openbmc/dumps.ts'
import { openbmcEventLogOptions } from './openbmc/event-log.ts'
import { openbmcFirmwareOptions } from './openbmc/firmware.ts'
import { openbmcIndicatorOptions } from './openbmc/indicators.ts'
import { openbmcInventoryOptions } from './openbmc/inventory.ts'
import { openbmcNetworkOptions } from './openbmc/network.ts'
import { hostOptions } from './openbmc/objects.ts'
import { openbmcPortOptions } from './openbmc/ports.ts'
import { openbmcPostCodesOptions } from './openbmc/post-codes.ts'
import { type OpenbmcPowerOptions, openbmcPowerOptions } from './openbmc/power.ts'
import { openbmcSensorsOptions } from './openbmc/sensors.ts'
import { openbmcUsersOptions } from './openbmc/users.ts'
import { type QemuSystemOptions, qemuMachines, qemuPartOptions, qemuSystemOptions } from './qemu/machines.ts'
import { simConsole, simConsoleOptions } from './sim/console.ts'
import { simFirmware, simFirmwareOptions } from './sim/firmware.ts'
import { simIndicator, simIndicatorOptions } from './sim/indicators.ts'
import { simMedia, simMediaOptions } from './sim/media.ts'
import { simPort, simPortOptions } from './sim/ports.ts'
import { simPostCodes, simPostCodesOptions } from './sim/post-codes.ts'
import { simPower, simPowerOptions } from './sim/power.ts'
import { simPowerLimit, simPowerLimitOptions } from './sim/power-limit.ts'
import { simSensors, simSensorsOptions } from './sim/sensors.ts'
import { ledIndicator, ledOptions } from './sysfs/indicators.ts'
import { type NetdevOptions, netdevOptions, netdevPort } from './sysfs/ports.ts'
import { hwmonPowerLimit, hwmonPowerLimitOptions, powercapLimit, powercapOptions } from './sysfs/power-limit.ts'
import { hwmonOptions, hwmonSensors } from './sysfs/sensors.ts'
import { type TtyConsoleOptions, ttyConsole, ttyConsoleOptions } from './tty/console.ts'
import { type UbootOptions, ubootFirmware, ubootOptions } from './uboot/firmware.ts'

const flashes = sharedFlash(openFlash)

/** Of all services of the process: see `qemuMachines`. */
const machines = qemuMachines()

const openbmc = openbmcDevices()

/**
 * Every back end of each device, by the `type` that a board file gives it: the options that it takes from the file, and
 * how it is opened. The hosts differ in `#hal/native` only.
 */
export const backends = {
  power: {
    sim: { options: simPowerOptions, open: simPower },
    qemu: {
      options: qemuSystemOptions,
      startsPrograms: true,
      open: (options: QemuSystemOptions) => durablePower(machines.power(options), options)
    },
    gpio: {
      options: gpioPowerOptions,
      open: (options: GpioPowerOptions & DurablePowerOptions) => durablePower(gpioPower(openGpio(), options), options)
    },
    openbmc: {
      options: openbmcPowerOptions,
      open: (options: OpenbmcPowerOptions & DurablePowerOptions) => durablePower(openbmc.power(options), options)
    }
  },
  bios: {
    openbmc: { options: openbmcBiosOptions, open: openbmc.bios }
  },
  bootOverride: {
    openbmc: { options: hostOptions, open: openbmc.bootOverride }
  },
  certificates: {
    openbmc: { options: openbmcCertificatesOptions, open: openbmc.certificates }
  },
  dumps: {
    openbmc: { options: openbmcDumpsOptions, open: openbmc.dumps }
  },
  eventLog: {
    openbmc: { options: openbmcEventLogOptions, open: openbmc.eventLog }
  },
  indicator: {
    sim: { options: simIndicatorOptions, open: simIndicator },
    leds: { options: ledOptions, open: ledIndicator },
    openbmc: { options: openbmcIndicatorOptions, open: openbmc.indicator }
  },
  inventory: {
    openbmc: { options: openbmcInventoryOptions, open: openbmc.inventory }
  },
  nvram: {
    sim: { options: simStoreOptions, open: simStore },
    edk2: { options: flashStoreOptions, open: (options: FlashStoreOptions) => flashStore(flashes, options) }
  },
  media: {
    sim: { options: simMediaOptions, open: simMedia },
    qemu: { options: qemuPartOptions, open: machines.media }
  },
  console: {
    sim: { options: simConsoleOptions, open: simConsole },
    qemu: { options: qemuPartOptions, open: machines.console },
    tty: { options: ttyConsoleOptions, open: (options: TtyConsoleOptions) => ttyConsole(openTty, options) },
    openbmc: { options: openbmcConsoleOptions, open: openbmc.console }
  },
  drive: {
    qemu: { options: qemuPartOptions, open: machines.drive }
  },
  postCodes: {
    sim: { options: simPostCodesOptions, open: simPostCodes },
    qemu: { options: qemuPartOptions, open: machines.postCodes },
    openbmc: { options: openbmcPostCodesOptions, open: openbmc.postCodes }
  },
  firmware: {
    sim: { options: simFirmwareOptions, open: simFirmware },
    flash: {
      options: flashFirmwareOptions,
      open: (options: FlashFirmwareOptions) => flashFirmware(flashes, options)
    },
    uboot: { options: ubootOptions, open: (options: UbootOptions) => ubootFirmware(openFlash, options) },
    openbmc: { options: openbmcFirmwareOptions, open: openbmc.firmware }
  },
  network: {
    openbmc: { options: openbmcNetworkOptions, open: openbmc.network }
  },
  port: {
    sim: { options: simPortOptions, open: simPort },
    netdev: { options: netdevOptions, open: (options: NetdevOptions) => netdevPort(options, openLldp) },
    openbmc: { options: openbmcPortOptions, open: openbmc.port }
  },
  users: {
    openbmc: { options: openbmcUsersOptions, open: openbmc.users }
  },
  watchdog: {
    openbmc: { options: hostOptions, open: openbmc.watchdog }
  },
  powerLimit: {
    sim: { options: simPowerLimitOptions, open: simPowerLimit },
    hwmon: { options: hwmonPowerLimitOptions, open: hwmonPowerLimit },
    powercap: { options: powercapOptions, open: powercapLimit },
    openbmc: { options: hostOptions, open: openbmc.powerLimit }
  },
  sensors: {
    sim: { options: simSensorsOptions, open: simSensors },
    hwmon: { options: hwmonOptions, open: hwmonSensors },
    openbmc: { options: openbmcSensorsOptions, open: openbmc.sensors }
  }
}
