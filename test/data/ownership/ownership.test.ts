import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { type Device, neededBy, ownedBy, ownerOf } from '#data/ownership'
import { type Erasure, eraseParts } from '#data/tasks'
import type { Update } from '#data/updates'
import type { State } from '#runtime/contract'

const board = sim as unknown as Board
const erase = (what: { userData: boolean; firmware: boolean }): Erasure => ({
  system: '1',
  parts: eraseParts(board.systems[1]!, what),
  done: 0
})
const update = (more: Partial<Update>): Update => ({
  author: { user: 'admin', account: 'admin', uri: '/redfish/v1/UpdateService/update' },
  stage: 'Waiting',
  targets: [],
  allowed: [],
  applyTime: 'OnReset',
  ...more
})
/** A state with work of some kind. */
const state = (tables: { readonly [table: string]: { readonly [id: string]: object } }) =>
  ({
    get: (table: string, id: string) => tables[table]?.[id],
    keys: (table: string) => Object.keys(tables[table] ?? {})
  }) as unknown as State
const owned = (work: { erasure: Erasure } | { update: Update }) => {
  const tables = Object.entries(work).map(([table, record]) => [table, { a: record }])
  return [...ownedBy('a', state(Object.fromEntries(tables)), board)].sort()
}
const needed = (changes: Parameters<typeof neededBy>[0]) => [...neededBy(changes, board)].sort()

const storage = ['storage/1/nvme', 'storage/1/slot3'] as const
const firmware = ['settings/1', 'variables/1'] as const

t.test('an erasure owns the power of its host, and the parts that it erases', async (t) => {
  t.same(owned({ erasure: erase({ userData: true, firmware: false }) }), ['power/1', ...storage])
  t.same(owned({ erasure: erase({ userData: false, firmware: true }) }), ['controller', 'power/1', ...firmware])
})

t.test('an update owns its component, and more while it is written', async (t) => {
  const bios = { component: 'BIOS-1' } as const
  t.same(owned({ update: update(bios) }), ['firmware/BIOS-1'])
  t.same(owned({ update: update({ ...bios, stage: 'Writing' }) }), ['firmware/BIOS-1', 'power/1'])
  t.same(owned({ update: update({ ...bios, stage: 'Writing', resetVariables: true }) }), [
    'firmware/BIOS-1',
    'power/1',
    ...firmware
  ])
  for (const stage of ['Writing', 'Written', 'Resetting'] as const) {
    t.same(
      owned({ update: update({ component: 'Manager-1', stage }) }),
      ['firmware/Manager-1'],
      'it goes on after a reset'
    )
  }
  t.same(owned({ update: update({ stage: 'Fetching' }) }), [], 'what it is for is not known yet')
})

t.test('an operation needs the things that it writes or commands', async (t) => {
  for (const operation of ['on', 'pressButton', 'coldBoot', 'forceRestart', 'gracefulRestart'] as const) {
    t.same(needed({ commands: [{ kind: 'power', operation, system: '1' }] }), ['power/1'], operation)
  }
  for (const operation of ['forceOff', 'holdButton', 'gracefulShutdown', 'nmi'] as const) {
    t.same(needed({ commands: [{ kind: 'power', operation, system: '1' }] }), [], operation)
  }
  t.same(needed({ commands: [{ kind: 'power', operation: 'auxCycle', system: '1' }] }), ['controller', 'power/1'])
  t.same(needed({ commands: [{ kind: 'restart' }] }), ['controller'])
  t.same(needed({ writes: { storage: { '1/slot3': { volumes: {} } } } }), ['storage/1/slot3'])
  t.same(needed({ writes: { variable: { '1/guid/db': null }, hostPending: { 1: { mode: 'SafeMode' } } } }), [
    'variables/1'
  ])
  for (const table of ['biosPending', 'boot', 'hostWatchdog', 'powerRestore', 'secureBoot', 'system'] as const) {
    t.same(needed({ writes: { [table]: { 1: null } } }), ['settings/1'], table)
  }
  t.same(needed({ writes: { chassis: { 1: {} }, session: { a: null } } }), [])
})

t.test('a task that begins needs the things that it will own', async (t) => {
  const erasure = erase({ userData: true, firmware: true })
  t.same(needed({ writes: { erasure: { a: erasure, b: null } } }), owned({ erasure }))
  const begun = update({ component: 'Manager-1', applyTime: 'Immediate' })
  t.same(needed({ writes: { update: { a: begun } } }), owned({ update: begun }))
})

t.test('the owner is a task that has not ended, but for the one that asks', async (t) => {
  const tables = { erasure: { a: erase({ userData: true, firmware: false }) } }
  const task = { name: 'Secure erase of system 1', endedAt: '' }
  const running = state({ ...tables, task: { a: task } })
  const power = new Set<Device>(['power/1'])
  const owner = { uri: '/redfish/v1/TaskService/Tasks/a/', name: 'Secure erase of system 1' }
  t.same(ownerOf(power, running, board), owner)
  t.equal(ownerOf(power, running, board, 'a'), undefined)
  t.equal(ownerOf(new Set(['power/2']), running, board), undefined)
  const ended = { ...task, endedAt: '2025-06-01T12:00:00.000Z' }
  t.equal(ownerOf(power, state({ ...tables, task: { a: ended } }), board), undefined)
})

t.test('no other code begins tasks', async (t) => {
  const files = ['handlers', 'data', 'runtime'].flatMap((folder) =>
    readdirSync(folder, { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`)
  )
  const begin = files.filter((file) => /\bbeginTask\(\w+, id/.test(readFileSync(file, 'utf8')))
  t.same(begin.map((file) => file.slice(file.lastIndexOf('/') + 1)).sort(), [
    // The renewal of a certificate owns nothing; there is one at a time.
    'VendorCertificateEnrollment.Renew.ts',
    'VendorComputerSystemExt.SecureSystemErase.ts',
    // A dump that is being collected owns nothing.
    'diagnostics.ts',
    // Simulated work owns nothing: it changes nothing.
    'simulated.ts',
    'start.ts'
  ])
})
