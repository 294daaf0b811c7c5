/** Sends messages between the tabs of a browser that share a name; only the other tabs receive them. */
export interface Tabs<T> {
  tell(message: T): void
}

/**
 * Joins the tabs of this browser that have a name in common. One of them leads; when it leaves, or is closed, another
 * one does. A browser without locks, as over HTTP, has tabs that are each alone, and lead.
 *
 * @param left ends the membership
 * @param heard is called with what another tab tells
 * @param lead is called when it is this tab's turn
 */
export function joinTabs<T>(name: string, left: AbortSignal, heard: (message: T) => void, lead: () => void): Tabs<T> {
  if (navigator.locks === undefined) {
    lead()
    return { tell: () => {} }
  }
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }) => heard(data)
  left.addEventListener('abort', () => channel.close())
  const stay = () =>
    new Promise<void>((resolve) => {
      left.addEventListener('abort', () => resolve())
      lead()
    })
  // Leaving before its turn is no fault.
  navigator.locks.request(name, { signal: left }, stay).catch(() => {})
  return { tell: (message) => left.aborted || channel.postMessage(message) }
}
