import { writeFileSync } from 'node:fs'
import t from 'tap'
import { simFirmware } from '#hal/sim/firmware.ts'
import { firmwareContract, image, install } from '#test/hal/contracts/firmware.ts'

firmwareContract(t, 'sim', (directory) => simFirmware({ directory, version: '1.0' }))

t.test('a simulated component fails as its faults say', async (t) => {
  const firmware = simFirmware({ version: '1.0', size: 100 })
  const wanted = image('1.1')
  firmware.faults.refuses = true
  await t.rejects(firmware.write(wanted), { code: 'EINVAL' })
  firmware.faults.refuses = false
  firmware.faults.cutAfter = 10
  await t.rejects(install(firmware, '1.1'), { code: 'EIO', message: /broke off after 10 bytes/ })
  await firmware.close()
})

t.test('cutAt: the transfer breaks off after a share of the image', async (t) => {
  const most = Math.floor(0.8 * image('1.1').bytes.length)
  const cut = simFirmware({ version: '1.0', faults: { cutAt: 0.8 } })
  await t.rejects(install(cut, '1.1'), { code: 'EIO', message: new RegExp(`broke off after ${most} bytes`) })
  await cut.close()
  const whole = simFirmware({ version: '1.0', faults: { cutAt: 1 } })
  await install(whole, '1.1')
  t.equal(whole.state.slots[1]?.version, '1.1')
  await whole.close()
})

for (const [fault, code] of [
  ['badSignature', 'EINVAL'],
  ['damaged', 'EIO']
] as const) {
  t.test(`a simulated component with ${fault} rejects the image`, async (t) => {
    const firmware = simFirmware({ version: '1.0', faults: { [fault]: true } })
    await t.rejects(install(firmware, '1.1'), { code })
    t.equal(firmware.state.slots[1]?.version, undefined)
  })
}

t.test('a new version that does not start gives way to the one before', async (t) => {
  const directory = t.testdir()
  const firmware = simFirmware({ directory, version: '1.0' })
  await install(firmware, '1.1')
  await firmware.activate(1)
  await firmware.close()
  const again = simFirmware({ directory, version: '1.0', faults: { startFails: true } })
  t.match(again.state, { running: 0, next: 0, slots: [{ version: '1.0' }, { version: '1.1' }] })
  const after = simFirmware({ directory, version: '1.0' })
  t.match(after.state, { running: 0, next: 0 })
})

t.test('an image that does not fit is refused', async (t) => {
  const firmware = simFirmware({ version: '1.0', size: 10 })
  await t.rejects(firmware.write(image('1.1')), { code: 'EINVAL' })
})

t.test('with one slot the image takes the place of the one that ran', async (t) => {
  const firmware = simFirmware({ version: '1.0', slots: 1 })
  const writing = await firmware.write(image('1.1'))
  t.same(firmware.state.slots, [{ version: undefined }])
  await writing.abandon()
  await install(firmware, '1.1')
  await firmware.activate(0)
  t.same(firmware.state, { slots: [{ version: '1.1' }], running: 0, next: 0, committed: true })
})

t.test('state that is damaged or of another component gives way to that of a first start', async (t) => {
  const directory = t.testdir()
  const warnings: string[] = []
  for (const kept of [
    '{',
    '{"slots":[{}],"running":0,"next":0,"committed":true}',
    '{"slots":[{},{}],"running":2,"next":0,"committed":true}'
  ]) {
    writeFileSync(`${directory}/firmware.json`, kept)
    const { state } = simFirmware({ directory, version: '1.0', warn: (text) => warnings.push(text) })
    t.match(state, { running: 0, slots: [{ version: '1.0' }, {}] })
  }
  t.equal(warnings.length, 3)
})
