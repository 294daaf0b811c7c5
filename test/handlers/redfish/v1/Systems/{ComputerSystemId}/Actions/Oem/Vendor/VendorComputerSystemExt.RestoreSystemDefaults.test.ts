import t from 'tap'
import { writeBootNumbers, writeBootOption } from '#hal/uefi/boot.ts'
import { globalGuid } from '#hal/uefi/variables.ts'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Actions/Oem/Vendor/VendorComputerSystemExt.RestoreSystemDefaults.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }

const tables = {
  system: { 1: { assetTag: 'rack 7', bootOverrideEnabled: 'Continuous', bootOrder: ['Boot0003'] } },
  biosPending: { 1: { attributes: { QuietBoot: false }, reset: false, passwords: { User: 'hash' } } }
} as const

t.test('the BIOS has its defaults at the next reset, and no override of the boot remains', async (t) => {
  const outcome = await POST(context({ params, tables, body: {} }))
  t.notOk('assetTag' in (outcome.writes?.system?.['1'] ?? {}), 'the asset tag stays')
  t.equal(outcome.writes?.variable, undefined)
  t.match(outcome, {
    status: 200,
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: {
      biosPending: { 1: { attributes: {}, reset: true, passwords: { User: 'hash' } } },
      system: {
        1: { bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'None', bootOrder: [] }
      }
    },
    events: [{ message: { key: 'MgmtEvents.SystemDefaultsRequested', args: ['1', 'admin'] } }]
  })
})

t.test('the boot order that firmware has stored is the board’s again', async (t) => {
  const data = writeBootNumbers([4, 1])
  const variables = { [`${globalGuid}/BootOrder`]: { attributes: 7, data } }
  const { writes } = await POST(context({ params, variables, body: {} }))
  t.match(writes?.variable?.[`1/${globalGuid}/BootOrder`], { attributes: 7, data: /^000001000200/ })
})

t.test('an option that is not the board’s stays in the order or out of it', async (t) => {
  const option = (place: number) => {
    const devicePath = Uint8Array.of(1, 1, 6, 0, place, 3, 0x7f, 0xff, 4, 0)
    const data = writeBootOption({ attributes: 1, description: 'Shell', devicePath, optionalData: new Uint8Array() })
    return { attributes: 7, data }
  }
  const variables = {
    [`${globalGuid}/BootOrder`]: { attributes: 7, data: writeBootNumbers([0xb01, 4, 1]) },
    [`${globalGuid}/Boot0B00`]: option(1),
    [`${globalGuid}/Boot0B01`]: option(2)
  }
  const { writes } = await POST(context({ params, variables, body: {} }))
  const { data } = writes?.variable?.[`1/${globalGuid}/BootOrder`] ?? {}
  t.equal(data, '00000100020003000400050006000700080009000a00010b')
})

t.test('there is no other system', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ComputerSystemId: 'constructor' }, body: {} }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: 'HostBIOSConfigPriv' })
})
