import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Actions/Oem/Vendor/VendorComputerSystemExt.RestoreManufacturingDefaults.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }

const guid = '8be4df61-93ca-11d2-aa0d-00e098032b8c'

t.test('settings, passwords, keys and asset tag are as they left the factory', async (t) => {
  const tables = { system: { 1: { assetTag: 'rack 7', bootOverrideEnabled: 'Once' } } } as const
  const { messages, writes, events } = await POST(context({ params, tables, body: {} }))
  t.match(messages, [{ key: 'Mgmt.SystemResetRequired' }])
  t.match(writes, {
    biosPending: { 1: { attributes: {}, reset: true, passwords: { Administrator: '', User: '' } } },
    system: { 1: { assetTag: '', bootOverrideEnabled: 'Disabled', bootOrder: [] } }
  })
  t.match(writes?.variable?.[`1/${guid}/PK`]?.data, /^[0-9a-f]+$/, 'the platform key of the factory')
  t.match(events, [{ message: { key: 'MgmtEvents.ManufacturingDefaultsRequested', args: ['1', 'admin'] } }])
})

t.test('keys other than those of the factory are removed', async (t) => {
  const name = 'd719b2cb-3d3a-4596-a3bc-dad00e67656f/dbr'
  const variables = { [name]: { attributes: 0x27, data: Uint8Array.of(1) } }
  const { writes } = await POST(context({ params, variables, body: {} }))
  t.same(writes?.variable?.[`1/${name}`], { attributes: 0x27, data: null })
})

t.test('there is no other system', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ComputerSystemId: 'constructor' }, body: {} }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: { all: ['HostBIOSConfigPriv', 'SystemRecoveryConfigPriv'] } })
})
