import { type DurablePowerOptions, durablePower } from '../durable-power.ts'
import { openbmcBiosOptions } from './bios.ts'
import { openbmcCertificatesOptions } from './certificates.ts'
import { openbmcConsoleOptions } from './console.ts'
import { openbmcDevices } from './devices.ts'
import { openbmcDumpsOptions } from './dumps.ts'
import { openbmcEventLogOptions } from './event-log.ts'
import { openbmcFirmwareOptions } from './firmware.ts'
import { openbmcIndicatorOptions } from './indicators.ts'
import { openbmcInventoryOptions } from './inventory.ts'
import { openbmcNetworkOptions } from './network.ts'
import { hostOptions } from './objects.ts'
import { openbmcPortOptions } from './ports.ts'
import { openbmcPostCodesOptions } from './post-codes.ts'
import { type OpenbmcPowerOptions, openbmcPowerOptions } from './power.ts'
import { openbmcSensorsOptions } from './sensors.ts'
import { openbmcUsersOptions } from './users.ts'

const openbmc = openbmcDevices()

/** Back ends of the daemons of OpenBMC: see `hal/backends.ts`. */
export const openbmcBackends = {
  power: {
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
    openbmc: { options: openbmcIndicatorOptions, open: openbmc.indicator }
  },
  inventory: {
    openbmc: { options: openbmcInventoryOptions, open: openbmc.inventory }
  },
  console: {
    openbmc: { options: openbmcConsoleOptions, open: openbmc.console }
  },
  postCodes: {
    openbmc: { options: openbmcPostCodesOptions, open: openbmc.postCodes }
  },
  firmware: {
    openbmc: { options: openbmcFirmwareOptions, open: openbmc.firmware }
  },
  network: {
    openbmc: { options: openbmcNetworkOptions, open: openbmc.network }
  },
  port: {
    openbmc: { options: openbmcPortOptions, open: openbmc.port }
  },
  users: {
    openbmc: { options: openbmcUsersOptions, open: openbmc.users }
  },
  watchdog: {
    openbmc: { options: hostOptions, open: openbmc.watchdog }
  },
  powerLimit: {
    openbmc: { options: hostOptions, open: openbmc.powerLimit }
  },
  sensors: {
    openbmc: { options: openbmcSensorsOptions, open: openbmc.sensors }
  }
}
