import { changed, type HandlerModule, object, type Post } from '#runtime/contract'
import type { Schema } from '#runtime/schema'
import type { Advertised } from './actions.ts'

/** Whether an action is one of an outlet that can be switched on and off, and no more. */
export function switchesOutlet({ name, action }: Advertised): boolean {
  const states = action['PowerState@Redfish.AllowableValues']
  return (
    name === 'Outlet.PowerControl' && Array.isArray(states) && states.every((each) => each === 'On' || each === 'Off')
  )
}

const body = object(['PowerState'], { PowerState: { type: 'string', enum: ['On', 'Off'] } })

/** Switches an outlet (DSP0268, Outlet.PowerControl). @param path of the action */
export function switchedOutlet(path: string): HandlerModule {
  const outlet = path.replace(/\/Actions\/.*$/, '')
  const POST: Post<typeof body> = ({ body, state }) => {
    const before = state.get('recorded', outlet)
    const changes = { ...before?.changes, PowerState: body.PowerState }
    return changed({ recorded: { [outlet]: { ...before, changes } } })
  }
  return { body, privileges: { POST: 'MgmtConfigPriv' }, POST: POST as Post<Schema, string> }
}
