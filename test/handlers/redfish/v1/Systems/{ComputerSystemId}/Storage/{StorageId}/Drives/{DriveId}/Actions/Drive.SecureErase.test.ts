import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Drives/{DriveId}/Actions/Drive.SecureErase.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const free = { ComputerSystemId: '1', StorageId: 'slot3', DriveId: '6' }
const passedThrough = { ...free, StorageId: 'nvme', DriveId: '1' }
const begun = async (given: Parameters<typeof context<keyof typeof free, Parameters<typeof POST>[0]['body']>>[0]) =>
  Object.values((await POST(context(given))).writes?.erasure ?? {})[0]

t.test('the erasure of a drive is a task, while the host runs', async (t) => {
  const outcome = await POST(context({ params: free, body: { SanitizationType: 'CryptographicErase' } }))
  t.match(outcome, { status: 202, events: [{ message: { key: 'TaskEvent.TaskStarted' } }] })
  t.match(Object.values(outcome.writes?.task ?? {}), [{ name: 'Secure erase of drive 6 of storage slot3', percent: 0 }])
  const part = 'drive/slot3/6'
  t.same(Object.values(outcome.writes?.erasure ?? {}), [
    { system: '1', parts: [part, part, part, part], done: 0, hostRuns: true }
  ])
})

t.test('each pass takes its steps', async (t) => {
  const body = { SanitizationType: 'Overwrite', OverwritePasses: 3 } as const
  t.equal((await begun({ params: free, body }))?.parts?.length, 12)
  t.equal((await begun({ params: free, body: {} }))?.parts?.length, 4)
})

t.test('a drive that is passed through is erased while the host is off', async (t) => {
  for (const power of ['On', 'PoweringOn', 'PoweringOff'] as const)
    t.match(await refusal(() => POST(context({ params: passedThrough, power, body: {} }))), {
      status: 409,
      messages: [['Mgmt.SystemPowerOffRequired']]
    })
  t.match(await begun({ params: passedThrough, power: 'Off', body: {} }), { hostRuns: false })
})

t.test('a drive of a volume is in use, also of one that a client made', async (t) => {
  const inUse = { status: 409, messages: [['Base.ResourceInUse']] }
  t.same(await refusal(() => POST(context({ params: { ...free, DriveId: '1' }, body: {} }))), inUse)
  const volumes = { 7: { name: 'Scratch', raidType: 'RAID0', drives: ['6'] } } as const
  const tables = { storage: { '1/slot3': { volumes } } }
  t.same(await refusal(() => POST(context({ params: free, tables, body: {} }))), inUse)
})

t.test('ways in which the drive cannot be erased are refused', async (t) => {
  t.match(await refusal(() => POST(context({ params: free, body: { SanitizationType: 'BlockErase' } }))), {
    status: 400,
    messages: [['Base.ActionParameterValueNotInList', 'BlockErase', 'SanitizationType', 'Drive.SecureErase']]
  })
  for (const body of [{ OverwritePasses: 1 }, { SanitizationType: 'CryptographicErase', OverwritePasses: 1 }] as const)
    t.match(await refusal(() => POST(context({ params: free, body }))), {
      status: 400,
      messages: [['Base.ActionParameterNotSupported', 'OverwritePasses', 'Drive.SecureErase']]
    })
})

t.test('a drive that does not erase itself has no such action', async (t) => {
  const board = structuredClone(sim) as Board
  const drive = board.systems[1]!.storage.slot3!.drives[6]!
  Reflect.deleteProperty(drive, 'sanitization')
  t.same(await refusal(() => POST(context({ board, params: free, body: {} }))), missing)
  for (const params of [
    { ...free, DriveId: '7' },
    { ...free, StorageId: 'slot4' }
  ])
    t.same(await refusal(() => POST(context({ params, body: {} }))), missing)
})

t.test('it takes the privilege for storage', async (t) => {
  t.same(privileges, { POST: 'HostStorageConfigPriv' })
})
