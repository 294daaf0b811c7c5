import { effect, signal } from '@preact/signals'
import { ask, checked, expired, quiet, resume, type Session, type Shown, send, session } from './client.ts'
import { privilegesIn } from './privileges.ts'

const kept = 'session'

/** Goes on with the session that this tab keeps, if the user wanted it kept. */
export function restore(): void {
  const text = sessionStorage.getItem(kept)
  if (text !== null) session.value = JSON.parse(text)
}

/** True where the session outlives a reload of the page. */
export const isKept = () => sessionStorage.getItem(kept) !== null

/** Opens connections for the first requests after a login: over a slow link a handshake takes three round trips. */
export function openConnections(): void {
  for (const path of ['', 'v1/', 'v1/odata', 'v1/$metadata']) {
    void fetch(`/redfish/${path}`, { method: 'HEAD', credentials: 'omit' }).catch(() => {})
  }
}

/**
 * Logs in (DSP0266 13.3.4).
 *
 * @param keep whether the token outlives a reload of this tab
 * @param code of the second factor, where the account has one
 * @throws Failure
 */
export async function logIn(user: string, password: string, keep: boolean, code?: string): Promise<void> {
  const sent = { UserName: user, Password: password, ...(code && { Token: code }) }
  // Without the old token, which the service would refuse first.
  const answer = await checked<Shown>(
    await fetch('/redfish/v1/SessionService/Sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(sent),
      credentials: 'omit'
    })
  )
  const { headers } = answer
  const next: Session = { token: headers.get('X-Auth-Token') ?? '', uri: headers.get('Location') ?? '', user }
  if (keep) sessionStorage.setItem(kept, JSON.stringify(next))
  else sessionStorage.removeItem(kept)
  resume({ ...next, privileges: privilegesIn(answer.body) })
}

/** Logs out, also where the service does not answer. */
export async function logOut(): Promise<void> {
  const { uri } = session.value ?? {}
  try {
    if (uri !== undefined && !expired.value) await send('DELETE', uri)
  } finally {
    forget()
  }
}

/** Forgets the session, and everything that was read in it. */
export function forget(): void {
  sessionStorage.clear()
  session.value = undefined
  location.reload()
}

/** Ends an unusable session before its time-out: the number of sessions is limited. */
export function endWithPage(): void {
  addEventListener('pagehide', ({ persisted }) => {
    const { uri } = session.value ?? {}
    if (uri !== undefined && !persisted && !isKept())
      void ask(uri, { method: 'DELETE', keepalive: true }).catch(() => {})
  })
}

/** How many works go on while the page is not visible: the session does not end then. */
export const hiddenWork = signal(0)

/** How often a session is used in the time that it may be idle. */
const uses = 3

/**
 * Uses the session of a page that is visible: to the service a user who watches is idle, since events and readings come
 * without a request. A page that is not visible, and has nothing under way, lets its session end.
 */
export function stayAlive(): void {
  effect(() => {
    const { uri } = session.value ?? {}
    if (uri === undefined || expired.value) return
    let timer: ReturnType<typeof setInterval> | undefined
    let isOver = false
    const use = () => {
      if (document.visibilityState === 'visible' || hiddenWork.value > 0) void send('GET', uri).catch(() => {})
    }
    // After the requests that the user waits for.
    quiet()
      .then(() => send<{ readonly SessionTimeout: number }>('GET', '/redfish/v1/SessionService/'))
      .then(
        ({ body }) => {
          if (!isOver) timer = setInterval(use, (body.SessionTimeout * 1000) / uses)
        },
        // The session then ends when the user is idle.
        () => {}
      )
    return () => {
      isOver = true
      clearInterval(timer)
    }
  })
}
