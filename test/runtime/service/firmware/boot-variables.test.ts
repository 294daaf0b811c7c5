import t from 'tap'
import { overrideReference } from '#data/boot'
import { readBootOption } from '#hal/uefi/boot.ts'
import { devicePathText } from '#hal/uefi/device-path.ts'
import { overrideVariables } from '#runtime/service/firmware/boot-variables.ts'
import { context } from '#test/handlers/context.ts'

/** The device path of the option that is written for one boot. */
function written(system: object): string | undefined {
  const { state, machine } = context({ tables: { system: { 1: { bootOverrideEnabled: 'Once', ...system } } } })
  const changes = overrideVariables({ state, system: '1', boots: true }, machine)
  const data = changes.find(({ name }) => name === overrideReference)?.data
  return data ? devicePathText(readBootOption(data)!.devicePath) : undefined
}

const adapter = 'PciRoot(0x0)/Pci(0x1C,0x4)/Pci(0x0,0x1)/MAC(8C12C20A4152,0x1)/IPv4(0.0.0.0)'
const uri = 'https://boot.example/$&/shim.efi?rack=7'

t.test('HTTP boot is of the URI that a client names', async (t) => {
  t.equal(written({ bootOverrideTarget: 'UefiHttp', httpBootUri: uri }), `${adapter}/Uri(${uri})`)
})

t.test('without a URI, the network provides the boot file', async (t) => {
  t.equal(written({ bootOverrideTarget: 'UefiHttp' }), `${adapter}/Uri()`)
  t.equal(written({ bootOverrideTarget: 'UefiHttp', httpBootUri: null }), `${adapter}/Uri()`)
})

t.test('other targets do not use the URI', async (t) => {
  t.notMatch(written({ bootOverrideTarget: 'Pxe', httpBootUri: uri }), 'boot.example')
})
