import { bootOptions, bootOrder, setBootOrder, storedBootOrder } from '#data/boot'
import { resource, text } from '#data/resource'
import { systemSettings } from '#data/system'
import { changed, fail, type Get, mergeArray, type Patch, type Schema } from '#runtime/contract'

const names = { type: 'array', items: { type: 'string' } } as const

export const schema = {
  title: '#VendorServerBootSettings.v1_0_0.VendorServerBootSettings',
  description: 'The boot order and its names',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    BootSources: {
      type: 'array',
      items: {
        type: 'object',
        required: ['BootOptionNumber', 'StructuredBootString'],
        properties: {
          BootOptionNumber: { type: 'string', readonly: true },
          BootString: text,
          StructuredBootString: { type: 'string', readonly: true },
          UefiDevicePath: text
        }
      },
      readonly: true
    },
    DefaultBootOrder: { ...names, readonly: true },
    PersistentBootConfigOrder: { ...names, readonly: false }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' } as const

/** The boot order of the system by structured boot names. */
export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, machine, state }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  const options = bootOptions(machine, system)
  const stored = storedBootOrder(machine, system) ?? systemSettings(state.get('system', system)).bootOrder
  const nameOf = new Map(options.map(({ reference, structuredName }) => [reference, structuredName]))
  return {
    Name: 'Boot order',
    BootSources: options.map(({ reference, displayName, structuredName, uefiDevicePath }) => ({
      BootOptionNumber: reference.slice('Boot'.length),
      BootString: displayName,
      StructuredBootString: structuredName,
      UefiDevicePath: uefiDevicePath
    })),
    DefaultBootOrder: options.map(({ structuredName }) => structuredName),
    PersistentBootConfigOrder: bootOrder(options, stored).flatMap((each) => nameOf.get(each) ?? [])
  }
}

export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = (context) => {
  const { params, body, machine } = context
  machine.system(params.ComputerSystemId)
  if (body.PersistentBootConfigOrder === undefined) return changed({})
  const options = bootOptions(machine, params.ComputerSystemId)
  const present = GET({ ...context, body: undefined }).PersistentBootConfigOrder ?? []
  const order = mergeArray(present, body.PersistentBootConfigOrder)
  const references = order.map((name) => {
    const option = options.find(({ structuredName }) => structuredName === name)
    return (option ?? fail(400, 'Base.PropertyValueNotInList', name, 'PersistentBootConfigOrder')).reference
  })
  if (references.length !== options.length || new Set(references).size !== references.length) {
    fail(400, 'Base.PropertyValueIncorrect', 'PersistentBootConfigOrder', order.join(', '))
  }
  return changed(setBootOrder(machine, params.ComputerSystemId, references))
}
