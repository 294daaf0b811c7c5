import { signal } from '@preact/signals'
import { Failure, type ShownMessage } from '../rules/failure.ts'

/** An answer of the service. `body` is empty if there was no JSON. */
export interface Answer<T = Shown> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

/** Any resource. */
export type Shown = { readonly [name: string]: unknown }

/** A login: the token, and the URI of its session. */
export interface Session {
  readonly token: string
  readonly uri: string
  readonly user: string
  /** As the login answered; absent after a reload of the page. */
  readonly privileges?: readonly string[]
}

/** The session that requests are sent in; absent before the login. */
export const session = signal<Session | undefined>(undefined)

/** Whether the session is over, and the user is asked for the password. */
export const expired = signal(false)

/** The account whose password has to be changed before anything else, by its URI (DSP0266 13.2.6). */
export const mustChange = signal<string | undefined>(undefined)

/** The account that needs a key for one-time codes before anything else, by its URI. */
export const mustEnrol = signal<string | undefined>(undefined)

let renewal: { promise: Promise<void>; settle(): void } | undefined

/** Settles when the user has logged in again. */
function renewed(): Promise<void> {
  if (renewal === undefined) {
    let settle = () => {}
    const promise = new Promise<void>((resolve) => {
      settle = resolve
    })
    renewal = { promise, settle }
    expired.value = true
  }
  return renewal.promise
}

/** Begins a session, or goes on with a new one: requests that wait for it are sent again. */
export function resume(next: Session): void {
  session.value = next
  expired.value = false
  renewal?.settle()
  renewal = undefined
}

/** How far the clock of the service is ahead of the browser's, which may be wrong; in milliseconds. */
let ahead = 0

/** The time of the service, in milliseconds. */
export const serviceTime = () => Date.now() + ahead

/** A request as it is: with the token, and sent once more after a new login where the session is over. */
export async function ask(uri: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const headers = new Headers(init.headers)
    const sent = session.value
    if (sent !== undefined) headers.set('X-Auth-Token', sent.token)
    let answer: Response
    try {
      answer = await fetch(uri, { ...init, headers, credentials: 'omit' })
    } catch (error) {
      if (init.signal?.aborted) throw error
      throw new Failure(0, [])
    }
    ahead = Date.parse(answer.headers.get('Date') ?? '') - Date.now() || 0
    if (answer.status !== 401 || sent === undefined || !(await isOver(answer.clone()))) return answer
    if (session.value === sent) await renewed()
  }
}

/** Whether a 401 says that the session is over, and not that something in the request is wrong. */
async function isOver(answer: Response): Promise<boolean> {
  return messagesOf(await jsonOf(answer)).some(({ MessageId }) => MessageId.endsWith('.NoValidSession'))
}

/**
 * A request with a JSON body, or none.
 *
 * @throws Failure with the messages of the answer
 */
export async function send<T = Shown>(
  method: string,
  uri: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
): Promise<Answer<T>> {
  const content = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const sent = body === undefined ? null : JSON.stringify(body)
  underWay += 1
  try {
    const answer = await ask(uri, { method, headers: { ...content, ...headers }, body: sent, cache: 'no-store' })
    return await checked<T>(answer)
  } finally {
    underWay -= 1
    if (underWay === 0) setTimeout(tellQuiet, pause)
  }
}

let underWay = 0

const waiting = new Set<() => void>()

/** The answer to a request may lead to another one: milliseconds until it has. */
const pause = 50

function tellQuiet(): void {
  if (underWay > 0) return
  for (const each of waiting) each()
  waiting.clear()
}

/** Settles when the page asks for nothing: what comes ahead of its time does not delay what is wanted now. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(resolve)
    setTimeout(tellQuiet, pause)
  })
}

/** @throws Failure if the answer is one */
export async function checked<T>(answer: Response): Promise<Answer<T>> {
  const body = await jsonOf(answer)
  for (const { MessageId, MessageArgs } of messagesOf(body)) {
    if (MessageId.endsWith('.PasswordChangeRequired')) mustChange.value = MessageArgs?.[0]
    if (MessageId.endsWith('.GenerateSecretKeyRequired')) mustEnrol.value = MessageArgs?.[0]
  }
  if (!answer.ok && answer.status !== 304) throw new Failure(answer.status, messagesOf(body))
  return { status: answer.status, headers: answer.headers, body: body as T }
}

/** @throws Failure if the connection ends before the body does */
async function jsonOf(answer: Response): Promise<Shown> {
  const text = await answer.text().catch(() => {
    throw new Failure(0, [])
  })
  try {
    return JSON.parse(text || '{}')
  } catch {
    return {}
  }
}

/** The messages in a body: of an error, or of a success that has something to say. */
export function messagesOf(body: Shown): readonly ShownMessage[] {
  const { error = body } = body as { error?: Shown }
  return (error['@Message.ExtendedInfo'] as readonly ShownMessage[] | undefined) ?? []
}
