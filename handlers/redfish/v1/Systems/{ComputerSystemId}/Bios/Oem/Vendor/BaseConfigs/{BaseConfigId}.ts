import { baseConfigs, biosAttributes, checkAttribute, defaults, type Values } from '#data/bios'
import { resource } from '#data/resource'
import { changed, type Get, MessageError, notFound, type Patch, table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** The defaults that a user set for a BIOS in place of those of its registry: by system id. */
    biosUserDefaults: { attributes: Values }
  }
}

table('biosUserDefaults', { survives: ['restart', 'restStateReset'] })

export const schema = resource('VendorBaseConfig.v1_0_0', 'A set of BIOS settings', {
  AttributeRegistry: { type: 'string', readonly: true },
  Attributes: biosAttributes
})

export const privileges = { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' } as const

/** The maker's own cannot be changed. */
export const methods = ({ BaseConfigId }: Readonly<Record<string, string>>) =>
  BaseConfigId === 'default' ? (['GET'] as const) : (['GET', 'PATCH'] as const)

export const GET: Get<typeof schema, 'ComputerSystemId' | 'BaseConfigId'> = ({ params, machine, state }) => {
  const system = params.ComputerSystemId
  const { attributeRegistry } = machine.system(system)
  const id = baseConfigs.find((each) => each === params.BaseConfigId) ?? notFound()
  const own = id === 'default.user' ? state.get('biosUserDefaults', system)?.attributes : {}
  return {
    Name: id,
    Description: id === 'default' ? 'The defaults of the maker' : 'The defaults of the user',
    AttributeRegistry: attributeRegistry,
    Attributes: { ...defaults(machine.attributeRegistry(system), machine.board.individual), ...own }
  }
}

/** Values that the attribute registry does not allow are refused here, since no reset would report them. */
export const PATCH: Patch<typeof schema, 'ComputerSystemId' | 'BaseConfigId'> = ({ params, body, machine, state }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  if (params.BaseConfigId !== 'default.user') notFound()
  const attributes: Values = body.Attributes ?? {}
  const { Attributes } = machine.attributeRegistry(system).RegistryEntries
  const known = new Map(Attributes.map((each) => [each.AttributeName, each]))
  const faults = Object.entries(attributes).flatMap(
    ([name, value]) => checkAttribute(name, known.get(name), value) ?? []
  )
  if (faults.length > 0) throw new MessageError(400, faults)
  const before = state.get('biosUserDefaults', system)?.attributes
  return changed({ biosUserDefaults: { [system]: { attributes: { ...before, ...attributes } } } })
}
