import { computed, signal } from '@preact/signals'

/** Where in the page the user is. */
interface Place {
  /** The id of the system; absent where the address names none, as on a controller of one system. */
  readonly system: string | undefined
  /** The part of the address that names the screen. */
  readonly screen: string
  /** The rest of the address, decoded; may be empty. */
  readonly rest: string
  /** The choices made on the screen, by name. */
  readonly choices: URLSearchParams
}

const address = signal(location.hash)

addEventListener('hashchange', () => {
  address.value = location.hash
})

/**
 * The place that the address names: `#/SCREEN/REST?CHOICES`, or `#/systems/ID/SCREEN/REST?CHOICES`. It can be kept as a
 * bookmark.
 */
export const place = computed((): Place => {
  const [, id, at = ''] = /^#?\/?(?:systems\/([^/]+)\/?)?(.*)$/.exec(address.value) ?? []
  const [, screen = '', rest = '', choices] = /^([^/?]*)\/?([^?]*)\??(.*)$/s.exec(at) ?? []
  return {
    system: id === undefined ? undefined : decoded(id),
    screen,
    rest: decoded(rest),
    choices: new URLSearchParams(choices)
  }
})

/** The address of a place; of the system that is shown, or of another one. */
export function addressOf(to: string, system = place.value.system): string {
  return `#/${system === undefined ? '' : `systems/${encodeURIComponent(system)}/`}${to}`
}

/** Keeps a choice of this screen in the address; without a value it is as if nothing was chosen. */
export function choose(name: string, value: string): void {
  const { screen, rest, choices } = place.peek()
  const next = new URLSearchParams(choices)
  if (value === '') next.delete(name)
  else next.set(name, value)
  const at = [screen, ...rest.split('/').filter(Boolean).map(encodeURIComponent)].join('/')
  // A step back leads to another screen, not through all letters of a filter.
  history.replaceState(history.state, '', addressOf(next.size === 0 ? at : `${at}?${next}`))
  address.value = location.hash
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
