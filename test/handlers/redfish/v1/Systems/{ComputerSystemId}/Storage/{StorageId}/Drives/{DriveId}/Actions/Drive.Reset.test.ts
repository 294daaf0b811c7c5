import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Drives/{DriveId}/Actions/Drive.Reset.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1', StorageId: 'slot3', DriveId: '1' }
const passedThrough = { ...params, StorageId: 'nvme' }

t.test('the reset of a drive is a task of one step, while the host runs, also if the drive has a volume', async (t) => {
  const outcome = await POST(context({ params, body: { ResetType: 'PowerCycle' } }))
  t.match(outcome, { status: 202, events: [{ message: { key: 'TaskEvent.TaskStarted' } }] })
  t.match(Object.values(outcome.writes?.task ?? {}), [{ name: 'Reset of drive 1 of storage slot3' }])
  t.same(Object.values(outcome.writes?.erasure ?? {}), [
    { system: '1', parts: ['reset/slot3/1'], done: 0, hostRuns: true }
  ])
})

t.test('a drive that the host may be using is reset while the host is off', async (t) => {
  t.same(await refusal(() => POST(context({ params: passedThrough, body: {} }))), {
    status: 409,
    messages: [['Mgmt.SystemPowerOffRequired']]
  })
  const { writes } = await POST(context({ params: passedThrough, power: 'Off', body: {} }))
  t.match(Object.values(writes?.erasure ?? {}), [{ hostRuns: false }])
})

t.test('a way in which the drive is not reset is refused', async (t) => {
  const board = structuredClone(sim) as Board
  Object.assign(board.systems[1]!.storage.slot3!.drives[1]!, { resets: ['PowerCycle'] })
  t.same(await refusal(() => POST(context({ board, params, body: { ResetType: 'ForceRestart' } }))), {
    status: 400,
    messages: [['Base.ActionParameterValueNotInList', 'ForceRestart', 'ResetType', 'Drive.Reset']]
  })
  t.equal((await POST(context({ board, params, body: {} }))).status, 202)
})

t.test('a drive that is not reset alone has no such action', async (t) => {
  const board = structuredClone(sim) as Board
  Reflect.deleteProperty(board.systems[1]!.storage.slot3!.drives[1]!, 'resets')
  t.same(await refusal(() => POST(context({ board, params, body: {} }))), missing)
  t.same(await refusal(() => POST(context({ params: { ...params, DriveId: '7' }, body: {} }))), missing)
})

t.test('it takes the privilege for storage', async (t) => {
  t.same(privileges, { POST: 'HostStorageConfigPriv' })
})
