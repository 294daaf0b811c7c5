import { gunzipSync } from 'fflate'
import { type GroupAction, groupActionSchema, timeSchema } from '#data/fleet'
import { pageHeaders, pageType } from '#data/page'
import { utf8Text } from '#runtime/base/bytes.ts'
import { log } from '#runtime/base/log.ts'
import { busy, fail, isOutOfMemory, MessageError, message, type Stream } from '#runtime/contract'
import type { Answering } from '#runtime/listen/server.ts'
import { type Answer, answer, eventStream, failure, type Messages } from '#runtime/request/answer.ts'
import type { Begun } from '#runtime/request/handle.ts'
import { acceptsGzip, checkContentType, type Head, split } from '#runtime/request/head.ts'
import type { Origins } from '#runtime/request/origin.ts'
import { Refusals } from '#runtime/request/refusals.ts'
import { fileFaults, type Immutable, type Infer } from '#runtime/schema'
import type { Documents } from '#runtime/store/documents.ts'
import type { AddressSetting } from './address-setting.ts'
import type { FaultSetting } from './fault-setting.ts'
import { perform } from './group-actions.ts'
import type { Logins } from './logins.ts'
import type { Roster } from './roster.ts'
import type { Rows } from './rows.ts'
import type { Scenario } from './scenario.ts'
import type { FleetTime } from './time.ts'

/** Sessions as Redfish has them (DSP0266 13.3.4), so that the page logs in as that of a controller does. */
const sessionService = '/redfish/v1/SessionService'
const sessions = `${sessionService}/Sessions`

/** Seconds after which a client for whom there is no stream left may try again. */
const retryAfter = 30

interface Settings {
  readonly sessionTimeout: number
  readonly events: { readonly streamKeepAlive: number; readonly streamUnread: number }
  readonly limits: { readonly body: number; readonly bodyBeforeLogin: number; readonly streams: number }
}

interface Parts {
  readonly roster: Roster
  readonly rows: Rows
  readonly setting: FaultSetting
  readonly addresses: AddressSetting
  readonly scenario: Scenario
  readonly time: FleetTime
  readonly logins: Logins
  readonly documents: Documents
  readonly origins: Origins
}

/**
 * The control address of a fleet: its page, and what the page is made of. `/fleet/` lists the controllers and does
 * something with many, `/fleet/time` is the time of the scenario, `/fleet/events` is a stream of what changes in the list.
 */
export class FleetPage extends Refusals implements Answering {
  readonly #parts: Parts
  readonly #messages: Messages
  readonly #settings: Settings
  #streams = 0

  constructor(parts: Parts, messages: Messages, settings: Settings) {
    super(messages)
    this.#parts = parts
    this.#messages = messages
    this.#settings = settings
  }

  begin(head: Head): Begun {
    try {
      return this.#begin(head)
    } catch (error) {
      return this.#failed(error as Error, head)
    }
  }

  async methodUnknown(head: Head = { method: '', target: '', headers: {}, address: '' }): Promise<Answer> {
    return this.#failed(new MessageError(501, [message('Mgmt.MethodNotImplemented', head.method.slice(0, 16))]), head)
  }

