import { bios, changeBiosSettings, ofBios, writeTransferMessage } from '#data/bios'
import { type Get, notFound, type Patch, type Schema } from '#runtime/contract'

export const schema = bios satisfies Schema

export const exists = ofBios

export const privileges = { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' } as const

/** The current area is read-only. Some clients PATCH it all the same and mean the pending one, which they get. */
export const unannounced = ['PATCH'] as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, machine, state, configuration }) => {
  const { attributeRegistry } = machine.system(params.ComputerSystemId)
  const { attributes, messages, transferredAt } = state.get('biosCurrent', params.ComputerSystemId) ?? notFound()
  return {
    Name: 'BIOS settings',
    Description: 'The values that the BIOS runs with',
    AttributeRegistry: attributeRegistry,
    Attributes: attributes,
    Actions: { '#Bios.ChangePassword': {}, '#Bios.ResetBios': {} },
    Links: { Oem: { Vendor: {} } },
    '@Redfish.Settings': {
      Messages: messages.map((each) => writeTransferMessage(each, configuration.profile)),
      SupportedApplyTimes: ['OnReset'],
      Time: transferredAt
    }
  }
}

export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = (context) => changeBiosSettings(context)
