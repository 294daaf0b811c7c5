import { effect, signal } from '@preact/signals'
import type { Privilege } from '#runtime/contract'
import { send, session } from './client.ts'

/** The privileges of the user; undefined while they are not known. */
const held = signal<ReadonlySet<string> | undefined>(undefined)

/** What an operation needs: one of these privileges. */
export type Needs = Privilege | readonly Privilege[]

/** Why a user may not do something: what is missing, or that the user may change nothing but what is the user's own. */
export function missingOf(needs: Needs | undefined): Privilege | 'any' | undefined {
  const privileges = held.value
  // The service refuses what is not allowed, in any case.
  if (privileges === undefined) return undefined
  if ([...privileges].every((each) => each === 'LoginPriv')) return 'any'
  const [first, ...others] = [needs ?? []].flat()
  return first === undefined || [first, ...others].some((each) => privileges.has(each)) ? undefined : first
}

interface Mine {
  readonly Oem?: { readonly Vendor?: { readonly Privileges?: Readonly<Record<string, boolean>> } }
}

/** Learns the privileges of each session from the session itself. */
export function followPrivileges(): void {
  effect(() => {
    const { uri } = session.value ?? {}
    held.value = undefined
    if (uri === undefined) return
    send<Mine>('GET', uri).then(
      ({ body }) => {
        const all = Object.entries(body.Oem?.Vendor?.Privileges ?? {})
        const names = all.flatMap(([name, isHeld]) => (isHeld ? name : []))
        if (names.length > 0) held.value = new Set(names)
      },
      () => {}
    )
  })
}
