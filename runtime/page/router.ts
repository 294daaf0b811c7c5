import { computed, signal } from '@preact/signals'

/** Where in the page the user is. */
interface Place {
  /** The id of the system; absent where the address names none, as on a controller of one system. */
  readonly system: string | undefined
  /** The part of the address that names the screen. */
  readonly screen: string
  /** The rest of the address, decoded; may be empty. */
  readonly rest: string
}

const address = signal(location.hash)

addEventListener('hashchange', () => {
  address.value = location.hash
})

/** The place that the address names: `#/SCREEN/REST`, or `#/systems/ID/SCREEN/REST`. It can be kept as a bookmark. */
export const place = computed((): Place => {
  const [, id, at = ''] = /^#?\/?(?:systems\/([^/]+)\/?)?(.*)$/.exec(address.value) ?? []
  const [, screen = '', rest = ''] = /^([^/]*)\/?(.*)$/s.exec(at) ?? []
  return { system: id === undefined ? undefined : decoded(id), screen, rest: decoded(rest) }
})

/** The address of a place; of the system that is shown, or of another one. */
export function addressOf(to: string, system = place.value.system): string {
  return `#/${system === undefined ? '' : `systems/${encodeURIComponent(system)}/`}${to}`
}

/** Goes there. */
export function go(to: string): void {
  location.hash = addressOf(to)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
