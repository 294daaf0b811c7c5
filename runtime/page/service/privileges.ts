import { effect, signal } from '@preact/signals'
import type { Privilege } from '#runtime/contract'
import { send, session } from './client.ts'

/** The privileges of the user; undefined while they are not known. */
const held = signal<ReadonlySet<string> | undefined>(undefined)

/** The privileges for an operation: one of them is enough. */
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

/** The privileges that a session has. */
export function privilegesIn({ Oem }: Mine): readonly string[] {
  return Object.entries(Oem?.Vendor?.Privileges ?? {}).flatMap(([name, isHeld]) => (isHeld ? name : []))
}

/** Learns the privileges of each session from the session itself: from the login, or after a reload by a read. */
export function followPrivileges(): void {
  effect(() => {
    const { uri, privileges } = session.value ?? {}
    held.value = undefined
    const hold = (names: readonly string[]) => {
      if (names.length > 0) held.value = new Set(names)
    }
    if (privileges !== undefined) hold(privileges)
    else if (uri !== undefined)
      send<Mine>('GET', uri).then(
        ({ body }) => hold(privilegesIn(body)),
        () => {}
      )
  })
}