  #begin(head: Head): Begun {
    const { method, headers } = head
    const { path, search = '' } = split(head.target)
    const { origins, logins, rows } = this.#parts
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead || path === '/fleet/events') origins.check(headers)
    if (isRead && path === '/') return this.#file('index.html', head)
    if (isRead && path.startsWith('/page/')) return this.#file(path.slice('/page/'.length), head)
    const place = path.replace(/\/$/, '')
    if (place === sessions && method === 'POST') {
      return this.#taking(head, this.#settings.limits.bodyBeforeLogin, '', async (body) => this.#logIn(body))
    }
    const session = logins.use(headers['x-auth-token'])
    const own = `${sessions}/${session}`
    if (place === '/fleet' && isRead)
      return this.#shown(rows.after(Number(/(?:^|&)after=(\d+)/.exec(search)?.[1] ?? 0)))
    if (place === '/fleet' && method === 'POST') {
      return this.#taking(head, this.#settings.limits.body, session, (body) => this.#perform(body))
    }
    if (place === '/fleet/time' && isRead) return this.#time()
    if (place === '/fleet/time' && method === 'POST') {
      return this.#taking(head, this.#settings.limits.body, session, (body) => this.#setTime(body))
    }
    if (place === '/fleet/events' && method === 'GET') return eventStream([], this.#stream(session))
    if (place === sessionService && isRead)
      return this.#shown(JSON.stringify({ SessionTimeout: this.#settings.sessionTimeout }))
    if (place === own && isRead) return this.#shown(JSON.stringify({ '@odata.id': own, Id: session }))
    if (place === own && method === 'DELETE') {
      logins.end(session)
      return answer(204, [], undefined)
    }
    fail(404, 'Base.ResourceMissingAtURI', path)
  }

  #shown(text: string): Answer {
    return answer(200, [], text, { cache: 'never' })
  }

  /** A file of the page. All but the first have a digest in their names. */
  #file(name: string, { headers, method }: Head): Answer {
    const document = this.#parts.documents.get(`fleet/${name}`)
    const type = pageType(name)
    if (document === undefined || type === undefined) fail(404, 'Base.ResourceMissingAtURI', `/page/${name}`)
    const packed = acceptsGzip(headers['accept-encoding'])
    const more = [...(packed ? ['Content-Encoding', 'gzip'] : []), ...pageHeaders, 'Vary', 'Accept-Encoding']
    const body = packed ? document.gzip : gunzipSync(document.gzip)
    const given = answer(200, more, body, { type, cache: name === 'index.html' ? 'never' : 'forever' })
    return method === 'HEAD' ? { ...given, body: undefined } : given
  }

  /** A request whose body is JSON. @param user who sends it, for the bounds of bodies */
  #taking(head: Head, limit: number, user: string, take: (body: unknown) => Promise<Answer>): Begun {
    checkContentType(head.headers)
    return {
      limit,
      user,
      finish: async (bytes) => {
        try {
          return await take(parsed(bytes))
        } catch (error) {
          return this.#failed(error as Error, head)
        }
      }
    }
  }

  #logIn(body: unknown): Answer {
    const { UserName, Password } = (body ?? {}) as { readonly UserName?: unknown; readonly Password?: unknown }
    const { id, token } = this.#parts.logins.logIn(UserName, Password)
    const uri = `${sessions}/${id}`
    return answer(201, ['X-Auth-Token', token, 'Location', uri], JSON.stringify({ '@odata.id': uri, Id: id }), {
      cache: 'never'
    })
  }

  async #perform(body: unknown): Promise<Answer> {
    const [fault] = fileFaults(groupActionSchema, body)
    if (fault !== undefined) fail(400, 'Base.PropertyValueError', fault.split(/[/ ]/)[0]!)
    const failed = await perform(this.#parts, body as GroupAction)
    return answer(200, [], JSON.stringify({ failed }), { cache: 'never' })
  }

  #time(): Answer {
    const { scenario, time } = this.#parts
    const { steps, done } = scenario
    return this.#shown(JSON.stringify({ seconds: Math.floor(time.now() / 1000), speed: time.speed, steps, done }))
  }

  async #setTime(body: unknown): Promise<Answer> {
    const [fault] = fileFaults(timeSchema, body)
    if (fault !== undefined) fail(400, 'Base.PropertyValueError', fault.split(/[/ ]/)[0]!)
    const { speed, advance } = body as Immutable<Infer<typeof timeSchema>>
    const { time } = this.#parts
    if (speed !== undefined) time.speed = speed
    if (advance !== undefined) await time.advance(advance * 1000)
    return this.#time()
  }

  /** Counts a stream until its client has gone. @throws MessageError 503 if there are too many */
  #stream(session: string): Stream {
    const { rows, logins } = this.#parts
    const { events, limits } = this.#settings
    if (this.#streams >= limits.streams) throw busy(retryAfter)
    this.#streams += 1
    return (sink) => {
      const write = (text: string) => {
        if (sink.unread() > events.streamUnread) sink.cut()
        else sink.write(text)
      }
      write(': these are the changes\n\n')
      const unfollow = rows.follow((text) => write(`data: ${text}\n\n`))
      const forget = logins.onEnded((id) => {
        if (id === session) sink.end()
      })
      const timer = setInterval(() => {
        if (logins.isLive(session)) write(': nothing has changed\n\n')
      }, events.streamKeepAlive * 1000)
      return () => {
        this.#streams -= 1
        clearInterval(timer)
        unfollow()
        forget()
      }
    }
  }

  #failed(error: Error, { method, target }: Head): Answer {
    const { path } = split(target)
    if (isOutOfMemory(error)) return this.noRoom()
    if (error instanceof MessageError) return failure(error, this.#messages, path)
    log.error('a request failed', { method, path, cause: error.message, stack: error.stack })
    return failure(new MessageError(500, [message('Base.InternalError')]), this.#messages, path)
  }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8Text(bytes))
  } catch {
    fail(400, 'Base.MalformedJSON')
  }
}
