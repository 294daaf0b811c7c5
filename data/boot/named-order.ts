import { pendingSettings } from '#data/bios'
import { resource, text } from '#data/resource'
import { type Context, changed, fail, list, mergeArray, type Outcome, object } from '#runtime/contract'
import { bootOptions } from './options.ts'
import { bootOrder, defaultBootOrder, mayFollow, setBootOrder } from './order.ts'

const names = list({ type: 'string' })

/** The boot order of a system by structured boot names, in the vendor's older words. */
export const namedBootOrder = resource('VendorServerBootSettings.v1_0_0', 'The boot order and its names', {
  BootSources: list(
    object(['BootOptionNumber', 'StructuredBootString'], {
      BootOptionNumber: { type: 'string', readonly: true },
      BootString: text,
      StructuredBootString: { type: 'string', readonly: true },
      UEFIDevicePath: text
    })
  ),
  DefaultBootOrder: { ...names, readonly: true },
  PersistentBootConfigOrder: { ...names, readonly: false },
  /** Of the current order only. */
  '@Redfish.Settings': pendingSettings
})

type Order = Pick<Context<'ComputerSystemId'>, 'params' | 'machine' | 'state'>

/** The boot order of the system that the path names. @throws MessageError 404 */
export function showNamedBootOrder({ params, machine, state }: Order) {
  const system = params.ComputerSystemId
  machine.system(system)
  const options = bootOptions(machine, system)
  const nameOf = new Map(options.map(({ reference, structuredName }) => [reference, structuredName]))
  const named = (order: readonly string[]) => order.flatMap((each) => nameOf.get(each) ?? [])
  return {
    BootSources: options.map(({ reference, displayName, structuredName, uefiDevicePath }) => ({
      BootOptionNumber: reference.slice('Boot'.length),
      BootString: displayName,
      StructuredBootString: structuredName,
      UEFIDevicePath: uefiDevicePath
    })),
    DefaultBootOrder: named(defaultBootOrder(state, machine, system)),
    PersistentBootConfigOrder: named(bootOrder(state, machine, system))
  }
}

type NewOrder = Order & { readonly body: { readonly PersistentBootConfigOrder?: readonly string[] } }

/** 200: the boot options in the order that names them. @throws MessageError 400, 404 */
export function changeNamedBootOrder(context: NewOrder): Outcome {
  const { params, body, machine, state } = context
  const system = params.ComputerSystemId
  const present = showNamedBootOrder(context).PersistentBootConfigOrder
  if (body.PersistentBootConfigOrder === undefined) return changed({})
  const options = bootOptions(machine, system)
  const order = mergeArray(present, body.PersistentBootConfigOrder)
  const references = order.map((name) => {
    const option = options.find(({ structuredName }) => structuredName === name)
    return (option ?? fail(400, 'Base.PropertyValueNotInList', name, 'PersistentBootConfigOrder')).reference
  })
  if (!mayFollow(references, bootOrder(state, machine, system))) {
    fail(400, 'Base.PropertyValueIncorrect', 'PersistentBootConfigOrder', order.join(', '))
  }
  return changed(setBootOrder(state, machine, system, references))
}
