import { resource, text } from '#data/resource'
import { systemSettings } from '#data/system'
import { type Context, changed, fail, mergeArray, type Outcome } from '#runtime/contract'
import { bootOptions, storedBootOrder } from './options.ts'
import { bootOrder, setBootOrder } from './order.ts'

const names = { type: 'array', items: { type: 'string' } } as const

/** The boot order of a system by structured boot names, in the vendor's older words. */
export const namedBootOrder = {
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
          UEFIDevicePath: text
        }
      },
      readonly: true
    },
    DefaultBootOrder: { ...names, readonly: true },
    PersistentBootConfigOrder: { ...names, readonly: false }
  }
} as const

type Order = Pick<Context<'ComputerSystemId'>, 'params' | 'machine' | 'state'>

/** The boot order of the system that the path names. @throws MessageError 404 */
export function showNamedBootOrder({ params, machine, state }: Order) {
  const system = params.ComputerSystemId
  machine.system(system)
  const options = bootOptions(machine, system)
  const stored = storedBootOrder(machine, system) ?? systemSettings(state.get('system', system)).bootOrder
  const nameOf = new Map(options.map(({ reference, structuredName }) => [reference, structuredName]))
  return {
    BootSources: options.map(({ reference, displayName, structuredName, uefiDevicePath }) => ({
      BootOptionNumber: reference.slice('Boot'.length),
      BootString: displayName,
      StructuredBootString: structuredName,
      UEFIDevicePath: uefiDevicePath
    })),
    DefaultBootOrder: options.map(({ structuredName }) => structuredName),
    PersistentBootConfigOrder: bootOrder(options, stored).flatMap((each) => nameOf.get(each) ?? [])
  }
}

type NewOrder = Order & { readonly body: { readonly PersistentBootConfigOrder?: readonly string[] } }

/** 200: the boot options in the order that names them all. @throws MessageError 400, 404 */
export function changeNamedBootOrder({ body, ...context }: NewOrder): Outcome {
  const { params, machine } = context
  const present = showNamedBootOrder(context).PersistentBootConfigOrder
  if (body.PersistentBootConfigOrder === undefined) return changed({})
  const options = bootOptions(machine, params.ComputerSystemId)
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
