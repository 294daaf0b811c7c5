import { adoptTty, openChannel } from '#hal/native'
import type { BiosSettings } from '../bios.ts'
import type { BootOverrides } from '../boot-override.ts'
import type { Certificates } from '../certificates.ts'
import type { Console } from '../console.ts'
import type { Dumps } from '../dumps.ts'
import type { EventLog } from '../event-log.ts'
import type { Firmware } from '../firmware.ts'
import type { Indicator } from '../indicators.ts'
import type { Inventory } from '../inventory.ts'
import type { Network } from '../network.ts'
import type { Port } from '../ports.ts'
import type { PostCodes } from '../post-codes.ts'
import type { Power } from '../power.ts'
import type { PowerLimit } from '../power-limit.ts'
import type { Sensors } from '../sensors.ts'
import type { Users } from '../users.ts'
import type { Watchdog } from '../watchdog.ts'
import { biosInterfaces, condensedBios, openbmcBios } from './bios.ts'
import { bootOverrideInterfaces, openbmcBootOverride } from './boot-override.ts'
import { certificateInterfaces, type OpenbmcCertificatesOptions, openbmcCertificates } from './certificates.ts'
import { consoleInterfaces, type OpenbmcConsoleOptions, openbmcConsole } from './console.ts'
import { dumpsInterfaces, type OpenbmcDumpsOptions, openbmcDumps } from './dumps.ts'
import { eventLogInterfaces, openbmcEventLog } from './event-log.ts'
import { firmwareInterfaces, type OpenbmcFirmwareOptions, openbmcFirmware } from './firmware.ts'
import { indicatorInterfaces, type OpenbmcIndicatorOptions, openbmcIndicator } from './indicators.ts'
import { inventoryInterfaces, type OpenbmcInventoryOptions, openbmcInventory } from './inventory.ts'
import { networkInterfaces, type OpenbmcNetworkOptions, openbmcNetwork } from './network.ts'
import { type BusOptions, type HostOptions, type Objects, sharedObjects } from './objects.ts'
import { type OpenbmcPortOptions, openbmcPort, portInterfaces } from './ports.ts'
import { type OpenbmcPostCodesOptions, openbmcPostCodes, postCodesInterfaces } from './post-codes.ts'
import { type OpenbmcPowerOptions, openbmcPower, powerInterfaces } from './power.ts'
import { openbmcPowerLimit, powerLimitInterfaces } from './power-limit.ts'
import { type OpenbmcSensorsOptions, openbmcSensors, sensorInterfaces } from './sensors.ts'
import { type OpenbmcUsersOptions, openbmcUsers, userInterfaces } from './users.ts'
import { openbmcWatchdog, watchdogInterfaces } from './watchdog.ts'

/** Back ends for the devices that OpenBMC's daemons own: those of one bus share a connection. */
export function openbmcDevices() {
  const interfaces = [
    ...powerInterfaces,
    ...biosInterfaces,
    ...bootOverrideInterfaces,
    ...certificateInterfaces,
    ...consoleInterfaces,
    ...dumpsInterfaces,
    ...eventLogInterfaces,
    ...firmwareInterfaces,
    ...indicatorInterfaces,
    ...inventoryInterfaces,
    ...networkInterfaces,
    ...portInterfaces,
    ...postCodesInterfaces,
    ...powerLimitInterfaces,
    ...sensorInterfaces,
    ...userInterfaces,
    ...watchdogInterfaces
  ]
  const join = sharedObjects(interfaces, openChannel, condensedBios)
  const joined = <O extends BusOptions, T>(options: O, open: (objects: Objects, options: O) => T): T => {
    const objects = join(options)
    try {
      return open(objects, options)
    } catch (error) {
      objects.close()
      throw error
    }
  }
  return {
    power: (options: OpenbmcPowerOptions): Power => joined(options, openbmcPower),
    bios: (options: BusOptions): BiosSettings => joined(options, openbmcBios),
    bootOverride: (options: HostOptions): BootOverrides => joined(options, openbmcBootOverride),
    certificates: (options: OpenbmcCertificatesOptions): Certificates => joined(options, openbmcCertificates),
    console: (options: OpenbmcConsoleOptions): Console =>
      joined(options, (objects) => openbmcConsole(objects, adoptTty, options)),
    dumps: (options: OpenbmcDumpsOptions): Dumps => joined(options, openbmcDumps),
    eventLog: (options: BusOptions): EventLog => joined(options, openbmcEventLog),
    firmware: (options: OpenbmcFirmwareOptions): Firmware => joined(options, openbmcFirmware),
    indicator: (options: OpenbmcIndicatorOptions): Indicator => joined(options, openbmcIndicator),
    inventory: (options: OpenbmcInventoryOptions): Inventory => joined(options, openbmcInventory),
    network: (options: OpenbmcNetworkOptions): Network => joined(options, openbmcNetwork),
    port: (options: OpenbmcPortOptions): Port => joined(options, openbmcPort),
    users: (options: OpenbmcUsersOptions): Users => joined(options, openbmcUsers),
    postCodes: (options: OpenbmcPostCodesOptions): PostCodes => joined(options, openbmcPostCodes),
    powerLimit: (options: HostOptions): PowerLimit => joined(options, openbmcPowerLimit),
    watchdog: (options: HostOptions): Watchdog => joined(options, openbmcWatchdog),
    /** @throws {HalError} `EINVAL`, one sentence, for inputs that are wrong */
    sensors: (options: OpenbmcSensorsOptions): Sensors => joined(options, openbmcSensors)
  }
}
