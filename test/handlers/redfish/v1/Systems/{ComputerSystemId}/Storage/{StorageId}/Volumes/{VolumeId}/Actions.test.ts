import t from 'tap'
import {
  POST as check,
  privileges as ofCheck
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Volumes/{VolumeId}/Actions/Volume.CheckConsistency.ts'
import {
  POST as initialize,
  privileges as ofInitialize
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Volumes/{VolumeId}/Actions/Volume.Initialize.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1', StorageId: 'slot3', VolumeId: '2' }
const work = (writes: Awaited<ReturnType<typeof check>>['writes']) => Object.values(writes?.erasure ?? {})[0]

t.test('a volume is initialized while the host is off, quickly or as a whole', async (t) => {
  const steps = async (body: { InitializeType?: 'Fast' | 'Slow' }) =>
    work((await initialize(context({ params, power: 'Off', body }))).writes)
  t.match(await steps({}), { parts: ['initialize/slot3/2'], hostRuns: false })
  t.equal((await steps({ InitializeType: 'Fast' }))?.parts?.length, 1)
  t.equal((await steps({ InitializeType: 'Slow' }))?.parts?.length, 4)
  t.same(await refusal(() => initialize(context({ params, power: 'On', body: {} }))), {
    status: 409,
    messages: [['Mgmt.SystemPowerOffRequired']]
  })
})

t.test('a volume is checked while the host runs', async (t) => {
  const { status, writes } = await check(context({ params, power: 'On', body: {} }))
  t.equal(status, 202)
  t.match(work(writes), { parts: Array(4).fill('check/slot3/2'), hostRuns: true })
  t.match(Object.values(writes?.task ?? {}), [{ name: 'Consistency check of volume 2 of storage slot3' }])
})

t.test('a volume without redundancy cannot be checked', async (t) => {
  const volumes = { 2: { name: 'Scratch', raidType: 'RAID0', drives: ['6'] } } as const
  const tables = { storage: { '1/slot3': { volumes } } }
  t.same(await refusal(() => check(context({ params, tables, body: {} }))), missing)
})

t.test('there is no other volume', async (t) => {
  for (const other of [{ VolumeId: '3' }, { VolumeId: 'constructor' }, { StorageId: 'nvme' }]) {
    const given = { params: { ...params, ...other }, power: 'Off', body: {} } as const
    t.same(await refusal(() => check(context(given))), missing)
    t.same(await refusal(() => initialize(context(given))), missing)
  }
})

t.test('both take the privilege for storage', async (t) => {
  t.same([ofCheck, ofInitialize], Array(2).fill({ POST: 'HostStorageConfigPriv' }))
})
