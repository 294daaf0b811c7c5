import { bios, biosAttributes, changeBiosSettings, pendingValues, replacePending, settingsApplyTime } from '#data/bios'
import {
  fail,
  type Get,
  notFound,
  object,
  type Patch,
  type Post,
  type Put,
  type Schema,
  withBody
} from '#runtime/contract'

export const schema = bios satisfies Schema

export const body = object(['Attributes'], {
  Attributes: biosAttributes,
  '@Redfish.SettingsApplyTime': settingsApplyTime
})

export const privileges = {
  GET: 'LoginPriv',
  PATCH: 'HostBIOSConfigPriv',
  POST: 'HostBIOSConfigPriv',
  PUT: 'HostBIOSConfigPriv'
} as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, machine, state }) => {
  const system = params.ComputerSystemId
  const { attributeRegistry } = machine.system(system)
  const { attributes } = state.get('biosCurrent', system) ?? notFound()
  const pending = state.get('biosPending', system)
  return {
    Name: 'Pending BIOS settings',
    Description: 'The values that the BIOS runs with after the next reset',
    AttributeRegistry: attributeRegistry,
    Attributes: pendingValues(attributes, pending, () => machine.attributeRegistry(system))
  }
}

/** An unknown attribute or an invalid value is accepted, and named after the reset. */
export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = (context) => changeBiosSettings(context)

export const POST: Post<typeof body, 'ComputerSystemId'> = (context) =>
  PATCH(withBody(context, { Attributes: context.body.Attributes }))

/** The pending changes as a whole, a reset to the defaults that waits among them; passwords are no attributes. */
export const PUT: Put<typeof schema, 'ComputerSystemId'> = (context) => {
  context.state.get('biosCurrent', context.params.ComputerSystemId) ?? notFound()
  if (context.body.Attributes === undefined) fail(400, 'Base.PropertyMissing', 'Attributes')
  return changeBiosSettings(context, replacePending)
}
