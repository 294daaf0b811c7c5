import { durablePower } from '../durable-power.ts'
import { type QemuSystemOptions, qemuMachines, qemuPartOptions, qemuSystemOptions } from './machines.ts'

/** Of all services of the process: see `qemuMachines`. */
const machines = qemuMachines()

/** Back ends of machines in QEMU: see `hal/backends.ts`. */
export const qemuBackends = {
  power: {
    qemu: {
      options: qemuSystemOptions,
      startsPrograms: true,
      open: (options: QemuSystemOptions) => durablePower(machines.power(options), options)
    }
  },
  media: {
    qemu: { options: qemuPartOptions, open: machines.media }
  },
  console: {
    qemu: { options: qemuPartOptions, open: machines.console }
  },
  drive: {
    qemu: { options: qemuPartOptions, open: machines.drive }
  },
  postCodes: {
    qemu: { options: qemuPartOptions, open: machines.postCodes }
  }
}
