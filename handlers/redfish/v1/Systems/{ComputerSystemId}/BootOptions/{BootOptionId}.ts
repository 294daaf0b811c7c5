import { bootTargets } from '#data/board'
import { bootOptions } from '#data/boot'
import { oem, resource, text } from '#data/resource'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = {
  title: '#BootOption.v1_0_4.BootOption',
  description: 'A way in which the system can boot',
  type: 'object',
  required: [...resource.required, 'BootOptionReference'],
  properties: {
    ...resource.properties,
    Alias: { type: 'string', enum: bootTargets, nullable: true, readonly: true },
    BootOptionReference: { type: 'string', readonly: true },
    DisplayName: text,
    UefiDevicePath: text,
    Oem: oem('VendorBootOption.v1_0_0.VendorBootOption', { StructuredBootString: text })
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'BootOptionId'> = ({ params, machine }) => {
  const options = bootOptions(machine, params.ComputerSystemId)
  const option = options.find((each) => each.reference === params.BootOptionId) ?? notFound()
  return {
    Name: option.structuredName,
    Alias: option.alias,
    BootOptionReference: option.reference,
    DisplayName: option.displayName,
    UefiDevicePath: option.uefiDevicePath,
    Oem: {
      Vendor: {
        StructuredBootString: option.structuredName
      }
    }
  }
}
