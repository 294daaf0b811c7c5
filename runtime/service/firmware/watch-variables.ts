import type { Store } from '#runtime/store/store.ts'
import type { Devices } from '../machine/machine.ts'

/**
 * Detects the changes that running hosts make to their variables, if these can be read meanwhile. After a failed read,
 * this process does not look at the variables of that host again; they are read when the host is held.
 *
 * @param every milliseconds
 * @returns ends it
 */
export function watchVariables(
  store: Store,
  { nvram, power }: Pick<Devices, 'nvram' | 'power'>,
  every = 2000
): () => void {
  const visible = new Map([...nvram].filter(([, { look }]) => look !== undefined))
  // A timer for each controller of a fleet would cost something.
  if (visible.size === 0) return () => undefined
  const look = () => {
    for (const [system, variables] of visible) {
      if (power.get(system)?.state === 'Off') continue
      try {
        if (variables.look?.()) store.revisions.moved(`nvram/${system}`)
      } catch (error) {
        const cause = (error as Error).message
        store.log.warning('the variables of a running host cannot be read', { system, cause })
        visible.delete(system)
      }
    }
  }
  const timer = setInterval(look, every).unref()
  return () => clearInterval(timer)
}
