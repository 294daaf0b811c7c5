/*
 * A new noun: declare records, schema and `interface Services` in `data/<noun>`, its work in `runtime/service/<noun>`.
 * Members that it adds to the context of handlers: its service's `members(reader)`, in the list below.
 * Commands that it adds: `performers.ts`. Tables alone need neither.
 */

import { createHash, randomBytes } from 'node:crypto'
import type { ResetKind } from '#hal/firmware.ts'
import { hex } from '#runtime/base/bytes.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { Handling } from '#runtime/request/handle.ts'
import type { Environment } from '#runtime/request/view.ts'
import { makeFirstAdministrator } from '#runtime/service/accounts/administrator.ts'
import { changedParts, withInventory } from '#runtime/service/machine/inventory.ts'
import type { OpenAccess } from './access.ts'
import type { OpenHardware } from './hardware.ts'
import { membersOf } from './members.ts'
import type { PlacedOptions } from './options.ts'
import { performers } from './performers.ts'
import type { OpenState } from './state.ts'
import type { OpenWorkers } from './workers.ts'

/** Opens the handling of requests, and makes the account that can log in first. Nothing in it has to be closed. */
export async function openProtocol(
  parts: PlacedOptions,
  state: OpenState,
  access: OpenAccess,
  machine: OpenHardware,
  workers: OpenWorkers
) {
  const { configuration, clock } = parts
  const { store, board, found, inventory, secrets, events, routes } = state
  const { documents, hardware, bios, drives, dumps, uploads, updates, network, lldp, httpsPort } = machine
  const { accounts, directories, sessions, authentication, grants } = access
  const { identity, licenses, subscriptions, streams, consoles, telemetry, statistics, energy } = workers
  let end: (isReset: boolean) => void = () => {}
  const restarted = new Promise<boolean>((resolve) => {
    // The answer to the request that asks for it is on its way first.
    end = (isReset) => void sleep(0).then(() => resolve(isReset))
  })
  let askedReset: ResetKind | undefined
  const restart = (reset?: ResetKind) => {
    askedReset ??= reset
    end(true)
  }
  hardware.onAuxCycle(() => restart())
  updates.onReset(() => restart())
  inventory?.on(() => {
    store.log.info('the machine has other parts than at the start: the service starts anew')
    void events.emit(...changedParts(found, withInventory(parts.board, inventory.read()))).then(() => end(false))
  })
  const environment: Environment = {
    store,
    machine: hardware,
    configuration,
    documents,
    now: () => new Date(clock.now()),
    random: (bytes) => hex(randomBytes(bytes)),
    secrets,
    members: membersOf(
      (reader) => accounts.members(reader),
      (reader) => sessions.members(reader),
      (reader) => identity.members(reader),
      () => licenses.members(),
      (reader) => subscriptions.members(reader),
      (reader) => streams.members(reader),
      (reader) => telemetry.members(reader),
      (reader) => statistics.members(reader),
      (reader) => energy.members(reader),
      (reader) => lldp.members(reader),
      (reader) => store.members(reader)
    ),
    streams,
    consoles,
    dumps,
    media: drives,
    uploads,
    network,
    httpsPort
  }
  const handling = new Handling(
    environment,
    routes,
    authentication,
    grants,
    performers({
      ...environment,
      secrets,
      clock,
      statistics,
      energy,
      identity,
      directories,
      hardware,
      bios,
      drives,
      updates,
      network,
      httpsPort,
      restart
    }),
    events,
    parts.fingerprint ?? fingerprint(parts.version, board, configuration)
  )
  // Last: a password that was generated is lost where something fails before it is shown.
  const generatedPassword =
    machine.devices.users === undefined
      ? await makeFirstAdministrator(store, accounts, parts.adminPassword, configuration, parts.adminHash)
      : undefined
  return { handling, restarted, generatedPassword, askedReset: () => askedReset }
}

/** The part of an answer's tag that is not revisions: the build, the board and the configuration. Eight hex digits. */
export function fingerprint(...parts: readonly unknown[]): string {
  const text = JSON.stringify(parts)
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
