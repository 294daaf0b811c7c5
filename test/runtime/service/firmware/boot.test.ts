import t from 'tap'
import type { Machine } from '#runtime/contract'
import { booted } from '#runtime/service/firmware/booted.ts'
import { context } from '#test/handlers/context.ts'

function boot(system?: object, bootOverrides?: ReturnType<Machine['bootOverrides']>) {
  const tables = { system: system === undefined ? {} : { 1: system } }
  const { state, machine } = context({ tables, ...(bootOverrides && { bootOverrides }) })
  return booted(state, machine, '1')
}

t.test('an override for one boot is used up by it', async (t) => {
  t.same(boot({ bootOverrideEnabled: 'Once', bootOverrideTarget: 'Pxe', assetTag: 'R7' }), {
    system: { 1: { bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'None' } }
  })
})

t.test('an override that another program holds is for the firmware to clear', async (t) => {
  const override = { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Pxe' }
  t.equal(boot(override, { targets: ['None', 'Pxe'], modes: ['UEFI'] }), undefined)
})

t.test('an override for every boot stays', async (t) => {
  t.equal(boot({ bootOverrideEnabled: 'Continuous', bootOverrideTarget: 'Hdd' }), undefined)
})

t.test('a boot without an override changes nothing', async (t) => {
  t.equal(boot({ bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'Pxe' }), undefined)
  t.equal(boot(), undefined)
})
