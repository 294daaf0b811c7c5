/*
 * A new command: its noun declares it in `interface Commands`, and a service performs it.
 * Map it to that service here; a missing command does not compile.
 * A service that is not open yet is opened in `workers.ts`.
 */

import { type Clock, setClock } from '#hal/clock.ts'
import type { HalError } from '#hal/errors.ts'
import type { ResetKind } from '#hal/firmware.ts'
import type { Command, Performers } from '#runtime/contract'
import type { Environment } from '#runtime/request/view.ts'
import { importKeytab } from '#runtime/service/accounts/keytab-import.ts'
import type { Identity } from '#runtime/service/certificates/identity.ts'
import type { Directory } from '#runtime/service/directory/directory.ts'
import type { MachineBios } from '#runtime/service/firmware/machine-bios.ts'
import { explain, type Hardware } from '#runtime/service/machine/machine.ts'
import type { Drives } from '#runtime/service/media/drives.ts'
import type { HttpsPort } from '#runtime/service/network/https-port.ts'
import type { Network } from '#runtime/service/network/network.ts'
import type { EnergyMeters } from '#runtime/service/telemetry/energy.ts'
import type { Statistics } from '#runtime/service/telemetry/statistics.ts'
import type { Updates } from '#runtime/service/updates/updates.ts'
import { pollsOf } from '#runtime/store/revisions.ts'
import type { Secrets } from '#runtime/store/secrets.ts'

interface Dependencies extends Pick<Environment, 'store' | 'configuration' | 'now' | 'streams'> {
  readonly secrets: Secrets
  readonly clock: Clock
  readonly hardware: Hardware
  /** Of systems whose settings another program holds. */
  readonly bios: MachineBios | undefined
  readonly drives: Drives
  readonly updates: Updates
  readonly network: Network
  readonly httpsPort: HttpsPort
  readonly identity: Identity
  readonly directories: readonly Directory[]
  readonly statistics: Statistics
  readonly energy: EnergyMeters
  readonly restart: (reset?: ResetKind) => void
}

/** Who carries out which command. */
export function performers({
  clock,
  hardware,
  bios,
  drives,
  updates,
  network,
  httpsPort,
  identity,
  directories,
  statistics,
  energy,
  streams,
  restart,
  ...environment
}: Dependencies): Performers {
  const install = (command: Command<'keepSigningRequest' | 'replaceCertificate'>) =>
    identity.perform(command).catch((error: HalError) => {
      // Neither key nor certificate is for the log.
      throw explain(error, { kind: command.kind }, environment.store.log)
    })
  return {
    power: (command) => hardware.perform(command),
    indicator: (command) => hardware.perform(command),
    limitPower: (command) => hardware.perform(command),
    sendBreak: (command) => hardware.perform(command),
    insertMedia: (command) => drives.perform(command),
    ejectMedia: (command) => drives.perform(command),
    fetchUpdate: (command) => updates.perform(command),
    configurePorts: (command) => network.perform(command),
    moveHttps: (command) => httpsPort.perform(command),
    setClock: (command) => {
      const { manager, time } = command
      const done =
        hardware.setClock(manager, time) ?? clock.set?.(time) ?? setClock(environment.configuration.clockFile, time)
      return done.catch((error: HalError) => {
        throw explain(error, command, environment.store.log)
      })
    },
    changeBiosPassword: async (command) => bios?.changePassword(command, environment.secrets),
    keepSigningRequest: install,
    replaceCertificate: install,
    endStream: async ({ stream }) => streams.end(stream),
    testDirectory: async ({ directory, address }) => directories.find(({ kind }) => kind === directory)?.test(address),
    importKeytab: ({ uri }) => importKeytab(uri, environment),
    resetMetrics: async ({ chassis, sensor }) => {
      if (sensor !== 'TotalEnergy') statistics.reset(chassis, sensor)
      if (sensor === undefined || sensor === 'TotalEnergy') await energy.reset(chassis)
      environment.store.revisions.moved(pollsOf(chassis))
    },
    restart: async ({ reset }) => restart(reset)
  }
}
