import { bootTargets } from '#data/board'
import { bootOptions } from '#data/boot'
import { oem, resource, text } from '#data/resource'
import { type Get, notFound } from '#runtime/contract'

export const schema = resource('BootOption.v1_0_4', 'A way in which the system can boot', ['BootOptionReference'], {
  Alias: { type: 'string', enum: bootTargets, nullable: true, readonly: true },
  BootOptionReference: { type: 'string', readonly: true },
  DisplayName: text,
  UefiDevicePath: text,
  Oem: oem('VendorBootOption.v1_0_0', { StructuredBootString: text })
})

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
