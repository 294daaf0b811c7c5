import { signal } from '@preact/signals'

/** The screen that is shown: the part of the address after `#/`, as it stands there. It can be kept as a bookmark. */
export const place = signal(read())

addEventListener('hashchange', () => {
  place.value = read()
})

function read(): string {
  return location.hash.replace(/^#\/?/, '')
}

/** The address of a place. */
export const addressOf = (to: string) => `#/${to}`

/** Goes there. */
export function go(to: string): void {
  location.hash = addressOf(to)
}

/** The place within a screen: what stands after its name, decoded. */
export function within(): string {
  const rest = place.value.slice(place.value.indexOf('/') + 1)
  try {
    return rest === place.value ? '' : decodeURIComponent(rest)
  } catch {
    return ''
  }
}
