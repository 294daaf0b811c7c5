import { bootOptions } from '#data/boot'
import { resource } from '#data/resource'
import { hasVariables } from '#data/variables'
import { type Get, list, notFound, object } from '#runtime/contract'

const texts = list({ type: 'string' })

export const schema = resource('VendorBiosMappings.v1_0_0', 'Which setting belongs to which device', {
  AttributeRegistry: { type: 'string', readonly: true },
  BiosDeviceMappings: list(
    object(['StructuredName', 'Attributes', 'BootOptions'], {
      /** The beginning of structured boot names: device, location, number. */
      StructuredName: { type: 'string', readonly: true },
      Attributes: texts,
      BootOptions: texts
    })
  )
})

export const privileges = { GET: 'LoginPriv' } as const

/** Which attributes of the BIOS are about which device, and what can be booted from it. */
export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, machine, state }) => {
  const { attributeRegistry, biosDevices = [] } = machine.system(params.ComputerSystemId)
  const { attributes } = state.get('biosCurrent', params.ComputerSystemId) ?? notFound()
  const names = Object.keys(attributes)
  const options = hasVariables(machine, params.ComputerSystemId) ? bootOptions(machine, params.ComputerSystemId) : []
  return {
    Name: 'BIOS settings of devices',
    AttributeRegistry: attributeRegistry,
    BiosDeviceMappings: biosDevices.map(({ device, prefix }) => ({
      StructuredName: device,
      Attributes: names.filter((name) => name.startsWith(prefix) && !/^\d/.test(name.slice(prefix.length))),
      BootOptions: options
        .filter(({ structuredName }) => `${structuredName}.`.startsWith(`${device}.`))
        .map(({ reference }) => reference)
    }))
  }
}
