import { effect, signal } from '@preact/signals'
import { send, session } from './client.ts'

/** Whether the user may log in and read, and nothing else but change what is the user's own. */
export const mayOnlyRead = signal(false)

interface Mine {
  readonly Oem?: { readonly Vendor?: { readonly Privileges?: Readonly<Record<string, boolean>> } }
}

/** Learns the privileges of each session from the session itself. */
export function followPrivileges(): void {
  effect(() => {
    const { uri } = session.value ?? {}
    mayOnlyRead.value = false
    if (uri === undefined) return
    send<Mine>('GET', uri).then(
      ({ body }) => {
        const held = Object.entries(body.Oem?.Vendor?.Privileges ?? {}).filter(([, isHeld]) => isHeld)
        mayOnlyRead.value = held.length > 0 && held.every(([name]) => name === 'LoginPriv')
      },
      // The service refuses what is not allowed, in any case.
      () => {}
    )
  })
}
