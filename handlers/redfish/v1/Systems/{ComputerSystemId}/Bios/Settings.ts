import { addPending, biosAttributes, pendingValues, replacePending, settingsApplyTime } from '#data/bios'
import { entry } from '#data/board'
import { resource } from '#data/resource'
import {
  deferred,
  fail,
  type Get,
  notFound,
  type Parameters,
  type Patch,
  type Post,
  type Put,
  type Schema
} from '#runtime/contract'

export const schema = {
  title: '#Bios.v1_2_3.Bios',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    AttributeRegistry: { type: 'string', readonly: true },
    Attributes: biosAttributes,
    '@Redfish.SettingsApplyTime': settingsApplyTime
  }
} as const satisfies Schema

export const body = {
  type: 'object',
  required: ['Attributes'],
  properties: { Attributes: biosAttributes, '@Redfish.SettingsApplyTime': settingsApplyTime }
} as const satisfies Parameters

export const privileges = {
  GET: 'LoginPriv',
  PATCH: 'HostBIOSConfigPriv',
  POST: 'HostBIOSConfigPriv',
  PUT: 'HostBIOSConfigPriv'
} as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, machine, state }) => {
  const system = params.ComputerSystemId
  const { attributeRegistry } = entry(machine.board.systems, system) ?? notFound()
  const { attributes } = state.get('biosCurrent', system) ?? notFound()
  const pending = state.get('biosPending', system)
  return {
    Name: 'Pending BIOS settings',
    Description: 'What the next reset changes',
    AttributeRegistry: attributeRegistry,
    Attributes: pending ? pendingValues(attributes, pending, () => machine.attributeRegistry(system)) : {}
  }
}

/** Unknown and invalid values are accepted; the messages after the reset name them. */
export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = ({ params, body, configuration, state }) => {
  const system = params.ComputerSystemId
  const { attributes } = state.get('biosCurrent', system) ?? notFound()
  const before = state.get('biosPending', system)
  const pending = addPending(attributes, before, body.Attributes ?? {}, configuration.limits.biosPending)
  return deferred({ biosPending: { [system]: pending ?? fail(507, 'Base.InsufficientStorage') } })
}

export const POST: Post<typeof body, 'ComputerSystemId'> = ({ body: { Attributes }, ...context }) =>
  PATCH({ ...context, body: { Attributes } })

/** The pending changes as a whole, a reset to the defaults that waits among them; passwords are no attributes. */
export const PUT: Put<typeof schema, 'ComputerSystemId'> = ({ params, body, configuration, state }) => {
  const system = params.ComputerSystemId
  const { attributes } = state.get('biosCurrent', system) ?? notFound()
  const values = body.Attributes ?? fail(400, 'Base.PropertyMissing', 'Attributes')
  const before = state.get('biosPending', system)
  const pending = replacePending(attributes, before, values, configuration.limits.biosPending)
  return deferred({ biosPending: { [system]: pending ?? fail(507, 'Base.InsufficientStorage') } })
}
