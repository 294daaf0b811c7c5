import t from 'tap'
import { booted } from '#runtime/service/firmware/booted.ts'
import { context } from '#test/handlers/context.ts'

const boot = (system?: object) =>
  booted({ state: context({ tables: { system: system === undefined ? {} : { 1: system } } }).state, system: '1' })

t.test('an override for one boot is used up by it', async (t) => {
  t.same(boot({ bootOverrideEnabled: 'Once', bootOverrideTarget: 'Pxe', assetTag: 'R7' }), {
    system: { 1: { bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'None' } }
  })
})

t.test('an override for every boot stays', async (t) => {
  t.equal(boot({ bootOverrideEnabled: 'Continuous', bootOverrideTarget: 'Hdd' }), undefined)
})

t.test('a boot without an override changes nothing', async (t) => {
  t.equal(boot({ bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'Pxe' }), undefined)
  t.equal(boot(), undefined)
})
