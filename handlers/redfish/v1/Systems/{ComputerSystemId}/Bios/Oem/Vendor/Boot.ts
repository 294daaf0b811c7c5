import { bootOrder, entry, resource, systemSettings, text } from '#data'
import { changed, fail, type Get, mergeArray, notFound, type Patch, type Schema, setBootOrder } from '#runtime'

const names = { type: 'array', items: { type: 'string' } } as const

export const schema = {
  title: '#VendorServerBootSettings.v1_0_0.VendorServerBootSettings',
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
  const { bootOptions } = entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  const { bootOrder: stored } = systemSettings(state.get('system', params.ComputerSystemId))
  const nameOf = new Map(bootOptions.map(({ reference, structuredName }) => [reference, structuredName]))
  return {
    Name: 'Boot order',
    BootSources: bootOptions.map(({ reference, displayName, structuredName, uefiDevicePath }) => ({
      BootOptionNumber: reference.slice('Boot'.length),
      BootString: displayName,
      StructuredBootString: structuredName,
      UefiDevicePath: uefiDevicePath
    })),
    DefaultBootOrder: bootOptions.map(({ structuredName }) => structuredName),
    PersistentBootConfigOrder: bootOrder(bootOptions, stored).flatMap((each) => nameOf.get(each) ?? [])
  }
}

export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = (context) => {
  const { params, body, machine } = context
  const { bootOptions } = entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  const present = GET({ ...context, body: undefined }).PersistentBootConfigOrder ?? []
  const order = mergeArray(present, body.PersistentBootConfigOrder ?? [])
  const references = order.map((name) => {
    const option = bootOptions.find(({ structuredName }) => structuredName === name)
    return (option ?? fail(400, 'Base.PropertyValueNotInList', name, 'PersistentBootConfigOrder')).reference
  })
  if (references.length !== bootOptions.length || new Set(references).size !== references.length) {
    fail(400, 'Base.PropertyValueIncorrect', 'PersistentBootConfigOrder', order.join(', '))
  }
  return changed(setBootOrder(machine, params.ComputerSystemId, references))
}
